"""Reads the value that begins at a place of a text: what is quoted, an element of markup, or a run without blanks."""

import re
from typing import NamedTuple

_LONGEST = 512
"""As much of a value as is judged, and as far as the end of a quotation is looked for."""
_CLOSING = {"“": "”", "”": "”", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", "‹": "›", "《": "》"}
OPENING = frozenset(_CLOSING)
"""Quotation marks that are no ASCII."""
_QUOTE = re.compile(r"(\\{0,3})([\"'`])")
_ELEMENT = re.compile(r"[ \t]*(?P<held>[^<>\n\x00]{3,500}?)[ \t]*</")
_RUN = re.compile(r"[^\s\x00\"`<>“”„«»「」『』、。；！？…]+")
_BEYOND_LATIN = re.compile(r"[\u0e00-\u0e7f\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff]")
_ESCAPE = re.compile(r"\\+[nrt\"']|\\+$")
_NEXT_FIELD = re.compile(
    r"&(?:amp;)?(?=[A-Za-z_][\w.\-\[\]%]*=)"
    r"|;(?=\s|$|[A-Za-z][\w ]{0,30}=)"
    r"|,(?=[A-Za-z_][\w.]*[=:])"
)
_FIRST_OF_VALUE = 3
_PUNCTUATION = ".,;:?*'"
_CLOSERS = {")": "(", "]": "[", "}": "{"}


class Value(NamedTuple):
    """A value from `start` to before `end`, as much of its text as is judged, and what is known of its place."""

    text: str
    start: int
    end: int
    quoted: bool
    follows: str
    """A few characters after it, in lower case."""


def read_value(plain: str, at: int, *, fields: bool = False) -> Value | None:
    """The value that begins at `at`; among `fields` it ends where the next one begins."""
    quote = _QUOTE.match(plain, at)
    if quote is not None:
        close = _close(plain, quote)
        inner = plain[quote.end() : close] if close > 0 else "\n"
        if "\n" not in inner and "\x00" not in inner:
            return _value(plain, quote.end(), close, quoted=True) if inner else None
        at = quote.end()
    elif plain[at : at + 1] in OPENING:
        ends = [plain.find(mark, at + 1, at + _LONGEST) for mark in _CLOSING[plain[at]]]
        close = min((end for end in ends if end > 0), default=-1)
        if close > at + 1 and "\n" not in plain[at:close]:
            return _value(plain, at + 1, close, quoted=True)
        at += 1
    return _unquoted(plain, at, fields=fields)


def read_element(plain: str, at: int) -> Value | None:
    """What an element of markup holds that begins at `at`, up to its closing tag."""
    held = _ELEMENT.match(plain, at)
    return None if held is None else _value(plain, *held.span("held"), quoted=True)


def _unquoted(plain: str, at: int, *, fields: bool) -> Value | None:
    run = _RUN.match(plain, at)
    if run is None:
        return None
    end = run.end()
    if plain[at].isascii() and (beyond := _BEYOND_LATIN.search(plain, at, end)):
        # ASCII in a text without blanks ends where that text goes on: "hunter2です".
        end = beyond.start()
    for ending in (_ESCAPE, _NEXT_FIELD) if fields else (_ESCAPE,):
        found = ending.search(plain, at + _FIRST_OF_VALUE, end)
        end = end if found is None else found.start()
    text = _without_closers(plain[at:end].rstrip(_PUNCTUATION))
    return _value(plain, at, at + len(text), quoted=False) if text else None


def _without_closers(text: str) -> str:
    """`text` without the brackets at its end that are opened before it."""
    while text and text[-1] in _CLOSERS and text.count(text[-1]) > text.count(_CLOSERS[text[-1]]):
        text = text[:-1].rstrip(_PUNCTUATION)
    return text


def _close(plain: str, quote: re.Match[str]) -> int:
    """Where what `quote` opens is closed, by the same quote and none that is escaped; -1 for nowhere near."""
    mark, end = quote.group(), quote.end() + _LONGEST
    close = plain.find(mark, quote.end(), end)
    while close > 0 and not quote[1] and plain[close - 1] == "\\":
        close = plain.find(mark, close + 1, end)
    return close


def _value(plain: str, start: int, end: int, *, quoted: bool) -> Value:
    return Value(plain[start : min(end, start + _LONGEST)], start, end, quoted, plain[end : end + 24].lower())
