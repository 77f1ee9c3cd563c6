"""Text as sentences of words that remember where they stood.

One pass over the text, so the cost is linear in its length. Nothing here knows what a sentence means.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from providers.rule_extractor.quotations import quotations

MAX_WORD = 200
"""A longer run of characters is no word: it is kept as an opaque one, and no rule matches it."""

OPAQUE = "\ufffd"
_OUTER = ".,;:!?\"'()[]{}“”‘’。、，！？…"
_FORMATTING = "`*_~"
_APOSTROPHES = dict.fromkeys(map(ord, "’‘ʼ＇"), "'")
_HYPHENS = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_FULL_STOP = re.compile(r"[.!?…。！？][\"'”’)\]}`*_]*$")
_QUESTION = re.compile(r"[?？][.!?…\"'”’)\]}`*_]*$")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_BULLET = re.compile(r"(?:[-*•–—]|\d{1,3}[.)]|#+)$")
_DASH = re.compile(r"[-–—]{1,3}$")
_WORD = re.compile(r"\S+")

ABBREVIATIONS = frozenset(
    {"e.g.", "i.e.", "eg.", "ie.", "vs.", "approx.", "dr.", "mr.", "mrs.", "ms.", "cf."}
)
_BEFORE_A_DAY = frozenset({"a.m.", "p.m."})
_DAY = re.compile(
    r"(?:mon|tues?|wed|thur?s?|fri|sat|sun)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
)

LINE_OPENERS = frozenset(
    {
        *("keep", "leave", "do", "don't", "never", "use", "prefer", "from", "always", "please"),
        *("we", "you", "i", "also", "note", "no", "restart", "make", "looks"),
    }
)
"""A line that begins with one of these, capitalised, is a new sentence even without a full stop before it.
Any other line break is white space: mail wraps its lines, and an end must not be cut off a restriction."""


class Word(NamedTuple):
    """One word between white space.

    `key` is what rules match: folded, straight apostrophes, outer punctuation off. `text` is as written,
    outer punctuation off. `mark` is the pause after it: "," or ";" (also a colon or a dash) or nothing.
    """

    start: int
    end: int
    raw: str
    text: str
    key: str
    mark: str
    quoted: bool
    opens_line: bool

    @property
    def name(self) -> str:
        """`text` without marks of formatting, with plain hyphens: `gpu-bench-01` of "`gpu‑bench‑01`"."""
        return self.text.translate(_HYPHENS).strip(_FORMATTING).strip(_OUTER)


class Sentence(NamedTuple):
    """Words of one sentence; `start` and `end` delimit it in the text, to the letter."""

    words: tuple[Word, ...]
    start: int
    end: int
    paragraph: int
    question: bool
    colon: bool


def fold(word: str) -> str:
    """The form in which words are matched; empty for punctuation alone."""
    if len(word) > MAX_WORD:
        return OPAQUE
    if word.isascii():
        folded = word.lower()
    else:
        folded = unicodedata.normalize("NFKC", word.translate(_APOSTROPHES).translate(_HYPHENS)).casefold()
        folded = "".join(folded.split())
    return folded.strip(_OUTER + _FORMATTING + "•")


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of `text`, in order.

    | between two words | a new sentence |
    | --- | --- |
    | `.`, `!`, `?` or `…` at the end of the first | yes, except after an abbreviation such as `e.g.` |
    | a dot inside a word (`v1.2.0`, `db.internal`) | no |
    | a blank line, or a line break and a bullet | yes |
    | a line break and a capitalised word of `LINE_OPENERS` | yes |
    | any other line break | no |
    """
    masked = quotations(text)
    mask = 0
    words: list[Word] = []
    paragraph = 0
    matches = list(_WORD.finditer(text))
    after_break = True
    for index, match in enumerate(matches):
        start, end, raw = match.start(), match.end(), match.group()
        while mask < len(masked) and masked[mask][1] <= start:
            mask += 1
        quoted = mask < len(masked) and masked[mask][0] < end
        following = matches[index + 1] if index + 1 < len(matches) else None
        gap = text[end : following.start()] if following else "\n\n"
        key = fold(raw)
        if not key or _DASH.match(raw):
            if words and key:
                words[-1] = words[-1]._replace(mark=";")
        else:
            outer = raw.strip(_OUTER) or raw
            words.append(Word(start, end, raw, outer, key, _mark(raw), quoted, after_break))
        after_break = "\n" in gap
        blank = _BLANK_LINE.search(gap) is not None
        if blank or _ends(raw, following.group() if following else "", after_break):
            if words:
                yield _sentence(words, end, paragraph)
            words = []
        paragraph += blank


def _sentence(words: list[Word], end: int, paragraph: int) -> Sentence:
    last = words[-1].raw
    colon = last.rstrip("*_`").endswith(":")
    return Sentence(tuple(words), words[0].start, end, paragraph, bool(_QUESTION.search(last)), colon)


def _mark(raw: str) -> str:
    tail = raw[len(raw.rstrip(_OUTER)) :]
    if not tail:
        return ""
    if ";" in tail or ":" in tail:
        return ";"
    return "," if "," in tail or ")" in tail else ""


def _ends(raw: str, following: str, line_break: bool) -> bool:
    if _FULL_STOP.search(raw[-12:]):
        lowered = raw.lower().lstrip("(\"'“‘[")
        if lowered in ABBREVIATIONS:
            return False
        if lowered in _BEFORE_A_DAY:
            return following[:1].isupper() and not _DAY.match(following.lower())
        return True
    if not line_break:
        return False
    return bool(_BULLET.match(following)) or (following[:1].isupper() and fold(following) in LINE_OPENERS)
