"""Passages of a text that are somebody else's words, whoever sent it: nothing in them is read as the sender's.

A person who pastes a page, a mail or a transcript shows it and says nothing of it. Every pass is linear in the text.
"""

import re
from collections.abc import Iterator

NAME_WORDS = 4

_OPENING = re.compile(r"(?:(?<=[\s(\[{:,—–-])|\A)[\"“„«](?=\S)|[\"”»]|“|\n[^\S\n]*\n")
_SINGLE = re.compile(r"(?:(?<=[\s(\[{])|\A)['‘](?=\w)|(?<=\S)['’](?=[\s.,;:!?)]|\Z)|\n[^\S\n]*\n")
_FENCE = re.compile(r"```")
_REPLY = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_FORWARDED = re.compile(
    r"^[ \t]*(?:-{2,}[ \t]*(?:forwarded|original) message\b|begin forwarded message:)",
    re.MULTILINE | re.IGNORECASE,
)
_LINE = re.compile(r"[^\n]*\n?")
_LABEL = re.compile(r"[ \t]*(?:[*_]{0,2})(?P<speaker>[a-z][a-z0-9 .-]{0,30})(?:[*_]{0,2}):", re.IGNORECASE)
_PROGRAMS = frozenset({"assistant", "ai", "ai assistant", "chatbot", "system", "tool", "function"})
"""Who a line of a transcript quotes that a person has pasted. A person's own words have another label, or none."""
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w:-]{0,50})(?:\s[^<>]*)?>|(?P<begin><!--)|(?P<end>-->)")
_COMMENT = "!--"
_PICTURE = re.compile(r"\[image: [^\[\]]*\]")


def quotations(text: str) -> list[tuple[int, int]]:
    """Passages that are somebody else's words, as sorted and merged spans.

    | passage | is one |
    | --- | --- |
    | between double quotation marks, or single ones that close | yes; with at most four words, a name |
    | after a double quotation mark that never closes | to the end of its paragraph |
    | between code fences, or a line that begins with `>` | yes |
    | between a tag of markup and its end, or in a comment of markup | yes |
    | the caption of a picture: `[image: …]` | yes |
    | after a line that begins a forwarded message | to the end of the text |
    | after `Assistant:`, `System:` or `Tool:` at the beginning of a line | to the next such label or blank line |
    """
    spans = [(m.start(), m.end()) for m in _REPLY.finditer(text)]
    spans.extend((m.start(), m.end()) for m in _PICTURE.finditer(text))
    fences = [m.start() for m in _FENCE.finditer(text)]
    spans.extend(zip(fences[::2], [*fences[1::2], len(text)], strict=False))
    spans.extend(_pairs(text, _OPENING, keep_open=True))
    spans.extend(_pairs(text, _SINGLE, keep_open=False))
    spans.extend(_marked_up(text))
    spans.extend(_said_by_programs(text))
    forwarded = _FORWARDED.search(text)
    if forwarded is not None:
        spans.append((forwarded.start(), len(text)))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _pairs(text: str, marks: re.Pattern[str], keep_open: bool) -> Iterator[tuple[int, int]]:
    opened: int | None = None
    for match in marks.finditer(text):
        position = match.start()
        if match.group().startswith("\n"):
            if opened is not None and keep_open:
                yield opened, position
            opened = None
        elif opened is None:
            before = text[position - 1] if position else " "
            if before.isspace() or before in "([{:,—–-":
                opened = position
        else:
            if len(text[opened : min(position, opened + 400)].split()) > NAME_WORDS:
                yield opened, position + 1
            opened = None
    if opened is not None and keep_open:
        yield opened, len(text)


def _marked_up(text: str) -> Iterator[tuple[int, int]]:
    """What stands between a tag and the first end of its name: a placeholder such as `<name>` has no end."""
    opened: dict[str, int] = {}
    for match in _TAG.finditer(text):
        name = (match["name"] or _COMMENT).lower()
        if match["begin"] or (match["name"] and not match["close"]):
            opened.setdefault(name, match.start())
        elif name in opened:
            yield opened.pop(name), match.end()


def _said_by_programs(text: str) -> Iterator[tuple[int, int]]:
    """Lines of a transcript that a program speaks."""
    opened: int | None = None
    for match in _LINE.finditer(text):
        label = _LABEL.match(match.group())
        if opened is not None and (label is not None or not match.group().strip()):
            yield opened, match.start()
            opened = None
        if label is not None and label["speaker"].strip().lower() in _PROGRAMS:
            opened = match.start()
