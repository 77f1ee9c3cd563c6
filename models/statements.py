"""What a caller states outright: a fact to remember, other terms for one, or its withdrawal.

A statement is an event with a candidate of its own. It is recorded like any event, and decided like any
candidate: by who said it, and by what is there.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, NamedTuple
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from models.candidates import Terms
from models.events import aware, scrub, written_out
from models.gates import Gate, gate_of
from models.reasons import meaning_of
from models.reconciliation import Disposition, Verdict

Words = Annotated[str, Field(max_length=20_000, pattern=r"\S"), BeforeValidator(scrub)]
"""What somebody says of it, in a sentence or several, as Postgres can hold it."""


class Spoken(BaseModel):
    """How something was said: in which words, when, in the course of which activity, shown by what.

    `occurred_at` is now unless it is given. `idempotency_key` is the caller's own name for the statement: sent
    again with the same content it changes nothing and answers the same.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    occurred_at: datetime | None = None
    timezone: str | None = None
    activity_id: str | None = Field(default=None, min_length=1, max_length=200)
    evidence_ref: str | None = Field(default=None, max_length=2_000)
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)

    # Named apart from the validators of `Terms`: of two with one name a class that inherits both keeps one.
    @field_validator("occurred_at", mode="before")
    @classmethod
    def _occurred_at_an_instant(cls, value: Any) -> Any:
        return None if value is None else written_out(value)

    @field_validator("occurred_at")
    @classmethod
    def _occurred_with_an_offset(cls, value: datetime | None) -> datetime | None:
        return None if value is None else aware(value)

    @field_validator("timezone", "activity_id", "evidence_ref", "idempotency_key", mode="before")
    @classmethod
    def _can_be_stored(cls, value: Any) -> Any:
        return scrub(value)


class _StatedTerms(Terms, Spoken):
    """Terms as a caller states them. `text` is the sentence that said so, kept as the fact's statement."""

    text: Words | None = None

    @field_validator("value", "ends_when", mode="before")
    @classmethod
    def _holds_what_postgres_holds(cls, value: Any) -> Any:
        return scrub(value)

    @property
    def terms(self) -> Terms:
        """The terms alone."""
        return Terms(
            value=self.value, ends_when=self.ends_when, expires_at=self.expires_at, valid_from=self.valid_from
        )


class Statement(_StatedTerms):
    """A fact to remember: in `scope`, `attribute` of `entity` is `value`.

    `entity` is a canonical id (`type:id`) or a name; None for a fact about the scope as a whole.
    """

    scope: dict[str, str]
    attribute: str = Field(min_length=1, max_length=100)
    entity: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"\S")

    @field_validator("entity", mode="before")
    @classmethod
    def _names_what_postgres_holds(cls, value: Any) -> Any:
        return scrub(value)


class Correction(_StatedTerms):
    """Other terms for a fact that is there: the same scope, entity and attribute."""


class Withdrawal(Spoken):
    """A fact is taken back. `text` says why, in words."""

    text: Annotated[Words, Field(min_length=1)]


class Promotion(Spoken):
    """A fact is to hold in a wider scope as well: one that leaves out dimensions of the fact's own.

    `text` says why, in words.
    """

    scope: dict[str, str]
    text: Words | None = None


class EvidenceGiven(BaseModel):
    """What shows that the condition which ends a fact is met: a published event."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    evidence: UUID


class Decided(NamedTuple):
    """What was decided on a candidate: `fact_id` is the fact that was made, `target_id` the one it concerns.

    `gate` is the one that stopped or doubted it, None where it has passed them all; `meaning` is what the reason
    says, None for a reason of another version.
    """

    event_id: UUID
    kind: str
    attribute: str
    verdict: Verdict
    reason: str
    fact_id: UUID | None
    target_id: UUID | None
    recorded_at: datetime

    @property
    def disposition(self) -> Disposition:
        """What the verdict comes to."""
        return self.verdict.disposition

    @property
    def gate(self) -> Gate | None:
        return gate_of(self.reason)

    @property
    def meaning(self) -> str | None:
        return meaning_of(self.reason)


class Stated(NamedTuple):
    """What came of a statement. `decided` is None while nobody has decided on it: it is stored all the same.

    `governs` says whether the fact holds at the instant of the answer.
    """

    event_id: UUID
    activity_id: UUID
    duplicate: bool
    decided: Decided | None
    governs: bool


class Stage(StrEnum):
    """How far Keepwell has come with an event."""

    WAITING_FOR_CHECKPOINT = "waiting_for_checkpoint"
    WAITING_FOR_CONSOLIDATION = "waiting_for_consolidation"
    WAITING_FOR_DECISION = "waiting_for_decision"
    SETTLED = "settled"


class EventVerdict(NamedTuple):
    """What became of an event. `episode_id` is that of the episode in which recall can find it."""

    event_id: UUID
    activity_id: UUID
    stage: Stage
    episode_id: UUID | None
    decisions: tuple[Decided, ...]


def stage_of(*, consolidated: bool, checkpoint_seen: bool, undecided: int, stated: bool) -> Stage:
    """How far an event has come.

    | candidates wait | consolidated | its activity has had a checkpoint | it is a statement | stage |
    | --- | --- | --- | --- | --- |
    | yes | either | either | either | waiting for decision |
    | no | yes | either | either | settled |
    | no | no | yes | either | waiting for consolidation |
    | no | no | no | yes | settled: what it states is decided, and nothing else is to come |
    | no | no | no | no | waiting for checkpoint |
    """
    if undecided:
        return Stage.WAITING_FOR_DECISION
    if consolidated or (stated and not checkpoint_seen):
        return Stage.SETTLED
    return Stage.WAITING_FOR_CONSOLIDATION if checkpoint_seen else Stage.WAITING_FOR_CHECKPOINT
