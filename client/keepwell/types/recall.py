"""Recall: what should influence the next decision, and why a record is in the answer or is not."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from keepwell.types.wire import Answer, Instant, Request
from keepwell.types.words import Advice, AuthorityName, Reason, Standing, Status, Step

DEFAULT_BUDGET_TOKENS = 2_000
DEFAULT_LIMIT = 10


class RecallRequest(Request):
    """One recall. `entities` are the canonical ids or names in play; `as_of` is None for now.

    With `unverified` the answer has claims that wait for somebody to settle them as well, apart from what governs.
    """

    scope: dict[str, str]
    query: str = Field(default="", max_length=20_000)
    entities: tuple[Annotated[str, Field(max_length=300)], ...] = Field(default=(), max_length=1_000)
    as_of: Instant | None = None
    budget_tokens: int = Field(default=DEFAULT_BUDGET_TOKENS, ge=1, le=200_000)
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=100)
    unverified: bool = False


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
    authority: AuthorityName
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
