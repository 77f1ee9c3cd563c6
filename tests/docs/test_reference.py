"""The API's reference is made from the code, and is what the code says now."""

import re
from pathlib import Path

from models.events import NewEvent
from models.recall import RecallRequest
from surfaces.http.application import described
from surfaces.http.reference import reference

PAGE = Path(__file__).resolve().parents[2] / "docs/api.md"


def test_the_reference_is_up_to_date() -> None:
    """Made anew by `make docs`."""
    assert PAGE.read_text("utf-8") == reference(described().openapi())


def test_every_route_and_shape_is_in_it() -> None:
    document = described().openapi()
    page = PAGE.read_text("utf-8")
    for path, methods in document["paths"].items():
        for method in methods:
            assert f"## {method.upper()} {path}\n" in page
    for name in document["components"]["schemas"]:
        assert f"### {name}\n" in page


def test_fields_are_told_with_their_defaults_and_bounds() -> None:
    page = PAGE.read_text("utf-8")
    for line in (
        "| `limit` | integer |  | `10` | 1 to 100 |",
        '| `query` | string |  | `""` | at most 20000 characters |',
        "| `idempotency_key` | string or null |  | `null` | 1 to 200 characters |",
        "| `events` | list of [NewEvent](#newevent) | yes |  | 1 to 1000 items |",
        r"| `name` | string | yes |  | 1 to 100 characters, `^[^\x00-\x1f\x7f-\x9f]+$` |",
    ):
        assert f"{line}\n" in page
    shape = {
        "anyOf": [{"type": "string", "pattern": "a|b", "minLength": 2}, {"type": "null"}],
        "default": "a",
    }
    document = {"paths": {}, "components": {"schemas": {"One": {"properties": {"of": shape}}}}}
    assert r'| `of` | string or null |  | `"a"` | at least 2 characters, `a\|b` |' in reference(document)


def test_every_problem_is_told_once() -> None:
    told = re.findall(r"^\| (\d{3}) \| ", PAGE.read_text("utf-8"), re.MULTILINE)
    assert told == sorted(set(told))
    documented = {
        status
        for methods in described().openapi()["paths"].values()
        for operation in methods.values()
        for status, answer in operation["responses"].items()
        if "application/problem+json" in answer.get("content", {})
    }
    # The others are answered before any route is found.
    assert set(told) == documented | {"400", "405", "431"}


def test_the_example_is_one() -> None:
    sent = re.findall(
        r'^curl "\$URL(\S+)" [^\n]* -d \'(.*?)\'$', PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert [path for path, _ in sent] == ["/v1/events", "/v1/recall"]
    NewEvent.model_validate_json(sent[0][1])
    RecallRequest.model_validate_json(sent[1][1])
