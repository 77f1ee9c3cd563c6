"""Filters mean what they say: SQL and Python agree on every one of them, and what means nothing is refused."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.facts import Status
from models.memories import MAX_CONDITIONS, MAX_DEPTH, FilterField, Operator
from tests.http.conftest import Asking, Founding
from tests.http.library import Shelved, fill, librarian, passes, shelved
from tests.world import STAGING, event

INSTANTS = {"valid_from", "recorded_at"}


class Library(NamedTuple):
    """A tenant with memories of every kind; `statuses` tells those of each instant of `as_of`, by id."""

    asking: Asking
    memories: list[Shelved]
    as_of: dict[str, dict[str, str]]

    async def listed(self, **query: Any) -> list[dict[str, Any]]:
        """Memories that pass a query."""
        body = {"scope": STAGING, "limit": 200, **query}
        page = await self.asking.post(librarian(self.asking), "/v1/memories/query", body)
        assert page["next"] is None
        return list(page["memories"])


@pytest.fixture(scope="module")
async def library(found: Founding) -> Library:
    asking = await found()
    await fill(asking)
    empty = Library(asking, [], {})
    everything = await empty.listed()
    # The instants at which something begins or ends, and those just before.
    edges = {
        each[name]
        for each in everything
        for name in ("valid_from", "expires_at", "ended_at")
        if each.get(name)
    }
    exact = [datetime.fromisoformat(edge) for edge in edges] + [datetime.now(UTC)]
    instants = [
        (each - before).isoformat() for each in exact for before in (timedelta(0), timedelta(microseconds=1))
    ]
    as_of = {
        instant: {each["id"]: each.get("status", "active") for each in await empty.listed(as_of=instant)}
        for instant in instants
    }
    return Library(asking, await shelved(asking, everything), as_of)


def test_there_is_something_of_everything(library: Library) -> None:
    """Or the property below would say little."""
    assert {status for statuses in library.as_of.values() for status in statuses.values()} == set(Status)
    for field in ("kind", "attribute", "authority", "standing", "execution_status", "goal_outcome"):
        assert len({getattr(memory, field) for memory in library.memories}) > 1, field
    assert {memory.entity is None for memory in library.memories if memory.kind == "fact"} == {True, False}
    assert {memory.entity is None for memory in library.memories if memory.kind == "episode"} == {True, False}
    assert len(library.memories) == len({memory.id for memory in library.memories}) > 14


VALUES: dict[str, list[str]] = {
    "kind": ["fact", "episode"],
    "status": list(Status),
    "attribute": ["owner", "preference", "lifecycle_policy", "standing_instruction", "uses", "%", ""],
    "entity": [
        "cloud-instance:i-1",
        "gpu-bench-01",
        "db-1",
        "db-2",
        "db-4",
        "nothing of the kind",
        "thing:0",
    ],
    "authority": [
        "untrusted",
        "model_inferred",
        "human_instruction",
        "verified_outcome",
        "authoritative_source",
    ],
    "standing": ["inferred", "observed", "confirmed"],
    "execution_status": ["completed", "failed", "unresolved"],
    "goal_outcome": ["achieved", "not_achieved", "unknown"],
}


@st.composite
def conditions(draw: st.DrawFn, memories: list[Shelved]) -> dict[str, Any]:
    """Any condition that means something, on values that are there and on others."""
    field = draw(st.sampled_from([each.value for each in FilterField]))
    if field in INSTANTS:
        there = st.sampled_from([getattr(memory, field) for memory in memories])
        near = st.sampled_from([timedelta(0), timedelta(microseconds=1), timedelta(microseconds=-1)])
        value = (draw(there) + draw(near)).isoformat()
        return {"field": field, "op": draw(st.sampled_from(["lt", "lte", "gt", "gte"])), "value": value}
    known = st.sampled_from(VALUES[field])
    operator = draw(st.sampled_from(["eq", "ne", "in"]))
    value = draw(st.lists(known, min_size=1, max_size=3)) if operator == "in" else draw(known)
    return {"field": field, "op": operator, "value": value}


def filters(memories: list[Shelved]) -> st.SearchStrategy[dict[str, Any]]:
    """Conditions, nested in each other by all, any and not."""
    return st.recursive(
        conditions(memories),
        lambda inner: st.one_of(
            st.builds(lambda parts: {"all": parts}, st.lists(inner, min_size=1, max_size=3)),
            st.builds(lambda parts: {"any": parts}, st.lists(inner, min_size=1, max_size=3)),
            st.builds(lambda part: {"not": part}, inner),
        ),
        max_leaves=8,
    ).filter(lambda wanted: depth(wanted) <= MAX_DEPTH)


def depth(wanted: dict[str, Any]) -> int:
    parts = wanted.get("all") or wanted.get("any") or ([wanted["not"]] if "not" in wanted else [])
    return 1 + max((depth(each) for each in parts), default=0)


@pytest.mark.parametrize("status", list(Status))
async def test_a_status_begins_and_ends_at_its_instant(library: Library, status: str) -> None:
    """To the microsecond, in SQL as in Python."""
    for as_of, statuses in library.as_of.items():
        listed = await library.listed(filter={"field": "status", "op": "eq", "value": status}, as_of=as_of)
        assert {each["id"] for each in listed} == {
            each for each, held in statuses.items() if held == status
        }, as_of


@given(data=st.data())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_filter_lets_through_what_it_says(library: Library, data: st.DataObject) -> None:
    """The answer of SQL is that of Python over the same memories, at every instant."""
    wanted = data.draw(filters(library.memories))
    as_of = data.draw(st.sampled_from(sorted(library.as_of)))
    statuses = library.as_of[as_of]
    listed = await library.listed(filter=wanted, as_of=as_of)
    expected = [memory.id for memory in library.memories if passes(wanted, memory, statuses[memory.id])]
    assert [each["id"] for each in listed] == expected
    assert [each["id"] for each in listed if each.get("status", "active") != statuses[each["id"]]] == []
    refused = {each["id"] for each in await library.listed(filter={"not": wanted}, as_of=as_of)}
    assert refused == {memory.id for memory in library.memories} - set(expected)


@pytest.mark.parametrize("field", [each.value for each in FilterField])
@pytest.mark.parametrize("operator", [each.value for each in Operator])
async def test_each_field_is_compared_by_its_own_operators(
    library: Library, field: str, operator: str
) -> None:
    value: Any = "2026-03-02T09:00:00Z" if field in INSTANTS else VALUES[field][0]
    value = [value] if operator == "in" else value
    wanted = {"field": field, "op": operator, "value": value}
    as_of = max(library.as_of)
    answer = await library.asking.ask(
        librarian(library.asking),
        "POST",
        "/v1/memories/query",
        {"scope": STAGING, "filter": wanted, "as_of": as_of},
    )
    if (operator in {"lt", "lte", "gt", "gte"}) != (field in INSTANTS):
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")
        return
    statuses = library.as_of[as_of]
    expected = [memory.id for memory in library.memories if passes(wanted, memory, statuses[memory.id])]
    assert [each["id"] for each in answer.json()["memories"]] == expected


def condition(field: str = "kind", op: str = "eq", value: Any = "fact", **more: Any) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value, **more}


def nested(levels: int, by: str) -> dict[str, Any]:
    wanted = condition()
    for _ in range(levels - 1):
        wanted = {by: wanted if by == "not" else [wanted]}
    return wanted


MEANINGLESS: dict[str, Any] = {
    "empty": {},
    "a list": [condition()],
    "a text": "kind = fact",
    "an unknown field": condition(field="subject"),
    "a field of the store": condition(field="tenant_id"),
    "a path": condition(field="entity.name"),
    "an unknown operator": condition(op="like"),
    "an operator of another": condition(op="$ne"),
    "an operator in capitals": condition(op="EQ"),
    "an unknown value": condition(value="procedure"),
    "a value in capitals": condition(value="FACT"),
    "an unknown status": condition("status", value="deleted"),
    "an unknown authority": condition("authority", value="god"),
    "authority as a number": condition("authority", value="3"),
    "a number": condition("attribute", value=7),
    "null": condition("attribute", value=None),
    "truth": condition("attribute", value=True),
    "an object": condition("attribute", value={"eq": "owner"}),
    "a list without in": condition("attribute", value=["owner"]),
    "in without a list": condition("attribute", "in", "owner"),
    "in with an empty list": condition("attribute", "in", []),
    "in with a number": condition("attribute", "in", ["owner", 7]),
    "in with null": condition("attribute", "in", [None]),
    "in with too many": condition("attribute", "in", [str(n) for n in range(101)]),
    "in with one that is unknown": condition("status", "in", ["active", "deleted"]),
    "an instant without an offset": condition("valid_from", "lt", "2026-03-02T09:00:00"),
    "a date": condition("valid_from", "lt", "2026-03-02"),
    "a week": condition("valid_from", "lt", "2026-W10-1"),
    "no date at all": condition("valid_from", "lt", "2026-13-45T00:00:00Z"),
    "seconds": condition("valid_from", "lt", "1772442000"),
    "a list of instants": condition("valid_from", "lt", ["2026-03-02T09:00:00Z"]),
    "an instant beyond all": condition("valid_from", "lt", "9999-12-31T23:59:59.999999Z"),
    "a surplus field": condition(case="insensitive"),
    "without an operator": {"field": "kind", "value": "fact"},
    "without a value": {"field": "kind", "op": "eq"},
    "all of nothing": {"all": []},
    "any of nothing": {"any": []},
    "all of null": {"all": None},
    "all of an object": {"all": condition()},
    "not of a list": {"not": [condition()]},
    "not of nothing": {"not": {}},
    "not by another name": {"negated": condition()},
    "not twice": {"not": condition(), "negated": condition()},
    "all and any": {"all": [condition()], "any": [condition()]},
    "all and a condition": {"all": [condition()], **condition()},
    "an empty part": {"all": [condition(), {}]},
    "a wrong part, deep": {"any": [condition(), {"not": {"all": [condition(op="like")]}}]},
    "too deep by not": nested(MAX_DEPTH + 1, "not"),
    "too deep by all": nested(MAX_DEPTH + 1, "all"),
    "far too deep": nested(400, "any"),
    "too many": {"any": [{"all": [condition()] * 26}, {"all": [condition()] * 25}]},
    "too many at once": {"any": [condition()] * (MAX_CONDITIONS + 1)},
}


@pytest.mark.parametrize("kind", MEANINGLESS)
async def test_a_filter_that_means_nothing_is_refused(library: Library, kind: str) -> None:
    """It never turns into one that lets everything through."""
    body = {"scope": STAGING, "filter": MEANINGLESS[kind]}
    answer = await library.asking.ask(librarian(library.asking), "POST", "/v1/memories/query", body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input"), answer.text
    assert answer.json()["field"].split(".")[0] == "filter"


async def test_the_largest_filter_is_read(library: Library) -> None:
    for wanted in (
        nested(MAX_DEPTH, "not"),
        nested(MAX_DEPTH, "all"),
        {"any": [condition(value="episode")] * 49 + [condition()]},
        condition("attribute", "in", [str(number) for number in range(99)] + ["owner"]),
    ):
        assert await library.listed(filter=wanted) != []


async def test_a_name_of_several_things_is_refused(asking: Asking) -> None:
    """Whichever of them was meant, the list would be of another."""
    world = asking.world
    for canonical in ("person:1", "person:2"):
        mention = {"id": canonical, "name": "John"}
        told = event(activity_id=canonical, type="milestone", text="met John", entities=[mention])
        await world.digest(await world.publish(world.lead, told))
    for wanted in (condition("entity", value="john"), {"not": condition("entity", "in", ["db-1", "JOHN"])}):
        answer = await asking.ask(
            world.lead, "POST", "/v1/memories/query", {"scope": STAGING, "filter": wanted}
        )
        assert (answer.status_code, answer.json()["field"]) == (422, "filter")
    page = await asking.post(
        world.lead, "/v1/memories/query", {"scope": STAGING, "filter": condition("entity", value="person:1")}
    )
    assert [each["activity_id"] for each in page["memories"]] == ["person:1"]
