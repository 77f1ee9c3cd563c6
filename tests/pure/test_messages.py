"""What crosses Temporal is ids, enums, numbers and instants: a history can be read, but never erased."""

import enum
import inspect
from datetime import datetime
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin
from uuid import UUID

import pytest
from pydantic import BaseModel, ValidationError

from models import messages
from models.conditions import ConfirmationState
from models.messages import ConfirmationOutcome, Message, Reconciled

CODES = {
    ("GateReading", "reason"),
    ("ConfirmationOutcome", "reason"),
    ("Reconciled", "verdicts"),
}
"""The only fields that hold text: codes of a rule, or of its verdicts, and never words of a caller.

A field stands here only if everything that is ever written to it comes from a fixed list in the rules.
"""
PLAIN = (UUID, bool, int, float, datetime, NoneType)
MESSAGES = [
    kind
    for _, kind in inspect.getmembers(messages, inspect.isclass)
    if issubclass(kind, Message) and kind is not Message
]
FIELDS = [(kind, name) for kind in MESSAGES for name in kind.model_fields]


def is_content_free(kind: Any) -> bool:
    """Whether no text can be put into a field of this type."""
    if get_origin(kind) is not None:
        if get_origin(kind) not in {tuple, list, set, frozenset, dict, Union, UnionType}:
            return False
        return all(part is Ellipsis or is_content_free(part) for part in get_args(kind))
    if not inspect.isclass(kind):
        return False
    return kind in PLAIN or issubclass(kind, (enum.Enum, Message))


@pytest.mark.parametrize(("kind", "name"), FIELDS, ids=lambda part: getattr(part, "__name__", part))
def test_no_field_takes_text(kind: type[Message], name: str) -> None:
    if (kind.__name__, name) not in CODES:
        assert is_content_free(kind.model_fields[name].annotation)


def test_the_list_of_codes_holds_no_field_that_is_gone() -> None:
    assert {(kind.__name__, name) for kind, name in FIELDS} >= CODES


@pytest.mark.parametrize(
    ("kind", "free"),
    [
        (UUID, True),
        (tuple[UUID, ...], True),
        (dict[UUID, int], True),
        (datetime | None, True),
        (ConfirmationState, True),
        (ConfirmationOutcome, True),
        (str, False),
        (bytes, False),
        (str | None, False),
        (list[str], False),
        (dict[str, int], False),
        (dict[UUID, tuple[str, ...]], False),
        (Any, False),
        (object, False),
        (dict, False),
        (BaseModel, False),
    ],
    ids=str,
)
def test_the_check_knows_text_when_it_sees_it(kind: Any, free: bool) -> None:
    assert is_content_free(kind) is free


def test_there_are_messages_to_check() -> None:
    assert len(MESSAGES) >= 10


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
def test_a_message_is_closed_and_immutable(kind: type[Message]) -> None:
    assert kind.model_config.get("extra") == "forbid"
    assert kind.model_config.get("frozen") is True


def test_a_field_more_is_refused() -> None:
    with pytest.raises(ValidationError):
        Reconciled.model_validate({"verdicts": {}, "more": False, "text": "words"})
