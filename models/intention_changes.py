"""What can be done with an intention once it is set, and with what has come of it: each is said, and is an event."""

from datetime import datetime
from enum import StrEnum
from typing import Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from models.events import aware, counted
from models.intentions import Delay, Instant, Owner, Timing
from models.statements import Spoken, Words

MOST_LEASED = 100
MOST_LEASES = 5
"""How often one occurrence is handed out before it counts as dead."""
LEASE_SECONDS = 60.0
"""How long whoever takes something has to acknowledge it, unless they say otherwise."""
LONGEST_LEASE_SECONDS = 24 * 3_600.0
LONGEST_WAIT_SECONDS = 60.0


class Cancellation(Spoken):
    """An intention is given up, and what of it is handed out and not acknowledged is taken back. `text` says why."""

    text: Words | None = None


class Confirmation(Spoken):
    """The owner's yes to an intention that was proposed."""


class Rescheduling(Spoken, Timing):
    """Another time for an intention that waits for one."""

    @model_validator(mode="after")
    def _says_when(self) -> Self:
        if len(self.timed) != 1:
            raise ValueError("give one time: at, after, every or words")
        return self


class HandOver(Spoken):
    """Another owner for an intention, in whose inbox it comes from then on."""

    owner: Owner


class Snooze(Spoken):
    """What is due is put off: it comes again at `until`, or after a delay in ISO 8601 (`PT15M`)."""

    until: Instant | None = None
    after: Delay | None = None
    lease: UUID | None = None

    @field_validator("until")
    @classmethod
    def _until_with_an_offset(cls, value: datetime | None) -> datetime | None:
        return None if value is None else aware(value)

    @model_validator(mode="after")
    def _says_until_when(self) -> Self:
        if (self.until is None) == (self.after is None):
            raise ValueError("give one: until, an instant, or after, a delay")
        return self


class Done(StrEnum):
    """What became of an action: it was done, it failed, or there was no need any more."""

    DONE = "done"
    FAILED = "failed"
    NOT_NEEDED = "not_needed"


class AcknowledgementGiven(Spoken):
    """What was due has been dealt with. `lease` is that under which it was taken, so that nobody else has it by now.

    `text` says in words what came of it.
    """

    outcome: Done = Done.DONE
    text: Words | None = None
    lease: UUID | None = None


class Take(BaseModel):
    """What to hand out of an inbox: `limit` at most, each to be acknowledged within `lease_seconds`.

    Where nothing is due it is waited for, up to `wait_seconds`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: int = Field(default=10, ge=1, le=MOST_LEASED, strict=True)
    lease_seconds: float = Field(default=LEASE_SECONDS, ge=1, le=LONGEST_LEASE_SECONDS)
    wait_seconds: float = Field(default=0.0, ge=0, le=LONGEST_WAIT_SECONDS)

    @field_validator("lease_seconds", "wait_seconds", mode="before")
    @classmethod
    def _in_numbers(cls, value: object) -> object:
        return counted(value)
