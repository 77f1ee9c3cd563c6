"""Lengths of time: seconds, and months, which are no number of seconds."""

import re
from fractions import Fraction

from models.values.numbers import BODY, WORDS, read_number
from models.values.places import NOWHERE, Place
from models.values.quantities import exactly

_SECONDS = {
    Fraction(1, 10**9): "ns nanosecond nanoseconds",
    Fraction(1, 10**6): "us μs microsecond microseconds",
    Fraction(1, 10**3): "ms msec millisecond milliseconds",
    Fraction(1): "s sec secs second seconds",
    Fraction(60): "m min mins minute minutes",
    Fraction(3_600): "h hr hrs hour hours",
    Fraction(86_400): "d day days",
    Fraction(604_800): "w wk wks week weeks",
    Fraction(1_209_600): "fortnight fortnights",
}
_MONTHS = {
    Fraction(1): "mo mos mth mths month months",
    Fraction(3): "quarter quarters",
    Fraction(12): "y yr yrs year years",
    Fraction(120): "decade decades",
}
_IN_SECONDS = {name: size for size, names in _SECONDS.items() for name in names.split()}
_IN_MONTHS = {name: size for size, names in _MONTHS.items() for name in names.split()}
_ONE_OF = {"a": Fraction(1), "an": Fraction(1), **{word: Fraction(value) for word, value in WORDS.items()}}
_A_MONTH = Fraction(30 * 86_400)
"""For the order of units alone: a month is longer than a week."""

_STEP = re.compile(rf"(?:(?P<number>{BODY}) ?-?|(?P<word>[a-z]+)[ -])(?P<unit>[^\W\d_]+)\.?")
_BETWEEN = re.compile(r",? and |, ?| |")
_CLOCK = re.compile(r"(\d{1,3}):([0-5]\d):([0-5]\d(?:\.\d{1,9})?)")
_ISO = re.compile(
    r"p(?:([\d.,]+)y)?(?:([\d.,]+)m)?(?:([\d.,]+)w)?(?:([\d.,]+)d)?"
    r"(?:t(?=\d)(?:([\d.,]+)h)?(?:([\d.,]+)m)?(?:([\d.,]+)s)?)?",
    re.IGNORECASE,
)
_ISO_UNITS = ("y", "mo", "w", "d", "h", "m", "s")


def read_duration(text: str, place: Place) -> str | None:
    """The key of a length of time: its seconds, its months, or both.

    | text | key |
    | --- | --- |
    | 48h; 2 days; PT48H; two days; 48:00:00 | 172800 |
    | 1h30m; 90 min; 1 hour and 30 minutes; PT1.5H | 5400 |
    | 12 months; 1 year; P1Y | 12mo |
    | 1 month and 2 days; P1M2D | 1mo+172800 |
    | 1:30 (hours or minutes?); 5M (months or minutes?); half a month; 2 business days; -5 min | None |
    """
    steps = _iso(text) or _clock(text) or _in_words(text, place)
    if not steps:
        return None
    months = sum((number * _IN_MONTHS[unit] for number, unit in steps if unit in _IN_MONTHS), Fraction(0))
    seconds = sum((number * _IN_SECONDS[unit] for number, unit in steps if unit in _IN_SECONDS), Fraction(0))
    if months.denominator != 1:
        return None
    parts = [f"{months.numerator}mo"] if months else []
    if seconds or not months:
        parts.append(exactly(seconds))
    return "+".join(parts)


_Steps = list[tuple[Fraction, str]]


def _iso(text: str) -> _Steps | None:
    """What ISO 8601 says, such as P1Y2M10DT2H30M; only its last number may have decimals."""
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    steps: _Steps = []
    for digits, unit in zip(found.groups(), _ISO_UNITS, strict=True):
        if digits is None:
            continue
        if steps and steps[-1][0].denominator != 1:
            return None
        number = _plain_number(digits.replace(",", "."))
        if number is None:
            return None
        steps.append((number, unit))
    return steps


def _clock(text: str) -> _Steps | None:
    """Hours, minutes and seconds. Two numbers alone may be hours and minutes, or minutes and seconds."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        return None
    numbers = [_plain_number(digits) for digits in found.groups()]
    return [(number, unit) for number, unit in zip(numbers, "hms", strict=True) if number is not None]


def _plain_number(digits: str) -> Fraction | None:
    """A number as programs write it: its point is the decimal mark."""
    value = read_number(digits if "." in digits else f"{digits}.0", NOWHERE._replace(decimal="."))
    return None if value is None else Fraction(value)


def _in_words(text: str, place: Place) -> _Steps | None:
    """Numbers with units, each unit smaller than the one before it."""
    steps: _Steps = []
    end, last = 0, None
    while end < len(text):
        if steps and (between := _BETWEEN.match(text, end)):
            end = between.end()
        found = _STEP.match(text, end)
        if found is None:
            return None
        number = _number(found, place)
        unit = _unit(found["unit"])
        if number is None or unit is None:
            return None
        size = _IN_SECONDS.get(unit) or _IN_MONTHS[unit] * _A_MONTH
        if last is not None and size >= last:
            return None
        steps.append((number, unit))
        end, last = found.end(), size
    return steps


def _number(found: re.Match[str], place: Place) -> Fraction | None:
    if found["word"]:
        return _ONE_OF.get(found["word"])
    value = read_number(found["number"], place)
    return None if value is None else Fraction(value)


def _unit(name: str) -> str | None:
    """The unit in small letters. A capital M is months to some and minutes to others."""
    if name == "M":
        return None
    folded = name.casefold()
    return folded if folded in _IN_SECONDS or folded in _IN_MONTHS else None
