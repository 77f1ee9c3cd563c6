"""Events as a model reads them: data in a fence, each under a number of its own.

What stands inside was written by anybody. Each line of it is marked, so that no text can look like another event
or like our own words, and the tag that closes the fence is broken wherever it occurs.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from models.events import StoredEvent
from models.principals import PrincipalKind

OPENING, CLOSING = "<events>", "</events>"
_TAG = re.compile(r"<(?=\s*/?\s*events)", re.IGNORECASE)
_SPEAKERS = {
    PrincipalKind.HUMAN: "a person",
    PrincipalKind.AGENT: "an agent",
    PrincipalKind.SYSTEM: "a system",
}


def numbered(events: Sequence[StoredEvent], most_characters: int) -> str:
    """Events, from 1 in the order given: kind and speaker, the things that each lists, and its text."""
    return _fenced(
        line for number, event in enumerate(events, 1) for line in _event(number, event, most_characters)
    )


def lines(said: Iterable[str]) -> str:
    """Lines of a log, in their order."""
    return _fenced(line for each in said for line in _marked(each))


def _fenced(inside: Iterable[str]) -> str:
    return "\n".join([OPENING, *inside, CLOSING])


def _event(number: int, event: StoredEvent, most_characters: int) -> Iterator[str]:
    kind = event.type.value.replace("_", " ")
    yield f"event {number}: {kind}, by {_SPEAKERS[event.speaker.kind]}"
    for thing in event.entities:
        yield f"= {_on_one_line(' '.join(name for name in (thing.name, thing.id) if name))}"
    text = event.text or ""
    yield from _marked(text[:most_characters])
    if len(text) > most_characters:
        yield "(The rest of it is left out.)"


def _marked(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"> {_harmless(line)}"


def _on_one_line(text: str) -> str:
    return _harmless(" ".join(text.split()))


def _harmless(line: str) -> str:
    printed = "".join(each for each in line if each == "\t" or unicodedata.category(each) != "Cc")
    return _TAG.sub("‹", printed)
