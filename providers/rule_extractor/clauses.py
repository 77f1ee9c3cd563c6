"""Where a clause ends, and what its end says.

The one thing that must not happen here is to lose an end: what is not understood gives no reading at all.
"""

from collections.abc import Sequence
from datetime import datetime

from providers.rule_extractor import vocabulary as v
from providers.rule_extractor.dates import End, read_end
from providers.rule_extractor.grammar import DURATION
from providers.rule_extractor.sentences import Word

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


def length(words: Sequence[Word]) -> int:
    """How many of `words` belong to one condition or one free text before something new begins."""
    for index in range(1, len(words)):
        key = words[index].key
        if words[index - 1].mark:
            following = words[index + 1].key if index + 1 < len(words) else ""
            if key in v.CONNECTIVES or (key == "and" and following in v.NEW_ORDERS):
                return index
        if any(_begins(words, index, phrase) for phrase in v.BREAKS):
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
    """The end that `words` after `connective` say."""
    words = words[: length(words)]
    phrase = joined(words)
    if connective in {"through", "thru"} and (not words or words[-1].key in v.PASSAGES):
        return None
    return read_end(
        "through" if connective in {"through", "thru"} else "until", phrase, occurred_at, timezone
    )
