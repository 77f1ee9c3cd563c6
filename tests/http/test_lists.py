"""Lists page by page: each memory once, whatever else happens meanwhile, and no cursor for another's list."""

import base64
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from models.authority import Authority
from models.principals import PrincipalKind
from models.scope import Scope
from tests.http.conftest import Asking
from tests.http.library import librarian
from tests.world import STAGING, World, event

MANY = 1_001  # 7 x 11 x 13

_FILL = text(
    """
    WITH keys AS (
        INSERT INTO fact_keys (tenant_id, id, scope_key, scope, attribute, value_key)
        SELECT :tenant, gen_random_uuid(), :scope_key, CAST(:scope AS jsonb), 'preference', 'tea ' || n
        FROM generate_series(1, CAST(:many AS int)) AS n RETURNING id, value_key
    ), made AS (
        INSERT INTO facts (tenant_id, id, key_id, scope_key, admission, value, valid_from, stated_at, restated_at,
            authority, standing, statement)
        SELECT :tenant, gen_random_uuid(), id, :scope_key, 'admitted', value_key, now(), now(), now(), :authority,
            'observed', value_key
        FROM keys RETURNING id
    ), parents AS (
        INSERT INTO lineage (tenant_id, child_id, child_kind, parent_id, parent_kind)
        SELECT :tenant, id, 'fact', :event, 'event' FROM made
    ), begun AS (
        INSERT INTO transitions (tenant_id, record_kind, record_id, to_status, rule, reason, actor, effective_at)
        SELECT :tenant, 'fact', id, 'active', 'establish', 'test', 'test', now() FROM made
    )
    SELECT id FROM made
    """
)


async def shelve(world: World, many: int) -> set[UUID]:
    """So many facts, recorded at one instant by one transaction."""
    [receipt] = await world.publish(world.lead, event(text="tea"))
    values = {
        "tenant": world.lead.tenant_id,
        "scope_key": Scope(STAGING).key,
        "scope": json.dumps(STAGING),
        "many": many,
        "event": receipt.event_id,
        "authority": int(Authority.HUMAN_INSTRUCTION),
    }
    async with world.database.transaction(world.lead.tenant_id) as work:
        return {row.id for row in await work.rows(_FILL, values)}


async def pages(asking: Asking, limit: int, **query: Any) -> AsyncIterator[dict[str, Any]]:
    """The pages of a query, one after the other."""
    cursor = None
    while True:
        body = {"scope": STAGING, "limit": limit, "cursor": cursor, **query}
        page = await asking.post(asking.world.lead, "/v1/memories/query", body)
        yield page
        cursor = page["next"]
        if cursor is None:
            return


async def test_a_thousand_facts_of_one_instant_are_each_told_once(asking: Asking) -> None:
    """In one order, with pages of any length, the last of which says that it is the last."""
    made = await shelve(asking.world, MANY)
    assert len(made) == MANY
    first: list[str] = []
    for limit in (143, 200, 77):
        told = [page async for page in pages(asking, limit)]
        ids = [each["id"] for page in told for each in page["memories"]]
        assert len({each["recorded_at"] for page in told for each in page["memories"]}) == 1
        assert len(told) == -(-MANY // limit)
        assert len({page["as_of"] for page in told}) == 1
        assert (len(ids), set(map(UUID, ids))) == (MANY, made)
        assert ids == (first or ids)
        first = ids
    assert first == sorted(first, reverse=True)
    for limit, length in ((1, 1), (200, 200)):
        page = await anext(pages(asking, limit))
        assert [each["id"] for each in page["memories"]] == first[:length]
    condition = {"field": "attribute", "op": "eq", "value": "preference"}
    told = [page async for page in pages(asking, 200, filter=condition)]
    assert [each["id"] for page in told for each in page["memories"]] == first
    assert (await anext(pages(asking, 200, filter={"not": condition})))["memories"] == []


async def test_what_comes_meanwhile_moves_nothing(asking: Asking) -> None:
    """New facts between two pages are newer than all that follows; the length of a page may change as well."""
    made = await shelve(asking.world, 150)
    seen: list[str] = []
    cursor, limit = None, 10
    while True:
        body = {"scope": STAGING, "limit": limit, "cursor": cursor}
        page = await asking.post(asking.world.lead, "/v1/memories/query", body)
        seen += [each["id"] for each in page["memories"]]
        cursor = page["next"]
        if cursor is None:
            break
        await shelve(asking.world, 3)
        limit += 7
    assert (len(seen), set(map(UUID, seen))) == (150, made)


async def test_a_status_stays_as_it_was_on_the_first_page(asking: Asking) -> None:
    """Facts that end while somebody reads do not drop out of the pages that are to come."""
    lead = asking.world.lead
    stated = [
        await asking.post(
            lead,
            "/v1/memories",
            {"scope": STAGING, "entity": f"db-{n}", "attribute": "owner", "value": "Ana"},
        )
        for n in range(4)
    ]
    active = {"field": "status", "op": "eq", "value": "active"}
    told: list[str] = []
    async for page in pages(asking, 2, filter=active):
        told += [each["id"] for each in page["memories"]]
        assert [each["status"] for each in page["memories"]] == ["active", "active"]
        if len(told) == 2:
            gone = await asking.post(
                lead, f"/v1/memories/{stated[0]['memory_id']}/retract", {"text": "no more"}
            )
            assert gone["verdict"] == "retract"
    assert sorted(told) == sorted(each["memory_id"] for each in stated)
    assert len((await anext(pages(asking, 200, filter=active)))["memories"]) == 3


CURSORS: dict[str, Any] = {
    "empty": "",
    "a word": "next",
    "not ASCII": "né",
    "NUL": "a\u0000",
    "too long": "A" * 501,
    "a number": 7,
    "a list": ["x"],
    "of nothing": base64.urlsafe_b64encode(b"").decode(),
    "of null": base64.urlsafe_b64encode(b"null").decode(),
    "of a text of four": base64.urlsafe_b64encode(b'"abcd"').decode(),
    "of an object": base64.urlsafe_b64encode(b'{"a": 1, "b": 2, "c": 3, "d": 4}').decode(),
    "of numbers": base64.urlsafe_b64encode(b"[1, 2, 3, 4]").decode(),
    "of no instant": base64.urlsafe_b64encode(json.dumps(["", "x", str(uuid4()), "x"]).encode()).decode(),
    "of a naive instant": base64.urlsafe_b64encode(
        json.dumps(["", "2026-03-02T09:00:00", str(uuid4()), "2026-03-02T09:00:00"]).encode()
    ).decode(),
    "of no id": base64.urlsafe_b64encode(
        json.dumps(["", "2026-03-02T09:00:00Z", "x", "2026-03-02T09:00:00Z"]).encode()
    ).decode(),
    "of an instant beyond all": base64.urlsafe_b64encode(
        json.dumps(["", "9999-12-31T23:59:59-14:00", str(uuid4()), "2026-03-02T09:00:00Z"]).encode()
    ).decode(),
    "deep": base64.urlsafe_b64encode(b"[" * 300).decode(),
    "not UTF-8": base64.urlsafe_b64encode(b"\xff\xfe\xfd").decode(),
}


@pytest.mark.parametrize("kind", CURSORS)
async def test_a_cursor_that_is_none_of_ours_is_refused(asking: Asking, kind: str) -> None:
    body = {"scope": STAGING, "cursor": CURSORS[kind]}
    answer = await asking.ask(asking.world.lead, "POST", "/v1/memories/query", body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input"), answer.text
    assert answer.json()["field"] == "cursor"


async def test_a_cursor_belongs_to_its_query(asking: Asking) -> None:
    """Whoever asks something else with it is refused; a changed length of page is the same query."""
    await shelve(asking.world, 20)
    lead = asking.world.lead
    condition = {"field": "kind", "op": "eq", "value": "fact"}
    query = {"scope": STAGING, "filter": condition, "limit": 5, "as_of": "2999-01-01T00:00:00Z"}
    page = await asking.post(lead, "/v1/memories/query", query)
    again = {**query, "cursor": page["next"]}
    assert len((await asking.post(lead, "/v1/memories/query", {**again, "limit": 7}))["memories"]) == 7
    assert len((await asking.post(lead, "/v1/memories/query", {**again, "limit": 15}))["memories"]) == 15
    for change in (
        {"scope": {**STAGING, "project": "apollo"}},
        {"filter": None},
        {"filter": {"not": {"not": condition}}},
        {"filter": {**condition, "op": "ne"}},
        {"as_of": None},
        {"as_of": "2999-01-01T00:00:01Z"},
    ):
        answer = await asking.ask(lead, "POST", "/v1/memories/query", {**again, **change})
        assert (answer.status_code, answer.json()["field"]) == (422, "cursor"), change
    # The same instant in other words is the same query.
    told = await asking.post(lead, "/v1/memories/query", {**again, "as_of": "2999-01-01T01:00:00+01:00"})
    assert len(told["memories"]) == 5


async def test_a_cursor_opens_nothing(asking: Asking) -> None:
    """In the hands of another tenant or of somebody without the reach it shows theirs, or nothing at all."""
    await shelve(asking.world, 20)
    page = await anext(pages(asking, 5))
    body = {"scope": STAGING, "limit": 5, "cursor": page["next"]}
    other = World(asking.world.service, asking.world.database, f"{asking.world.tenant}-b")
    await other.service.add_tenant(other.lead)
    theirs = Asking(other, asking.api, None)  # type: ignore[arg-type]
    theirs._transport = asking._transport
    told = await theirs.post(other.lead, "/v1/memories/query", body)
    assert (told["memories"], told["next"]) == ([], None)
    nobody = await asking.left_over(asking.world.principal("nobody"))
    for who in (asking.world.principal("uma", PrincipalKind.HUMAN, "user"), nobody):
        answer = await asking.ask(who, "POST", "/v1/memories/query", body)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_permitted")
    # What a caller writes into a cursor of their own is a place in the list, and nothing else.
    digest, _, identity, _ = json.loads(base64.urlsafe_b64decode(page["next"] + "==="))
    forged = [digest, "9998-01-01T00:00:00+00:00", identity, "2000-01-01T00:00:00+00:00"]
    cursor = base64.urlsafe_b64encode(json.dumps(forged).encode()).decode().rstrip("=")
    told = await asking.post(
        asking.world.lead, "/v1/memories/query", {**body, "limit": 200, "cursor": cursor}
    )
    assert [each["status"] for each in told["memories"]] == ["not_yet_valid"] * 20


@pytest.mark.parametrize("limit", [0, -1, 201, 10**9, 10**400, 5.5, "5", True, None, [5]])
async def test_a_page_has_a_length(asking: Asking, limit: Any) -> None:
    body = {"scope": STAGING, "limit": limit}
    answer = await asking.ask(asking.world.lead, "POST", "/v1/memories/query", body)
    assert (answer.status_code, answer.json()["field"]) == (422, "limit")


async def test_an_instant_is_asked_for_in_one_way(asking: Asking) -> None:
    """Statuses as of then, on the list, the single memory and its history alike."""
    who = librarian(asking)
    terms = {"valid_from": "2026-03-02T09:00:00Z", "expires_at": "2026-03-05T09:00:00Z"}
    body = {"scope": STAGING, "entity": "db-1", "attribute": "owner", "value": "Ana", **terms}
    fact = (await asking.post(who, "/v1/memories", body))["memory_id"]
    for as_of, status in (
        ("2026-03-02T08:59:59.999999Z", "not_yet_valid"),
        ("2026-03-02T09:00:00Z", "active"),
        ("2026-03-05T10:59:59.999999+02:00", "active"),
        ("2026-03-05T09:00:00Z", "expired"),
        ("0001-01-01T00:00:00.000001Z", "not_yet_valid"),
        ("9999-12-31T23:59:59.999998Z", "expired"),
    ):
        [listed] = (await asking.post(who, "/v1/memories/query", {"scope": STAGING, "as_of": as_of}))[
            "memories"
        ]
        read = await asking.get(who, f"/v1/memories/{fact}", params={"as_of": as_of})
        [life] = (await asking.get(who, f"/v1/memories/{fact}/history", params={"as_of": as_of}))["lives"]
        about = {"scope": STAGING, "entity": "db-1", "as_of": as_of}
        [same] = (await asking.post(who, "/v1/history", about))["lives"]
        assert {listed["status"], read["status"], life["fact"]["status"], same["fact"]["status"]} == {status}
        recalled = await asking.post(
            who, "/v1/recall", {"scope": STAGING, "entities": ["db-1"], "as_of": as_of}
        )
        assert [each["id"] for each in recalled["facts"]] == ([fact] if status == "active" else [])
    for as_of in (
        "2026-03-02T09:00:00",
        "2026-03-02",
        "",
        "now",
        7,
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999Z",
    ):
        for path, body in (
            ("/v1/memories/query", {"scope": STAGING}),
            ("/v1/history", {"scope": STAGING, "entity": "db-1"}),
            ("/v1/recall", {"scope": STAGING}),
            (f"/v1/memories/{fact}/explain", {"scope": STAGING}),
        ):
            answer = await asking.ask(who, "POST", path, {**body, "as_of": as_of})
            assert (answer.status_code, answer.json()["field"]) == (422, "as_of"), (path, as_of)
