"""A fact: what governs, for whom, on whose word, and until what. Its status is computed for an instant."""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from models.authority import Authority, Standing
from models.candidates import Terms


class Admission(StrEnum):
    """Whether a record was let into memory. A claim, held unverified or disputed, governs nothing.

    A disputed one is permitted and speaks against a fact that rests on a stronger source.
    """

    ADMITTED = "admitted"
    UNVERIFIED = "unverified"
    DISPUTED = "disputed"


class Ending(StrEnum):
    """What ended a fact, other than its own `expires_at`."""

    SUPERSEDED = "superseded"
    RETIRED = "retired"
    RETRACTED = "retracted"


class Status(StrEnum):
    """Where a record is in its life at an instant."""

    RETRACTED = "retracted"
    QUARANTINED = "quarantined"
    DISPUTED = "disputed"
    NOT_YET_VALID = "not_yet_valid"
    EXPIRED = "expired"
    RETIRED = "retired"
    SUPERSEDED = "superseded"
    ACTIVE = "active"


class Subject(BaseModel):
    """What a fact is about. Both are None for a fact about its scope as a whole."""

    model_config = ConfigDict(frozen=True)

    canonical: str | None = None
    name: str | None = None

    @property
    def label(self) -> str:
        """What to call it to a person."""
        return self.name or self.canonical or "this scope"


class Fact(BaseModel):
    """One fact as the store holds it.

    It is valid in `[valid_from, ended_at)` and before `expires_at` and `lapses_at`, the end of its class's
    retention. `canonical` is its value in the form in which values are compared. `stated_at` is the instant of
    the statement that made it, `restated_at` that of the latest permitted one to the same effect; `challenges`
    is the fact that a claim speaks against.
    """

    model_config = ConfigDict(frozen=True)

    id: UUID
    key_id: UUID
    scope: dict[str, str]
    subject: Subject
    attribute: str
    terms: Terms
    canonical: str
    admission: Admission
    valid_from: datetime
    ended_at: datetime | None
    ending: Ending | None
    lapses_at: datetime | None = None
    stated_at: datetime
    restated_at: datetime
    recorded_at: datetime
    authority: Authority
    authority_role: str | None
    standing: Standing
    challenges: UUID | None
    statement: str

    @property
    def ends_at(self) -> datetime | None:
        """The instant from which the fact no longer holds, as known now; None while no end is known."""
        ends = [end for end in (self.ended_at, self.terms.expires_at, self.lapses_at) if end is not None]
        return min(ends, default=None)


class Turn(NamedTuple):
    """A declared change of a fact's status: to what, from when, and when that was recorded."""

    to_status: str
    effective_at: datetime
    recorded_at: datetime


def as_known(fact: Fact, turns: Iterable[Turn], at: datetime) -> Fact:
    """`fact` as it was known at an instant: of `turns`, in the order of recording, the latest by then says its end.

    One that is recorded as expired ends by its own terms, which says nothing of any other end.
    """
    said = [turn for turn in turns if turn.recorded_at <= at and turn.to_status in (Status.ACTIVE, *Ending)]
    if not said or said[-1].to_status == Status.ACTIVE:
        return fact.model_copy(update={"ended_at": None, "ending": None})
    return fact.model_copy(update={"ended_at": said[-1].effective_at, "ending": Ending(said[-1].to_status)})


def status_at(fact: Fact, as_of: datetime) -> Status:
    """Status of `fact` at the instant `as_of`; where several hold, the first of `Status` names it.

    Each end takes effect at its own instant and not before: at an earlier `as_of` the fact still held. The
    end of a successor changes nothing here, so nothing comes back by itself. A claim is quarantined or disputed
    until it is settled (superseded by what it led to, or retracted) or lapses.
    """
    ended = fact.ending if fact.ended_at is not None and as_of >= fact.ended_at else None
    expired = any(end is not None and as_of >= end for end in (fact.terms.expires_at, fact.lapses_at))
    if ended is Ending.RETRACTED:
        return Status.RETRACTED
    if fact.admission is not Admission.ADMITTED and ended is None and not expired:
        return Status.QUARANTINED if fact.admission is Admission.UNVERIFIED else Status.DISPUTED
    if as_of < fact.valid_from:
        return Status.NOT_YET_VALID
    if expired:
        return Status.EXPIRED
    return Status(ended.value) if ended is not None else Status.ACTIVE
