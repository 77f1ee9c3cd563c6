"""What all shapes on the wire have in common: how requests are checked, and how answers are read.

A request is refused before it is sent where the service would refuse it for certain. An answer of a newer
service, with fields and words that this client does not know, is read all the same. No error quotes a value.
"""

import json
import re
from datetime import datetime, timezone
from typing import Annotated, Any, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

_ISO_YEAR = re.compile(r"\s*\d{4}-")


class Request(BaseModel):
    """Base of all that is sent. Made by hand it raises pydantic's ValidationError; the calls raise `InvalidInput`."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _mend_surrogates(cls, values: Any) -> Any:
        # An agent's words may be cut in the middle of a character; that is no reason to lose the rest of them.
        if not isinstance(values, dict):
            return values
        return {name: _mended(value) for name, value in cast("dict[str, Any]", values).items()}

    def as_json(self) -> bytes:
        """What is sent: that which was said, without what was left at its default."""
        said = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        text = json.dumps(said, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        try:
            return text.encode()
        except UnicodeEncodeError:
            # Half of a surrogate pair deep inside of data has no UTF-8; written as \ud83d it arrives.
            return json.dumps(said, allow_nan=False).encode()


class Answer(BaseModel):
    """Base of all that comes back."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


class Open:
    """Marks the words of a set that may grow: `Annotated[Literal["a", "b"] | str, Open]`.

    The schema names the words that this client knows; a word of a newer service is read as it is.
    """

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        known, _any_other = handler(core_schema)["anyOf"]
        return known


def _mended(value: Any) -> Any:
    """`value` with U+FFFD for half of a surrogate pair, where it is text or a sequence of texts."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return value
    if isinstance(value, (list, tuple)):
        return [_mended(item) for item in cast("list[Any]", value)]
    return value


def _written_out(value: object) -> object:
    """Refuse a number, in digits or in text: what it counts from is anybody's guess."""
    if isinstance(value, datetime) or (isinstance(value, str) and _ISO_YEAR.match(value)):
        return value
    raise ValueError("give an ISO 8601 instant with an offset, such as 2026-03-02T09:00:00+01:00")


def _aware(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("a naive instant, without a zone; add an offset such as Z or +01:00")
    try:
        return value.astimezone(timezone.utc)
    except OverflowError as beyond:
        raise ValueError("outside the years 1 to 9999 in UTC") from beyond


Instant = Annotated[datetime, BeforeValidator(_written_out), AfterValidator(_aware)]
"""An instant that somebody gives: never without a zone, kept in UTC."""
