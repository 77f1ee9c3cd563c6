"""What is made of a promise, or of a wish to be reminded, that somebody has put into words: what the policy says.

What a tool, a page or a ticket says sets and proposes nothing, whatever the policy says: there is no field for it.
"""

from collections.abc import Mapping
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from models.authority import Authority


class Captured(StrEnum):
    """What is made of it. What is proposed waits for the yes of whoever it would belong to, and lapses without it."""

    IGNORE = "ignore"
    PROPOSE = "propose"
    SET = "set"


class ByAuthority(BaseModel):
    """What is made of the words of each kind of source that may promise something."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model_inferred: Captured = Captured.PROPOSE
    human_instruction: Captured = Captured.PROPOSE
    verified_outcome: Captured = Captured.PROPOSE


class IntentionRules(BaseModel):
    """What the policy says of intentions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    captured: ByAuthority = ByAuthority()

    def of(self, authority: Authority) -> Captured:
        """What is made of what a source of this authority says."""
        by_authority: Mapping[Authority, Captured] = {
            Authority.MODEL_INFERRED: self.captured.model_inferred,
            Authority.HUMAN_INSTRUCTION: self.captured.human_instruction,
            Authority.VERIFIED_OUTCOME: self.captured.verified_outcome,
        }
        return by_authority.get(authority, Captured.IGNORE)
