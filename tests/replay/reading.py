"""What a history says, all of it: in the clear, in its payloads, and in payloads within payloads."""

import base64
import binascii
import json
from collections.abc import Iterator
from typing import Any

_SHORTEST_BASE64 = 8


def said_in(document: Any) -> Iterator[str]:
    """Every name and every text of a history as JSON has it; what is base64 is given decoded as well."""
    match document:
        case dict():
            for key, value in document.items():
                yield str(key)
                yield from said_in(value)
        case list():
            for value in document:
                yield from said_in(value)
        case str():
            yield document
            yield from _decoded(document)
        case _:
            yield str(document)


def _decoded(text: str) -> Iterator[str]:
    if len(text) < _SHORTEST_BASE64:
        return
    try:
        plain = base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return
    yield plain
    try:
        inner = json.loads(plain)
    except ValueError:
        return
    yield from said_in(inner)


def says(document: Any, words: str) -> bool:
    """Whether `words` stand anywhere in a history, in any case."""
    wanted = words.casefold()
    return any(wanted in said.casefold() for said in said_in(document))
