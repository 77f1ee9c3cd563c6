"""A policy as a JSON document: the form in which it is stored and told, the same for equal policies."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from pydantic_core import to_jsonable_python

from models.ids import content_digest
from models.policy import Policy


def document_of(policy: Policy) -> dict[str, Any]:
    """All that a policy says, with what it leaves to defaults; `Policy.model_validate` reads it back."""
    return to_jsonable_python(_in_order(policy.model_dump()))


def digest_of(policy: Policy) -> str:
    """What tells this policy from any that says something else: 64 hexadecimal digits."""
    return content_digest(document_of(policy)).hex()


def _in_order(value: Any) -> Any:
    """`value` with its sets as lists in order: a set is written in whatever order it happens to have."""
    if isinstance(value, Mapping):
        return {name: _in_order(each) for name, each in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, frozenset):
        return sorted(cast("Iterable[str]", value))
    if isinstance(value, tuple | list):
        return [_in_order(each) for each in cast("Iterable[Any]", value)]
    return value
