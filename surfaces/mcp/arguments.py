"""What the tools take, where the domain has no request of that shape, and schemas with words for a model."""

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from models.events import scrub
from models.intention_changes import (
    LONGEST_LEASE_SECONDS,
    AcknowledgementGiven,
    Cancellation,
    Done,
    Snooze,
    Take,
)
from models.intentions import Delay
from models.recall import RecallRequest
from models.statements import Withdrawal, Words
from surfaces.http.bodies import validated
from surfaces.http.instants import Instant

M = TypeVar("M", bound=BaseModel)


class WhyArguments(RecallRequest):
    """A record, and the recall in whose answer it is looked for."""

    memory_id: UUID


class ForgetArguments(BaseModel):
    """A fact that is to be taken back, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    memory_id: UUID
    reason: str = Field(min_length=1, max_length=20_000, pattern=r"\S")
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)

    @field_validator("reason", "idempotency_key", mode="before")
    @classmethod
    def _can_be_stored(cls, value: Any) -> Any:
        return scrub(value)

    @property
    def withdrawal(self) -> Withdrawal:
        """The same as the domain has it."""
        return Withdrawal(text=self.reason, idempotency_key=self.idempotency_key)


class HistoryArguments(BaseModel):
    """A fact, or an entity in a scope, and the instant of the statuses, None for now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    memory_id: UUID | None = None
    entity: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"\S")
    scope: dict[str, str] | None = None
    as_of: Instant | None = None

    @field_validator("entity", mode="before")
    @classmethod
    def _can_be_looked_up(cls, value: Any) -> Any:
        return scrub(value)

    @model_validator(mode="after")
    def _names_one_thing(self) -> Self:
        of_entity = self.entity is not None and self.scope is not None
        if (self.memory_id is None) is not of_entity or (self.entity is None) is not (self.scope is None):
            raise ValueError("give memory_id alone, or entity and scope together")
        return self


class CancelArguments(BaseModel):
    """An intention that is to be given up, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    intention_id: UUID
    reason: Words | None = None
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)

    @field_validator("idempotency_key", mode="before")
    @classmethod
    def _can_be_stored(cls, value: Any) -> Any:
        return scrub(value)

    @property
    def cancellation(self) -> Cancellation:
        """The same as the domain has it."""
        return Cancellation(text=self.reason, idempotency_key=self.idempotency_key)


class InboxArguments(Take):
    """What to hand out: fewer at once than to a program, and for longer, as a model takes its time over each."""

    limit: int = Field(default=5, ge=1, le=20, strict=True)
    lease_seconds: float = Field(default=600.0, ge=1, le=LONGEST_LEASE_SECONDS)


class _OfWhatIsDue(BaseModel):
    """Something due, and the lease under which it was handed out: who has none has not taken it from their inbox."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    occurrence_id: UUID
    lease: UUID
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)

    @field_validator("idempotency_key", mode="before")
    @classmethod
    def _can_be_stored(cls, value: Any) -> Any:
        return scrub(value)

    def _as(self, said: type[M]) -> M:
        return validated(self.model_dump(exclude={"occurrence_id"}), said)


class AcknowledgeArguments(_OfWhatIsDue):
    """What came of something due, which is always said."""

    outcome: Done
    text: Words | None = None

    @property
    def acknowledgement(self) -> AcknowledgementGiven:
        """The same as the domain has it."""
        return self._as(AcknowledgementGiven)


class SnoozeArguments(_OfWhatIsDue):
    """Until when something due is put off."""

    until: Instant | None = None
    after: Delay | None = None

    @property
    def snooze(self) -> Snooze:
        """The same as the domain has it; raises `InvalidInput` unless it has one of the two."""
        return self._as(Snooze)


def schema_of(takes: type[BaseModel], words: Mapping[str, str]) -> dict[str, Any]:
    """The input schema of a tool that offers the fields in `words`: their limits as they are, told in words."""
    schema = takes.model_json_schema()
    fields: dict[str, Any] = _spelled_out(schema["properties"], schema.get("$defs", {}))
    offered = {name: {**fields[name], "description": said} for name, said in words.items()}
    for field in offered.values():
        field.pop("title", None)
    return {
        "type": "object",
        "properties": offered,
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _spelled_out(part: Any, definitions: Mapping[str, Any]) -> Any:
    """A part of a schema with what it refers to in its place, as many hosts show a model no definitions."""
    if isinstance(part, list):
        return [_spelled_out(each, definitions) for each in cast("list[Any]", part)]
    if not isinstance(part, dict):
        return part
    own = cast("dict[str, Any]", part)
    if "$ref" in own:
        own = {**definitions[own["$ref"].rpartition("/")[2]], **own}
        del own["$ref"]
    # The bounds of a duration are written in keywords that JSON Schema does not have; strict readers refuse those.
    left_out = {"ge", "gt", "le"} if own.get("format") == "duration" else set[str]()
    return {name: _spelled_out(each, definitions) for name, each in own.items() if name not in left_out}
