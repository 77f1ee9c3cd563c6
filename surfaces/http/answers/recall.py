"""What recall brings back, and why."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from models.authority import Standing
from models.contracts import Precedence
from models.events import EventType
from models.explanation import Check, Step
from models.facts import Status
from models.recall import Advice, Reason, Without
from models.triggers import Trigger
from surfaces.http.answers.base import Answer, Source
from surfaces.http.answers.procedures import RecalledProcedureTold


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


class ObservedTold(Answer):
    """What the runtime observed in place of what a fact says, and when."""

    value: str
    observed_at: datetime


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
    authority: Source
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
    type: EventType
    actor: str
    authority: Source
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
    fate: Literal["due", "delivered"]


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
    fallback: Literal["abstain", "ask", "system_of_record"]
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
    triggers: list[Trigger]
    without: list[Without]
    session: list[SessionEventTold]
    intentions: list[DueIntentionTold]
    procedure: RecalledProcedureTold | None
    procedure_over_budget: UUID | None
    trace_id: UUID | None


class ExplanationTold(Answer):
    """Each step of the read path up to the one that dropped the record; none for a record in the answer."""

    record_id: UUID
    as_of: datetime
    included: bool
    dropped_at: Step | None
    checks: list[Check]
