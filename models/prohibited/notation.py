"""How terms are written in the files of `terms`, and which spellings each of them stands for.

All words here are in the form in which a text is compared (`models.prohibited.letters`).

| written | means |
| --- | --- |
| `heart attack` | these words, one after the other |
| `takes|took insulin` | one of several words at that place; a line may be broken after the bar |
| `tested|has_been positive` | an alternative of more than one word |
| `the? union` | a place that may be left out |
| `chemo*` | every word that begins so |
| `voted .. labour` | up to three words of any kind between |
| `{be} pregnant` | a class of words, as the same file declares it |
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import NamedTuple

from models.prohibited.letters import WORD

SHORTEST_STEM = 4
Classes = Mapping[str, list[str]]
"""The alternatives of each class that a language declares."""

_GAP = ("..",)
_CLASS = re.compile(r"\{[^{}_]+\}$")
_BROKEN_LINE = re.compile(r"\|\s+")
_ATTACHED = str.maketrans({"ł": "l", "ø": "o", "ı": "i", "æ": "ae", "œ": "oe", "đ": "d"})
_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_BEYOND_LATIN = "\u0250"


class Slot(NamedTuple):
    """What may stand at one place of a phrase: these words, and whatever begins with one of the stems."""

    words: frozenset[str]
    stems: tuple[str, ...]
    telling: int
    """The length of its shortest word, and 0 where it cannot be looked up: the longer, the rarer is it met."""

    def takes(self, word: str) -> bool:
        """Whether this word may stand here."""
        return word in self.words or (bool(self.stems) and word.startswith(self.stems))


Phrase = tuple[Slot | None, ...]
"""Slots in a row; None is a gap."""


def listed(value: str) -> list[str]:
    """The terms of a value that lists them with commas."""
    return [" ".join(item.split()) for item in _BROKEN_LINE.sub("|", value).split(",") if item.strip()]


def alternatives(place: str, classes: Classes) -> list[str]:
    """The alternatives at one place, its classes written out; raises KeyError for a class that is not declared."""
    found: list[str] = []
    for word in place.split("|"):
        found.extend(classes[word[1:-1]] if _CLASS.match(word) else [word])
    return found


Place = tuple[str, ...]
"""The single words that may stand at one place."""


def variants(term: str, classes: Classes) -> Iterator[tuple[Place, ...]]:
    """A term as rows of places: one row for each of the forms that its longer alternatives give it."""
    choices: list[list[tuple[Place, ...]]] = []
    for place in term.split():
        words = alternatives(place.removesuffix("?"), classes)
        single = tuple(word for word in words if "_" not in word)
        rows: list[tuple[Place, ...]] = [(single,)] if single else []
        for word in words:
            if "_" in word:
                rows.extend(variants(word.replace("_", " "), classes))
        if place.endswith("?"):
            rows.append(())
        choices.append(rows)
    for chosen in product(*choices):
        yield tuple(place for row in chosen for place in row)


def phrases(term: str, classes: Classes, prefixes: Place = ()) -> Iterator[Phrase]:
    """A term of a script with spaces, as the phrases that it stands for."""
    for row in variants(term, classes):
        yield tuple(None if place == _GAP else slot(place, prefixes) for place in row)


def spelled_out(term: str, classes: Classes) -> Iterator[str]:
    """A term of a script without spaces, as the strings that it stands for."""
    for row in variants(term, classes):
        yield from map("".join, product(*row))


@cache
def slot(words: Place, prefixes: Place = ()) -> Slot:
    """A place that takes these words in each of their spellings, and with what the language writes before them.

    Raises ValueError for what is no single word.
    """
    exact: set[str] = set()
    stems: set[str] = set()
    for word in words:
        spelt = spellings(word.removesuffix("*"))
        if not all(map(WORD.fullmatch, spelt)):
            raise ValueError(f"{word!r} is no word; write words apart, without punctuation")
        spelt |= {prefix + each for prefix in prefixes for each in spelt}
        (stems if word.endswith("*") else exact).update(spelt)
    lengths = [len(word) for word in (*exact, *stems)]
    too_short = any(len(stem) < SHORTEST_STEM for stem in stems)
    return Slot(frozenset(exact), tuple(sorted(stems)), 0 if too_short else min(lengths, default=0))


def spellings(word: str) -> set[str]:
    """A word as written, without its accents, and with two letters for an umlaut; a Turkish "ı" is also an "i".

    A text with accents must have the right ones ("schwül" is no "schwul"), one without may have dropped them.
    """
    if word.isascii() or max(word) >= _BEYOND_LATIN:
        return {word}
    bare = unicodedata.normalize("NFD", word.translate(_ATTACHED))
    plain = "".join(letter for letter in bare if not unicodedata.combining(letter))
    return {word, word.replace("ı", "i"), plain, word.translate(_DIGRAPHS)}
