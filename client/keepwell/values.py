"""Values of tools, told in bounded JSON: what an event may carry of an argument or a result.

Nothing here calls code of the value's own beyond what a mapping or a sequence needs, and nothing raises: a value
that cannot be told is told by its type. An iterator is never consumed, as it belongs to the agent.
"""

import dataclasses
import json
import math
import re
from collections import deque
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from itertools import islice
from pathlib import PurePath
from typing import Any, NamedTuple, cast
from uuid import UUID

from pydantic import BaseModel

MASK = "[withheld]"
"""What stands in place of a value whose name speaks of a secret."""
MAX_DEPTH = 8
MAX_CHILDREN = 10_000
"""How many items of one container are looked at."""
MAX_ITEMS_TOLD = 50
_MAX_INTEGER_BITS = 64
_MAX_NAME = 200
_SECRET = re.compile(
    r"pass(word|wd|phrase)|secret|credential|authori[sz]ation|bearer|cookie|api[_-]?key|access[_-]?key"
    r"|private[_-]?key|connection[_-]?string|(^|[_-])(token|pwd|pin|otp|dsn|auth)s?($|[_-])|[a-z](Token|Auth)$",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"tokens$", re.IGNORECASE)
_TEXTUAL = (datetime, date, time, timedelta, Decimal, UUID, PurePath)


class Cut(NamedTuple):
    """A text within its limit. `of` is how long the whole is in characters, where something was cut and it is known."""

    text: str
    cut: bool = False
    of: int | None = None

    def said(self) -> dict[str, Any]:
        """What an event's data says of the cut; nothing where there was none."""
        if not self.cut:
            return {}
        return {"cut": True} if self.of is None else {"cut": True, "characters": self.of}


class Plain(NamedTuple):
    """A value as JSON, and whether a part of it was cut."""

    value: Any
    cut: bool


class Opened(NamedTuple):
    """One level of a value: the named parts of a mapping or record, the items of a sequence, or neither.

    `more` counts what lies beyond `MAX_CHILDREN`. `scalar` is text, a number, a boolean or None; with `opaque` it
    is not the value's own, but says what the value is.
    """

    parts: list[tuple[str, Any]] | None = None
    items: list[Any] | None = None
    scalar: str | float | bool | None = None
    more: int = 0
    opaque: bool = False


def is_secret(name: str, value: object = None) -> bool:
    """Whether what is called `name` is likely a secret. A number of tokens is none."""
    if _COUNTED.search(name) and isinstance(value, (int, float)):
        return False
    return _SECRET.search(name) is not None


def mended(text: str) -> str:
    """`text` without NUL and without halves of surrogate pairs, which neither JSON nor Postgres can hold."""
    text = str.replace(text, "\x00", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def cut(text: str, characters: int) -> Cut:
    """At most `characters` of `text`, with a mark at the end that says how much there was."""
    # Sliced before it is mended: the text of a tool may be a gigabyte.
    kept = mended(text[: characters + 1])
    if len(text) <= characters:
        return Cut(kept)
    mark = f" … [cut: {len(text):,} characters]"
    if len(mark) < characters:
        return Cut(kept[: characters - len(mark)] + mark, True, len(text))
    return Cut(kept[:characters], True, len(text))


def opened(value: object) -> Opened:
    """One level of any value. See the module's docstring for what is not done to it."""
    try:
        return _opened(value)
    except Exception:  # noqa: BLE001 - a value with code of its own may raise anything; it is told by its type
        return Opened(scalar=_type_of(value), opaque=True)


def _opened(value: object) -> Opened:
    if isinstance(value, Enum):
        return _opened(cast("object", value.value))
    if hasattr(type(value), "get_secret_value"):
        return Opened(scalar=MASK, opaque=True)
    if value is None or isinstance(value, (bool, str, int, float)):
        return Opened(scalar=_scalar(value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return Opened(scalar=f"<{len(cast('bytes', value))} bytes>", opaque=True)
    if isinstance(value, _TEXTUAL):
        return Opened(scalar=value.isoformat() if isinstance(value, (date, time)) else str(value))
    return _container(value)


def _scalar(value: str | float | bool | None) -> str | float | bool | None:
    """The value itself, without what a subclass may have added, where JSON can carry it."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        bits = value.bit_length()
        return int(value) if bits <= _MAX_INTEGER_BITS else f"<int of {bits} bits>"
    return float(value) if math.isfinite(value) else str(float(value))


def _container(value: object) -> Opened:
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        return Opened(
            parts=[(name, value.__dict__.get(name)) for name, field in fields.items() if field.repr]
        )
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        shown = (field.name for field in dataclasses.fields(value) if field.repr)
        return Opened(parts=[(name, getattr(value, name, None)) for name in shown])
    if isinstance(value, Mapping):
        mapping = cast("Mapping[object, Any]", value)
        parts = [(_name(key), inner) for key, inner in islice(mapping.items(), MAX_CHILDREN)]
        return Opened(parts=parts, more=max(0, len(mapping) - len(parts)))
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        sequence = cast("tuple[Any, ...]", value)
        names: Any = getattr(sequence, "_fields", None)
        if names is not None:
            return Opened(parts=[(str(name), inner) for name, inner in zip(names, sequence)])  # noqa: B905 - a named tuple has a name for each
        items = list(islice(sequence, MAX_CHILDREN))
        return Opened(items=items, more=max(0, len(sequence) - len(items)))
    return Opened(scalar=_type_of(value), opaque=True)


def _name(key: object) -> str:
    scalar = key if isinstance(key, str) else opened(key).scalar
    return str(scalar if scalar is not None else key)[:_MAX_NAME]


def _type_of(value: object) -> str:
    return f"<{type(value).__name__}>"


class _Room:
    """How many characters may still be told, and whether that was too few."""

    def __init__(self, characters: int) -> None:
        self.left = characters
        self.cut = False

    def take(self, text: str) -> str:
        told = cut(text, max(self.left, 0))
        self.cut = self.cut or told.cut
        # What JSON adds around a value counts too, or a list of empty texts would be endless.
        self.left -= len(told.text) + 4
        return told.text


def plain(value: object, characters: int) -> Plain:
    """`value` as JSON of about `characters`, masked where a name speaks of a secret. What is cut is said in it."""
    room = _Room(characters)
    return Plain(_told(value, room, 0), room.cut)


def _told(value: object, room: _Room, depth: int) -> Any:
    level = opened(value)
    if level.parts is None and level.items is None:
        if isinstance(level.scalar, str):
            return room.take(level.scalar)
        room.left -= 8
        return level.scalar
    if depth >= MAX_DEPTH:
        room.cut = True
        return room.take("…")
    return _told_parts(level, room, depth) if level.parts is not None else _told_items(level, room, depth)


def _told_parts(level: Opened, room: _Room, depth: int) -> dict[str, Any]:
    parts = level.parts or []
    told: dict[str, Any] = {}
    for name, inner in parts[:MAX_ITEMS_TOLD]:
        if room.left <= 0:
            break
        key = room.take(name)
        told[key] = room.take(MASK) if is_secret(name, inner) else _told(inner, room, depth + 1)
    rest = len(parts) + level.more - len(told)
    if rest > 0:
        room.cut = True
        told["…"] = f"{rest:,} more"
    return told


def _told_items(level: Opened, room: _Room, depth: int) -> list[Any]:
    items = level.items or []
    told: list[Any] = []
    for inner in items[:MAX_ITEMS_TOLD]:
        if room.left <= 0:
            break
        told.append(_told(inner, room, depth + 1))
    rest = len(items) + level.more - len(told)
    if rest > 0:
        room.cut = True
        told.append(f"… {rest:,} more")
    return told


def worded(value: object, characters: int) -> Cut:
    """`value` as text of at most `characters`: text as it is, anything else as JSON. Empty for None."""
    if value is None:
        return Cut("")
    level = opened(value)
    if isinstance(level.scalar, str):
        return cut(level.scalar, characters)
    told = plain(value, characters)
    text = json.dumps(told.value, ensure_ascii=False)
    if not told.cut:
        return cut(text, characters)
    # How long the whole would be is not known: telling it is what was avoided.
    return Cut(text if len(text) <= characters else text[: characters - 1] + "…", cut=True)
