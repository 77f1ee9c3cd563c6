"""Payment cards and bank accounts: numbers with a check of their own, in any common spelling."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from models.sightings import SecretKind, Sighting
from providers.secret_scanner import checksums
from providers.secret_scanner.lexicon import any_of, read_data
from providers.secret_scanner.numbers import is_labelled

_RUN = re.compile(
    r"(?<![0-9A-Za-z_])(?<![0-9A-Za-z][-/])(?<![0-9][.,:])"
    r"(?:[0-9]{13,19}|[0-9]{1,8}(?:[ .\-][0-9]{1,13})+)"
    r"(?![0-9A-Za-z_])(?![-/][0-9A-Za-z])(?![.,:][0-9])"
)
# Signs that join paths, dates and names more often than cards: nothing but a card may stand between them.
_SIGNED_RUN = re.compile(
    r"(?<![0-9A-Za-z_])(?<![./\-–:#])[0-9]{4}(?P<sign>[/_–])[0-9]{4,6}(?:(?P=sign)[0-9]{1,5}){1,3}"
    r"(?![0-9A-Za-z_])(?![.:/\-–][0-9A-Za-z])"
)
_GROUP = re.compile(r"[0-9]+")
_SHORTEST, _LONGEST = 13, 19
_GROUPS = frozenset(
    {(4, 4, 4, 4), (4, 4, 4, 4, 3), (4, 4, 4, 4, 2), (4, 4, 4, 4, 1), (4, 4, 4, 3), (4, 4, 5)}
    | {(4, 6, 5), (4, 6, 4), (6, 13), (8, 8)}
)
"""How the digits of a card are grouped."""
_MOST_GROUPS = 7
"""Of more groups in a row none is a card, unless the text speaks of one: tables and dumps look like that."""
_IBAN = re.compile(r"(?<![0-9A-Za-z_])(?<![0-9A-Za-z]-)[A-Za-z]{2}[0-9]{2}(?=[ \-]?[0-9A-Za-z])")
_LONGEST_IBAN = 34


class _Issuer(NamedTuple):
    ranges: tuple[tuple[int, int, int], ...]
    lengths: frozenset[int]
    rare: frozenset[int]


@cache
def _issuers() -> tuple[_Issuer, ...]:
    data: list[dict[str, Any]] = read_data("cards")
    return tuple(
        _Issuer(
            tuple(_range(begins) for begins in each["begins"]),
            frozenset(each.get("lengths", ())),
            frozenset(each.get("rare", ())),
        )
        for each in data
    )


def _range(begins: str) -> tuple[int, int, int]:
    first, _, last = begins.partition("-")
    return len(first), int(first), int(last or first)


@cache
def _card_words() -> re.Pattern[str]:
    return re.compile(rf"{any_of(read_data('numbers')['cards'])}|\bpan\b|exp\b")


@cache
def _iban_lengths() -> dict[str, int]:
    return read_data("ibans")


def is_card(digits: str, *, surely: bool) -> bool:
    """Whether digits are a card's: an issuer's range and length, and Luhn's check. `surely`, its rare lengths too."""
    return checksums.luhn(digits) and len(set(digits)) > 1 and _is_issued(digits, surely=surely)


def _is_issued(digits: str, *, surely: bool) -> bool:
    for ranges, lengths, rare in _issuers():
        if (len(digits) in lengths or (surely and len(digits) in rare)) and any(
            first <= int(digits[:places]) <= last for places, first, last in ranges
        ):
            return True
    return False


class _Run(NamedTuple):
    """Digits in groups, of one text: where each group begins and ends."""

    plain: str
    lower: str
    groups: list[tuple[int, int]]

    def speaks(self) -> bool:
        """Whether the words around are about a payment card."""
        first, last = self.groups[0][0], self.groups[-1][1]
        return (
            _card_words().search(self.lower, max(first - 60, 0), min(last + 30, len(self.lower))) is not None
        )

    def digits(self, index: int, count: int) -> str:
        """The digits of `count` groups from `index` on."""
        return "".join(self.plain[start:end] for start, end in self.groups[index : index + count])


def cards(plain: str, lower: str) -> Iterator[Sighting]:
    """Card numbers in a text. Digits that are part of a longer number or of an id are none."""
    for found in _RUN.finditer(plain):
        groups = [each.span() for each in _GROUP.finditer(plain, *found.span())]
        if sum(end - start for start, end in groups) >= _SHORTEST:
            yield from _cards_of(_Run(plain, lower, groups))
    for found in _SIGNED_RUN.finditer(plain):
        run = _Run(plain, lower, [each.span() for each in _GROUP.finditer(plain, *found.span())])
        if _is_signed_card(run):
            yield Sighting(SecretKind.CARD_NUMBER, *found.span())


def _is_signed_card(run: _Run) -> bool:
    sizes = tuple(end - start for start, end in run.groups)
    usual = sizes in _GROUPS and is_card(run.digits(0, len(sizes)), surely=True)
    return usual and (run.speaks() or not is_labelled(run.lower, run.groups[0][0]))


def _cards_of(run: _Run) -> Iterator[Sighting]:
    index = 0
    while index < len(run.groups):
        count = _card_at(run, index)
        if count:
            yield Sighting(SecretKind.CARD_NUMBER, run.groups[index][0], run.groups[index + count - 1][1])
        index += count or 1


def _card_at(run: _Run, index: int) -> int:
    """How many groups from `index` on are a card; 0 for none."""
    start, end = run.groups[index]
    if end - start >= _SHORTEST:
        digits = run.plain[start:end]
        if not is_card(digits, surely=True) or not {
            run.plain[start - 1 : start],
            run.plain[end : end + 1],
        }.isdisjoint("-."):
            return 0
        usual = is_card(digits, surely=False) and not is_labelled(run.lower, start)
        return int(usual or run.speaks())
    sizes = tuple(last - first for first, last in run.groups[index : index + 5])
    for count in range(len(sizes), 1, -1):
        if (
            sizes[:count] in _GROUPS
            and is_card(run.digits(index, count), surely=True)
            and _stands_alone(run, index, count)
        ):
            few = len(run.groups) <= _MOST_GROUPS
            return count if few or run.speaks() else 0
    return _spaced_card(run, index)


def _stands_alone(run: _Run, index: int, count: int) -> bool:
    """Whether groups are joined by one sign, and to nothing else by a sign that is no blank."""
    groups, plain = run.groups, run.plain
    within = {plain[first - 1] for first, _ in groups[index + 1 : index + count]}
    before = {plain[groups[index][0] - 1]} if index else set[str]()
    after = {plain[groups[index + count - 1][1]]} if index + count < len(groups) else set[str]()
    return len(within) <= 1 and (before | after) <= {" "}


def _spaced_card(run: _Run, index: int) -> int:
    """How many groups of any size are a card, where the text speaks of one; 0 for none."""
    digits = ""
    for count, (start, end) in enumerate(run.groups[index : index + 19], start=1):
        digits += run.plain[start:end]
        if len(digits) > _LONGEST:
            break
        if len(digits) >= _SHORTEST and count > 1 and is_card(digits, surely=True):
            return count if run.speaks() else 0
    return 0


def ibans(plain: str) -> Iterator[Sighting]:
    """IBANs, with or without blanks, in capitals or not."""
    for found in _IBAN.finditer(plain):
        length = _iban_lengths().get(found.group()[:2].upper())
        if length is not None:
            end = _iban_end(plain, found.start(), length)
            if end is not None:
                yield Sighting(SecretKind.IBAN, found.start(), end)


def _iban_end(plain: str, start: int, length: int) -> int | None:
    """Where the IBAN of `length` characters ends that begins at `start`; None where there is none."""
    letters = ""
    at = start
    while len(letters) < length:
        letter = plain[at : at + 1]
        if letter.isascii() and letter.isalnum():
            letters += letter
        elif letter not in (" ", "-") or not plain[at - 1].isalnum():
            return None
        at += 1
    goes_on = plain[at : at + 1]
    if goes_on.isascii() and (goes_on.isalnum() or goes_on == "_"):
        return None
    return at if checksums.iban(letters.upper()) else None
