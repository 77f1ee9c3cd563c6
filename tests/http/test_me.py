"""Oneself over HTTP: one's own memories, the export of all that is held, and switches."""

from typing import Any

import pytest

from models.export import Export
from models.principals import PrincipalKind
from tests.http.conftest import Asking
from tests.world import STAGING

HUMAN, AGENT, _ = PrincipalKind
MINE = {"user": "ana"}


@pytest.fixture
def ana(asking: Asking) -> Any:
    return asking.world.principal("ana", HUMAN, "developer")


@pytest.fixture
def operator(asking: Asking) -> Any:
    return asking.world.principal("olga", HUMAN, "operator")


async def remember(asking: Asking, who: Any, value: str, **said: Any) -> str:
    body = {"scope": MINE, "attribute": "preference", "value": value, **said}
    told = await asking.post(who, "/v1/memories", body)
    return str(told["memory_id"])


async def test_each_control_is_obeyed_by_the_next_call(asking: Asking, ana: Any, operator: Any) -> None:
    tea = await remember(asking, operator, "tea")
    mail = await remember(asking, operator, "email", attribute="contact_channel")

    async def recalled() -> set[str]:
        asked = {"scope": MINE, "query": "tea email phone"}
        return {each["value"] for each in (await asking.post(operator, "/v1/recall", asked))["facts"]}

    assert await recalled() == {"tea", "email"}
    listed = await asking.get(ana, "/v1/me/memories")
    assert [(each["id"], each["switched_off"]) for each in listed["memories"]] == [
        (mail, False),
        (tea, False),
    ]
    assert (await asking.post(ana, f"/v1/memories/{mail}/correct", {"value": "phone"}))[
        "verdict"
    ] == "supersede"
    assert await recalled() == {"tea", "phone"}
    assert (await asking.post(ana, f"/v1/memories/{tea}/retract", {"text": "No."}))["verdict"] == "retract"
    assert await recalled() == {"phone"}

    off = await asking.ask(ana, "PUT", "/v1/me/switches/user_preference", {"state": "off"})
    assert (off.status_code, off.json()["class_name"], off.json()["state"]) == (200, "user_preference", "off")
    assert await recalled() == set()
    refused = await asking.post(
        operator, "/v1/memories", {"scope": MINE, "attribute": "preference", "value": "milk"}
    )
    assert (refused["verdict"], refused["reason"], refused["memory_id"]) == ("discard", "switched_off", None)
    listed = await asking.get(ana, "/v1/me/memories")
    assert {each["switched_off"] for each in listed["memories"]} == {True}
    document = Export.model_validate(await asking.get(ana, "/v1/me/export"))
    assert {each.value for each in document.memories} == {"tea", "email", "phone"}
    told = (await asking.get(ana, "/v1/me/switches"))["switches"]
    assert {each["class_name"] for each in told if each["state"] == "off"} == {"user_preference"}
    await asking.ask(ana, "PUT", "/v1/me/switches/user_preference", {"state": "on"})
    assert await recalled() == {"phone"}


async def test_pages_of_ones_own_memories_follow_each_other(asking: Asking, ana: Any, operator: Any) -> None:
    ids = [await remember(asking, operator, f"cup {number}") for number in range(3)]
    first = await asking.get(ana, "/v1/me/memories", params={"limit": 2})
    rest = await asking.get(ana, "/v1/me/memories", params={"limit": 2, "cursor": first["next"]})
    assert [each["id"] for each in (*first["memories"], *rest["memories"])] == ids[::-1]
    assert (rest["next"], rest["as_of"]) == (None, first["as_of"])
    ben = asking.world.principal("ben", HUMAN, "developer")
    for bad in ({"limit": "0"}, {"limit": "201"}, {"limit": "many"}, {"cursor": "x"}, {"scope": "{}"}):
        assert (await asking.ask(ana, "GET", "/v1/me/memories", params=bad)).status_code == 422
    foreign = await asking.ask(ben, "GET", "/v1/me/memories", params={"cursor": first["next"]})
    assert (foreign.status_code, foreign.json()["field"]) == (422, "cursor")


async def test_an_export_is_a_document_to_keep_and_not_to_cache(
    asking: Asking, ana: Any, operator: Any
) -> None:
    await remember(asking, operator, "tea")
    answer = await asking.ask(ana, "GET", "/v1/me/export")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    assert "attachment" in answer.headers["content-disposition"]
    own = Export.model_validate_json(answer.content)
    assert (own.subject, [each.value for each in own.memories]) == ("ana", ["tea"])
    theirs = Export.model_validate(await asking.get(asking.admin, "/v1/me/export", params={"subject": "ana"}))
    assert (theirs.requested_by, theirs.memories) == ("root", own.memories)
    refused = await asking.ask(operator, "GET", "/v1/me/export", params={"subject": "ana"})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_permitted")
    for bad in ("", "a\nb", "x" * 201):
        answer = await asking.ask(asking.admin, "GET", "/v1/me/export", params={"subject": bad})
        assert (answer.status_code, answer.json()["field"]) == (422, "subject")


async def test_exports_are_made_one_at_a_time(asking: Asking, ana: Any) -> None:
    with asking.api.exports.taken(ana):
        answer = await asking.ask(ana, "GET", "/v1/me/export")
        assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
        assert int(answer.headers["retry-after"]) > 0
        ben = asking.world.principal("ben", HUMAN, "developer")
        assert (await asking.ask(ben, "GET", "/v1/me/export")).status_code == 200
    assert (await asking.ask(ana, "GET", "/v1/me/export")).status_code == 200


@pytest.mark.parametrize(
    ("name", "body", "field"),
    [
        ("user_preference", {"state": "away"}, "state"),
        ("user_preference", {}, "state"),
        ("user_preference", {"state": "off", "subject": "ben"}, "subject"),
        ("operational_restriction", {"state": "off"}, "class"),
        ("nothing%20of%20the%20kind", {"state": "off"}, "class"),
    ],
)
async def test_a_switch_that_means_nothing_is_refused(
    asking: Asking, ana: Any, name: str, body: dict[str, Any], field: str
) -> None:
    answer = await asking.ask(ana, "PUT", f"/v1/me/switches/{name}", body)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert {each["state"] for each in (await asking.get(ana, "/v1/me/switches"))["switches"]} == {"on"}


async def test_no_agent_reaches_any_of_it(asking: Asking) -> None:
    agent = asking.world.principal("ana", AGENT, "agent", "developer")
    for method, path, body in (
        ("GET", "/v1/me/memories", None),
        ("GET", "/v1/me/export", None),
        ("GET", "/v1/me/switches", None),
        ("PUT", "/v1/me/switches/user_preference", {"state": "off"}),
    ):
        answer = await asking.ask(agent, method, path, body)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_permitted")
    listed = await asking.post(agent, "/v1/memories/query", {"scope": STAGING})
    assert listed["memories"] == []
