"""The running session: events of an activity that no passage tells of yet, so that a correction holds on the next turn.

They are no memory: nothing has been made of them, they bind nobody, and they leave the answer once an episode has them.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from models.authority import Authority
from models.events import EventType

SESSION_SHARE = 0.25
"""The part of a recall's budget that the session may take, beside all that must be heeded."""
MOST_SESSION_EVENTS = 100
MOST_SESSION_CHARACTERS = 4_000
"""How much of one event is told, as much as a passage has."""

SAID_FIRST = (EventType.CORRECTION, EventType.FEEDBACK, EventType.INSTRUCTION)
"""What changes what is to be done: taken before anything else of a session."""


class SessionEvent(BaseModel):
    """One event of the running activity. Where its text is longer than what is told of it, it ends in "…"."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    type: EventType
    actor: str
    authority: Authority
    occurred_at: datetime
    text: str

    @property
    def line(self) -> str:
        """One line for a model or a person."""
        return " ".join(f"{self.type.value.replace('_', ' ')}, {self.actor}: {self.text}".split())


class Session(NamedTuple):
    """What is told of a session, the newest last, and how many events had no room."""

    events: tuple[SessionEvent, ...] = ()
    tokens: int = 0
    left_out: int = 0


NO_SESSION = Session()


def told_of(text: str) -> str:
    """As much of an event's text as is told."""
    return text if len(text) <= MOST_SESSION_CHARACTERS else f"{text[:MOST_SESSION_CHARACTERS].rstrip()}…"


def by_weight(events: Sequence[SessionEvent]) -> list[SessionEvent]:
    """`events`, oldest first, in the order in which they are taken: what corrects, and of both sorts the newest."""
    newest_first = list(reversed(events))
    return sorted(newest_first, key=lambda event: event.type not in SAID_FIRST)


def session_within(events: Sequence[SessionEvent], room: int, count_tokens: Callable[[str], int]) -> Session:
    """What of `events`, oldest first, fits into `room` tokens, by weight; told in the order that they came."""
    left = max(0, room)
    taken: set[UUID] = set()
    for event in by_weight(events):
        cost = count_tokens(event.line)
        if cost <= left:
            left -= cost
            taken.add(event.id)
    kept = tuple(event for event in events if event.id in taken)
    return Session(kept, max(0, room) - left, len(events) - len(kept))
