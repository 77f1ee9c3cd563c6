"""The client speaks as the service does: every shape and every route of the OpenAPI document is one of its own."""

import re
from typing import Any

import keepwell.types
import pytest
from keepwell.types import Request
from pydantic import BaseModel

from surfaces.http.application import described
from tests.client.test_calls import CALLS

DOCUMENT: dict[str, Any] = described().openapi()
COMPONENTS: dict[str, Any] = DOCUMENT["components"]["schemas"]
SHAPES = sorted(name for name, schema in COMPONENTS.items() if "properties" in schema)
ELSEWHERE = {
    ("POST", "/v1/events"),
    ("POST", "/v1/events/batch"),
    ("GET", "/v1/stream"),
    ("GET", "/v1/inbox/stream"),
}
"""Routes whose calls are tested in ways of their own. The client takes an inbox by long poll."""


def plain(part: Any, named: dict[str, Any]) -> Any:
    """A schema without titles and descriptions. A set of words is told in place, whatever its name."""
    if isinstance(part, list):
        return [plain(each, named) for each in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        if "enum" not in named[name]:
            return name
        beside = {key: value for key, value in part.items() if key == "default"}
        return {**plain(named[name], named), **beside}
    # The discriminator's mapping repeats the references beside it.
    left_out = {"title", "description", "discriminator", "$defs"}
    kept = {key: plain(value, named) for key, value in part.items() if key not in left_out}
    if "const" in kept:
        # A set of one word may be told either way.
        kept["enum"] = [kept.pop("const")]
    if isinstance(part.get("properties"), dict):
        kept["properties"] = {name: plain(value, named) for name, value in part["properties"].items()}
    return kept


def shape_of(model: type[BaseModel]) -> Any:
    """The schema of what is sent or of what is read."""
    schema = model.model_json_schema(mode="validation" if issubclass(model, Request) else "serialization")
    named = schema.get("$defs", {})
    # A shape that can hold itself stands among its own parts.
    return plain(named.get(model.__name__, schema), named)


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_is_that_of_the_service(name: str) -> None:
    assert shape_of(getattr(keepwell.types, name)) == plain(COMPONENTS[name], COMPONENTS)


def test_every_route_has_a_call() -> None:
    routes = {
        (method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods
    } - ELSEWHERE
    called = {(method, path.partition("?")[0]) for _, (method, path), _, _ in CALLS}
    for method, path in routes:
        pattern = re.sub(r"\{\w+_id\}", "[0-9a-f-]{36}", path).replace("{class_name}", r"\w+")
        assert any(method == each and re.fullmatch(pattern, at) for each, at in called), (method, path)


def test_a_difference_is_seen() -> None:
    class Statement(Request):
        mood: str | None = None

    assert len(SHAPES) > 30
    assert shape_of(Statement) != plain(COMPONENTS["Statement"], COMPONENTS)
