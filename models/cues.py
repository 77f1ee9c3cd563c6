"""What an event must say for an intention to fire: declared fields, compared to the letter and never by likeness.

An event says a handful of things about itself, each with a key. A cue that waits stands in an index under one of its
own keys, so that an event finds the cues that may match however many wait, and each of those is then compared whole.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple, Self
from uuid import UUID

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    model_validator,
)

from models.entities import canonical_key, is_canonical, name_key
from models.errors import InvalidInput
from models.events import EntityMention, EventType, scrub
from models.ids import derived_id

MOST_CONDITIONS = 10
MOST_KEYS = 300
"""Of how many things an event says of itself a cue can be found; the first entities count."""
DATA = "data."
_TYPES = frozenset(kind.value for kind in EventType)

Scalar = Annotated[StrictStr | StrictBool | StrictInt | StrictFloat, BeforeValidator(scrub)]


class CueCondition(BaseModel):
    """One field of an event and the value that it must have.

    `field` is `type`, `subject` (who published it), `entity` (an id or a name that it mentions), or `data.` and the
    name of a field of its data that the policy declares under `cue_fields`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    field: str = Field(pattern=r"^(?:type|subject|entity|data\.[A-Za-z_][A-Za-z0-9_-]{0,99})$")
    value: Scalar = Field(union_mode="left_to_right")

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if self.field in ("type", "subject", "entity") and not isinstance(self.value, str):
            raise ValueError("type, subject and entity are compared with a text")
        if isinstance(self.value, str) and not 0 < len(self.value) <= 300:
            raise ValueError("a text to compare with has 1 to 300 characters")
        return self


class Match(StrEnum):
    """Whether an event has to meet all conditions or one of them."""

    ALL = "all"
    ANY = "any"


class Cue(BaseModel):
    """An event to wait for. With an `entity` the event has to mention that one, whatever else it has to meet.

    It fires once, or with `repeats` each time.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["cue"] = "cue"
    match: Match = Match.ALL
    conditions: tuple[CueCondition, ...] = Field(default=(), max_length=MOST_CONDITIONS)
    entity: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"\S")
    repeats: bool = False

    @model_validator(mode="after")
    def _waits_for_something(self) -> Self:
        if not self.conditions and self.entity is None:
            raise ValueError("waits for nothing; give conditions, an entity, or both")
        return self


class Said(NamedTuple):
    """What an event says of itself, as far as a cue can ask."""

    type: str
    subject: str
    entities: Sequence[EntityMention]
    data: Mapping[str, Any]


def require_declared(cue: Cue, declared: Collection[str]) -> None:
    """Raise `InvalidInput` for what nobody would ever say: a type of event that there is not, and a field of the data
    that the policy does not declare.
    """
    for at, condition in enumerate(cue.conditions):
        if condition.field == "type" and condition.value not in _TYPES:
            raise InvalidInput(
                f"no event is of that type; it is one of {', '.join(sorted(_TYPES))}",
                field=f"on.conditions.{at}.value",
            )
        name = condition.field.removeprefix(DATA)
        if condition.field.startswith(DATA) and name not in declared:
            known = ", ".join(sorted(declared)) or "none"
            raise InvalidInput(
                f"the policy declares no such field to wait for; it has {known}: add it to cue_fields",
                field=f"on.conditions.{at}.field",
            )


def key_of(field: str, value: object) -> UUID:
    """The key under which a thing that an event says is looked up: the same for the same field and value alone."""
    match value:
        case bool():
            written = f"truth:{value}"
        case int() | float():
            written = (
                f"number:{int(value) if value == int(value) else value!r}" if _is_finite(value) else "number:"
            )
        case _:
            written = f"text:{value}"
    return derived_id("cue", field, written)


def _is_finite(value: float) -> bool:
    return value - value == 0


def entity_key(mention: str) -> UUID:
    """The key of a thing by its canonical id, or by its name in normal form."""
    return key_of("entity", canonical_key(mention) if is_canonical(mention) else f"name {name_key(mention)}")


def keys_of(said: Said, declared: Collection[str]) -> frozenset[UUID]:
    """The keys of all that an event says and a cue can ask for."""
    keys = [key_of("type", said.type), key_of("subject", said.subject)]
    for name in declared:
        value = said.data.get(name)
        if isinstance(value, str | bool | int | float):
            keys.append(key_of(f"{DATA}{name}", value))
    for mention in said.entities:
        keys.extend(entity_key(each) for each in (mention.id, mention.name) if each is not None)
    return frozenset(keys[:MOST_KEYS])


def _condition_key(condition: CueCondition) -> UUID:
    if condition.field == "entity":
        return entity_key(str(condition.value))
    return key_of(condition.field, condition.value)


def waits_under(cue: Cue) -> frozenset[UUID]:
    """The keys under which a cue stands in the index: no event that matches it says none of them.

    | the cue | stands under |
    | --- | --- |
    | names an entity | that one |
    | asks for all of its conditions | the one that fewest events meet: an entity, else data, else who, else the type |
    | asks for any of them | each of them |
    """
    if cue.entity is not None:
        return frozenset({entity_key(cue.entity)})
    if cue.match is Match.ANY:
        return frozenset(_condition_key(each) for each in cue.conditions)
    rarest = min(cue.conditions, key=lambda each: _COMMON[each.field.partition(".")[0]])
    return frozenset({_condition_key(rarest)})


_COMMON = {"entity": 0, "data": 1, "subject": 2, "type": 3}


def matches(cue: Cue, keys: Collection[UUID]) -> bool:
    """Whether an event that says `keys` is the one that is waited for."""
    if cue.entity is not None and entity_key(cue.entity) not in keys:
        return False
    if not cue.conditions:
        return True
    met = (_condition_key(each) in keys for each in cue.conditions)
    return all(met) if cue.match is Match.ALL else any(met)
