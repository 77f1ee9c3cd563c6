"""A policy that somebody wants to have in force, and what came of it."""

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StrictBool, field_validator

from models.events import counted
from models.grant_change import GrantLost
from models.policy_change import Effect
from models.principals import PLAIN

MOST_CHARACTERS = 100_000
"""What a policy may measure: ten times the shipped one. Reading it takes about a second for each half of that."""


class NewPolicy(BaseModel):
    """A policy to be applied: `content` is the YAML of its file, `reason` stands in the log beside it.

    With `dry_run` nothing is applied, and the answer tells what would be. `expected_version` is the version that
    the change was made from: where another is in force by now, the call is refused.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: str = Field(min_length=1, max_length=MOST_CHARACTERS)
    reason: str = Field(min_length=1, max_length=1_000, pattern=PLAIN)
    dry_run: StrictBool = False
    expected_version: int | None = Field(default=None, ge=0, le=2**31 - 2)

    @field_validator("expected_version", mode="before")
    @classmethod
    def _is_a_number(cls, value: object) -> object:
        return counted(value)


class PolicyChange(NamedTuple):
    """What a change does, or would do: `version` is the one that it makes, `applied` says whether it was made."""

    version: int
    digest: str
    applied: bool
    effects: tuple[Effect, ...]
    grants: tuple[GrantLost, ...]
