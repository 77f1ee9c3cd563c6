"""The life of facts, told from the logs: who changed what, by which rule, when, and on which evidence."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from models.conditions import ConfirmationState, GateState
from models.facts import Fact, Status
from models.reasons import meaning_of


class Change(BaseModel):
    """One declared change of status. `from_status` is None for a record that begins."""

    model_config = ConfigDict(frozen=True)

    from_status: str | None
    to_status: str
    rule: str
    reason: str
    actor: str
    actor_role: str | None
    event_id: UUID | None
    effective_at: datetime
    recorded_at: datetime

    @property
    def meaning(self) -> str | None:
        """What the reason says, None for a reason of another version."""
        return meaning_of(self.reason)


class Claimed(BaseModel):
    """A confirmation of the fact's end, accepted or refused."""

    model_config = ConfigDict(frozen=True)

    subject: str
    event_id: UUID
    state: ConfirmationState
    reason: str | None
    recorded_at: datetime


class FactLife(BaseModel):
    """One fact with all that happened to it. `status` is that of the instant that was asked for.

    `gate` is None for a fact that waits for no condition. `switched_off` marks one that is told to nobody but the
    person whom it is about, as they have switched its class off.
    """

    model_config = ConfigDict(frozen=True)

    fact: Fact
    status: Status
    switched_off: bool = False
    gate: GateState | None
    changes: tuple[Change, ...]
    sources: tuple[UUID, ...]
    confirmations: tuple[Claimed, ...]
