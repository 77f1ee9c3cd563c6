"""Review: what is held, disputed or doubted waits for a person, who accepts it, edits and accepts it, or rejects it.

A review is a statement like any other, by the reviewer: accepting runs reconciliation as that reviewer.
"""

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, field_validator

from models.authority import Authority
from models.candidates import Terms
from models.events import counted, scrub
from models.facts import Admission, Fact, Status
from models.gates import Gate, gate_of
from models.mismatches import Mismatches
from models.reasons import meaning_of
from models.statements import Spoken, Words

OBSERVED_OTHERWISE = "observed_otherwise"
"""The reason for which a fact waits that live observations have contradicted time and again."""


class Acceptance(Spoken):
    """A claim is accepted, or a doubted fact upheld: as it stands, or with other `terms`.

    `entity` is a canonical id, for a claim of which nobody can tell what it is about; `text` says why, in words.
    """

    terms: Terms | None = None
    entity: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"\S")
    text: Words | None = None

    @field_validator("terms", "entity", mode="before")
    @classmethod
    def _holds_what_postgres_holds(cls, value: Any) -> Any:
        return scrub(value)


class ReviewQuery(BaseModel):
    """What waits in scopes that have the dimensions of `scope`, the oldest first; `{}` for all within reach.

    `cursor` is the `next` of the page before.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scope: dict[str, str]
    limit: int = Field(default=50, ge=1, le=200)
    cursor: str | None = Field(default=None, max_length=500)

    @field_validator("limit", mode="before")
    @classmethod
    def _is_a_number(cls, value: object) -> object:
        return counted(value)


class Waiting(StrEnum):
    """Why something waits for a reviewer."""

    HELD = "held"
    DISPUTED = "disputed"
    UNNAMED = "unnamed"
    DOUBTED = "doubted"


class Heard(NamedTuple):
    """One event behind a claim, or behind the fact that it challenges, with the words that were said there.

    `text` is None where it had none, and where the reviewer may not read them: `scope` is where the event lies.
    """

    event_id: UUID
    subject: str
    authority: Authority
    authority_role: str | None
    supports: str
    occurred_at: datetime
    text: str | None
    scope: dict[str, str]


class Unnamed(NamedTuple):
    """A candidate of which nobody can tell what it is about: `mention` means several things where it was said."""

    id: UUID
    scope: dict[str, str]
    attribute: str
    mention: str
    terms: Terms
    quote: str


class ReviewItem(NamedTuple):
    """What waits, with the evidence on both sides. Exactly one of `claim` and `unnamed` is there.

    A `claim` that is `doubted` is a fact in force, and `mismatches` say how often observations contradicted it.
    `not_by` are the people who cannot accept it, as they said it themselves; `challenged_status` is that of the fact
    that it challenges, at the instant of the answer.
    """

    id: UUID
    waiting: Waiting
    reason: str
    class_name: str | None
    recorded_at: datetime
    lapses_at: datetime | None
    claim: Fact | None
    unnamed: Unnamed | None
    heard: tuple[Heard, ...]
    challenged: Fact | None
    challenged_status: Status | None
    challenged_heard: tuple[Heard, ...]
    not_by: tuple[str, ...]
    mismatches: Mismatches | None = None

    @property
    def gate(self) -> Gate | None:
        """The gate that doubted it, None where it waits for what is there."""
        return gate_of(self.reason)

    @property
    def meaning(self) -> str | None:
        """What the reason says, None for a reason of another version."""
        return meaning_of(self.reason)


def waits_as(claim: Fact) -> Waiting:
    """Whether a claim is disputed or merely held; what governs is doubted."""
    if claim.admission is Admission.ADMITTED:
        return Waiting.DOUBTED
    return Waiting.DISPUTED if claim.admission is Admission.DISPUTED else Waiting.HELD


def needs_other_eyes(claim: Fact | None, four_eyes: bool, said_by: Collection[str], reviewer: str) -> bool:
    """Whether `reviewer`, whom `said_by` may name, is not the one to accept: of a dispute nobody is their own judge.

    What governs is there already: whoever said it may say it again.
    """
    if claim is not None and claim.admission is Admission.ADMITTED:
        return False
    disputed = claim is not None and claim.admission is Admission.DISPUTED
    return (four_eyes or disputed) and reviewer in said_by
