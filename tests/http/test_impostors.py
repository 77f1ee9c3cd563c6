"""Nobody is somebody else by saying so: what a body tells of its author is refused, and never acts."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import text

from tests.http.conftest import Asking
from tests.http.country import nowhere
from tests.http.routes import ROUTES
from tests.world import STAGING, event

AUTHORS: dict[str, Any] = {
    "subject": "root",
    "roles": ["admin"],
    "tenant": "other",
    "tenant_id": "00000000-0000-0000-0000-000000000000",
    "principal": {"subject": "root", "kind": "human", "roles": ["admin"]},
    "authority": "authoritative_source",
    "authority_role": "infra_lead",
    "speaker": {"subject": "qa-pipeline", "kind": "system"},
    "subject_kind": "system",
    "kind": "system",
    "standing": "verified",
    "admission": "admitted",
    "recorded_at": "2026-03-02T09:00:00Z",
    "id": "00000000-0000-0000-0000-000000000000",
    "seq": 1,
    "within": {},
    "only": ["administer"],
}
"""What a body might claim, as the wire or the store would call it."""
MEANT = {"POST /v1/keys": {"subject", "kind", "roles", "within", "only"}}
"""What a body may name: for whom a key is made, which an administrator decides."""
BODIES = sorted(name for name, route in ROUTES.items() if route.body is not None)


def smuggled(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The bodies of a route with one claim more, at each place where there is an object to put it."""
    body = ROUTES[name].body
    assert body is not None
    for field, value in AUTHORS.items():
        if field in MEANT.get(name, ()):
            continue
        yield field, {**body(nowhere(STAGING)), field: value}
        if name == "POST /v1/events/batch":
            yield field, {"events": [event(), {**event(), field: value}]}
        if name == "POST /v1/events":
            claims = {"attribute": "owner", "value": "Ana", field: value}
            yield field, event(data={"candidates": [claims]})
            if field != "id":
                yield field, event(entities=[{"name": "db-1", field: value}])


async def count(asking: Asking, table: str) -> int:
    async with asking.world.database.transaction(asking.world.lead.tenant_id) as work:
        row = await work.row(text(f"SELECT count(*) AS n FROM {table}"))
    assert row is not None
    return int(row.n)


@pytest.mark.parametrize("name", BODIES)
async def test_a_body_that_says_who_speaks_is_refused(asking: Asking, name: str) -> None:
    """Before anything else is looked at: the records of these calls do not exist."""
    administers = "/keys" in name or "/policy" in name
    who = asking.admin if administers else asking.world.principal("olga", asking.admin.kind, "operator")
    token = await asking.token_of(who)
    keys = await count(asking, "api_keys")
    path = ROUTES[name].path(name, nowhere(STAGING))
    for field, body in smuggled(name):
        answer = await asking.ask(token, name.split(" ", maxsplit=1)[0], path, body)
        problem = answer.json()
        assert (answer.status_code, problem["code"]) == (422, "invalid_input"), (field, answer.text)
        assert problem["field"].rsplit(".", 1)[-1] in {field, "events"}
    assert await count(asking, "events") == 0
    assert await count(asking, "api_keys") == keys


async def test_what_is_free_to_hold_anything_decides_nothing(asking: Asking) -> None:
    """The data of an event may say what it likes: the speaker is who holds the key."""
    world = asking.world
    data = {**AUTHORS, "effect": "read"}
    told = await asking.post(
        world.agent,
        "/v1/events",
        event(type="correction", text="Keep db-1 running until the audit.", data=data),
    )
    await world.digest(await world.publish(world.agent, event(type="milestone")))
    async with world.database.transaction(world.lead.tenant_id) as work:
        row = await work.row(
            text("SELECT subject, subject_kind, roles, authority, data FROM events WHERE id = :id"),
            {"id": told["event_id"]},
        )
    assert row is not None
    assert (row.subject, row.subject_kind, row.roles) == ("ops-agent", "agent", ["agent"])
    assert row.data == data
    verdict = await asking.get(world.lead, f"/v1/events/{told['event_id']}/verdict")
    assert {each["verdict"] for each in verdict["decisions"]} <= {
        "hold_unverified",
        "keep_as_evidence",
        "discard",
    }
    listed = await asking.post(world.lead, "/v1/memories/query", {"scope": STAGING})
    facts = [each for each in listed["memories"] if each["kind"] == "fact"]
    assert {each["authority"] for each in facts} <= {"model_inferred"}


async def test_a_key_for_somebody_is_no_word_of_the_maker(asking: Asking) -> None:
    """An administrator may make a key for anybody, and the list says by whom it may be used, not who made it."""
    body = {"name": "bot", "subject": "bot", "kind": "agent", "roles": ["agent"]}
    made = await asking.post(asking.admin, "/v1/keys", body)
    assert (made["key"]["subject"], made["key"]["roles"]) == ("bot", ["agent"])
    told = await asking.get(made["token"], "/v1/principal")
    assert (told["subject"], told["kind"], told["roles"]) == ("bot", "agent", ["agent"])
    answer = await asking.ask(made["token"], "POST", "/v1/keys", {**body, "name": "mine", "roles": ["admin"]})
    assert (answer.status_code, answer.json()["code"]) == (403, "not_permitted")
