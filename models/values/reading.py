"""The canonical form of a value: what two spellings of the same value share, and no two values do.

Read by rule alone, from tables, with exact arithmetic. What cannot be read, or can be read in two ways, is kept as
text and said to be so: nothing is guessed, and no model is asked.
"""

import unicodedata
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from models.entities import is_canonical, name_key
from models.text import fold, normalise
from models.values.dates import read_date
from models.values.durations import read_duration
from models.values.instants import read_instant
from models.values.lists import read_list
from models.values.money import read_money
from models.values.numbers import read_number, written
from models.values.places import Place, place_of
from models.values.plain import plain
from models.values.quantities import read_quantity
from models.values.spec import Canonical, ValueSpec, ValueType
from models.values.versions import read_version

_YES = frozenset({"yes", "true", "on", "enabled"})
_NO = frozenset({"no", "false", "off", "disabled"})
_MARKS = frozenset(f"{kind.value}:" for kind in ValueType)


class _Said(NamedTuple):
    """A value with what it takes to read it."""

    text: str
    spec: ValueSpec
    zone: str | None
    at: datetime | None

    @property
    def place(self) -> Place:
        return place_of(self.zone)


def canonical(
    text: str, spec: ValueSpec, *, zone: str | None = None, at: datetime | None = None
) -> Canonical:
    """The form in which the value `text` is compared.

    `zone` is the speaker's IANA zone: it settles numbers, currencies and dates that are written differently from
    place to place, and makes a local time an instant. `at` is the instant of the event, from which "tomorrow"
    counts. Without them what they would settle is kept as text.

    | text | type | where | key | read |
    | --- | --- | --- | --- | --- |
    | Keep it. | text | | keep it | yes |
    | €1,000; 1000 EUR; 1.000,00 € | money | Europe/Berlin | money:1000:EUR | yes |
    | 48h; 2 days | duration | | duration:172800 | yes |
    | 5 GB; 5 GiB | quantity | | quantity:40000000000:bit; quantity:42949672960:bit | yes |
    | 1.000 | integer | Europe/Berlin; America/New_York | integer:1000; integer:1 | yes |
    | 1.000 | integer | no zone | 1.000 | no |
    | not enabled | boolean | | not enabled | no |
    | 6"; 6' | quantity | | 6"; 6' | no |
    | s3://b/Report.pdf | reference | | reference:s3://b/Report.pdf | yes |
    | money:1:EUR | text | | text:money:1:eur | yes |
    """
    if spec.type is ValueType.TEXT:
        return Canonical(_as_text(text), read=True)
    key = _READERS[spec.type](_Said(text, spec, zone, at))
    return (
        Canonical(_marked(" ".join(fold(text).split())), read=False)
        if key is None
        else Canonical(f"{spec.type.value}:{key}", read=True)
    )


def _as_text(text: str) -> str:
    """The comparison form of a text."""
    return _marked(normalise(text) or " ".join(fold(text).split()))


def _marked(key: str) -> str:
    """`key`, marked where it would be taken for a value of another type."""
    return f"text:{key}" if key[: key.find(":") + 1] in _MARKS else key


def _boolean(said: _Said) -> str | None:
    words = normalise(said.text)
    if words in _YES:
        return "true"
    return "false" if words in _NO else None


def _decimal(said: _Said) -> str | None:
    words = plain(said.text)
    value = None if words is None else read_number(words, said.place)
    return None if value is None else written(value)


def _integer(said: _Said) -> str | None:
    digits = _decimal(said)
    return None if digits is None or "." in digits else digits


def _placed(read: Callable[[str, Place], str | None]) -> Callable[[_Said], str | None]:
    def reader(said: _Said) -> str | None:
        words = plain(said.text)
        return None if words is None else read(words, said.place)

    return reader


def _dated(read: Callable[[str, str | None, datetime | None], str | None]) -> Callable[[_Said], str | None]:
    def reader(said: _Said) -> str | None:
        words = plain(said.text)
        return None if words is None else read(words.casefold(), said.zone, said.at)

    return reader


def _version(said: _Said) -> str | None:
    if not said.spec.semantic:
        return normalise(said.text) or None
    words = plain(said.text)
    return None if words is None else read_version(words)


def _reference(said: _Said) -> str | None:
    return unicodedata.normalize("NFC", " ".join(said.text.split())) or None


def _entity(said: _Said) -> str | None:
    mention = " ".join(said.text.split())
    if is_canonical(mention):
        return f"id:{mention}"
    return f"name:{name_key(mention)}" if mention else None


@lru_cache(maxsize=1_024)
def _forms(values: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(normalise, values))


def _enumeration(said: _Said) -> str | None:
    words = normalise(said.text)
    return words if words in _forms(said.spec.values) else None


_ONE_WORD_OR_TWO = frozenset(
    {
        ValueType.TEXT,
        ValueType.BOOLEAN,
        ValueType.VERSION,
        ValueType.ENTITY,
        ValueType.ENUMERATION,
        ValueType.REFERENCE,
    }
)
"""Types of which no value holds a comma."""


def _list(said: _Said) -> str | None:
    spec = _of_items(said.spec.item, said.spec.values, said.spec.semantic)

    def read(item: str) -> Canonical:
        return canonical(item, spec, zone=said.zone, at=said.at)

    return read_list(said.text, read, whole=spec.type not in _ONE_WORD_OR_TWO)


@lru_cache(maxsize=1_024)
def _of_items(item: ValueType, values: tuple[str, ...], semantic: bool) -> ValueSpec:
    return ValueSpec(type=item, values=values, semantic=semantic)


_READERS: dict[ValueType, Callable[[_Said], str | None]] = {
    ValueType.BOOLEAN: _boolean,
    ValueType.INTEGER: _integer,
    ValueType.DECIMAL: _decimal,
    ValueType.QUANTITY: _placed(read_quantity),
    ValueType.MONEY: _placed(read_money),
    ValueType.INSTANT: _dated(read_instant),
    ValueType.DATE: _dated(read_date),
    ValueType.DURATION: _placed(read_duration),
    ValueType.VERSION: _version,
    ValueType.ENTITY: _entity,
    ValueType.ENUMERATION: _enumeration,
    ValueType.LIST: _list,
    ValueType.REFERENCE: _reference,
}
