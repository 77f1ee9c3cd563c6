"""Statements: what a caller says outright, and what came of it."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from keepwell.types.wire import Answer, Instant, Open, Request
from keepwell.types.words import ConfirmationState, Verdict


class Spoken(Request):
    """How something was said: in which words, when, in the course of which activity, shown by what.

    `occurred_at` is now unless it is given. `idempotency_key` is the caller's own name for the statement: sent
    again with the same content it changes nothing and answers the same.
    """

    occurred_at: Instant | None = None
    timezone: str | None = None
    activity_id: str | None = Field(default=None, min_length=1, max_length=200)
    evidence_ref: str | None = Field(default=None, max_length=2_000)
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)


class Terms(Request):
    """What a fact says and how long.

    `ends_when` is a condition in words, which somebody confirms; `expires_at` is an instant that ends it by
    itself.
    """

    value: str = Field(min_length=1, max_length=2_000)
    ends_when: str | None = Field(default=None, min_length=1, max_length=2_000)
    expires_at: Instant | None = None
    valid_from: Instant | None = None


class StatedTerms(Terms, Spoken):
    """Terms as a caller states them. `text` is the sentence that said so, kept as the fact's statement."""

    text: str | None = Field(default=None, max_length=20_000, pattern=r"\S")


class Statement(StatedTerms):
    """A fact to remember: in `scope`, `attribute` of `entity` is `value`.

    `entity` is a canonical id (`type:id`) or a name; None for a fact about the scope as a whole.
    """

    scope: dict[str, str]
    attribute: str = Field(min_length=1, max_length=100)
    entity: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"\S")


class Correction(StatedTerms):
    """Other terms for a fact that is there: the same scope, entity and attribute.

    They replace all of its terms: without `ends_when` or `expires_at` here, nothing of them stays.
    """


class Withdrawal(Spoken):
    """A fact is taken back. `text` says why, in words."""

    text: str = Field(min_length=1, max_length=20_000, pattern=r"\S")


class Promotion(Spoken):
    """A fact is to hold in a wider scope as well: one that leaves out dimensions of the fact's own.

    `text` says why, in words.
    """

    scope: dict[str, str]
    text: str | None = Field(default=None, max_length=20_000, pattern=r"\S")


class EvidenceGiven(Request):
    """What shows that the condition which ends a fact is met: a published event."""

    evidence: UUID


class StatementOutcome(Answer):
    """What came of a statement. While `verdict` is `pending` it is stored and will be decided.

    `memory_id` is the fact that the statement made, or the one that it restated; `concerns` the fact that it
    was held against. `governs` says whether what was stated holds now.
    """

    event_id: UUID
    activity: UUID
    duplicate: bool
    verdict: Verdict | Annotated[Literal["pending"] | str, Open]
    reason: str | None
    governs: bool
    memory_id: UUID | None
    concerns: UUID | None


class ConfirmationTold(Answer):
    """What became of a confirmation. While it is `pending` it is stored and will be decided."""

    state: ConfirmationState
    reason: str
