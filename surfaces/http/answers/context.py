"""Working memory for one model call, and what is in it."""

from datetime import datetime
from uuid import UUID

from models.context import SectionName
from models.recall import Advice, Without
from models.triggers import Trigger
from surfaces.http.answers.base import Answer
from surfaces.http.answers.recall import ConflictTold, UnmetTold


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
    triggers: list[Trigger]
    without: list[Without]
    tokens: int
    left_out: int
    session_left_out: int
    procedure_over_budget: UUID | None
    as_of: datetime
    trace_id: UUID | None
