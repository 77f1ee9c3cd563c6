"""What the tools take, where the domain has no request of that shape, and schemas with words for a model."""

from collections.abc import Mapping
from typing import Any, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from models.events import scrub
from models.recall import RecallRequest
from models.statements import Withdrawal
from surfaces.http.instants import Instant


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


def schema_of(takes: type[BaseModel], words: Mapping[str, str]) -> dict[str, Any]:
    """The input schema of a tool that offers the fields in `words`: their limits as they are, told in words."""
    schema = takes.model_json_schema()
    fields: dict[str, Any] = schema["properties"]
    offered = {name: {**fields[name], "description": said} for name, said in words.items()}
    for field in offered.values():
        field.pop("title", None)
    return {
        "type": "object",
        "properties": offered,
        "required": schema.get("required", []),
        "additionalProperties": False,
    }
