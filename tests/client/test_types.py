"""What the client refuses to send, and what it reads that it does not know."""

import json
import traceback
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from keepwell import (
    AllOf,
    AnyOf,
    Condition,
    EntityMention,
    MemoryQuery,
    NewEvent,
    NotThis,
    RecallRequest,
    Statement,
)
from keepwell.types import FactTold, Memory, Recalled, StatementOutcome
from pydantic import TypeAdapter, ValidationError

from tests.client.answers import AT, fact, outcome, recalled

SECRET = "the launch code is 0000"
NAIVE = datetime(2026, 3, 2, 9)  # noqa: DTZ001 - that is what must be refused


def event(**changed: Any) -> NewEvent:
    fields = {"activity_id": "act-1", "type": "note", "scope": {"workspace": "staging"}, "occurred_at": AT}
    return NewEvent(**{**fields, **changed})


@pytest.mark.parametrize(
    ("shape", "field"),
    [
        (event, "occurred_at"),
        (lambda **said: RecallRequest(scope={}, **said), "as_of"),
        (lambda **said: MemoryQuery(scope={}, **said), "as_of"),
        (lambda **said: Statement(scope={}, attribute="a", value="b", **said), "expires_at"),
        (lambda **said: Statement(scope={}, attribute="a", value="b", **said), "valid_from"),
        (lambda **said: Statement(scope={}, attribute="a", value="b", **said), "occurred_at"),
    ],
)
@pytest.mark.parametrize("said", [NAIVE, "2026-03-02T09:00:00"])
def test_a_naive_instant_is_refused(shape: Any, field: str, said: object) -> None:
    with pytest.raises(ValidationError, match="without a zone; add an offset such as Z"):
        shape(**{field: said})


@pytest.mark.parametrize("said", [1_767_225_600, "20270101", 1.5, date(2026, 3, 2), True])
def test_a_number_is_no_instant(said: object) -> None:
    with pytest.raises(ValidationError, match="give an ISO 8601 instant with an offset"):
        event(occurred_at=said)


def test_an_instant_is_kept_in_utc() -> None:
    said = datetime(2026, 3, 2, 10, tzinfo=timezone(timedelta(hours=1)))
    assert event(occurred_at=said).occurred_at == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert json.loads(event(occurred_at=said).as_json())["occurred_at"] == "2026-03-02T09:00:00Z"


def test_a_mention_may_be_a_mere_text() -> None:
    said = event(entities=["gpu-bench-01", "service:checkout-api", "so \ud83d"])
    assert said.entities == (
        EntityMention(name="gpu-bench-01"),
        EntityMention(id="service:checkout-api"),
        EntityMention(name="so �"),
    )
    assert json.loads(said.as_json())["entities"][:2] == [
        {"name": "gpu-bench-01"},
        {"id": "service:checkout-api"},
    ]
    assert EntityMention.model_validate("db-1") == EntityMention(name="db-1")


def test_what_nobody_would_read_is_refused() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        event(tags=["a"])
    with pytest.raises(ValidationError, match="'note'"):
        event(type="notes")


def test_a_refusal_quotes_nothing() -> None:
    with pytest.raises(ValidationError) as caught:
        event(text={"secret": SECRET}, entities=[{"id": SECRET}])
    assert SECRET not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}, b"bytes"])
def test_data_is_json(value: object) -> None:
    with pytest.raises(ValidationError, match="JSON cannot carry"):
        event(data={"deep": [{"down": value}]})


def test_only_what_was_said_is_sent() -> None:
    said = json.loads(event(text="Hello.", data={"empty": None}).as_json())
    assert said == {
        "activity_id": "act-1",
        "type": "note",
        "scope": {"workspace": "staging"},
        "occurred_at": "2026-03-02T09:00:00Z",
        "text": "Hello.",
        "data": {"empty": None},
    }


def test_words_that_were_cut_in_the_middle_of_a_character_are_sent() -> None:
    cut = event(
        text="so \ud83d",
        entities=(EntityMention(name="\ud83d x"),),
        data={"deep": ["\ud83d"]},
        activity_id="a",
    )
    said = json.loads(cut.as_json())
    assert said["text"] == "so �"
    assert said["entities"] == [{"name": "� x"}]
    assert RecallRequest(scope={}, query="\ud83d", entities=("\ud83d",)).query == "�"


def test_a_filter_has_the_shape_of_the_wire() -> None:
    facts = Condition(field="kind", op="eq", value="fact")
    ended = Condition(field="status", op="in", value=["retired", "superseded"])
    query = MemoryQuery(scope={}, filter=AllOf(all=[facts, NotThis(negated=AnyOf(any=[ended]))]))
    wire = {"all": [facts.model_dump(), {"not": {"any": [ended.model_dump()]}}]}
    assert json.loads(query.as_json())["filter"] == wire
    assert MemoryQuery.model_validate({"scope": {}, "filter": wire}) == query


def test_answers_of_a_newer_service_are_read() -> None:
    told = outcome("a_verdict_of_tomorrow") | {"explained": "at length"}
    assert StatementOutcome.model_validate(told).verdict == "a_verdict_of_tomorrow"
    assert Recalled.model_validate(recalled() | {"advice": "wait"}).advice == "wait"
    read: Memory = TypeAdapter[Memory](Memory).validate_python(fact(status="dormant", mood="calm"))
    assert isinstance(read, FactTold)
    assert read.status == "dormant"
    assert not hasattr(read, "mood")


def test_the_schema_names_the_words_that_are_known() -> None:
    status = FactTold.model_json_schema()["properties"]["status"]
    assert "active" in status["enum"]
    assert status["type"] == "string"
