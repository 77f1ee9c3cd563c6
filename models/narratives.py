"""Whether a narrative says what the events say, as far as that can be told by code.

No rule ever reads a narrative. But people and agents do, so it may name no figure and no thing that nobody named.
"""

import re
from collections.abc import Iterable, Sequence

from models.events import StoredEvent
from models.text import fold, identifiers

MOST_CHARACTERS = 1_500
_FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)*")


def invented(narrative: str, events: Sequence[StoredEvent]) -> list[str]:
    """Figures and identifiers of `narrative` that stand in no event, in comparison form and in their order.

    | in the narrative | stands in the events if |
    | --- | --- |
    | a run of digits, with the marks between them | a text, a name or an evidence reference has the same run |
    | a word that mixes letters with digits or joining marks | one has the same word |
    | any other word | it is not looked for |
    """
    return strange(narrative, (words for event in events for words in _words_of(event)))


def strange(told: str, texts: Iterable[str]) -> list[str]:
    """Figures and identifiers of what is told that stand in none of these texts; see `invented`."""
    said = fold("\n".join(texts))
    known = {*_FIGURE.findall(said), *identifiers(said)}
    found = [*identifiers(told), *_FIGURE.findall(fold(told))]
    named = " ".join(known)
    return [word for word in dict.fromkeys(found) if word not in known and not _is_part(word, named)]


def _words_of(event: StoredEvent) -> list[str]:
    names = [name for thing in event.entities for name in (thing.id, thing.name)]
    return [words for words in (event.text, event.speaker.subject, event.evidence_ref, *names) if words]


def _is_part(word: str, named: str) -> bool:
    """Whether a run of digits stands within an identifier that is known: the 01 of gpu-bench-01."""
    return word.isdigit() and re.search(rf"(?<!\d){word}(?!\d)", named) is not None
