"""Who is calling: settled for each call by its own credential, and always a model."""

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import httpx2
import pytest
from fastapi import FastAPI

from models.principals import PrincipalKind
from models.verbs import Verb
from surfaces.http.api import Api
from surfaces.http.application import build
from surfaces.http.limits import RateLimit
from tests.http.conftest import Asking
from tests.mcp.raw import ERAS, call, message, post
from tests.mcp.serving import WAYS, connected, serving
from tests.mcp.test_story import IN_PLAY, restricted, told, words_of
from tests.world import STAGING, World

PROBLEM = "application/problem+json"


@pytest.fixture
async def others(asking: Asking, api: Api, application: FastAPI) -> Asking:
    """People of another tenant."""
    world = World(asking.world.service, asking.world.database, f"tenant-{uuid4().hex[:12]}")
    await world.service.add_tenant(world.principal("setup"))
    return Asking(world, api, application)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "token", [None, "nonsense", f"kw_nobody_{'0' * 32}_{'0' * 64}"], ids=["none", "odd", "unknown"]
)
async def test_without_a_good_key_nothing_is_answered(url: str, era: str, token: str | None) -> None:
    for content, headers in (
        message(era, "tools/list", {}),
        message(era, "initialize", {}),
        ("nonsense", {}),
    ):
        answer = await post(url, token, content, headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.headers["content-type"] == PROBLEM


async def test_a_revoked_key_is_refused(asking: Asking, url: str) -> None:
    new = {"name": "short-lived", "subject": "ops-agent", "kind": "agent", "roles": ["agent"]}
    made = await asking.post(asking.admin, "/v1/keys", new)
    assert (await call(url, made["token"], "modern", "recall", **IN_PLAY)).status_code == 200
    await asking.ask(asking.admin, "DELETE", f"/v1/keys/{made['key']['id']}")
    answer = await call(url, made["token"], "modern", "recall", **IN_PLAY)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")


async def test_two_credentials_are_one_too_many(asking: Asking, url: str) -> None:
    token = await asking.token_of(asking.world.agent)
    headers = [("authorization", f"Bearer {token}")] * 2
    async with httpx2.AsyncClient(trust_env=False) as caller:
        answer = await caller.post(f"{url}/mcp", content="{}", headers=headers)
    assert answer.status_code == 422


@pytest.mark.parametrize("kind", PrincipalKind)
async def test_whoever_owns_the_connection_a_model_is_speaking(
    asking: Asking, url: str, kind: PrincipalKind
) -> None:
    owner = asking.world.principal("dana", kind, "infra_lead")
    said = {"scope": STAGING, "entity": "db-1", "attribute": "owner", "value": "Ana"}
    async with connected(url, await asking.token_of(owner)) as client:
        _, held = await told(client, "remember", said)
        assert (held["verdict"], held["reason"]) == ("hold_unverified", "proposed_by_model")
        [life] = (await told(client, "history", {"memory_id": held["memory_id"]}))[1]["lives"]
        assert (life["fact"]["authority"], life["fact"]["status"]) == ("model_inferred", "quarantined")
        assert life["changes"][0]["actor"] == "dana"


async def test_a_lead_cannot_take_back_through_a_model(asking: Asking, url: str) -> None:
    stated = await restricted(asking)
    async with connected(url, await asking.token_of(asking.world.lead)) as client:
        _, outcome = await told(client, "forget", {"memory_id": stated["memory_id"], "reason": "Never mind."})
        assert outcome["verdict"] == "hold_unverified"
        assert [fact["required"] for fact in (await told(client, "recall", IN_PLAY))[1]["facts"]] == [True]


async def test_a_key_keeps_its_bounds(asking: Asking, url: str) -> None:
    narrow = await asking.token_of(
        asking.world.agent, within={"workspace": "elsewhere"}, only=frozenset({Verb.RECALL})
    )
    async with connected(url, narrow) as client:
        answer = await client.call_tool("recall", IN_PLAY)
        assert words_of(answer).startswith("not_permitted: scope: this credential is narrowed")
        here = {"scope": {"workspace": "elsewhere"}, "entity": "db-1"}
        answer = await client.call_tool("history", here)
        assert words_of(answer).startswith("not_permitted: this credential may not read")


async def test_another_tenants_memory_is_not_there(asking: Asking, others: Asking, url: str) -> None:
    memory_id = (await restricted(others))["memory_id"]
    missing = "00000000-0000-0000-0000-000000000000"
    intention = {"scope": STAGING, "action": "check the canary", "at": datetime.now(UTC).isoformat()}
    await others.post(others.world.lead, "/v1/intentions", {**intention, "owner": {"subject": "dana"}})
    as_model = others.world.lead.as_model()
    [due] = (await others.post(as_model, "/v1/inbox/take", {"wait_seconds": 20}))["due"]
    async with connected(url, await asking.token_of(asking.world.lead)) as client:
        assert (await told(client, "recall", IN_PLAY))[1]["facts"] == []
        for tool, more in (
            ("forget", {"reason": "x"}),
            ("why", IN_PLAY),
            ("history", {}),
        ):
            answer = await client.call_tool(tool, {"memory_id": memory_id, **more})
            nothing = await client.call_tool(tool, {"memory_id": missing, **more})
            assert answer.is_error
            assert words_of(answer).startswith("not_found: ")
            assert words_of(answer) == words_of(nothing)
        assert (await told(client, "inbox", {}))[1]["due"] == []
        for tool, argument, identity, more in (
            ("cancel_intention", "intention_id", due["intention_id"], {}),
            (
                "acknowledge",
                "occurrence_id",
                due["occurrence_id"],
                {"lease": due["lease"], "outcome": "done"},
            ),
            ("snooze", "occurrence_id", due["occurrence_id"], {"lease": due["lease"], "after": "PT1H"}),
        ):
            answer = await client.call_tool(tool, {argument: identity, **more})
            nothing = await client.call_tool(tool, {argument: missing, **more})
            assert words_of(answer).startswith("not_found: ")
            assert words_of(answer) == words_of(nothing)
    token = await asking.token_of(asking.world.lead)
    for uri in (f"keepwell://memories/{memory_id}", f"keepwell://memories/{memory_id}/lineage"):
        content, headers = message("legacy", "resources/read", {"uri": uri})
        error = (await post(url, token, content, headers)).json()["error"]
        assert (error["code"], error["data"]["code"]) == (-32602, "not_found")


async def test_tenants_at_once_never_mix(asking: Asking, others: Asking, url: str) -> None:
    """Fifty calls at once over ten connections of both eras: each gets its own tenant's memory, in its own name."""
    tenants = (asking, others)
    owners = [(await restricted(each))["memory_id"] for each in tenants]
    tokens = [await each.token_of(each.world.agent) for each in tenants]

    async def talk(number: int) -> None:
        which = number % 2
        way = WAYS[number // 2 % 2]
        async with connected(url, tokens[which], way) as client:
            both = [told(client, "recall", IN_PLAY), told(client, "history", {"memory_id": owners[which]})]
            answers = await asyncio.gather(*both, *(told(client, "recall", IN_PLAY) for _ in range(3)))
            for _, structure in (answers[0], *answers[2:]):
                assert [fact["id"] for fact in structure["facts"]] == [owners[which]]
            assert {life["fact"]["id"] for life in answers[1][1]["lives"]} == {owners[which]}

    await asyncio.gather(*(talk(number) for number in range(10)))


async def test_a_session_begun_by_another_lends_nothing(asking: Asking, others: Asking, url: str) -> None:
    """What one has begun, named by another, is not a way in: every call is its own caller's."""
    await restricted(others)
    theirs, mine = await others.token_of(others.world.agent), await asking.token_of(asking.world.agent)
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    begun = await post(url, theirs, *message("legacy", "initialize", hello))
    assert begun.status_code == 200
    assert "mcp-session-id" not in begun.headers
    content, _ = message("legacy", "tools/call", {"name": "recall", "arguments": IN_PLAY})
    answer = await post(
        url, mine, content, {"mcp-session-id": "theirs", "mcp-protocol-version": "2025-11-25"}
    )
    assert answer.json()["result"]["structuredContent"]["facts"] == []


async def test_any_process_answers(asking: Asking, api: Api, url: str) -> None:
    """A client greets one server and calls another that it has never met."""
    await restricted(asking)
    token = await asking.token_of(asking.world.agent)
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    assert (await post(url, token, *message("legacy", "initialize", hello))).status_code == 200
    async with serving(build(api)) as another:
        answer = await call(another, token, "legacy", "recall", **IN_PLAY)
    assert len(answer.json()["result"]["structuredContent"]["facts"]) == 1


async def test_calls_are_counted(asking: Asking, api: Api) -> None:
    token = await asking.token_of(asking.world.agent)
    stopped = RateLimit(1, clock=lambda: 0.0)
    async with serving(build(api._replace(rate=stopped))) as address:
        answers = [await call(address, token, "modern", "recall", **IN_PLAY) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [200] * 10 + [429]
    assert answers[-1].json()["code"] == "too_many_requests"
    assert answers[-1].headers["retry-after"] == "1"


async def test_before_the_application_has_begun_it_says_so(asking: Asking, api: Api) -> None:
    """No lifespan runs here, and `/mcp` is not there without one."""
    unbegun = Asking(asking.world, api, build(api))
    content, headers = message("modern", "tools/list", {})
    answer = await unbegun.ask(asking.world.agent, "POST", "/mcp", content=content, headers=headers)
    assert (answer.status_code, answer.json()["code"], answer.json()["retryable"]) == (
        503,
        "unavailable",
        True,
    )


async def test_a_provider_of_tokens_is_named(asking: Asking, api: Api, url: str) -> None:
    issuer = "https://login.example.com/"
    async with serving(build(api, issuer)) as address:
        refused = await post(address, None, "{}")
        where = f"{address}/.well-known/oauth-protected-resource/mcp"
        assert refused.headers["www-authenticate"] == f'Bearer resource_metadata="{where}"'
        odd = await post(address, None, "{}", {"host": 'a" b'})
        assert odd.headers.get("www-authenticate", "Bearer") == "Bearer"
        async with httpx2.AsyncClient(trust_env=False) as caller:
            metadata = (await caller.get(where)).json()
            nothing = await caller.get(f"{url}/.well-known/oauth-protected-resource/mcp")
    assert metadata["resource"] == f"{address}/mcp"
    assert metadata["authorization_servers"] == [issuer]
    assert nothing.status_code == 404


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:6274", 200),
        ("http://localhost:6274", 200),
        ("http://[::1]:6274", 200),
        ("https://example.com", 403),
        ("http://localhost.example.com", 403),
        ("http://[", 403),
        ("null", 403),
    ],
)
async def test_pages_of_other_machines_are_refused(
    asking: Asking, url: str, origin: str, status: int
) -> None:
    content, headers = message("modern", "tools/list", {})
    token = await asking.token_of(asking.world.agent)
    assert (await post(url, token, content, {**headers, "origin": origin})).status_code == status


async def test_any_host_name_will_do(asking: Asking, url: str) -> None:
    content, headers = message("modern", "tools/list", {})
    token = await asking.token_of(asking.world.agent)
    assert (await post(url, token, content, {**headers, "host": "memory.example.com"})).status_code == 200


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_there_is_nothing_to_open_and_nothing_to_end(asking: Asking, url: str, method: str) -> None:
    headers = {"authorization": f"Bearer {await asking.token_of(asking.world.agent)}"}
    async with httpx2.AsyncClient(trust_env=False) as caller:
        answer = await caller.request(method, f"{url}/mcp", headers=headers)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
