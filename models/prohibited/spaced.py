"""Terms of scripts that set words apart, found word by word.

Each phrase is filed under the words of the place that is met least often by chance (its anchor). A text is split
once; only where a word is the anchor of something is anything compared, so a text of other words costs a look
into two sets.
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from models.contracts import Prohibited
from models.prohibited.lexicon import LANGUAGES, Language, Weight
from models.prohibited.notation import SHORTEST_STEM, Phrase, Slot, phrases, slot

_WIDEST_GAP = 3
_BEFORE, _AFTER = 5, 3
"""How many words before and after a term may be looked at for a person."""
_JOINED = 4
"""How many words before a term a thing may stand that is joined to it, as in "a data set about the diabetes"."""


class Entry(NamedTuple):
    """One phrase: what it tells (None for an innocent one), what it needs, and where its anchor stands in it."""

    kind: Prohibited | None
    weight: Weight
    before: Phrase
    """What stands before the anchor, the nearest first."""
    after: Phrase
    person: Slot
    """Words for persons in its language."""


class Hit(NamedTuple):
    """An entry that a text holds, and the places of its first and its last word."""

    entry: Entry
    first: int
    last: int


class Index:
    """Phrases by the words and the stems of their anchors."""

    def __init__(self, entries: Iterable[tuple[Slot, Entry]]) -> None:
        words: defaultdict[str, list[Entry]] = defaultdict(list)
        stems: defaultdict[str, defaultdict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
        for anchor, entry in entries:
            for word in anchor.words:
                words[word].append(entry)
            for stem in anchor.stems:
                stems[stem[:SHORTEST_STEM]][stem].append(entry)
        self._words = dict(words)
        self._stems = {head: tuple(by_stem.items()) for head, by_stem in stems.items()}
        self._known, self._heads = frozenset(words), frozenset(stems)

    def hits(self, words: Sequence[str], told: Container[Prohibited | None] = ()) -> Iterator[Hit]:
        """Entries that these words hold, in the order of their anchors, but for the kinds that are `told`."""
        known = self._known.intersection(words)
        heads = self._heads.intersection([word[:SHORTEST_STEM] for word in words])
        if not known and not heads:
            return
        for at in [at for at, word in enumerate(words) if word in known or word[:SHORTEST_STEM] in heads]:
            for entry in self._entries(words[at]):
                if entry.kind not in told and (hit := _hit(entry, words, at)) is not None:
                    yield hit

    def _entries(self, word: str) -> Iterator[Entry]:
        yield from self._words.get(word, ())
        for stem, entries in self._stems.get(word[:SHORTEST_STEM], ()):
            if word.startswith(stem):
                yield from entries


def kinds_in_words(words: Sequence[str]) -> set[Prohibited]:
    """The kinds that the words of a text tell of."""
    found: set[Prohibited] = set()
    innocent: set[int] | None = None
    for hit in _TERMS.hits(words, found):
        if hit.entry.kind is None or not _counts(hit, words):
            continue
        if innocent is None:
            innocent = {at for each in _INNOCENT.hits(words) for at in range(each.first, each.last + 1)}
        if innocent.isdisjoint(range(hit.first, hit.last + 1)):
            found.add(hit.entry.kind)
    return found


def _counts(hit: Hit, words: Sequence[str]) -> bool:
    match hit.entry.weight:
        case Weight.ALONE:
            return True
        case Weight.WHOLE:
            return hit.first == 0 and hit.last == len(words) - 1
        case Weight.NEAR_PERSON:
            around = (
                *words[max(0, hit.first - _BEFORE) : hit.first],
                *words[hit.last + 1 : hit.last + 1 + _AFTER],
            )
            return any(map(hit.entry.person.takes, around))
        case Weight.TOPIC:
            before = words[max(0, hit.first - _JOINED) : hit.first]
            return not (
                any(map(_THING.takes, words[hit.last + 1 : hit.last + 2]))
                or any(_THING.takes(one) and _ABOUT.takes(other) for one, other in pairwise(before))
            )


def _hit(entry: Entry, words: Sequence[str], at: int) -> Hit | None:
    first = _reach(entry.before, words, at, -1)
    if first is None:
        return None
    last = _reach(entry.after, words, at, 1)
    return None if last is None else Hit(entry, first, last)


def _reach(places: Phrase, words: Sequence[str], at: int, step: int) -> int | None:
    """Where the last of these places is met, going from the word `at` in one direction; None where one is not."""
    for index, place in enumerate(places):
        if place is None:
            for skipped in range(_WIDEST_GAP + 1):
                end = _reach(places[index + 1 :], words, at + step * skipped, step)
                if end is not None:
                    return end
            return None
        at += step
        if not (0 <= at < len(words) and place.takes(words[at])):
            return None
    return at


def entries_of(language: Language, *, innocent: bool) -> Iterator[tuple[Slot, Entry]]:
    """The entries of a language with their anchors; raises ValueError for a term without a place to anchor it."""
    person = slot(language.persons, language.prefixes)
    for term, kind, weight in language.terms:
        if (kind is None) is not innocent:
            continue
        for phrase in phrases(term, language.classes, language.prefixes):
            at = max(range(len(phrase)), key=lambda place: (_telling(phrase[place]), place), default=0)
            anchor = phrase[at] if phrase else None
            if anchor is None or not anchor.telling:
                raise ValueError(
                    f"{language.name}: no word of {term!r} can be looked up; write a longer stem"
                )
            yield anchor, Entry(kind, weight, phrase[:at][::-1], phrase[at + 1 :], person)


def _telling(place: Slot | None) -> int:
    return 0 if place is None else place.telling


def _index(*, innocent: bool) -> Index:
    return Index(
        entry
        for language in LANGUAGES
        if not language.unspaced
        for entry in entries_of(language, innocent=innocent)
    )


def _of_all(words: Callable[[Language], Iterable[str]]) -> Slot:
    """What any language says: a term such as "diabetes" is one of several languages."""
    return slot(tuple(word for language in LANGUAGES if not language.unspaced for word in words(language)))


_THING, _ABOUT = _of_all(lambda language: language.things), _of_all(lambda language: language.about)
_TERMS = _index(innocent=False)
_INNOCENT = _index(innocent=True)
