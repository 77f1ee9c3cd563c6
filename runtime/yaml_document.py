"""Read YAML that somebody has written by hand: each part with its line, nothing twice, nothing without an end.

What cannot be read is refused with the line that is wrong, and without what stands there.
"""

import unicodedata
from collections.abc import Iterator
from typing import Any, cast

import yaml

MOST_PARTS = 20_000
"""Names, values, lists and mappings of a document, each counted as often as it is referred to. Twenty times what
the shipped policy has: a text of a few lines can refer to itself until it fills any memory."""

_LONGEST_MESSAGE = 300
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, OverflowError)
"""What the YAML library raises for a value that looks like a date or a number and is none."""


class Unreadable(ValueError):
    """What is wrong with a document, and on which line of it, from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}…"


def parsed(content: str, *, as_text: bool = False) -> tuple[yaml.Node | None, Any]:
    """The nodes of a document, with their lines, and its value; None for an empty one. Raises `Unreadable`.

    With `as_text` every single value is the text that stands there, and nothing is read as a date or a number.
    """
    try:
        loader = yaml.BaseLoader(content) if as_text else yaml.SafeLoader(content)
        root: yaml.Node | None = loader.get_single_node()
        if root is None:
            return None, None
        _require_bearable(root)
        return root, cast("Any", loader).construct_document(root)
    except yaml.MarkedYAMLError as malformed:
        line = 0 if malformed.problem_mark is None else malformed.problem_mark.line
        raise Unreadable(line + 1, f"not YAML: {malformed.problem}") from None
    except yaml.YAMLError:
        raise Unreadable(1, "not YAML: it holds characters that YAML does not allow") from None
    except RecursionError:
        raise Unreadable(1, "is nested too deep; a few levels are enough") from None
    except Unreadable:
        raise
    except _UNREADABLE:
        raise Unreadable(1, "holds a date or a number that is none; put such a word in quotes") from None


def _require_bearable(root: yaml.Node) -> None:
    """Refuse, before any value is made, what would never end, what a name hides, and what cannot be stored."""
    if _size(root, {}) > MOST_PARTS:
        raise Unreadable(1, f"has more than {MOST_PARTS:,} parts, counted wherever they are referred to")
    for node in _each(root, set()):
        if isinstance(node, yaml.ScalarNode) and not _is_plain(node.value):
            raise Unreadable(_first_line(node), "holds a control character; write it in words")
        twice = _second_of(node) if isinstance(node, yaml.MappingNode) else None
        if twice is not None:
            raise Unreadable(_first_line(twice), f"{twice.value} stands here a second time")


def _inside(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for pair in node.value:
            yield from pair
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """How many parts a node has once all that it refers to is written out; a node inside itself has no end."""
    if id(node) not in known:
        known[id(node)] = MOST_PARTS + 1
        known[id(node)] = 1 + sum(_size(each, known) for each in _inside(node))
    return known[id(node)]


def _each(node: yaml.Node, seen: set[int]) -> Iterator[yaml.Node]:
    """The node and all that is in it, each once, in the order in which they are written."""
    if id(node) not in seen:
        seen.add(id(node))
        yield node
        for each in _inside(node):
            yield from _each(each, seen)


def _is_plain(text: str) -> bool:
    return not any(unicodedata.category(each) in {"Cc", "Cs"} and each not in "\t\n" for each in text)


def _second_of(node: yaml.MappingNode) -> yaml.ScalarNode | None:
    """The first name that a mapping has twice: YAML would let the second one win in silence."""
    names: set[str] = set()
    for key, _ in node.value:
        if isinstance(key, yaml.ScalarNode):
            if key.value in names:
                return key
            names.add(key.value)
    return None


def line_of(node: yaml.Node | None, location: tuple[int | str, ...]) -> int:
    """The line, from 1, of the deepest part of `location` that the document has."""
    line = 1
    for part in location:
        if isinstance(node, yaml.MappingNode):
            inside = {key.value: (key, value) for key, value in node.value}
            if part not in inside:
                return line
            key, node = inside[part]
            line = _first_line(key)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = _first_line(node)
    return line


def _first_line(node: yaml.Node | None) -> int:
    return 1 if node is None or node.start_mark is None else node.start_mark.line + 1
