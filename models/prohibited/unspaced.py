"""Terms of scripts that do not set words apart, or not reliably: Chinese, Japanese and Korean.

A text is pressed together, as white space and punctuation may stand anywhere in it, and searched for strings by
their first two characters. What the strings may not be part of is declared as an innocent phrase.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from models.contracts import Prohibited
from models.prohibited.lexicon import LANGUAGES, Language, Weight
from models.prohibited.notation import spelled_out

_HAS_ANY = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_BEFORE, _AFTER = 12, 8
"""How many characters before and after a term may be looked at for a person."""
SHORTEST = 2


class Entry(NamedTuple):
    """One string: what it tells (None for an innocent one) and what it needs."""

    text: str
    kind: Prohibited | None
    weight: Weight
    persons: tuple[str, ...]
    """Words for persons in its language."""


class Index:
    """Strings by their first two characters, and under these by their length."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        by_pair: defaultdict[str, defaultdict[int, defaultdict[str, list[Entry]]]]
        by_pair = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
        for entry in entries:
            by_pair[entry.text[:SHORTEST]][len(entry.text)][entry.text].append(entry)
        self._by_pair = {pair: tuple(by_length.items()) for pair, by_length in by_pair.items()}
        firsts, seconds = ("".join(sorted({pair[at] for pair in by_pair})) for at in (0, 1))
        self._begin = re.compile(f"[{re.escape(firsts)}](?=[{re.escape(seconds)}])")

    def hits(self, text: str) -> Iterator[tuple[Entry, int]]:
        """Entries that a text holds, each with where it begins, wherever it does."""
        for begin in self._begin.finditer(text):
            at = begin.start()
            for length, entries in self._by_pair.get(text[at : at + SHORTEST], ()):
                for entry in entries.get(text[at : at + length], ()):
                    yield entry, at


def kinds_in_characters(pressed: str) -> set[Prohibited]:
    """The kinds that a text tells of by its characters, where its words have been pressed together."""
    if pressed.isascii() or not _HAS_ANY.search(pressed):
        return set()
    found: set[Prohibited] = set()
    innocent: set[int] | None = None
    for entry, at in _TERMS.hits(pressed):
        if entry.kind is None or entry.kind in found or not _counts(entry, pressed, at):
            continue
        if innocent is None:
            innocent = {
                place
                for each, start in _INNOCENT.hits(pressed)
                for place in range(start, start + len(each.text))
            }
        if innocent.isdisjoint(range(at, at + len(entry.text))):
            found.add(entry.kind)
    return found


def _counts(entry: Entry, text: str, at: int) -> bool:
    end = at + len(entry.text)
    match entry.weight:
        case Weight.ALONE:
            return True
        case Weight.WHOLE:
            return entry.text == text
        case Weight.TOPIC:
            return not text.startswith(_THINGS, end)
        case Weight.NEAR_PERSON:
            around = (text[max(0, at - _BEFORE) : at], text[end : end + _AFTER])
            return any(person in part for part in around for person in entry.persons)


def entries_of(language: Language, *, innocent: bool) -> Iterator[Entry]:
    """The entries of a language; raises ValueError for a term of a single character."""
    for term, kind, weight in language.terms:
        if (kind is None) is not innocent:
            continue
        for text in spelled_out(term, language.classes):
            if len(text) < SHORTEST:
                raise ValueError(
                    f"{language.name}: {term!r} is too short; write what stands beside it as well"
                )
            yield Entry(text, kind, weight, language.persons)


def _index(*, innocent: bool) -> Index:
    return Index(
        entry
        for language in LANGUAGES
        if language.unspaced
        for entry in entries_of(language, innocent=innocent)
    )


# A term such as "糖尿病" is one of several languages.
_THINGS = tuple(thing for language in LANGUAGES if language.unspaced for thing in language.things)
_TERMS = _index(innocent=False)
_INNOCENT = _index(innocent=True)
