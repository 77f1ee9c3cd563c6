"""What a class says about the values of an attribute, and what a value becomes when it is read."""

from enum import StrEnum
from typing import NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from models.text import normalise


class ValueType(StrEnum):
    """The kinds of value that an attribute can have."""

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
    REFERENCE = "reference"


class ValueSpec(BaseModel):
    """The type of an attribute's values.

    `values` are what an enumeration may say, `of` is the type of a list's items, and `semantic` makes a version
    one of numbered releases, in which v1.2 and 1.2.0 are the same. `values` and `semantic` are of a list's items
    where the items are enumerations and versions.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: ValueType = ValueType.TEXT
    values: tuple[str, ...] = Field(default=(), max_length=1_000)
    of: ValueType | None = None
    semantic: bool = False

    @model_validator(mode="after")
    def _says_what_its_type_needs(self) -> Self:
        if (self.type is ValueType.LIST) != (self.of is not None):
            raise ValueError("of names the type of a list's items; give it to a list, and to nothing else")
        if self.of is ValueType.LIST:
            raise ValueError("of cannot be a list; a list has no lists in it")
        if (self.item is ValueType.ENUMERATION) != bool(self.values):
            raise ValueError("values names what an enumeration may say; give it to one, and to nothing else")
        forms = {normalise(value) for value in self.values}
        if "" in forms or len(forms) != len(self.values):
            raise ValueError("values has two that are written alike, or an empty one; keep one of each")
        if self.semantic and self.item is not ValueType.VERSION:
            raise ValueError("semantic says how versions compare; leave it out for any other type")
        return self

    @property
    def item(self) -> ValueType:
        """The type of what stands by itself: of the items of a list, of the value otherwise."""
        return self.of or self.type


class Canonical(NamedTuple):
    """The form in which a value is compared.

    `key` begins with the type and a colon where the value was read as its type, as in `money:1000:EUR`. A text has
    its comparison form, and what was not read is the text itself, folded, with all its marks: 6" is not 6'. `read` is
    False where the text could not be read as its type.
    """

    key: str
    read: bool
