"""Recall: what should influence the next decision, and why a record is in the answer or is not."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from keepwell.types.procedures import RecalledProcedureTold
from keepwell.types.wire import Answer, Instant, Request
from keepwell.types.words import (
    Advice,
    AuthorityName,
    EventTypeTold,
    Fallback,
    IntentionFate,
    Precedence,
    Reason,
    Standing,
    Status,
    Step,
    Trigger,
    TriggerTold,
    Without,
)

DEFAULT_BUDGET_TOKENS = 2_000
DEFAULT_LIMIT = 10


class LiveObservation(Request):
    """That `attribute` of `entity` was `value` at `observed_at`. `entity` is an id or a name, None for the scope."""

    entity: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"\S")
    attribute: str = Field(min_length=1, max_length=100)
    value: str = Field(min_length=1, max_length=2_000, pattern=r"\S")
    observed_at: Instant


class RecallRequest(Request):
    """One recall. `entities` are the canonical ids or names in play; `as_of` is None for now.

    With `known_at` the answer is what it would have been then: what was recorded later, ends included, does not count.

    Words of time in the query ("yesterday") are read in the IANA zone `timezone`, UTC unless it is given. `triggers`
    are what called for it: None where the caller just wants to know, and empty where nothing did, so that
    only what binds is looked up. `needs` names attributes that the decision depends on: of one that nothing governs,
    the answer says what to do instead. With `unverified` the answer has claims that wait for somebody to settle them
    as well, apart from what governs. `activity_id` is the running activity, by its own name: then what was said in it
    and stands in no passage yet comes as well. `observations` are what the runtime has just verified: they mark the
    facts that they bear on, and become no memory. What takes longer than `deadline_ms` milliseconds is left out and
    named in `without`; restrictions and standing instructions are looked up in any case.
    """

    scope: dict[str, str]
    query: str = Field(default="", max_length=20_000)
    entities: tuple[Annotated[str, Field(max_length=300)], ...] = Field(default=(), max_length=1_000)
    as_of: Instant | None = None
    known_at: Instant | None = None
    budget_tokens: int = Field(default=DEFAULT_BUDGET_TOKENS, ge=1, le=200_000)
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=100)
    unverified: bool = False
    timezone: str | None = None
    triggers: Annotated[tuple[Trigger, ...], Field(max_length=100)] | None = None
    needs: tuple[Annotated[str, Field(min_length=1, max_length=100)], ...] = Field(default=(), max_length=100)
    activity_id: str | None = Field(default=None, min_length=1, max_length=200)
    observations: tuple[LiveObservation, ...] = Field(default=(), max_length=100)
    deadline_ms: int | None = Field(default=None, ge=1, le=600_000)


class ObservedTold(Answer):
    """What the runtime observed in place of what a fact says, and when."""

    value: str
    observed_at: datetime


class TermsTold(Answer):
    """What a record's place rests on: `score` is the sum by the policy's weights.

    `words` is BM25 as it was summed, `coverage` the part of the query's words that the record has, the telling ones
    counting for more, `likeness` the cosine, null where there is no vector to compare; `relevance` is
    what both come to against the others that were found, with what adjacent passages add (`neighbours`), or what a
    reranker made of it (`reranked`, null where none looked at it).
    """

    words: float
    coverage: float
    likeness: float | None
    neighbours: float
    reranked: float | None
    relevance: float
    entity: float
    temporal: float
    task: float
    importance: float
    authority: float
    help: float
    staleness: float
    uncertainty: float
    sensitivity: float


class RecalledFactTold(Answer):
    """A fact in an answer. `required` ones must be heeded; `text` is one line for a model or a person.

    `about` names those of the request's own `entities`, observed ones among them, that mean the fact's thing, by
    whatever name or id. `status` is `active`; of a claim, which governs nothing, it is `quarantined` or `disputed`.
    `overridden_by` is what the runtime has just observed instead, and `confirmed_at` when it observed the same.
    """

    id: UUID
    canonical: str | None
    entity: str | None
    attribute: str
    value: str
    ends_when: str | None
    expires_at: datetime | None
    valid_from: datetime
    authority: AuthorityName
    authority_role: str | None
    standing: Standing
    statement: str
    sources: list[UUID]
    episodes: list[UUID]
    about: list[str]
    score: float
    terms: TermsTold
    reasons: list[Reason]
    status: Status
    overridden_by: ObservedTold | None
    confirmed_at: datetime | None
    required: bool
    text: str


class RecalledPassageTold(Answer):
    """A passage of an episode in an answer."""

    id: UUID
    episode_id: UUID
    occurred_at: datetime
    text: str
    sources: list[UUID]
    score: float
    terms: TermsTold
    reasons: list[Reason]


class SessionEventTold(Answer):
    """What was said in the running activity, and stands in no passage yet."""

    id: UUID
    type: EventTypeTold
    actor: str
    authority: AuthorityName
    occurred_at: datetime
    text: str


class DueIntentionTold(Answer):
    """One of the asker's own intentions that is due and not acknowledged: `id` names the occurrence.

    A long action ends in "…" here; the inbox has the whole of it.
    """

    id: UUID
    intention_id: UUID
    action: str
    due_at: datetime
    fate: IntentionFate


class ConflictTold(Answer):
    """Memories that apply and do not say the same of one thing.

    `members` stand against each other, and `challengers` among them are not in force; `yielded` gave way by the class's
    rule `settled_by` and are not in the answer. While it is `unsettled` the members come whole or not at all
    (`carried`), and where it concerns the decision there is a `question` to put to a person.
    """

    entity: str | None
    attribute: str
    members: list[UUID]
    yielded: list[UUID]
    settled_by: list[Precedence]
    unsettled: bool
    carried: bool
    question: str | None
    challengers: list[RecalledFactTold]


class UnmetTold(Answer):
    """An attribute that the decision needs and nothing governs, and what its class says to do instead."""

    attribute: str
    fallback: Fallback
    system: str | None


class Recalled(Answer):
    """What came back. With `narrow` or `defer`, required facts did not fit: `missing` names them.

    With `abstain`, memory cannot decide: a conflict has a question, or something needed is `unmet`. `unverified` has
    claims, where they were asked for: none is in force, and none is required. `session` has what was said in the
    running activity, the newest last, and `intentions` what is due of the asker's own, the oldest first: to be
    acknowledged in the inbox once it is done. `procedure` is the one that people have approved for this, whole; one
    that does not fit is named by `procedure_over_budget`. `without` names what was to help and could not: the answer
    may lack what it would have found. `trace_id` names the record of how the answer came about.
    """

    facts: list[RecalledFactTold]
    passages: list[RecalledPassageTold]
    advice: Advice
    missing: list[UUID]
    over_budget: list[UUID]
    tokens: int
    limit: int
    left_out: int
    as_of: datetime
    unverified: list[RecalledFactTold]
    conflicts: list[ConflictTold]
    unmet: list[UnmetTold]
    triggers: list[TriggerTold]
    without: list[Without]
    session: list[SessionEventTold]
    intentions: list[DueIntentionTold]
    procedure: RecalledProcedureTold | None
    procedure_over_budget: UUID | None
    trace_id: UUID | None


class Check(Answer):
    """One step: passed or not, and what was seen. `detail` holds ids, enums and instants, no content."""

    step: Step
    passed: bool
    detail: str


class ExplanationTold(Answer):
    """Each step of the read path up to the one that dropped the record; none for a record in the answer."""

    record_id: UUID
    as_of: datetime
    included: bool
    dropped_at: Step | None
    checks: list[Check]
