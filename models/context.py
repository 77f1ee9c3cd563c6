"""Working memory for one model call: what is asked for, what comes of it, and what is looked for.

It is put together anew for each call and never stored as memory.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, field_validator

from models.errors import InvalidInput
from models.events import counted, scrub, written_out, zone_name
from models.observations import LiveObservations
from models.recall import DEFAULT_LIMIT, Advice, Conflict, RecallRequest, Unmet, Without
from models.triggers import Trigger

DEFAULT_CONTEXT_TOKENS = 4_000
DEFAULT_ANSWER_TOKENS = 1_000
LEAST_ROOM = 256
"""Fewer tokens than this hold the fence and hardly anything in it."""
MOST_QUERY_CHARACTERS = 4_000

Words = Annotated[str, Field(max_length=20_000)]


class ContextRequest(BaseModel):
    """What a model is about to do, as its runtime knows it.

    `goal` is what the work is for and `subtask` what is to be done next; `observation` is what the runtime saw last, in
    words, and `observations` what it has verified.
    `entities` are the canonical ids or names in play. Of `budget_tokens`, which the call has for its context and what
    the model answers to it, `answer_tokens` are left free. `activity_id` is the running activity, by its own name.
    `limit` is how many facts, and how many passages, there are at most; what must be heeded comes beyond it. The other
    fields are those of a recall.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

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
    as_of: datetime | None = None
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=100)
    observations: LiveObservations = ()
    timezone: str | None = None
    deadline_ms: int | None = Field(default=None, ge=1, le=600_000)

    @field_validator("goal", "subtask", "observation", "entities", "needs", "activity_id", mode="before")
    @classmethod
    def _can_be_looked_up(cls, value: object) -> object:
        return scrub(value)

    @field_validator("timezone")
    @classmethod
    def _is_a_zone(cls, value: str | None) -> str | None:
        return None if value is None else zone_name(value)

    @field_validator("budget_tokens", "answer_tokens", "limit", "deadline_ms", mode="before")
    @classmethod
    def _is_a_number(cls, value: object) -> object:
        return counted(value)

    @field_validator("as_of", mode="before")
    @classmethod
    def _is_an_instant(cls, value: object) -> object:
        return None if value is None else written_out(value)

    def room(self) -> int:
        """Tokens for the context; raises `InvalidInput` where too few are left beside the answer."""
        room = self.budget_tokens - self.answer_tokens
        if room < LEAST_ROOM:
            raise InvalidInput(
                f"leaves fewer than {LEAST_ROOM} tokens for the context; raise budget_tokens or lower answer_tokens",
                field="answer_tokens",
            )
        return room

    def recall(self) -> RecallRequest:
        """The recall that brings up what there is to choose from."""
        return RecallRequest(
            scope=self.scope,
            query=query_from(self.subtask, self.observation, self.entities, self.goal),
            entities=self.entities,
            as_of=self.as_of,
            budget_tokens=self.room(),
            limit=self.limit,
            triggers=self.triggers,
            needs=self.needs,
            activity_id=self.activity_id,
            observations=self.observations,
            timezone=self.timezone,
            deadline_ms=self.deadline_ms,
        )


def query_from(subtask: str, observation: str, entities: Sequence[str], goal: str) -> str:
    """What to search by: one part a line, the most recent first, and never the opening request.

    | part | of the characters at most |
    | --- | --- |
    | the subtask | all |
    | what was observed last | a half, or a long output would be all that counts |
    | the entities in play | a quarter |
    | the goal | all |

    What does not fit falls off the end. The client's runtime wrapper builds its queries in the same way.
    """
    parts = (
        (subtask, MOST_QUERY_CHARACTERS),
        (observation, MOST_QUERY_CHARACTERS // 2),
        (" ".join(entities), MOST_QUERY_CHARACTERS // 4),
        (goal, MOST_QUERY_CHARACTERS),
    )
    lines: list[str] = []
    left = MOST_QUERY_CHARACTERS
    for part, most in parts:
        line = " ".join(part[: 2 * MOST_QUERY_CHARACTERS].split())[: max(0, min(most, left))].rstrip()
        if line:
            lines.append(line)
            left -= len(line) + 1
    return "\n".join(lines)


class SectionName(StrEnum):
    """The sections of a context, in the order in which they stand in it."""

    TASK = "task"
    PROCEDURES = "procedures"
    FACTS = "facts"
    EPISODES = "episodes"
    SESSION = "session"
    INTENTIONS = "intentions"
    OBSERVATIONS = "observations"


class Section(BaseModel):
    """One section of a context: the ids of what stands in it, in order, and its tokens."""

    model_config = ConfigDict(frozen=True)

    name: SectionName
    ids: tuple[UUID, ...]
    tokens: int


class Context(BaseModel):
    """A context for one model call.

    `text` goes into the prompt as it is; its `tokens` leave free what was set aside for the model's answer. `sections`
    has those that are in it. `advice`, `missing`, `conflicts`, `unmet`, `triggers` and `without` are those of a recall.
    `left_out` counts records that were found and are not in it, for want of places or tokens or as they repeat another,
    and `session_left_out` the events of the running session. `procedure_over_budget` names the version of a procedure
    that applies and does not fit: it comes whole or not at all.
    """

    model_config = ConfigDict(frozen=True)

    text: str
    sections: tuple[Section, ...]
    advice: Advice
    missing: tuple[UUID, ...]
    conflicts: tuple[Conflict, ...]
    unmet: tuple[Unmet, ...]
    triggers: tuple[Trigger, ...]
    without: tuple[Without, ...]
    tokens: int
    left_out: int
    session_left_out: int
    procedure_over_budget: UUID | None
    as_of: datetime
    trace_id: UUID | None = None
