"""What recall brings back, and why."""

from datetime import datetime
from uuid import UUID

from models.authority import Standing
from models.explanation import Check, Step
from models.facts import Status
from models.recall import Advice, Reason
from surfaces.http.answers.base import Answer, Source


class RecalledFactTold(Answer):
    """A fact in an answer. `required` ones must be heeded; `text` is one line for a model or a person.

    `about` names those of the request's own `entities` that mean the fact's thing, by whatever name or id. `status`
    is `active`; of a claim, which governs nothing, it is `quarantined` or `disputed`.
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
    reasons: list[Reason]
    status: Status
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
    reasons: list[Reason]


class Recalled(Answer):
    """What came back. With `narrow`, required facts did not fit: `missing` names them.

    `unverified` has claims, where they were asked for: none is in force, and none is required.
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


class ExplanationTold(Answer):
    """Each step of the read path up to the one that dropped the record; none for a record in the answer."""

    record_id: UUID
    as_of: datetime
    included: bool
    dropped_at: Step | None
    checks: list[Check]
