"""Stretches of a text in which a number of a person may stand, and what the words around a number say of it."""

import re
from collections.abc import Iterator
from functools import cache

from providers.secret_scanner.lexicon import any_of, read_data

_DIGITS = re.compile(r"[0-9]{2,}")
_BEFORE, _BETWEEN, _AFTER = 10, 8, 12
"""How far letters, blanks and signs may carry a number before, between and after two digits in a row."""
_PART = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_ .-/")


@cache
def _labels() -> re.Pattern[str]:
    data: dict[str, list[str]] = read_data("numbers")
    named = rf"(?:{any_of(data['labels'])})(?:[ _\-]?(?:{any_of(data['label_ends'])}))?"
    joined = rf"[\"'.]{{0,2}}[ ]?[:=#№°\"']{{0,3}}[ ]?[\"']?(?:{any_of(data['label_joins'])})?[ ]?"
    an_id = r"(?:^|[^a-z])(?:[a-z]+[_\-])?ids?[\"']?[ ]?[:=#][ ]?[\"']?"
    return re.compile(rf"(?:{named}{joined}|{an_id}|#|№[ ]?)$")


def stretches(plain: str, least: int) -> Iterator[tuple[int, int]]:
    """Parts of a text with at least so many digits, each as far as letters and separators carry it."""
    start = end = count = 0
    for digits in _DIGITS.finditer(plain):
        first, last = digits.span()
        if count and first - end <= _BETWEEN and _PART.issuperset(plain[end:first]):
            count += last - first
        else:
            if count >= least:
                yield _widened(plain, start, end)
            start, count = first, last - first
        end = last
    if count >= least:
        yield _widened(plain, start, end)


def _widened(plain: str, start: int, end: int) -> tuple[int, int]:
    first, last = max(start - _BEFORE, 0), min(end + _AFTER, len(plain))
    while start > first and plain[start - 1] in _PART:
        start -= 1
    while end < last and plain[end] in _PART:
        end += 1
    return start, end


def is_labelled(lower: str, start: int) -> bool:
    """Whether the words before a number say that it is that of an order, a parcel, a build or another thing."""
    return _labels().search(lower[max(start - 40, 0) : start]) is not None
