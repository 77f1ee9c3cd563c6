"""Where a record applies: a mapping of dimension to value, compared exactly and never as a pattern."""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, cast
from uuid import UUID

from models.errors import InvalidInput
from models.ids import derived_id

MAX_DIMENSIONS = 6
MAX_VALUE_LENGTH = 200
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


class Scope(Mapping[str, str]):
    """An immutable scope. The empty scope holds for the whole tenant and takes a role to use.

    Raises `InvalidInput` on construction when a dimension is not among `known`, when a value is not a plain
    non-empty string, or when there are more than six dimensions.
    """

    __slots__ = ("_items", "key")

    def __init__(self, values: Mapping[str, str]) -> None:
        self._items = tuple(sorted(values.items()))
        self.key: UUID = derived_id("scope", json.dumps(self._items, ensure_ascii=True))

    def __getitem__(self, dimension: str) -> str:
        return dict(self._items)[dimension]

    def __iter__(self) -> Any:
        return iter(dict(self._items))

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(self._items)

    def __repr__(self) -> str:
        return f"Scope({dict(self._items)!r})"

    def sub_scopes(self) -> "list[Scope]":
        """Every sub-scope, the empty one and this one included: a record of any of them applies to this request.

        At most 2**6 = 64, so that matching is `scope_key = ANY(keys)`.
        """
        subsets = (
            subset for size in range(len(self._items) + 1) for subset in combinations(self._items, size)
        )
        return [Scope(dict(subset)) for subset in subsets]

    def sub_scope_keys(self) -> list[UUID]:
        """Keys of every sub-scope."""
        return [sub.key for sub in self.sub_scopes()]

    def covers(self, other: "Scope") -> bool:
        """Whether a record with this scope applies to a request with the scope `other`."""
        return all(other.get(dimension) == value for dimension, value in self._items)


def parse_scope(value: object, known: Iterable[str], field: str = "scope") -> Scope:
    """Read a scope from a caller. A missing scope is refused: `{}` has to be said."""
    if value is None:
        raise InvalidInput('say where this applies, such as {"workspace": "staging"}', field=field)
    if not isinstance(value, Mapping):
        raise InvalidInput("a scope is an object of dimension to value", field=field)
    dimensions = frozenset(known)
    named_values = cast("Mapping[object, object]", value)
    if len(named_values) > MAX_DIMENSIONS:
        raise InvalidInput(f"at most {MAX_DIMENSIONS} dimensions", field=field)
    checked: dict[str, str] = {}
    for dimension, named in named_values.items():
        if not isinstance(dimension, str) or dimension not in dimensions:
            raise InvalidInput(
                f"unknown dimension; the policy knows {', '.join(sorted(dimensions))}", field=field
            )
        checked[dimension] = _scope_value(named, f"{field}.{dimension}")
    return Scope(checked)


def _scope_value(value: object, field: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput("a scope value is a non-empty string", field=field)
    if len(value) > MAX_VALUE_LENGTH:
        raise InvalidInput(f"a scope value has at most {MAX_VALUE_LENGTH} characters", field=field)
    if _PLACEHOLDER.search(value):
        raise InvalidInput("an unfilled {placeholder}; fill it in before the call", field=field)
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in value):
        raise InvalidInput("a scope value has no control characters or lone surrogates", field=field)
    return value
