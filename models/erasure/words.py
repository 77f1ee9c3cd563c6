"""The words by which what was erased would be known again, wherever it still was. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from models.events import StoredEvent
from models.text import fold

MOST_WORDS = 400
"""So many words of one erasure are looked for: those that are most likely nobody else's."""
_LEAST = 5
_WORD = re.compile(r"[^\W_](?:[\w.\-/:@#]*[^\W_])?")
_UNSPACED = re.compile(
    r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]{4,}"
)


def telling_words(events: Iterable[StoredEvent]) -> set[str]:
    """Words of events that may be theirs alone: of five characters at least, or four of a script without spaces."""
    return {word for event in events for text in _texts(event) for word in _words(fold(text))}


def most_telling(words: Iterable[str]) -> list[str]:
    """The words to look for: such with digits first, then the longest."""
    ranked = sorted(words, key=lambda word: (not any(sign.isdigit() for sign in word), -len(word), word))
    return ranked[:MOST_WORDS]


def _texts(event: StoredEvent) -> Iterator[str]:
    for text in (event.text, event.evidence_ref):
        if text:
            yield text
    for mention in event.entities:
        yield from filter(None, (mention.id, mention.name))
    yield from _leaves(event.data)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield str(key)  # pyright: ignore[reportUnknownArgumentType]
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _leaves(each)


def _words(text: str) -> Iterator[str]:
    for run in _UNSPACED.finditer(text):
        yield run.group()
    for match in _WORD.finditer(text):
        word = match.group()
        if len(word) >= _LEAST and not _UNSPACED.search(word):
            yield word
