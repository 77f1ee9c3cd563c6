"""Numbers that a state gives to a person: by their check digits where these are strong, else by the words around."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from models.sightings import SecretKind, Sighting
from providers.secret_scanner import checksums
from providers.secret_scanner.checksums import luhn, weighted
from providers.secret_scanner.lexicon import any_of, read_data
from providers.secret_scanner.numbers import is_labelled, stretches

_TWO_DIGITS = re.compile(r"[0-9][0-9]")
_BEFORE = 60
_AFTER = 40
_LEAST, _LEAST_WHERE_TOLD = 6, 2
"""Digits in pairs or longer runs that a stretch needs: an Indian PAN has four, a passport may have fewer."""
_SEPARATORS = str.maketrans("", "", " .-+")


class _Told(NamedTuple):
    """An id that counts where a word of `context` stands near."""

    shape: re.Pattern[str]
    check: Callable[[str], bool] | None
    context: re.Pattern[str]


class _Ids(NamedTuple):
    """`shapes` is one pattern with a group for each of `checks`: ids that need no context.

    `told` has the others, each under every word of its context.
    """

    shapes: re.Pattern[str]
    checks: tuple[Callable[[str], bool] | None, ...]
    told: tuple[tuple[str, _Told], ...]


def nhs(digits: str) -> bool:
    """The check digit of a British NHS number."""
    return (11 - weighted(digits[:9], range(10, 1, -1)) % 11) % 11 == int(digits[9])


def my_number(digits: str) -> bool:
    """The check digit of a Japanese My Number."""
    rest = weighted(digits[:11], [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
    return (0 if rest <= 1 else 11 - rest) == int(digits[11])


def personal_number(digits: str) -> bool:
    """The check digit of a Swedish personal number, with or without its century."""
    return luhn(digits[-10:])


def tax_file_number(digits: str) -> bool:
    """The check of an Australian tax file number of eight or nine digits."""
    weights = [1, 4, 3, 7, 5, 8, 6, 9, 10] if len(digits) == 9 else [10, 7, 8, 4, 6, 3, 5, 1]
    return weighted(digits, weights) % 11 == 0


def snils(digits: str) -> bool:
    """The check digits of a Russian insurance number."""
    return weighted(digits[:9], range(9, 0, -1)) % 101 % 100 == int(digits[9:])


_OWN = {each.__name__: each for each in (nhs, my_number, personal_number, tax_file_number, snils)}


_LEFT = r"(?<![0-9A-Za-z_])(?<![0-9A-Za-z][-/])(?<![0-9][.,])"
_RIGHT = r"(?![0-9A-Za-z_])(?![-/][0-9A-Za-z])(?![.,][0-9])"


@cache
def _ids() -> _Ids:
    data: list[dict[str, Any]] = read_data("national_ids")
    alone = [each for each in data if "context" not in each]
    shapes = "|".join(f"({each['shape']})" for each in alone)
    return _Ids(
        re.compile(f"{_LEFT}(?:{shapes}){_RIGHT}"),
        tuple(_check(each) for each in alone),
        tuple(_told(data)),
    )


def _told(data: list[dict[str, Any]]) -> Iterator[tuple[str, _Told]]:
    for each in data:
        words: list[str] = each.get("context", [])
        told = _Told(
            re.compile(f"{_LEFT}(?:{each['shape']}){_RIGHT}"),
            _check(each),
            re.compile(rf"(?<![a-z])(?:{any_of(words)})(?![a-z])"),
        )
        yield from ((word, told) for word in words)


def _check(told: dict[str, Any]) -> Callable[[str], bool] | None:
    name = told.get("check")
    return None if name is None else _OWN.get(name) or getattr(checksums, name)


def national_ids(plain: str, lower: str) -> Iterator[Sighting]:
    """National ids in a text."""
    if _TWO_DIGITS.search(plain) is None:
        return
    shapes, checks, told = _ids()
    likely = dict.fromkeys(each for word, each in told if word in lower)
    for start, end in stretches(plain, _LEAST_WHERE_TOLD if likely else _LEAST):
        # The signs after a stretch say whether it goes on, so that they are shown as well.
        shown = min(end + 2, len(plain))
        for found in shapes.finditer(plain, start, shown):
            if _passes(checks[(found.lastindex or 1) - 1], found) and not is_labelled(lower, found.start()):
                yield Sighting(SecretKind.NATIONAL_ID, *found.span())
        for each in likely:
            for found in each.shape.finditer(plain, start, shown):
                if _passes(each.check, found) and _is_near(each.context, lower, found):
                    yield Sighting(SecretKind.NATIONAL_ID, *found.span())


def _passes(check: Callable[[str], bool] | None, found: re.Match[str]) -> bool:
    return check is None or check(found.group().translate(_SEPARATORS))


def _is_near(context: re.Pattern[str], lower: str, found: re.Match[str]) -> bool:
    first, last = max(found.start() - _BEFORE, 0), min(found.end() + _AFTER, len(lower))
    return context.search(lower, first, last) is not None
