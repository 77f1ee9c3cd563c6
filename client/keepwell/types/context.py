"""Working memory for one model call: what is asked for, and the context that comes of it."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from keepwell.types.recall import DEFAULT_LIMIT, ConflictTold, LiveObservation, UnmetTold
from keepwell.types.wire import Answer, Instant, Request
from keepwell.types.words import Advice, SectionName, Trigger, TriggerTold, Without

DEFAULT_CONTEXT_TOKENS = 4_000
DEFAULT_ANSWER_TOKENS = 1_000

Words = Annotated[str, Field(max_length=20_000)]


class ContextRequest(Request):
    """What a model is about to do, as its runtime knows it.

    `goal` is what the work is for and `subtask` what is to be done next; `observation` is what the runtime saw last, in
    words, and `observations` what it has verified. `entities` are the canonical ids or names in play. Of
    `budget_tokens`, which the call has for its context and what the model answers to it, `answer_tokens` are left free.
    `activity_id` is the running activity, by its own name. `limit` is how many facts, and how many passages, there are
    at most; what must be heeded comes beyond it. The other fields are those of a recall.
    """

    scope: dict[str, str]
    goal: Words = ""
    subtask: Words = ""
    observation: Words = ""
    entities: tuple[Annotated[str, Field(max_length=300)], ...] = Field(default=(), max_length=1_000)
    activity_id: str | None = Field(default=None, min_length=1, max_length=200)
    triggers: Annotated[tuple[Trigger, ...], Field(max_length=100)] | None = None
    needs: tuple[Annotated[str, Field(min_length=1, max_length=100)], ...] = Field(default=(), max_length=100)
    budget_tokens: int = Field(default=DEFAULT_CONTEXT_TOKENS, ge=1, le=200_000)
    answer_tokens: int = Field(default=DEFAULT_ANSWER_TOKENS, ge=0, le=200_000)
    as_of: Instant | None = None
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=100)
    observations: tuple[LiveObservation, ...] = Field(default=(), max_length=100)
    timezone: str | None = None
    deadline_ms: int | None = Field(default=None, ge=1, le=600_000)


class SectionTold(Answer):
    """One section of a context: the ids of the records or events in it, in order, and its tokens."""

    name: SectionName
    ids: list[UUID]
    tokens: int


class ContextTold(Answer):
    """A context: `text` goes into the prompt as it is, and its `tokens` leave room for the model's answer.

    `advice`, `missing`, `conflicts`, `unmet`, `triggers` and `without` are those of a recall. `left_out` counts records
    that were found and are not in it, `session_left_out` events of the running session.
    """

    text: str
    sections: list[SectionTold]
    advice: Advice
    missing: list[UUID]
    conflicts: list[ConflictTold]
    unmet: list[UnmetTold]
    triggers: list[TriggerTold]
    without: list[Without]
    tokens: int
    left_out: int
    session_left_out: int
    procedure_over_budget: UUID | None
    as_of: datetime
    trace_id: UUID | None
