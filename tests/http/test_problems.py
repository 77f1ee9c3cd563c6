"""Whatever goes wrong is told as a problem: what to change, the number to find it by, and never what was sent."""

import asyncio
import itertools
import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from surfaces.http.answers import Problem
from tests.http.conftest import Asking
from tests.http.country import filled, nowhere
from tests.http.listening import listening
from tests.http.routes import OPEN, ROUTES
from tests.world import STAGING, event

CANARY = "ZEBRA 7731 ünder"
WITH_BODY = sorted(name for name, route in ROUTES.items() if route.body is not None)
VERSIONED = sorted(set(ROUTES) - OPEN)


def checked(answer: httpx2.Response) -> dict[str, Any]:
    """A problem, once it is seen to be a whole one."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    told = answer.json()
    problem = Problem.model_validate(told)
    assert set(told) <= set(Problem.model_fields)
    assert problem.status == answer.status_code
    assert problem.type == f"urn:keepwell:problem:{problem.code}"
    assert problem.request_id == answer.headers["x-request-id"]
    assert problem.detail
    assert problem.title
    assert problem.retryable == (answer.status_code in {429, 503})
    return told


async def operator(asking: Asking) -> str:
    """A key for somebody who may do everything."""
    return await asking.token_of(asking.world.principal("olga", asking.admin.kind, "operator", "admin"))


WRONG = [
    CANARY,
    CANARY * 10_000,
    7731,
    7731.5,
    True,
    None,
    [],
    [CANARY],
    {},
    {CANARY: CANARY},
    [{CANARY: [CANARY]}],
    f"2026-{CANARY}",
    f"2026-03-02T09:00:00Z{CANARY}",
    f"{uuid4()}{CANARY}",
]


def spoilt(body: Any) -> Iterator[Any]:
    """Bodies that are wrong in one place, at any depth; what is wrong holds the canary."""
    yield from WRONG
    if isinstance(body, dict):
        for name, value in body.items():
            for wrong in spoilt(value) if isinstance(value, dict | list) else WRONG:
                yield {**body, name: wrong}
            yield {each: inner for each, inner in body.items() if each != name} | {CANARY: value}
        yield {**body, CANARY: CANARY}
        yield {**body, "surplus": CANARY}
    elif isinstance(body, list):
        for at, value in enumerate(body):
            for wrong in spoilt(value):
                yield [*body[:at], wrong, *body[at + 1 :]]


SAID = {"text": "well", "timezone": "Europe/Berlin", "evidence_ref": "ref"}
FULLER: dict[str, dict[str, Any]] = {
    "POST /v1/events": {
        "entities": [{"id": "thing:1", "name": "thing"}],
        "timezone": "Europe/Berlin",
        "data": {
            "candidates": [{"attribute": "owner", "value": "Ana", "expires_at": "2999-01-01T00:00:00Z"}]
        },
    },
    "POST /v1/recall": {"entities": ["a"], "as_of": "2026-03-02T09:00:00Z", "limit": 5, "budget_tokens": 100},
    "POST /v1/memories/query": {
        "filter": {"not": {"all": [{"field": "valid_from", "op": "lt", "value": "2026-03-02T09:00:00Z"}]}},
        "cursor": "abc",
        "limit": 5,
    },
    "POST /v1/memories": {"expires_at": "2999-01-01T00:00:00Z", "valid_from": "2026-03-02T09:00:00Z"},
    "POST /v1/keys": {"roles": ["agent"], "within": STAGING, "only": ["recall"], "expires_at": None},
    "POST /v1/history": {"as_of": "2026-03-02T09:00:00Z"},
    "POST /v1/intentions/query": {"scope": STAGING, "states": ["pending"], "limit": 5},
    "POST /v1/intentions/{intention_id}/cancel": SAID,
    "POST /v1/intentions/{intention_id}/confirm": {"timezone": "Europe/Berlin", "evidence_ref": "ref"},
    "POST /v1/inbox/take": {"limit": 5, "lease_seconds": 30.0},
    "POST /v1/inbox/{occurrence_id}/acknowledge": {"outcome": "done", **SAID},
    "POST /v1/reviews/{claim_id}/accept": {
        "terms": {"value": "keep", "ends_when": "the audit is over", "valid_from": "2026-03-02T09:00:00Z"},
        "entity": "thing:1",
        "timezone": "Europe/Berlin",
    },
}


@pytest.mark.parametrize("name", WITH_BODY)
async def test_a_refusal_does_not_repeat_what_was_sent(asking: Asking, name: str) -> None:
    """A canary in the place of everything: no refusal sings it, and no log line of any library."""
    token = await operator(asking)
    path = ROUTES[name].path(name, nowhere(STAGING))
    sound = {**ROUTES[name].body(nowhere(STAGING)), **FULLER.get(name, {})}  # type: ignore[misc]
    refused = 0
    with listening() as heard:
        for body in spoilt(sound):
            answer = await asking.ask(token, name.split(" ", maxsplit=1)[0], path, body)
            if answer.is_success:
                continue
            refused += 1
            checked(answer)
            assert answer.status_code in {404, 409, 413, 422}, (body, answer.text)
            assert not {"ZEBRA", "7731", "nder"} & set(
                answer.text.replace(":", " ").replace('"', " ").split()
            )
            assert "ZEBRA" not in answer.text.replace(answer.json()["request_id"], "")
            assert len(answer.content) < 1_000
    assert refused > 20
    assert heard.lines
    assert [line for line in heard.lines if "ZEBRA" in line] == []


async def test_what_is_kept_is_not_logged_either(asking: Asking) -> None:
    """From the call to the last verdict, the words stay in Postgres."""
    world = asking.world
    said = "Keep ZEBRA-7731 running until ZEBRA-7732 is over."
    with listening() as heard:
        told = await asking.post(
            world.lead, "/v1/events", event(type="correction", text=said, entities=[{"name": "ZEBRA-7731"}])
        )
        await world.digest(await world.publish(world.lead, event(type="milestone", text="ZEBRA-7733")))
        body = {"scope": STAGING, "entity": "ZEBRA-7734", "attribute": "owner", "value": "ZEBRA-7735"}
        stated = await asking.post(world.lead, "/v1/memories", body)
        await asking.post(world.lead, "/v1/recall", {"scope": STAGING, "query": "ZEBRA-7731 ZEBRA-7734"})
        await asking.get(world.lead, f"/v1/memories/{stated['memory_id']}/history")
        await asking.get(world.lead, f"/v1/events/{told['event_id']}/verdict")
        await asking.ask(world.lead, "GET", "/v1/ZEBRA-7736")
        await asking.ask(world.lead, "GET", "/v1/principal?ZEBRA-7737=ZEBRA-7738")
        await asking.ask(world.lead, "GET", "/v1/principal", headers={"x-request-id": "ZEBRA 7739"})
        await asking.ask(world.lead, "ZEBRA", "/v1/principal")
    assert any("/memories" in line for line in heard.lines)
    assert [line for line in heard.lines if "ZEBRA" in line] == []


@pytest.mark.parametrize("name", WITH_BODY)
async def test_a_field_that_nobody_reads_is_refused(asking: Asking, name: str) -> None:
    token = await operator(asking)
    sound = ROUTES[name].body(nowhere(STAGING))  # type: ignore[misc]
    for surplus in (
        "surplus",
        "_scope",
        "Scope",
        "filters",
        "limit_",
        "idempotencyKey",
        "$where",
        "__proto__",
    ):
        answer = await asking.ask(
            token,
            name.split(" ", maxsplit=1)[0],
            ROUTES[name].path(name, nowhere(STAGING)),
            {**sound, surplus: None},
        )
        told = checked(answer)
        assert (answer.status_code, told["code"]) == (422, "invalid_input")
        assert told["field"] in {surplus, "…", "events"}


@pytest.mark.parametrize("name", VERSIONED)
async def test_a_parameter_that_nobody_reads_is_refused(asking: Asking, name: str) -> None:
    """It would look like a filter, and be one that lets everything through."""
    token, route = await operator(asking), ROUTES[name]
    body = None if route.body is None else route.body(nowhere(STAGING))
    path, method = route.path(name, nowhere(STAGING)), name.partition(" ")[0]
    for query in (
        "scope=a",
        "limit=1",
        "asof=2026-03-02T09:00:00Z",
        "AS_OF=x",
        "=",
        "a",
        "%00=1",
        "%ff",
        "as_of[]=x",
    ):
        if name in {"GET /v1/me/memories", "GET /v1/traces", "GET /v1/erasures"} and query == "limit=1":
            continue  # that one is read there
        answer = await asking.ask(token, method, f"{path}?{query}", body)
        assert (answer.status_code, checked(answer)["field"]) == (422, "query"), query
    if name in {"GET /v1/memories/{memory_id}", "GET /v1/memories/{memory_id}/history"}:
        good = "as_of=2026-03-02T09:00:00Z"
        for query in (f"{good}&{good}", f"{good}&as_of=", f"{good}&scope=a"):
            assert (await asking.ask(token, method, f"{path}?{query}")).status_code == 422
        for query in (
            "as_of=",
            "as_of=now",
            "as_of=2026-03-02",
            "as_of=1772442000",
            "as_of=2026-03-02T09:00:00+01:00",
        ):
            answer = await asking.ask(token, method, f"{path}?{query}")
            # A plus sign that is not escaped is a space.
            assert (answer.status_code, checked(answer)["field"]) == (422, "as_of"), query
        assert (await asking.ask(token, method, f"{path}?{good}")).status_code == 404


NO_IDS = [
    "x",
    "0",
    "null",
    "-",
    "*",
    str(uuid4())[:-1],
    f"{uuid4()}0",
    str(uuid4()).replace("-", "_"),
    "0" * 31,
    "me",
]


@pytest.mark.parametrize("name", [each for each in VERSIONED if "_id}" in each])
async def test_what_is_no_id_is_refused(asking: Asking, name: str) -> None:
    token, route = await operator(asking), ROUTES[name]
    body = None if route.body is None else route.body(nowhere(STAGING))
    method, path = name.split(" ")
    for odd in NO_IDS:
        answer = await asking.ask(token, method, filled(path, odd), body)
        told = checked(answer)
        assert (answer.status_code, told["code"]) == (422, "invalid_input")
        assert told["field"] in path
        assert told["detail"] == "is no UUID; send an id as it was answered"
    if name.endswith("{memory_id}/confirm"):
        for odd in (*NO_IDS, None, 7, [], {}, [str(uuid4())]):
            answer = await asking.ask(token, method, path.format(memory_id=uuid4()), {"evidence": odd})
            assert (answer.status_code, checked(answer)["field"]) == (422, "evidence")


async def test_every_request_has_a_number(asking: Asking) -> None:
    """The caller's own where it is a plain one, in the answer, in the problem and in the log."""
    for sent in ("plain-1", "A.b_c-9", "x" * 100):
        with listening() as heard:
            answer = await asking.ask(None, "GET", "/v1/principal", headers={"x-request-id": sent})
        assert checked(answer)["request_id"] == answer.headers["x-request-id"] == sent
        assert sent in heard
    numbers: set[str] = set()
    for sent in ("", " ", "a b", "a\tb", "x" * 101, "{}", 'a"b', "ünd"):
        headers = [(b"x-request-id", sent.encode())]
        answer = await asking.ask(None, "GET", "/healthz", headers=httpx2.Headers(headers))
        numbers.add(answer.headers["x-request-id"])
    assert len(numbers) == 8
    assert all(len(number) == 32 and number.isalnum() for number in numbers)


async def test_what_is_not_there(asking: Asking) -> None:
    """Unknown paths and methods, with and without a credential."""
    token = await operator(asking)
    known: dict[str, set[str]] = {}
    for name in ROUTES:
        method, path = name.split(" ")
        known.setdefault(path, set()).add(method)
    # These read like something whose id is no id.
    for path in (
        "memories/query",
        "intentions/query",
        "intentions/preview",
        "proposals/query",
        "procedures/query",
    ):
        known[f"/v1/{path}"].add("GET")
    for who, (path, methods) in itertools.product((token, None), known.items()):
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "ODD"} - methods:
            answer = await asking.ask(who, method, filled(path, str(uuid4())))
            assert (answer.status_code, checked(answer)["code"]) == (405, "method_not_allowed"), (
                method,
                path,
            )
            assert set(answer.headers["allow"].split(", ")) <= methods
    for path in (
        "/",
        "/v1",
        "/v1/",
        "/v2/events",
        "/v1/events/",
        "/V1/events",
        "//v1/events",
        "/v1/memories/a/b/c",
    ):
        for method in ("GET", "POST", "DELETE"):
            answer = await asking.ask(token, method, path, {} if method == "POST" else None)
            assert (answer.status_code, checked(answer)["code"]) == (404, "not_found"), path


KEYED = {
    "/v1/events": event(text="once"),
    "/v1/memories": {"scope": STAGING, "attribute": "uses", "value": "gloves"},
}


@pytest.mark.parametrize("path", KEYED)
async def test_a_call_has_one_name(asking: Asking, path: str) -> None:
    """In the header or in the body; both only where they agree."""
    token, body = await operator(asking), KEYED[path]
    first = await asking.post(token, path, body, headers={"idempotency-key": "once"})
    for again in (
        {"body": {**body, "idempotency_key": "once"}},
        {"body": {**body, "idempotency_key": "once"}, "headers": {"idempotency-key": "once"}},
        {"body": {**body, "idempotency_key": None}, "headers": {"idempotency-key": "once"}},
    ):
        told = await asking.post(token, path, **again)
        assert (told["event_id"], told["duplicate"]) == (first["event_id"], True)
    odd = json.dumps(body).encode()
    for headers in (
        [("idempotency-key", "")],
        [("idempotency-key", "x" * 201)],
        [("idempotency-key", "a b")],
        [("idempotency-key", "ünd")],
        [("idempotency-key", "once"), ("idempotency-key", "once")],
        [("idempotency-key", "once"), ("idempotency-key", "twice")],
    ):
        encoded = [
            (name.encode(), value.encode())
            for name, value in (*headers, ("content-type", "application/json"))
        ]
        encoded.append((b"authorization", f"Bearer {token}".encode()))
        answer = await asking.ask(None, "POST", path, content=odd, headers=httpx2.Headers(encoded))
        assert (answer.status_code, checked(answer)["field"]) == (422, "Idempotency-Key"), headers
    for key in ("another", 7, ["once"], {"once": 1}, ""):
        answer = await asking.ask(
            token, "POST", path, {**body, "idempotency_key": key}, headers={"idempotency-key": "once"}
        )
        assert (answer.status_code, checked(answer)["field"]) == (422, "idempotency_key")
    changed = {**body, "evidence_ref": "other"}
    answer = await asking.ask(token, "POST", path, changed, headers={"idempotency-key": "once"})
    assert (answer.status_code, checked(answer)["code"]) == (409, "conflict")


@pytest.mark.parametrize("path", KEYED)
async def test_a_call_sent_many_times_at_once_is_one(asking: Asking, path: str) -> None:
    token = await operator(asking)
    body = {**KEYED[path], "idempotency_key": "once"}
    told = await asyncio.gather(*(asking.post(token, path, body) for _ in range(6)))
    assert len({each["event_id"] for each in told}) == 1
    assert sorted(each["duplicate"] for each in told) == [False, *[True] * 5]


async def test_a_batch_has_no_name_of_its_own(asking: Asking) -> None:
    """A key that nobody keeps would let a retry store everything twice."""
    events = {"events": [event(idempotency_key="a"), event(idempotency_key="b")]}
    token = await operator(asking)
    answer = await asking.ask(token, "POST", "/v1/events/batch", events, headers={"idempotency-key": "once"})
    assert (answer.status_code, checked(answer)["field"]) == (422, "Idempotency-Key")
    told = [await asking.post(token, "/v1/events/batch", events) for _ in range(2)]
    assert [[each["duplicate"] for each in one["events"]] for one in told] == [[False] * 2, [True] * 2]
