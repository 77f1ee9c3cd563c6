"""Where a clause ends, and what its end says.

The one thing that must not happen here is to lose an end: what is not understood gives no reading at all.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property
from itertools import accumulate

from providers.rule_extractor import vocabulary as v
from providers.rule_extractor.dates import End, read_end
from providers.rule_extractor.grammar import (
    BORROWED,
    DURATION,
    MOST_PREFIXES,
    OPENING_CONDITIONS,
    PREFIX,
    REPORTS,
)
from providers.rule_extractor.sentences import Sentence, Word

_EDGES = " \t\r\n.,;:!?…。、，！？"
_PAIRS = {")": "(", "]": "[", "”": "“", "’": "‘", '"': '"', "'": "'"}


def joined(words: Sequence[Word]) -> str:
    """The words as written, single spaces between them, without punctuation around them."""
    text = " ".join(word.raw for word in words).strip(_EDGES)
    while text and text[-1] in _PAIRS and _unpaired(text):
        text = text[:-1].rstrip(_EDGES)
    while text and text[0] in "([{\"“‘'" and not set(text[1:]) & set(")]}\"”’'"):
        text = text[1:].lstrip(_EDGES)
    return text


def _unpaired(text: str) -> bool:
    closing = text[-1]
    opening = _PAIRS[closing]
    return text.count(closing) % 2 == 1 if opening == closing else opening not in text


def keys_of(words: Sequence[Word]) -> str:
    """The words as rules see them: folded, single spaces, a comma after a word that has one."""
    return " ".join(word.key.replace(",", "‚") + ("," if word.mark else "") for word in words)


def length(
    words: Sequence[Word],
    connectives: frozenset[str] = v.CONNECTIVES,
    breaks: Sequence[str] = v.BREAKS,
) -> int:
    """How many of `words` belong together before something new begins."""
    for index in range(1, len(words)):
        key = words[index].key
        if words[index - 1].mark:
            following = words[index + 1].key if index + 1 < len(words) else ""
            if key in connectives or (key == "and" and following in v.NEW_ORDERS):
                return index
        if any(_begins(words, index, phrase) for phrase in breaks):
            return index
    return len(words)


def _begins(words: Sequence[Word], index: int, phrase: str) -> bool:
    parts = phrase.split()
    return [word.key for word in words[index : index + len(parts)]] == parts


def end_word(words: Sequence[Word], allowed: frozenset[str] = v.END_WORDS) -> int | None:
    """Where the first end word stands, if nothing but leading words precede it."""
    for index, word in enumerate(words[:5]):
        if word.key in allowed:
            return index
        if word.key not in v.END_LEADERS:
            return None
    return None


def read_tail(
    words: Sequence[Word], ends: bool, before: bool, occurred_at: datetime, timezone: str | None
) -> End | None:
    """What follows a complete instruction; None where it cannot be told how long the instruction holds.

    | what follows | reading |
    | --- | --- |
    | nothing, a reason, a courtesy | no end |
    | until, through (where `before`: before) and a date or a condition | that end |
    | an end elsewhere, an exception, a condition, a duration | None |
    """
    at = end_word(words)
    if at is not None:
        connective = words[at].key
        if not ends or (connective == "before" and not before):
            return None
        return read_end_words(connective, words[at + 1 :], occurred_at, timezone)
    keys = [word.key for word in words]
    if v.QUALIFIERS & set(keys) or DURATION.search(" ".join(keys)):
        return None
    text = " ".join(keys)
    if any(
        part in text for part in ("as long as", "as soon as", "but not", "but only", "only ", "apart from")
    ):
        return None
    return End()


def read_end_words(
    connective: str, words: Sequence[Word], occurred_at: datetime, timezone: str | None
) -> End | None:
    """The end that `words` after `connective` say.

    | words | end |
    | --- | --- |
    | Friday, QA needs it | Friday: what follows the comma is another matter |
    | Friday, or when QA is done | the words: the date is a part of the condition |
    | the load balancer (after "through") | None: it is a way and no end |
    """
    words = words[: length(words)]
    through = connective in {"through", "thru"}
    if not words or (through and words[-1].key in v.PASSAGES):
        return None
    kind = "through" if through else "until"
    end = read_end(kind, joined(words), occurred_at, timezone)
    pause = next((index + 1 for index, word in enumerate(words) if word.mark), len(words))
    if end is None or not end.ends_when or pause == len(words):
        return end
    first = read_end(kind, joined(words[:pause]), occurred_at, timezone)
    is_whole = first is not None and (first.ends_when or words[pause].key in v.ALTERNATIVES)
    return end if is_whole else first


class Clause:
    """A part of a sentence without a strong pause in it, as words and as the text that rules match.

    `earlier` are the words of the sentence before it; `hedged` is true if the sentence has a hedge anywhere.
    """

    def __init__(self, sentence: Sentence, start: int, end: int, hedged: bool) -> None:
        self.sentence = sentence
        self.earlier = sentence.words[:start]
        self.words = sentence.words[start:end]
        self.hedged = hedged
        self.keys = keys_of(self.words)
        self.vocabulary = {word.key for word in self.words}

    @cached_property
    def _offsets(self) -> list[int]:
        lengths = (len(part) + 1 for part in self.keys.split(" "))
        return [0, *accumulate(lengths)][: len(self.words)]

    def index(self, offset: int) -> int:
        """The word at a place of `keys`."""
        return bisect_right(self._offsets, offset) - 1

    def slice(self, start: int, end: int) -> slice:
        """The words of a passage of `keys`."""
        return slice(self.index(start), self.index(end - 1) + 1)

    def lead(self, start: int) -> tuple[Word, ...]:
        """What the sentence says before the word `start` of this clause."""
        return (*self.earlier, *self.words[:start])

    def starts(self) -> list[int]:
        """Words at which an instruction may begin: the first, and those after a comma or a line break."""
        later = (i for i in range(1, len(self.words)) if self.words[i - 1].mark or self.words[i].opens_line)
        return [0, *later]

    def offsets(self, start: int) -> list[int]:
        """Places of `keys` at which a rule may match: at `start`, and after each prefix there."""
        found = [self._offsets[start]]
        while len(found) <= MOST_PREFIXES:
            match = PREFIX.match(self.keys, found[-1])
            if match is None:
                break
            found.append(match.end())
        return found

    def is_supposed(self, start: int) -> bool:
        """Whether what stands before `start` makes the rest somebody else's words, or conditional."""
        lead = keys_of(self.lead(start))
        if not lead or REPORTS.search(lead) or OPENING_CONDITIONS.search(lead):
            return bool(lead)
        return BORROWED.search(keys_of(self.earlier)) is not None


def clauses(sentence: Sentence, hedged: bool) -> Iterator[Clause]:
    """The parts of a sentence between its colons, semicolons and dashes."""
    start = 0
    for index, word in enumerate(sentence.words):
        if word.mark == ";" or index == len(sentence.words) - 1:
            yield Clause(sentence, start, index + 1, hedged)
            start = index + 1
