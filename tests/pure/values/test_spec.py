"""What a class can declare of its values, and what it cannot."""

from typing import Any

import pytest
from pydantic import ValidationError

from models.values import ValueSpec, ValueType


@pytest.mark.parametrize(
    "said",
    [
        {},
        *({"type": kind} for kind in ValueType if kind not in {ValueType.ENUMERATION, ValueType.LIST}),
        {"type": "enumeration", "values": ["email", "phone"]},
        {"type": "list", "of": "money"},
        {"type": "list", "of": "enumeration", "values": ["red", "blue"]},
        {"type": "list", "of": "version", "semantic": True},
        {"type": "version", "semantic": True},
    ],
)
def test_what_a_class_may_declare(said: dict[str, Any]) -> None:
    spec = ValueSpec.model_validate(said)
    assert ValueSpec.model_validate_json(spec.model_dump_json()) == spec
    assert spec.type == said.get("type", "text")


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"type": "enumeration"}, "values"),
        ({"type": "enumeration", "values": []}, "values"),
        ({"type": "enumeration", "values": ["email", "Email."]}, "values"),
        ({"type": "enumeration", "values": ["email", " "]}, "values"),
        ({"type": "text", "values": ["email"]}, "values"),
        ({"type": "list", "of": "text", "values": ["email"]}, "values"),
        ({"type": "list", "of": "enumeration"}, "values"),
        ({"type": "list"}, "of"),
        ({"type": "text", "of": "text"}, "of"),
        ({"type": "list", "of": "list"}, "of"),
        ({"type": "text", "semantic": True}, "semantic"),
        ({"type": "list", "of": "text", "semantic": True}, "semantic"),
        ({"type": "colour"}, "type"),
        ({"type": "text", "unit": "km"}, "unit"),
    ],
)
def test_what_it_may_not_is_refused_by_name(said: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        ValueSpec.model_validate(said)


def test_a_spec_is_not_changed() -> None:
    with pytest.raises(ValidationError):
        ValueSpec().semantic = True  # pyright: ignore[reportAttributeAccessIssue]
