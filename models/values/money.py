"""Amounts of money: an exact number and the one currency that its symbol, word or code can mean."""

import re
from decimal import Decimal

from models.values.currencies import MINOR_UNITS, NAMES, RIVALS, UNSURE
from models.values.numbers import BODY, Shape, in_digits, magnitude, settled, shape_of, written
from models.values.places import Place

_AMOUNT = re.compile(rf"(?P<head>\D*?)(?P<body>{BODY})(?P<tail>\D*)")
_ROUND = re.compile(r"^ ?[.,]-{1,2}")
"""The dash for no cents, as in 5,- €."""
_MULTIPLIER = re.compile(r"(?P<word>[^\W\d_]+)\.? ?(?P<rest>.*)")
_LOOSE_SIGN = re.compile(r"[+-] ")
"""A dash with a blank after it may begin the item of a list, or go on from what stands before."""
_LETTER = re.compile(r"[^\W\d_]")
_IN_MONEY = {"m": 6, "mm": 6, "MM": 6, "b": 9, "T": 12}
"""Letters that multiply an amount of money, and mean something else elsewhere."""


def read_money(text: str, place: Place) -> str | None:
    """The key of an amount: the number in digits, a colon, the ISO 4217 code.

    | text | where | key |
    | --- | --- | --- |
    | €1,000; 1000 EUR; 1.000,00 €; EUR 1 000; 1k€; one thousand euros | anywhere, in Germany | 1000:EUR |
    | $1,000 | the United States; Canada | 1000:USD; 1000:CAD |
    | $1,000 | nowhere, Germany | None: whose dollars? |
    | $1,000 USD; US$1,000 | anywhere | 1000:USD |
    | -$5; $-5; minus 5 USD | as above | -5 |
    | (5 USD); 5 USD per month; 5-10 USD; 1000 | anywhere | None |
    """
    found = _AMOUNT.fullmatch(in_digits(text))
    if found is None or _LOOSE_SIGN.search(found["head"]):
        return None
    head, body, tail = found["head"].strip(), found["body"], _ROUND.sub("", found["tail"]).strip()
    if body[0] in ".," and head[-1:].isalpha():
        body = body[1:]  # Rs.500 is no half of a rupee
    negative, before = _sign(head)
    shape, (power, after) = shape_of(body), _multiplier(tail, place)
    if shape is None or after is None:
        return None
    currency = _currency([name for name in (before, after) if name], place)
    if currency is None:
        return None
    local = _is_local(before, after, place)
    value = (
        settled(shape.times(power), place) if power else _amount(shape, currency, local=local, place=place)
    )
    if value is None:
        return None
    return f"{written(value.copy_negate() if negative else value)}:{currency}"


def _sign(head: str) -> tuple[bool, str]:
    """Whether what stands before the digits makes them negative, and the rest of it.

    A second sign stays in the rest, which then names no currency.
    """
    for sign in ("minus ", "negative ", "-", "+"):
        if f"{head} ".startswith(sign):
            return sign != "+", head[len(sign) :].strip()
    if head.endswith(("-", "+")):
        return head.endswith("-"), head[:-1].strip()
    return False, head


def _multiplier(tail: str, place: Place) -> tuple[int, str | None]:
    """The power of ten that stands after the digits, and the currency after it; None where it is neither."""
    if not tail or _known(tail):
        return 0, tail
    found = _MULTIPLIER.match(tail)
    if found is None:
        return 0, None
    word, rest = found["word"], found["rest"]
    # Glued together, as in 5kUSD, the multiplier is one letter or two.
    for length in (len(word), 2, 1):
        glued = word[length:]
        name = tail[length:].strip() if glued else rest
        power = _IN_MONEY.get(word[:length]) or magnitude(word[:length], place)
        if power is not None and (not name or _known(name)):
            return power, name
    return 0, None


def _known(name: str) -> bool:
    return _folded(name) in NAMES


def _folded(name: str) -> str:
    folded = name.casefold()
    return folded if folded in NAMES else folded.rstrip(".")


def _currency(names: list[str], place: Place) -> str | None:
    """The one currency that all `names` can mean; the place settles what they leave open."""
    if not names:
        return None
    meant = _meant(_folded(names[0]), place)
    for name in names[1:]:
        meant &= _meant(_folded(name), place)
    if len(meant) != 1 or UNSURE in meant:
        meant &= place.currencies
    return next(iter(meant)) if len(meant) == 1 else None


def _meant(name: str, place: Place) -> frozenset[str]:
    meant = NAMES.get(name, frozenset[str]())
    rivals = RIVALS.get(name)
    return meant | {UNSURE} if rivals and rivals & place.currencies else meant


def _is_local(before: str, after: str, place: Place) -> bool:
    """Whether the amount may be written the way of the place: no symbol stands on the side that is foreign to it."""
    if place.symbol_first is None:
        return True
    foreign = after if place.symbol_first else before
    return not foreign or _LETTER.search(foreign) is not None


def _amount(shape: Shape, currency: str, *, local: bool, place: Place) -> Decimal | None:
    """The number of an amount: it has no third decimal where its currency has two.

    So three digits after one mark are thousands, but for 1,000 € in Germany and $1.250 in the United States: the
    mark is the decimal mark there and the symbol on its usual side, so that it may be the price of a unit.

    | text | where | value |
    | --- | --- | --- |
    | €1,000; 1.000 € | anywhere but as said above | 1000 |
    | 1,000 €; $1.250 | Germany; the United States | None |
    | 1.000 KWD, which has three decimals | as any number | by the place |
    """
    if not shape.doubtful or MINOR_UNITS[currency] > 2:
        return settled(shape, place)
    decimal_here = shape.doubtful in place.decimal and shape.doubtful not in place.group
    return None if decimal_here and local else shape.grouped()
