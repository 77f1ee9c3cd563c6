"""Queries for memories: filters that mean what they say or are refused, and cursors that belong to their query."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from models.errors import InvalidInput
from models.memories import (
    MAX_CONDITIONS,
    MAX_DEPTH,
    Condition,
    MemoryQuery,
    Position,
    conditions_of,
    cursor_after,
    position_of,
)
from tests.pure.samples import START, named

SCOPE = {"workspace": "a"}
FACTS = {"field": "kind", "op": "eq", "value": "fact"}
INSTANTS = st.datetimes(timezones=st.just(UTC)).filter(lambda instant: 1 < instant.year < 9999)


def query(**fields: Any) -> MemoryQuery:
    return MemoryQuery.model_validate({"scope": SCOPE, **fields})


def nested(levels: int, by: str) -> dict[str, Any]:
    wanted: dict[str, Any] = FACTS
    for _ in range(levels - 1):
        wanted = {by: wanted if by == "not" else [wanted]}
    return wanted


@given(INSTANTS, st.uuids(), INSTANTS)
def test_a_cursor_is_read_as_it_was_written(recorded_at: datetime, identity: UUID, as_of: datetime) -> None:
    asked = query(filter=FACTS)
    position = Position(recorded_at, identity, as_of)
    cursor = cursor_after(asked, position)
    assert position_of(query(filter=FACTS, cursor=cursor)) == position
    assert position_of(query(filter=FACTS, cursor=cursor, limit=7)) == position
    assert cursor.isascii()
    assert len(cursor) <= 500


def test_no_cursor_is_the_beginning() -> None:
    assert position_of(query()) is None


@pytest.mark.parametrize(
    "other",
    [
        {"scope": {"workspace": "b"}},
        {"scope": {**SCOPE, "project": "p"}},
        {"filter": None},
        {"filter": {**FACTS, "value": "episode"}},
        {"filter": {"not": {"not": FACTS}}},
        {"filter": {"all": [FACTS]}},
        {"as_of": "2026-03-02T09:00:00Z"},
    ],
)
def test_a_cursor_belongs_to_its_query(other: dict[str, Any]) -> None:
    cursor = cursor_after(query(filter=FACTS), Position(START, named("x"), START))
    with pytest.raises(InvalidInput, match="another query") as refused:
        position_of(query(**{"filter": FACTS, **other}, cursor=cursor))
    assert refused.value.field == "cursor"


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize(
    "value", [None, "", "x", 7, [], {}, True, "2026-03-02T09:00:00", "9999-12-31T23:59:59-10:00"]
)
def test_a_cursor_with_a_wrong_part_is_refused(part: int, value: Any) -> None:
    parts: list[Any] = [query().digest, START.isoformat(), str(named("x")), START.isoformat()]
    parts[part] = value
    for wrong in (parts, parts[:part], [*parts, value]):
        cursor = base64.urlsafe_b64encode(json.dumps(wrong).encode()).decode().rstrip("=")
        with pytest.raises(InvalidInput) as refused:
            position_of(query(cursor=cursor))
        assert refused.value.field == "cursor"


@given(st.text(max_size=500))
def test_no_text_is_a_cursor_by_chance(text: str) -> None:
    with pytest.raises((InvalidInput, ValidationError)):
        position_of(query(cursor=text))


@given(st.binary(max_size=300))
def test_no_bytes_are_a_cursor_by_chance(content: bytes) -> None:
    with pytest.raises(InvalidInput):
        position_of(query(cursor=base64.urlsafe_b64encode(content).decode()))


@pytest.mark.parametrize(
    ("field", "operators", "sound", "odd"),
    [
        ("kind", "eq ne in", "fact", "facts"),
        ("status", "eq ne in", "active", "ACTIVE"),
        ("attribute", "eq ne in", "owner", None),
        ("entity", "eq ne in", "db-1", None),
        ("authority", "eq ne in", "untrusted", "0"),
        ("standing", "eq ne in", "observed", ""),
        ("execution_status", "eq ne in", "failed", "none"),
        ("goal_outcome", "eq ne in", "unknown", "?"),
        ("valid_from", "lt lte gt gte", "2026-03-02T09:00:00Z", "2026-03-02"),
        ("recorded_at", "lt lte gt gte", "2026-03-02T09:00:00+01:00", "1772442000"),
    ],
)
def test_each_field_knows_its_operators_and_values(
    field: str, operators: str, sound: str, odd: str | None
) -> None:
    for operator in ("eq", "ne", "in", "lt", "lte", "gt", "gte"):
        value: Any = [sound] if operator == "in" else sound
        body = {"field": field, "op": operator, "value": value}
        if operator in operators.split():
            assert Condition.model_validate(body).values == (sound,)
            wrongs: list[Any] = [sound if operator == "in" else [sound], None, 7, {}, [], [sound, None]]
            wrongs += [] if odd is None else [[odd] if operator == "in" else odd]
            for wrong in wrongs:
                with pytest.raises(ValidationError):
                    Condition.model_validate({**body, "value": wrong})
        else:
            with pytest.raises(ValidationError, match=r"cannot be compared|takes"):
                Condition.model_validate(body)


@pytest.mark.parametrize(
    "odd",
    ["2026-ZEBRA", "2026-03-02 ZEBRA", "2026-13-45T00:00:00Z", "2026-03-02T09:00:00ZEBRA", "9999-12-31"],
)
def test_no_complaint_about_an_instant_quotes_it(odd: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Condition.model_validate({"field": "valid_from", "op": "lt", "value": odd})
    assert [each["msg"] for each in refused.value.errors() if odd in each["msg"]] == []


def test_an_instant_is_compared_in_utc() -> None:
    condition = Condition.model_validate(
        {"field": "valid_from", "op": "lt", "value": "2026-03-02T10:30:00+01:30"}
    )
    assert condition.instant == START
    assert condition.instant.utcoffset() == timedelta(0)


def test_a_filter_has_a_bearable_size() -> None:
    for by in ("all", "any", "not"):
        asked = query(filter=nested(MAX_DEPTH, by))
        assert asked.filter is not None
        assert len(list(conditions_of(asked.filter))) == 1
        with pytest.raises(ValidationError, match="nested deeper"):
            query(filter=nested(MAX_DEPTH + 1, by))
    half = {"all": [FACTS] * (MAX_CONDITIONS // 2)}
    assert query(filter={"any": [half, half]}).filter is not None
    for wide in ({"any": [half, half, FACTS]}, {"any": [FACTS] * (MAX_CONDITIONS + 1)}, {"all": []}):
        with pytest.raises(ValidationError):
            query(filter=wide)


def test_a_query_is_told_as_it_was_asked() -> None:
    wanted = {
        "all": [FACTS, {"not": {"any": [{"field": "attribute", "op": "in", "value": ["owner", "uses"]}]}}]
    }
    asked = query(filter=wanted, as_of="2026-03-02T10:00:00+01:00")
    told = asked.model_dump(mode="json", by_alias=True)
    assert told["filter"] == wanted
    assert MemoryQuery.model_validate(told) == asked
    assert asked.as_of == START
    assert MemoryQuery.model_validate(told).digest == asked.digest


@pytest.mark.parametrize("limit", [0, -1, 201, "5", True, None, 5.5, [5]])
def test_a_page_has_a_length(limit: Any) -> None:
    with pytest.raises(ValidationError):
        query(limit=limit)
    assert query(limit=5.0).limit == 5
