"""Quantities: a number and a unit, compared in the base unit of their dimension, exactly."""

import re
from fractions import Fraction

from models.values.numbers import BODY, in_digits, magnitude, read_number
from models.values.places import Place
from models.values.units import FOLDED, NAMES, SECONDS, SYMBOLS, Unit

_NUMBER = re.compile(rf"(?P<number>(?:minus |negative |[+-])?{BODY}) ?")
_NEXT = re.compile(r"(?<=[^\W\d_]),? ?(?:and )?(?=\d)")
_RATE = re.compile(r" ?/ ?| per ")
_ADDED_UP = frozenset({"m", "g", "s"})
"""Base units of what is given in several steps, as in 5 ft 3 in."""
_NO_RATE = frozenset({"K", "s", "ratio", "rpm"})
"""Base units of which nothing is said per second."""


def read_quantity(text: str, place: Place) -> str | None:
    """The key of a quantity: its size in the base unit, a colon, the base unit.

    | text | key |
    | --- | --- |
    | 5 GB; 5000 MB; 5,000 megabytes (in New York) | 40000000000:bit |
    | 5 GiB | 42949672960:bit |
    | 100 Mbit/s; 100 Mbps; 100 megabits per second | 100000000:bit/s |
    | 20 °C; 68 F; 293.15 K | 293.15:K |
    | 5 ft 3 in; 63 inches | 1.6002:m |
    | 5 mb (MB or Mb?); 5 gallons (whose?); 5 servers; 5 | None |
    """
    size = _one(text, place)
    if size is None:
        size = _several(text, place)
    return None if size is None else f"{exactly(size[0])}:{size[1]}"


def _one(text: str, place: Place) -> tuple[Fraction, str] | None:
    """Size and base unit of one number with one unit."""
    part = _part(text, place)
    if part is None:
        return None
    value, unit = part
    size = (value + unit.offset) * unit.factor
    return None if unit.base == "K" and size < 0 else (size, unit.base)


def _several(text: str, place: Place) -> tuple[Fraction, str] | None:
    """Size and base unit of several steps in falling order, such as feet and inches."""
    negative = text.startswith("-")
    parts = _NEXT.split(text.removeprefix("-"))
    if not 2 <= len(parts) <= 4:
        return None
    total, base, step = Fraction(0), "", Fraction(0)
    for words in parts:
        part = _part(words, place)
        if part is None:
            return None
        value, unit = part
        size = value * unit.factor
        if unit.base not in _ADDED_UP or base not in {"", unit.base} or size < 0 or (step and size >= step):
            return None
        total, base, step = total + size, unit.base, unit.factor
    return (-total if negative else total), base


def _part(text: str, place: Place) -> tuple[Fraction, Unit] | None:
    """A number and its unit."""
    text = in_digits(text)
    found = _NUMBER.match(text)
    if found is None:
        return None
    number, rest = found["number"], text[found.end() :]
    unit = unit_of(rest)
    if unit is None:
        # A multiplier is a word here: a letter, as in 5 k m, would be taken for a prefix.
        word, _, name = rest.partition(" ")
        if len(word) == 1 or magnitude(word.rstrip("."), place) is None:
            return None
        number, unit = f"{number} {word}", unit_of(name)
    value = read_number(number, place)
    return None if unit is None or value is None else (Fraction(value), unit)


def unit_of(text: str) -> Unit | None:
    """The unit that `text` names: as it is written, or in any case where the case does not tell units apart."""
    found = _simple(text)
    if found is not None:
        return found
    parts = _RATE.split(text)
    if len(parts) != 2:
        return None
    unit, seconds = _simple(parts[0]), SECONDS.get(parts[1])
    if unit is None or seconds is None or unit.base in _NO_RATE or "/" in unit.base:
        return None
    return Unit(f"{unit.base}/s", unit.factor / seconds)


def _simple(text: str) -> Unit | None:
    found = SYMBOLS.get(text)
    if found is None:
        folded = text.casefold()
        found = NAMES.get(folded.replace("-", " ")) or FOLDED.get(folded)
    return found


def exactly(value: Fraction) -> str:
    """A fraction in decimal digits where it has an end, otherwise as numerator and denominator."""
    denominator, twos, fives = value.denominator, 0, 0
    while denominator % 2 == 0:
        denominator, twos = denominator // 2, twos + 1
    while denominator % 5 == 0:
        denominator, fives = denominator // 5, fives + 1
    if denominator != 1:
        return f"{value.numerator}/{value.denominator}"
    places = max(twos, fives)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"
