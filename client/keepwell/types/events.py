"""Events: what a caller publishes, and what the service says became of it."""

import json
import re
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, field_validator, model_validator

from keepwell.types.wire import Answer, Instant, Open, Request
from keepwell.types.words import Disposition, EventType, Gate, Stage, Verdict

_CANONICAL = r"^[a-z][a-z0-9_-]*:\S+$"


class EntityMention(Request):
    """A thing that an event is about: a canonical id (`type:id`), the name it goes by, or both.

    Where one is expected, a mere text is taken for its id if it reads like one, and else for its name.
    """

    id: str | None = Field(default=None, max_length=300, pattern=_CANONICAL)
    name: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"\S")

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return {"id" if re.fullmatch(_CANONICAL, value) else "name": value}


class NewEvent(Request):
    """One event as its publisher tells it.

    `occurred_at` carries an offset; `timezone` is the speaker's IANA zone, in which words such as
    "tomorrow" are read. `evidence_ref` points at what proves it, in its own store. `idempotency_key` is the
    publisher's own name for the event: sent again with the same content it changes nothing.
    """

    activity_id: str = Field(min_length=1, max_length=200)
    type: EventType
    scope: dict[str, str]
    occurred_at: Instant
    text: str | None = None
    timezone: str | None = None
    entities: tuple[EntityMention, ...] = Field(default=(), max_length=200)
    evidence_ref: str | None = Field(default=None, max_length=2_000)
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)
    data: dict[str, Any] = Field(default_factory=dict[str, Any])

    @field_validator("data")
    @classmethod
    def _is_json(cls, value: dict[str, Any]) -> dict[str, Any]:
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as unfit:
            raise ValueError("holds a value that JSON cannot carry, such as NaN or an object") from unfit
        return value


class EventBatch(Request):
    """Events that are stored together or not at all."""

    events: list[NewEvent] = Field(min_length=1, max_length=1_000)


class Acknowledgement(Answer):
    """One stored event. It is durable; whether recall can find it yet, and what became of it, is said as it is.

    `activity` is the activity's internal id, `seq` the event's number there, from 1 and without gaps. `masked` names
    the kinds of secrets that were found in the event: each stands there as a mask now. One that was there before and
    was `erased` since does not come in again: nothing of what was sent is stored.
    """

    event_id: UUID
    activity: UUID
    seq: int
    duplicate: bool
    erased: bool = False
    durable: Literal[True] = True
    readable: bool
    verdict: Annotated[Literal["pending", "decided"] | str, Open]
    masked: list[str]


class Acknowledgements(Answer):
    """One acknowledgement for each event of a batch, in order."""

    events: list[Acknowledgement]


class DecisionMade(Answer):
    """What was decided on one candidate that an event proposed.

    `memory_id` is the fact that was made, `concerns` the fact that was there. `disposition` is what the verdict
    comes to; `gate` the one that stopped or doubted the candidate, None where it has passed all five; `meaning`
    what the reason means, None for one of another version.
    """

    kind: str
    attribute: str
    disposition: Disposition
    gate: Gate | None
    verdict: Verdict
    reason: str
    meaning: str | None
    memory_id: UUID | None
    concerns: UUID | None
    recorded_at: datetime


class EventVerdictTold(Answer):
    """What became of an event. Once `episode_id` is set, recall can find the event's words."""

    event_id: UUID
    activity: UUID
    stage: Stage
    episode_id: UUID | None
    decisions: list[DecisionMade]
