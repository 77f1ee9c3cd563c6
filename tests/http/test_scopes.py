"""Scopes over the wire: compared to the letter, refused rather than mended, and never widened by what is missing."""

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from models.principals import Principal, PrincipalKind
from tests.http.conftest import Asking
from tests.world import event

SIX = ("workspace", "project", "team", "user", "conversation", "task")
ROUTES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "/v1/events": lambda scope: event(scope=scope),
    "/v1/events/batch": lambda scope: {"events": [event(scope={"workspace": "sound"}), event(scope=scope)]},
    "/v1/memories": lambda scope: {"scope": scope, "attribute": "uses", "value": "gloves"},
    "/v1/memories/query": lambda scope: {"scope": scope},
    "/v1/reviews/query": lambda scope: {"scope": scope},
    "/v1/recall": lambda scope: {"scope": scope, "query": "gloves"},
    "/v1/history": lambda scope: {"scope": scope, "entity": "db-1"},
    "/v1/memories/00000000-0000-0000-0000-000000000000/explain": lambda scope: {"scope": scope},
}
"""The routes that take a scope, with a body that is sound but for it."""

REFUSED: list[Any] = [
    pytest.param(None, id="null"),
    pytest.param([], id="empty list"),
    pytest.param([{"workspace": "acme"}], id="list of scopes"),
    pytest.param("", id="empty text"),
    pytest.param("workspace", id="text"),
    pytest.param("*", id="star"),
    pytest.param(0, id="number"),
    pytest.param({"planet": "mars"}, id="unknown dimension"),
    pytest.param({"Workspace": "acme"}, id="another case"),
    pytest.param({"workspace ": "acme"}, id="space after a dimension"),
    pytest.param({"": "acme"}, id="empty dimension"),
    pytest.param({"work\u0000space": "acme"}, id="NUL in a dimension"),
    pytest.param({"workspace\ud83d": "acme"}, id="surrogate in a dimension"),
    pytest.param({**dict.fromkeys(SIX, "acme"), "seventh": "acme"}, id="seven dimensions"),
    pytest.param({"workspace": ""}, id="empty value"),
    pytest.param({"workspace": " \t"}, id="blank value"),
    pytest.param({"workspace": None}, id="null value"),
    pytest.param({"workspace": 7}, id="number as value"),
    pytest.param({"workspace": True}, id="truth as value"),
    pytest.param({"workspace": ["acme"]}, id="several values"),
    pytest.param({"workspace": {"in": ["acme"]}}, id="operator as value"),
    pytest.param({"workspace": "ac\u0000me"}, id="NUL in a value"),
    pytest.param({"workspace": "acme\u0000"}, id="NUL at the end"),
    pytest.param({"workspace": "acme\n"}, id="line break at the end"),
    pytest.param({"workspace": "ac\u0085me"}, id="C1 control"),
    pytest.param({"workspace": "acme\ud83d"}, id="lone surrogate"),
    pytest.param({"workspace": "\udc00\ud83d"}, id="surrogates the wrong way round"),
    pytest.param({"workspace": "{workspace}"}, id="placeholder"),
    pytest.param({"workspace": "acme-${env}"}, id="placeholder within"),
    pytest.param({"workspace": "{{ workspace }}"}, id="template"),
    pytest.param({"workspace": "x" * 201}, id="201 characters"),
]


def operator(asking: Asking) -> Principal:
    return asking.world.principal("olga", PrincipalKind.HUMAN, "operator")


async def stored(asking: Asking) -> int:
    """How many events the tenant has."""
    async with asking.world.database.transaction(asking.world.lead.tenant_id) as work:
        row = await work.row(text("SELECT count(*) AS n FROM events"))
    assert row is not None
    return int(row.n)


@pytest.mark.parametrize("scope", REFUSED)
async def test_a_scope_that_is_none_is_refused_everywhere(asking: Asking, scope: Any) -> None:
    """Nothing is stored and nothing is told; and the refusal does not repeat what it could not read."""
    token = await asking.token_of(operator(asking))
    for path, body in ROUTES.items():
        answer = await asking.ask(token, "POST", path, body(scope))
        problem = answer.json()
        assert (answer.status_code, problem["code"]) == (422, "invalid_input"), (path, answer.text)
        assert problem["field"].split(".")[0].startswith("scope"), problem
        assert problem.get("position") == (2 if path.endswith("/batch") else None)
        assert "acme" not in answer.text
        assert "mars" not in answer.text
    assert await stored(asking) == 0


@pytest.mark.parametrize("path", ROUTES)
async def test_a_missing_scope_is_no_scope_for_all(asking: Asking, path: str) -> None:
    body = ROUTES[path](None)
    if "events" in body:
        body["events"][1].pop("scope")
    else:
        body.pop("scope")
    answer = await asking.ask(operator(asking), "POST", path, body)
    assert (answer.status_code, answer.json()["field"]) == (422, "scope")
    assert await stored(asking) == 0


@pytest.mark.parametrize("path", sorted(set(ROUTES) - {"/v1/reviews/query"}))
async def test_the_whole_tenant_takes_a_role_for_it(asking: Asking, path: str) -> None:
    """An empty scope has to be said, and only who may speak for the whole tenant may say it.

    A reviewer's is another one: it asks for all scopes that they reach.
    """
    for who in (asking.world.lead, asking.world.agent, asking.world.pipeline):
        answer = await asking.ask(who, "POST", path, ROUTES[path]({}))
        assert (answer.status_code, answer.json()["code"]) == (403, "not_permitted")
    assert await stored(asking) == 0
    answer = await asking.ask(operator(asking), "POST", path, ROUTES[path]({}))
    # Without a record that is asked for there is nothing to tell; but it may be asked for.
    assert answer.status_code in ({404} if "history" in path or "explain" in path else {200, 201})


@pytest.mark.parametrize("path", ROUTES)
async def test_a_dimension_twice_is_refused(asking: Asking, path: str) -> None:
    """Which of the two counts would be anybody's guess."""
    token = await asking.token_of(operator(asking))
    body = repr(ROUTES[path]("@")).replace("'@'", '{"workspace": "a", "workspace": "b"}').replace("'", '"')
    headers = {"content-type": "application/json"}
    answer = await asking.ask(token, "POST", path, content=body.encode(), headers=headers)
    assert (answer.status_code, answer.json()["field"]) == (422, "workspace")
    assert await stored(asking) == 0


ALIKE = [
    "john_doe",
    "john-doe",
    "john%doe",
    "johnXdoe",
    "acme",
    "acme-corp",
    "acme%",
    "Acme",
    "acme ",
    " acme",
    "acme\u200b",
    "аcme",
    "%",
    "_",
    "*",
    ".*",
    "a",
    'a"b',
    "a'b",
    "a\\b",
    "a,b",
    "null",
    unicodedata.normalize("NFC", "Auditoría"),
    unicodedata.normalize("NFD", "Auditoría"),
    "İstanbul",
    "istanbul",
    "\u202eemca",
    "密码",
    "😀",
    "x" * 200,
]
"""Values that some comparison would take for another one of these."""


async def test_values_that_look_alike_are_scopes_of_their_own(asking: Asking) -> None:
    """A fact and an event in each: recall, lists and histories of one show its own and no other's."""
    who = operator(asking)
    token = await asking.token_of(who)
    facts: dict[str, str] = {}
    for number, value in enumerate(ALIKE):
        body = {
            "scope": {"workspace": value},
            "entity": "db-1",
            "attribute": "uses",
            "value": f"drive {number}",
        }
        stated = await asking.post(token, "/v1/memories", body)
        assert stated["verdict"] == "establish"
        facts[value] = stated["memory_id"]
    assert len(set(facts.values())) == len(ALIKE)
    for value in ALIKE:
        scope = {"workspace": value}
        recalled = await asking.post(
            token, "/v1/recall", {"scope": scope, "query": "drive", "entities": ["db-1"]}
        )
        assert [each["id"] for each in recalled["facts"]] == [facts[value]]
        listed = await asking.post(token, "/v1/memories/query", {"scope": scope})
        assert [(each["id"], each["scope"]) for each in listed["memories"]] == [(facts[value], scope)]
        lives = (await asking.post(token, "/v1/history", {"scope": scope, "entity": "db-1"}))["lives"]
        assert [each["fact"]["id"] for each in lives] == [facts[value]]
        explained = await asking.post(token, f"/v1/memories/{facts['acme']}/explain", {"scope": scope})
        assert (explained["dropped_at"] == "scope") == (value != "acme")


async def test_ones_own_name_is_no_pattern(asking: Asking) -> None:
    """The shipped role `user` reaches the scope of its own subject, and none that is only like it."""
    world = asking.world
    for subject in ("john_doe", "%", "acme"):
        who = world.principal(subject, PrincipalKind.HUMAN, "user")
        for value in ("john_doe", "john-doe", "johnXdoe", "%", "acme", "acme-corp", "acme "):
            answer = await asking.ask(who, "POST", "/v1/recall", {"scope": {"user": value}})
            assert answer.status_code == (200 if value == subject else 403), (subject, value)
            answer = await asking.ask(who, "POST", "/v1/events", event(scope={"user": value}))
            assert answer.status_code == (201 if value == subject else 403), (subject, value)
        both = {"user": subject, "workspace": "acme"}
        answer = await asking.ask(who, "POST", "/v1/memories/query", {"scope": both})
        assert answer.status_code == 403


async def test_six_dimensions_hold_all_that_lies_above_them(asking: Asking) -> None:
    token = await asking.token_of(operator(asking))
    whole = {dimension: f"{dimension[0]}-1" for dimension in SIX}
    scopes: list[dict[str, str]] = [{}, *({dimension: whole[dimension]} for dimension in SIX), whole]
    scopes.append({"workspace": whole["workspace"], "task": whole["task"]})
    found: dict[str, dict[str, str]] = {}
    for scope in scopes:
        # Of a user alone other classes are kept than of a task alone.
        attribute = "standing_instruction" if set(scope) == {"user"} else "lifecycle_policy"
        body = {"scope": scope, "entity": "db-1", "attribute": attribute, "value": "ask Ana"}
        found[(await asking.post(token, "/v1/memories", body))["memory_id"]] = scope
    listed = await asking.post(token, "/v1/memories/query", {"scope": whole})
    assert {each["id"]: each["scope"] for each in listed["memories"]} == found
    for missing in SIX:
        scope = {dimension: value for dimension, value in whole.items() if dimension != missing}
        listed = await asking.post(token, "/v1/memories/query", {"scope": scope})
        ids = {each["id"] for each in listed["memories"]}
        assert ids == {each for each, where in found.items() if missing not in where}
