"""What a time zone tells of how its people write: the one way from an IANA zone to conventions."""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, TypeVar

from models.values import territories
from models.values.zones import TERRITORY

_T = TypeVar("_T")


class Place(NamedTuple):
    """The conventions of one territory. What is empty or None is not known, and decides nothing.

    `decimal` and `group` are the marks of all its official languages: two decimal marks (Canada, Switzerland) mean
    that a number in doubt stays so.
    """

    territory: str = ""
    decimal: str = ""
    group: str = ""
    currencies: frozenset[str] = frozenset()
    symbol_first: bool | None = None
    date_order: str = ""
    date_marks: str = ""


NOWHERE = Place()


def _by_territory(table: Mapping[_T, str]) -> dict[str, _T]:
    return {territory: value for value, members in table.items() for territory in members.split()}


def _currencies() -> dict[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    currency = ""
    for word in territories.CURRENCIES.split():
        if word.endswith(":"):
            currency = word[:-1]
        else:
            found[word].add(currency)
    return {territory: frozenset(codes) for territory, codes in found.items()}


_NUMBERS = _by_territory(territories.NUMBERS)
_SYMBOL_FIRST = _by_territory(territories.SYMBOL_FIRST)
_DATES = _by_territory(territories.DATES)
_CURRENCIES = _currencies()


@lru_cache(maxsize=1_024)
def place_of(zone: str | None) -> Place:
    """The conventions where `zone` lies; `NOWHERE` without a zone, and for one that lies in no territory."""
    territory = TERRITORY.get(zone or "")
    if territory is None:
        return NOWHERE
    decimal, group = _NUMBERS.get(territory, ("", ""))
    order, marks = _DATES.get(territory, ("", ""))
    return Place(
        territory=territory,
        decimal=decimal,
        group=group,
        currencies=_CURRENCIES.get(territory, frozenset()),
        symbol_first=_SYMBOL_FIRST.get(territory),
        date_order=order,
        date_marks=marks,
    )
