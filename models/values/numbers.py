"""Numbers as people write them: exact, bounded, and never guessed.

A mark between digits is read by the shape of the number where that leaves one reading, and by the convention of
the speaker's place where it leaves two. There are no floats: every number is an exact decimal.
"""

import re
from decimal import Decimal
from typing import NamedTuple

from models.values.places import Place

MOST_DIGITS = 40
"""No number has more digits; one of more is kept as text."""
_MOST_EXPONENT = 40

BODY = r"[.,]?\d(?:[\d.,' _٫]*\d)?(?:[eE][+-]?\d+)?"
"""What may be the digits of a number, as a pattern; whether it is one only `shape_of` tells."""

_ONE_MARK = re.compile(r"(\d*)(?:([.,٫])(\d+))?")
_GROUPED = re.compile(r"([1-9]\d{0,2}(?:([.,' _])\d{3})(?:\2\d{3})*)(?:([.,٫])(\d+))?")
_INDIAN = re.compile(r"([1-9]\d?(?:,\d\d)+,\d{3})(?:[.٫](\d+))?")
_SCIENTIFIC = re.compile(r"(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,3})")
_NO_DIGIT = re.compile(r"\D")

_UP_TO_TWENTY = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty
"""
_TENS = "ten twenty thirty forty fifty sixty seventy eighty ninety"
WORDS = {word: Decimal(value) for value, word in enumerate(_UP_TO_TWENTY.split())} | {
    word: Decimal(10 * value) for value, word in enumerate(_TENS.split(), 1)
}

# fmt: off
MAGNITUDES = {
    "k": 3, "thousand": 3, "tsd": 3, "M": 6, "mn": 6, "mln": 6, "mio": 6, "million": 6, "millions": 6,
    "B": 9, "bn": 9, "mrd": 9, "milliard": 9, "milliards": 9, "billion": 9, "billions": 9,
    "tn": 12, "trillion": 12, "trillions": 12, "lakh": 5, "lakhs": 5, "crore": 7, "crores": 7,
    "万": 4, "萬": 4, "億": 8, "亿": 8,
}
# fmt: on
"""Words that multiply, as powers of ten. Words are matched in any case, single letters in theirs, and K is k."""
_LONG_SCALE = {"billion", "billions", "trillion", "trillions"}
"""A million millions, and more, in German, French, Danish and Norwegian."""

_NUMBER = re.compile(rf"(minus |negative |[+-])?({BODY})(?: ?([^\W\d_]+)\.?)?")


class Shape(NamedTuple):
    """The digits of a number. `doubtful` is the mark that may stand before decimals and may divide thousands."""

    whole: str
    fraction: str = ""
    exponent: int = 0
    doubtful: str = ""

    def grouped(self) -> Decimal:
        """The number where the mark in doubt divides thousands."""
        return Shape(self.whole + self.fraction, "", self.exponent).exact()

    def exact(self) -> Decimal:
        """The number where its mark, if it has one, stands before decimals."""
        return Decimal(f"{self.whole}{self.fraction}E{self.exponent - len(self.fraction)}")

    def times(self, power: int) -> "Shape":
        """The same, `power` powers of ten greater."""
        return self._replace(exponent=self.exponent + power)


def shape_of(body: str) -> Shape | None:
    """What the marks of a number leave open; None for what is no number, or has too many digits.

    | body | shape |
    | --- | --- |
    | 1000; 1.5; 1,5; 1.25; 0,125; 1234.567; .5 | one reading: decimals |
    | 1,000.50; 1.000,50; 1 000,5; 1'000; 1_000; 1,000,000; 1,00,000 | one reading: groups |
    | 1,000; 1.000; 12.345 | two readings: three digits after one mark, and one to three before it |
    | 1e3; 1.5e-7 | as programs write it |
    | 1,00; 10,00 | one reading: decimals, as a group has three digits |
    | 1.2.3; 1,0000,000; 1'00; 0,000,000 | None |
    """
    if len(body) > 2 * MOST_DIGITS:
        return None
    shape = _one_mark(body) or _several_marks(body)
    if shape is None or len(shape.whole) + len(shape.fraction) > MOST_DIGITS:
        return None
    return shape if abs(shape.exponent) <= _MOST_EXPONENT else None


def _one_mark(body: str) -> Shape | None:
    found = _ONE_MARK.fullmatch(body)
    if found is None or not body:
        return None
    whole, mark, fraction = found.groups(default="")
    may_divide = mark in {".", ","} and len(fraction) == 3 and 1 <= len(whole) <= 3 and whole[0] != "0"
    return Shape(whole, fraction, doubtful=mark if may_divide else "")


def _several_marks(body: str) -> Shape | None:
    if grouped := _GROUPED.fullmatch(body):
        whole, group, mark, fraction = grouped.groups(default="")
        return None if group == mark else Shape(_NO_DIGIT.sub("", whole), fraction)
    if indian := _INDIAN.fullmatch(body):
        return Shape(indian[1].replace(",", ""), indian[2] or "")
    if scientific := _SCIENTIFIC.fullmatch(body):
        return Shape(scientific[1], scientific[2] or "", int(scientific[3]))
    return None


def settled(shape: Shape, place: Place) -> Decimal | None:
    """The one number that `shape` stands for at `place`; None where the place does not tell.

    | 1.000 where the point is | number |
    | --- | --- |
    | the decimal mark (New York) | 1 |
    | a mark between groups (Berlin) | 1000 |
    | neither (Paris), a decimal mark in one of two languages (Zürich), or not known (no zone) | None |
    """
    if not shape.doubtful or shape.doubtful == place.decimal:
        return shape.exact()
    return shape.grouped() if shape.doubtful in place.group and len(place.decimal) == 1 else None


def magnitude(word: str, place: Place) -> int | None:
    """The power of ten that `word` stands for; None for any other word, and for one that is in doubt.

    A billion is a thousand millions in English, and a million millions in the languages of many places that
    write a decimal comma: there it is not read.
    """
    power = MAGNITUDES.get(word)
    if power is None:
        power = MAGNITUDES.get(word.casefold()) if len(word) > 1 or word == "K" else None
    in_doubt = word.casefold() in _LONG_SCALE and place.territory and place.decimal != "."
    return None if in_doubt else power


def in_digits(text: str) -> str:
    """`text` with the small number in a word that it may begin with in digits: 12 euros for twelve euros."""
    first, blank, rest = text.partition(" ")
    value = WORDS.get(first.casefold())
    return text if value is None else f"{value}{blank}{rest}"


def read_number(text: str, place: Place) -> Decimal | None:
    """The number that the plain `text` is: a sign, digits and a magnitude, or a small number in a word.

    | text | number |
    | --- | --- |
    | -1,5; minus 1.5 | -1.5 |
    | 2k; 2 thousand | 2000 |
    | 1.5M; 1.5 million | 1500000 |
    | twelve | 12 |
    | 5m (million or metres?); about 5; 5-10; 5% | None |
    """
    found = _NUMBER.fullmatch(in_digits(text))
    if found is None:
        return None
    sign, body, word = found.groups()
    shape = shape_of(body)
    if shape is not None and word:
        power = magnitude(word, place)
        shape = None if power is None else shape.times(power)
    value = None if shape is None else settled(shape, place)
    return value.copy_negate() if value is not None and sign and sign != "+" else value


def written(value: Decimal) -> str:
    """An exact decimal in digits alone: no exponent, no zeros that say nothing, no negative zero."""
    digits = format(value, "f")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits
