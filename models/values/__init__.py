"""Values: of which type an attribute's values are."""

from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator


class ValueType(StrEnum):
    """The types of values that the rules can read."""

    TEXT = "text"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    DECIMAL = "decimal"
    QUANTITY = "quantity"
    MONEY = "money"
    INSTANT = "instant"
    DATE = "date"
    DURATION = "duration"
    VERSION = "version"
    ENTITY = "entity"
    ENUMERATION = "enumeration"
    LIST = "list"


class ValueSpec(BaseModel):
    """How to read a value: its type, the `values` of an enumeration, the type `of` a list's items."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: ValueType = ValueType.TEXT
    values: tuple[str, ...] = ()
    of: ValueType | None = None
    semantic: bool = False

    @model_validator(mode="after")
    def _has_what_its_type_needs(self) -> Self:
        if (self.type is ValueType.ENUMERATION) != bool(self.values):
            raise ValueError("an enumeration, and nothing else, names its values")
        if (self.type is ValueType.LIST) != (self.of is not None):
            raise ValueError("a list, and nothing else, names the type of its items with `of`")
        return self
