"""Asking for a list of memories: filters that mean what they say, and pages that skip nothing.

A filter that cannot be read is refused. It never turns into one that lets everything through.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from models.authority import Authority, Standing
from models.cursors import cursor_of, read_cursor
from models.episodes import ExecutionStatus, GoalOutcome
from models.errors import InvalidInput
from models.events import aware, counted, scrub, written_out
from models.facts import Status
from models.ids import content_digest

MAX_DEPTH = 8
MAX_CONDITIONS = 50
MAX_PAGE = 200


class MemoryKind(StrEnum):
    """The sorts of memory that can be listed."""

    FACT = "fact"
    EPISODE = "episode"


class FilterField(StrEnum):
    """What a condition may be about. A memory that has no such field does not meet the condition."""

    KIND = "kind"
    STATUS = "status"
    ATTRIBUTE = "attribute"
    ENTITY = "entity"
    AUTHORITY = "authority"
    STANDING = "standing"
    EXECUTION_STATUS = "execution_status"
    GOAL_OUTCOME = "goal_outcome"
    VALID_FROM = "valid_from"
    RECORDED_AT = "recorded_at"


class Operator(StrEnum):
    """How a field is compared. Instants know the four of order; all others `eq`, `ne` and `in`."""

    EQ = "eq"
    NE = "ne"
    IN = "in"
    LT = "lt"
    LTE = "lte"
    GT = "gt"
    GTE = "gte"


_ORDER = frozenset({Operator.LT, Operator.LTE, Operator.GT, Operator.GTE})
_INSTANTS = frozenset({FilterField.VALID_FROM, FilterField.RECORDED_AT})
_KNOWN_VALUES: dict[FilterField, frozenset[str]] = {
    FilterField.KIND: frozenset(MemoryKind),
    FilterField.STATUS: frozenset(Status),
    FilterField.AUTHORITY: frozenset(authority.name.lower() for authority in Authority),
    FilterField.STANDING: frozenset(Standing),
    FilterField.EXECUTION_STATUS: frozenset(ExecutionStatus),
    FilterField.GOAL_OUTCOME: frozenset(GoalOutcome),
}


class _FilterPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Condition(_FilterPart):
    """One comparison. `value` is a list for `in` and text for every other operator; instants carry an offset."""

    field: FilterField
    op: Operator
    value: (
        Annotated[str, Field(max_length=300)]
        | Annotated[list[Annotated[str, Field(max_length=300)]], Field(min_length=1, max_length=100)]
    )

    @field_validator("value", mode="before")
    @classmethod
    def _can_be_compared(cls, value: Any) -> Any:
        return scrub(value)

    @model_validator(mode="after")
    def _means_something(self) -> "Condition":
        if (self.op in _ORDER) != (self.field in _INSTANTS):
            known = "lt, lte, gt, gte" if self.field in _INSTANTS else "eq, ne, in"
            raise ValueError(f"{self.field.value} cannot be compared by {self.op.value}; use one of {known}")
        if isinstance(self.value, list) != (self.op is Operator.IN):
            raise ValueError("the operator in takes a list, every other operator takes text")
        if self.field in _INSTANTS:
            self.instant  # noqa: B018 - raises for what is no instant
        known_values = _KNOWN_VALUES.get(self.field)
        if known_values is not None and not known_values.issuperset(self.values):
            raise ValueError(f"{self.field.value} is one of {', '.join(sorted(known_values))}")
        return self

    @property
    def values(self) -> tuple[str, ...]:
        """All values of the condition."""
        return tuple(self.value) if isinstance(self.value, list) else (self.value,)

    @property
    def instant(self) -> datetime:
        """The value of a condition on an instant; raises ValueError for anything else."""
        written = str(written_out(self.value))
        try:
            instant = datetime.fromisoformat(written.strip())
        except ValueError:
            # Its own message quotes the value.
            raise ValueError("is no ISO 8601 instant; write it as 2026-03-02T09:00:00+01:00") from None
        return aware(instant)


class AllOf(_FilterPart):
    """Every one of these holds."""

    all: list["Filter"] = Field(min_length=1, max_length=MAX_CONDITIONS)


class AnyOf(_FilterPart):
    """At least one of these holds."""

    any: list["Filter"] = Field(min_length=1, max_length=MAX_CONDITIONS)


class NotThis(_FilterPart):
    """This does not hold."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)

    negated: "Filter" = Field(alias="not")


def _shape(value: Any) -> str:
    match value:
        case AllOf() | {"all": _}:
            return "all"
        case AnyOf() | {"any": _}:
            return "any"
        case NotThis() | {"not": _}:
            return "not"
        case _:
            return "condition"


Filter = Annotated[
    Annotated[Condition, Tag("condition")]
    | Annotated[AllOf, Tag("all")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[NotThis, Tag("not")],
    Discriminator(_shape),
]


def conditions_of(part: Filter, depth: int = 1) -> Iterator[Condition]:
    """All conditions of a filter, however deep; raises ValueError where it is nested too deep."""
    if depth > MAX_DEPTH:
        raise ValueError(f"is nested deeper than {MAX_DEPTH} levels; flatten it")
    match part:
        case Condition():
            yield part
        case NotThis():
            yield from conditions_of(part.negated, depth + 1)
        case AllOf():
            for each in part.all:
                yield from conditions_of(each, depth + 1)
        case AnyOf():
            for each in part.any:
                yield from conditions_of(each, depth + 1)


class MemoryQuery(BaseModel):
    """Memories that apply in `scope` and pass `filter`, newest first.

    `as_of` is the instant for which statuses are told, None for now. `cursor` is the `next` of the page
    before, sent with the same query.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scope: dict[str, str]
    filter: Filter | None = None
    as_of: datetime | None = None
    limit: int = Field(default=50, ge=1, le=MAX_PAGE)
    cursor: str | None = Field(default=None, max_length=500)

    @field_validator("limit", mode="before")
    @classmethod
    def _is_a_number(cls, value: object) -> object:
        return counted(value)

    @field_validator("as_of", mode="before")
    @classmethod
    def _is_an_instant(cls, value: object) -> object:
        return None if value is None else written_out(value)

    @field_validator("as_of")
    @classmethod
    def _has_an_offset(cls, value: datetime | None) -> datetime | None:
        return None if value is None else aware(value)

    @field_validator("filter", mode="before")
    @classmethod
    def _can_be_read_at_once(cls, value: object) -> object:
        """Counted before it is read: reading a million parts would take seconds, to refuse them in the end."""
        left, parts = [value], 0
        while left:
            part = left.pop()
            if isinstance(part, Mapping):
                parts += 1
                left.extend(cast("Mapping[object, object]", part).values())
            elif isinstance(part, list):
                left.extend(cast("list[object]", part))
            if parts > MAX_CONDITIONS * MAX_DEPTH:
                raise ValueError(f"at most {MAX_CONDITIONS} conditions")
        return value

    @field_validator("filter")
    @classmethod
    def _is_of_bearable_size(cls, value: Filter | None) -> Filter | None:
        if value is not None and sum(1 for _ in conditions_of(value)) > MAX_CONDITIONS:
            raise ValueError(f"at most {MAX_CONDITIONS} conditions")
        return value

    @property
    def digest(self) -> str:
        """What tells this query from another, whichever page is asked for."""
        asked = self.model_dump(mode="json", by_alias=True, exclude={"cursor", "limit"})
        return content_digest(asked).hex()[:16]


class Position(NamedTuple):
    """Where a page ends: the record time and id of its last memory, and the instant of the first page."""

    recorded_at: datetime
    id: UUID
    as_of: datetime


def cursor_after(query: MemoryQuery, position: Position) -> str:
    """The cursor of the page that follows `position`."""
    instants = position.recorded_at.isoformat(), position.as_of.isoformat()
    return cursor_of([query.digest, instants[0], str(position.id), instants[1]])


def position_of(query: MemoryQuery) -> Position | None:
    """Where the page before ended; raises `InvalidInput` for a cursor that is not one of this query's."""
    if query.cursor is None:
        return None
    digest, position = read_cursor(query.cursor, _held_in)
    if digest != query.digest:
        raise InvalidInput("belongs to another query; begin that one without a cursor", field="cursor")
    return position


def _held_in(parts: Any) -> tuple[Any, Position]:
    digest, recorded_at, identity, as_of = parts
    instants = aware(datetime.fromisoformat(recorded_at)), aware(datetime.fromisoformat(as_of))
    return digest, Position(instants[0], UUID(identity), instants[1])
