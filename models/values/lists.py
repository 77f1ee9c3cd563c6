"""Lists: items in any order, each once, each read as its type."""

import re
from collections.abc import Callable

from models.values.spec import Canonical

ReadItem = Callable[[str], Canonical]

_HARD = re.compile(r"[;；﹔︔\u037e\n\r\u2028\u2029]+")
"""Always between two items."""
_SOFT = re.compile(r"[,，﹐︐、،]? and | ?[,，﹐︐、،] ?", re.IGNORECASE)
"""Between two items, where what it divides is not one value that holds it, such as 1 hour and 30 minutes."""
_LOOSE = re.compile(r"[,，]? and |[,，](?!\d) ?|(?<!\d)[,，] ?|[、،] ?", re.IGNORECASE)
"""The same but for a comma between two digits, which may be a mark within one number."""
_BULLET = re.compile(r"[*•‣▪] |- (?=[^\W\d_]|[\"'“])")
_NUMBERED = re.compile(r"\d{1,3}[.)] ")
"""What stands before the items of a list written one below the other; - 5 may be a negative number."""
_GROUPED = re.compile(r"\D*\d{1,3}(?:,\d{3})+(?!\d).*", re.DOTALL)
_PADDED = re.compile(r" ?0\d")


def read_list(text: str, read: ReadItem, *, whole: bool) -> str | None:
    """The key of a list: the keys of its items, in order, each once.

    `whole` says whether one item may hold a comma or an "and": those of a text and of a name are always between
    two items, those of a number, an amount or a date only where that is the one way to read it.

    | text | of | items |
    | --- | --- | --- |
    | a, b and c; c; b; a | text | a, b, c |
    | 1,2,3; 1; 2; 3 | integer | 1, 2, 3 |
    | 1,000, 2,000 (in New York) | integer | 1000, 2000 |
    | March 2, 2026; March 3, 2026 | date | two days |
    | 1,500 (one number, or 1 and 500?); 1 day, 2 hours (one, or two?) | integer; duration | None |
    | red, somewhat blue | enumeration without it | None: an item cannot be read |
    """
    inner = text.strip()
    if inner.startswith("[") and inner.endswith("]"):
        inner = inner[1:-1]
    keys: set[str] = set()
    pieces = [words for piece in _HARD.split(inner) if (words := " ".join(piece.split()))]
    alone = len(pieces) == 1
    for piece in pieces:
        bullet = _BULLET.match(piece) or (None if alone else _NUMBERED.match(piece))
        item = piece[bullet.end() :] if bullet else piece
        found = _between(item, read, alone=alone) if whole else _each(_SOFT.split(item), read)
        if found is None:
            return None
        keys |= found
    return ";".join(sorted(keys)) if keys else None


def _each(parts: list[str], read: ReadItem) -> set[str] | None:
    """The keys of all parts that say something; None where one of them cannot be read."""
    keys: set[str] = set()
    for part in parts:
        if not part.strip(" \"'"):
            continue
        item = read(part)
        if not item.read:
            return None
        keys.add(item.key)
    return keys


def _between(piece: str, read: ReadItem, *, alone: bool) -> set[str] | None:
    """The items of what stands between two semicolons: one or several, where only one of these can be.

    `alone` says that there is no semicolon, so that a comma between digits may be what divides the items.
    """
    parts = [part for part in _LOOSE.split(piece) if part.strip()]
    one = read(piece)
    if len(parts) < 2 and one.read and not alone:
        return {one.key}
    if len(parts) < 2:
        return _tight(piece, one, read, grouped=False)
    several: set[str] = set()
    for part in parts:
        found = _tight(part, read(part), read, grouped=True)
        if found is None:
            return {one.key} if one.read else None
        several |= found
    return None if one.read else several


def _tight(part: str, one: Canonical, read: ReadItem, *, grouped: bool) -> set[str] | None:
    """The items of a part whose only commas stand between digits.

    `grouped` says that other marks divide the items, so that these commas can group thousands alone.
    """
    numbers = part.split(",")
    as_thousands = _GROUPED.fullmatch(part) is not None
    if len(numbers) == 1 or (as_thousands and (grouped or not one.read)):
        return {one.key} if one.read else None
    several = None if any(map(_PADDED.match, numbers)) else _each(numbers, read)
    if one.read:
        return {one.key} if several is None else None
    return several
