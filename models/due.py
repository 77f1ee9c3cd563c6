"""What of the asker's own intentions is due, as a recall and a context bring it up beside what memory says.

It is no memory: it binds nobody, no search finds it, and it leaves the answer once it is acknowledged. It is brought up
as a reminder alone: the inbox hands it out.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict

MOST_DUE = 5
"""How many are brought up at most, the oldest first."""
DUE_SHARE = 0.15
"""The part of a recall's budget that they may take, beside all that must be heeded."""
MOST_ACTION_CHARACTERS = 400


class DueIntention(BaseModel):
    """An occurrence that is to be acknowledged. Where its action is longer than what is told of it, it ends in "…"."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    intention_id: UUID
    action: str
    due_at: datetime
    fate: Literal["due", "delivered"]

    @property
    def line(self) -> str:
        """One line for a model or a person."""
        return " ".join(f"due since {self.due_at.isoformat(timespec='seconds')}: {self.action}".split())


class Due(NamedTuple):
    """What is told of what is due, the oldest first, and the tokens that it takes."""

    intentions: tuple[DueIntention, ...] = ()
    tokens: int = 0


NOTHING_DUE = Due()


def action_told(action: str) -> str:
    """As much of an action as is told."""
    if len(action) <= MOST_ACTION_CHARACTERS:
        return action
    return f"{action[:MOST_ACTION_CHARACTERS].rstrip()}…"


def due_within(found: Sequence[DueIntention], room: int, count_tokens: Callable[[str], int]) -> Due:
    """What of `found`, the oldest first, fits into `room` tokens; what does not is passed over."""
    taken: list[DueIntention] = []
    left = max(0, room)
    for each in found:
        cost = count_tokens(each.line)
        if cost <= left:
            left -= cost
            taken.append(each)
    return Due(tuple(taken), max(0, room) - left)
