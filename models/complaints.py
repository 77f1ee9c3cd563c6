"""What is said of input that does not fit: in our words, with the remedy, and without a letter of what came."""

import re
from collections.abc import Callable

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_PATTERNS = {
    r"\S": "is blank; write something",
    r"^[^\x00-\x1f\x7f-\x9f]+$": "is empty or holds a control character; write it on one line",
    r"^[a-z][a-z0-9_-]*:\S+$": "is no canonical id; write it as type:id",
    r"^[a-z0-9][a-z0-9._-]*$": "has lower case letters, digits, . _ and - alone, a letter or a digit first",
    r"^[a-z][a-z0-9/_-]*:\S+$": "write it as PROVIDER:NAME, such as openai:NAME",
    r"^(?:type|subject|entity|data\.[A-Za-z_][A-Za-z0-9_-]{0,99})$": (
        "is nothing that an event says; wait for type, subject, entity or data.NAME"
    ),
    r"^https?://\S+$": "write it as http://… or https://…",
}
"""What is amiss with a text, by the pattern that it does not have."""


def _pattern(message: str) -> str:
    pattern = message.partition("'")[2].removesuffix("'")
    return _PATTERNS.get(pattern, "is not written as it has to be; see the reference of this call")


def _number(message: str) -> str:
    found = _NUMBER.search(message)
    return "" if found is None else f"{float(found[0]):,g}" if "." in found[0] else f"{int(found[0]):,}"


def _short(message: str) -> str:
    most = _number(message)
    return "is empty; write something" if most == "1" else f"has fewer than {most} characters; write more"


def _choice(message: str) -> str:
    choices = message.removeprefix("Input should be ")
    several = " or " in choices or "," in choices
    return f"is unknown; it is one of {choices}" if several else f"is unknown; write {choices}"


_SAYS: dict[str, Callable[[str], str]] = {
    "extra_forbidden": lambda _: "unknown field; remove it or put it into data",
    "missing": lambda _: "is missing; add it",
    "enum": _choice,
    "literal_error": _choice,
    "union_tag_invalid": lambda message: f"kind: is unknown; it is one of {message.rpartition(': ')[2]}",
    "union_tag_not_found": lambda _: "kind: is missing; say which kind it is",
    "uuid_parsing": lambda _: "is no UUID; send an id as it was answered",
    "uuid_type": lambda _: "is no UUID; send an id as it was answered",
    "model_type": lambda _: "is not an object; send {…}",
    "dict_type": lambda _: "is not an object; send {…}",
    "list_type": lambda _: "is not a list; send […]",
    "tuple_type": lambda _: "is not a list; send […]",
    "frozen_set_type": lambda _: "is not a list; send […]",
    "string_type": lambda _: "is not a text; write it as one",
    "int_type": lambda _: "is not a whole number; write one",
    "int_parsing": lambda _: "is not a whole number; write one",
    "int_from_float": lambda _: "is not a whole number; write one",
    "float_type": lambda _: "is not a number; write one",
    "float_parsing": lambda _: "is not a number; write one",
    "bool_type": lambda _: "is neither true nor false; write one of them",
    "bool_parsing": lambda _: "is neither true nor false; write one of them",
    "string_too_short": _short,
    "string_too_long": lambda message: f"has more than {_number(message)} characters; shorten it",
    "string_pattern_mismatch": _pattern,
    "too_short": lambda message: f"has too few items; it takes {_number(message)} or more",
    "too_long": lambda message: f"has too many items; it takes {_number(message)} at most",
    "greater_than_equal": lambda message: f"is too small; it is {_number(message)} or more",
    "greater_than": lambda message: f"is too small; it is more than {_number(message)}",
    "less_than_equal": lambda message: f"is too large; it is {_number(message)} at most",
    "less_than": lambda message: f"is too large; it is less than {_number(message)}",
}


def complained(kind: str, message: str) -> str:
    """What to say for a complaint of pydantic's of this kind: without its jargon, and without a letter of what came."""
    says = _SAYS.get(kind)
    return message.removeprefix("Value error, ") if says is None else says(message)
