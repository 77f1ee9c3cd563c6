"""Bodies: how large one may be, what is JSON and what is not, and that a batch is stored whole or not at all."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from sqlalchemy import text

from models.events import MAX_BATCH, MAX_BATCH_BYTES, MAX_EVENT_BYTES, size_of
from recall.tokens import count_tokens
from surfaces.http.limits import MAX_BODY_BYTES, MAX_CALL_BYTES
from tests.http.conftest import Asking
from tests.http.country import nowhere
from tests.http.live import exchange
from tests.http.routes import ROUTES
from tests.world import STAGING, event

BODIES = sorted(name for name, route in ROUTES.items() if route.body is not None)
PROBLEM = "application/problem+json"
JSON = {"content-type": "application/json"}


async def stored(asking: Asking) -> int:
    """How many events the tenant has."""
    async with asking.world.database.transaction(asking.world.lead.tenant_id) as work:
        row = await work.row(text("SELECT count(*) AS n FROM events"))
    assert row is not None
    return int(row.n)


async def test_a_query_has_an_end(asking: Asking) -> None:
    lead = asking.world.lead
    for query, code in (("q" * 20_000, 200), ("密" * 20_000, 200), ("q" * 20_001, 422), ("😀" * 20_001, 422)):
        for path in ("/v1/recall", f"/v1/memories/{uuid4()}/explain"):
            answer = await asking.ask(lead, "POST", path, {"scope": STAGING, "query": query})
            assert answer.status_code == (404 if code == 200 and "explain" in path else code)
            if code == 422:
                assert answer.json()["field"] == "query"


async def test_one_long_event_among_short_ones_is_kept_and_found(asking: Asking) -> None:
    """60,000 tokens in one message: every event of the batch is stored, and the last word of it can be found."""
    lead = asking.world.lead
    long = "ox ate " * 30_000 + "zebra-7731"
    assert count_tokens(long) >= 60_000
    events = [event(activity_id="long", text=f"note {number}") for number in range(11)]
    events[5] |= {"text": long, "type": "correction"}
    told = (await asking.post(lead, "/v1/events/batch", {"events": events}))["events"]
    assert [(each["seq"], each["durable"]) for each in told] == [(number, True) for number in range(1, 12)]
    await asking.world.digest(await asking.world.publish(lead, event(activity_id="long", type="milestone")))
    recalled = await asking.post(lead, "/v1/recall", {"scope": STAGING, "query": "zebra-7731", "limit": 1})
    [passage] = recalled["passages"]
    assert told[5]["event_id"] in passage["sources"]


async def test_an_event_that_is_too_large_is_named_and_nothing_is_kept(asking: Asking) -> None:
    lead = asking.world.lead
    room = MAX_EVENT_BYTES - size_of(event(text=""))
    fits, too_long = event(text="x" * room), event(text="x" * (room + 1))
    answer = await asking.ask(
        lead, "POST", "/v1/events/batch", {"events": [event(), fits, event(), too_long, too_long]}
    )
    assert (answer.status_code, answer.json()["code"], answer.json()["position"]) == (413, "too_large", 4)
    answer = await asking.ask(lead, "POST", "/v1/events", too_long)
    assert (answer.status_code, answer.json()["code"], answer.json().get("position")) == (
        413,
        "too_large",
        None,
    )
    assert await stored(asking) == 0
    await asking.post(lead, "/v1/events/batch", {"events": [event(), fits, event()]})
    await asking.post(lead, "/v1/events", fits)
    assert await stored(asking) == 4


async def test_a_fault_anywhere_in_a_batch_keeps_nothing(asking: Asking) -> None:
    lead = asking.world.lead
    sound = [event(text=str(number)) for number in range(4)]
    for at in range(5):
        for fault, code, status in (
            ({"type": "gossip"}, "invalid_input", 422),
            ({"scope": {"workspace": "a", "conversation": "b"}}, "not_permitted", 403),
            ({"occurred_at": "2999-01-01T00:00:00Z"}, "invalid_input", 422),
            ({"data": {"candidates": [{"attribute": "owner"}]}}, "invalid_input", 422),
        ):
            events = [*sound[:at], event(**fault), *sound[at:]]
            answer = await asking.ask(lead, "POST", "/v1/events/batch", {"events": events})
            told = answer.json()
            assert (answer.status_code, told["code"], told["position"]) == (status, code, at + 1)
    for events in ([], [event()] * (MAX_BATCH + 1), {}, None, "", [event(), 5], [[event()]]):
        answer = await asking.ask(lead, "POST", "/v1/events/batch", {"events": events})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")
    large = event(text="x" * (MAX_EVENT_BYTES - 1_000))
    answer = await asking.ask(
        lead, "POST", "/v1/events/batch", {"events": [large] * (MAX_BATCH_BYTES // MAX_EVENT_BYTES + 2)}
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert await stored(asking) == 0
    await asking.post(lead, "/v1/events/batch", {"events": [event(text=str(n)) for n in range(MAX_BATCH)]})
    assert await stored(asking) == MAX_BATCH


LARGE = b'{"scope": {"workspace": "staging-cloud"}, "query": "' + b"x" * MAX_BODY_BYTES + b'"}'


async def in_parts() -> AsyncIterator[bytes]:
    """A body that is too large, of which nothing says so in advance."""
    for at in range(0, len(LARGE), 1 << 20):
        yield LARGE[at : at + (1 << 20)]


async def test_a_body_has_an_end(asking: Asking, url: str) -> None:
    """Whether its length is declared or not, whoever sends it, and whatever the route is."""
    token = await asking.token_of(asking.world.lead)
    headers = {**JSON, "authorization": f"Bearer {token}"}
    paths = {ROUTES[name].path(name, nowhere(STAGING)): name.split(" ")[0] for name in BODIES}
    async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=60) as caller:
        for path, method in paths.items():
            answer = await caller.request(method, path, content=LARGE, headers=headers)
            assert (answer.status_code, answer.headers["content-type"]) == (413, PROBLEM), path
            assert answer.json()["code"] == "too_large"
            assert answer.headers["x-request-id"] == answer.json()["request_id"]
        for path in list(paths)[:2]:
            answer = await caller.post(path, content=in_parts(), headers=headers)
            assert (answer.status_code, answer.headers["content-type"]) == (413, PROBLEM), path
            assert answer.json()["code"] == "too_large"
        # What does not read a body does not care about one, until its length is beyond all measure.
        answer = await caller.request("GET", "/v1/principal", content=LARGE, headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (413, PROBLEM)
        answer = await caller.post("/v1/nothing", content=b"{}", headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (404, PROBLEM)
        for path, method in paths.items():
            most = MAX_BODY_BYTES if path.endswith("/batch") else MAX_CALL_BYTES
            answer = await caller.request(method, path, content=LARGE[: most - 1] + b'"}', headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (413, "too_large"), path
            assert "the body has more than" in answer.json()["detail"]
            # What is within the limit is read; and then it is no sound call all the same.
            answer = await caller.request(method, path, content=LARGE[: most - 2] + b'"}', headers=headers)
            assert answer.status_code in {413, 422}, path
            assert "the body has" not in answer.json()["detail"]
    for length in (b"99999999999999999999", b"99999999999"):
        code, told, _ = await exchange(
            url,
            b"POST /v1/recall HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: "
            + length
            + b"\r\n\r\n",
        )
        assert (code, told["content-type"]) in {(413, PROBLEM), (400, PROBLEM)}


DEEP = 100_000
UNREADABLE: dict[str, bytes] = {
    "nothing": b"",
    "blank": b" \n",
    "invalid UTF-8": b'{"scope": {"workspace": "\xff"}}',
    "half a character": '{"scope": {"workspace": "é"}}'.encode()[:-4] + b'"}}',
    "encoded surrogate": b'{"scope": {"workspace": "\xed\xa0\xbd"}}',
    "overlong slash": b'{"scope": {"workspace": "\xc0\xaf"}}',
    "UTF-16": '{"scope": {}}'.encode("utf-16"),
    "UTF-32": '{"scope": {}}'.encode("utf-32"),
    "byte order mark": b'\xef\xbb\xbf{"scope": {}}',
    "compressed": gzip.compress(b'{"scope": {}}'),
    "form": b"scope=workspace",
    "cut off": b'{"scope": {"workspace": "a"',
    "two values": b'{"scope": {}} {"scope": {}}',
    "trailing comma": b'{"scope": {},}',
    "comment": b'{"scope": {} /* all */}',
    "single quotes": b"{'scope': {}}",
    "control character": b'{"scope": {"workspace": "a\nb"}}',
    "bad escape": b'{"scope": {"workspace": "\\x"}}',
    "NaN": b'{"scope": {}, "limit": NaN}',
    "Infinity": b'{"scope": {}, "limit": Infinity}',
    "-Infinity": b'{"scope": {}, "limit": -Infinity}',
    "too large a number": b'{"scope": {}, "limit": 1e999}',
    "a number of 5,000 digits": b'{"scope": {}, "limit": ' + b"9" * 5_000 + b"}",
    "a key twice": b'{"scope": {}, "scope": {"workspace": "a"}}',
    "the same key escaped": b'{"scope": {}, "sc\\u006fpe": {"workspace": "a"}}',
    "deep lists": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"scope":' * DEEP + b"{}" + b"}" * DEEP,
    "deep and cut off": b'{"scope":[' * DEEP,
    "deep within a field": b'{"scope": ' + b"[" * 500 + b"]" * 500 + b"}",
    "null": b"null",
    "a list": b"[]",
    "a text": b'"scope"',
    "a number": b"7",
    "no fields": b"{}",
}
WITHOUT_FIELDS = (
    *("/accept", "/attribution/query", "/intentions/query", "/take", "/acknowledge", "/cancel"),
    *("{intention_id}/confirm", "/withdraw"),
)
"""Calls that say something without a word more: a claim is accepted as it stands, the whole tenant asked about."""


@pytest.mark.parametrize("kind", UNREADABLE)
async def test_what_cannot_be_read_is_a_problem_of_ours(asking: Asking, kind: str) -> None:
    """On every route that takes a body; and nothing is stored."""
    token = await asking.token_of(asking.admin)
    keys = len((await asking.get(token, "/v1/keys"))["keys"])
    for name in BODIES:
        if kind == "no fields" and name.endswith(WITHOUT_FIELDS):
            continue
        path = ROUTES[name].path(name, nowhere(STAGING))
        answer = await asking.ask(token, name.split(" ")[0], path, content=UNREADABLE[kind], headers=JSON)
        assert (answer.status_code, answer.headers["content-type"]) == (422, PROBLEM), (name, answer.text)
        assert answer.json()["code"] == "invalid_input"
        assert len(answer.content) < 1_000
    assert await stored(asking) == 0
    assert len((await asking.get(token, "/v1/keys"))["keys"]) == keys


@pytest.mark.parametrize("name", BODIES)
async def test_only_json_is_read(asking: Asking, name: str) -> None:
    route = ROUTES[name]
    assert route.body is not None
    content = json.dumps(route.body(nowhere(STAGING))).encode()
    token = await asking.token_of(asking.admin)
    path = route.path(name, nowhere(STAGING))
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "*/*",
        "",
    ):
        for media_type in (kind, kind.upper()):
            answer = await asking.ask(
                token,
                name.split(" ", maxsplit=1)[0],
                path,
                content=content,
                headers={"content-type": media_type},
            )
            assert (answer.status_code, answer.headers["content-type"]) == (415, PROBLEM), (kind, answer.text)
            assert answer.json()["code"] == "unsupported_media_type"
    for kind in ("application/json", "Application/JSON; charset=utf-8", " application/json ;charset=latin-1"):
        answer = await asking.ask(
            token, name.split(" ", maxsplit=1)[0], path, content=content, headers={"content-type": kind}
        )
        assert answer.status_code != 415
    assert await stored(asking) == 0


async def test_what_an_event_may_carry(asking: Asking) -> None:
    """Numbers as large as JSON may say them and as deep as is allowed are stored; what is beyond is refused."""
    lead = asking.world.lead
    deepest: Any = "end"
    for _ in range(98):
        deepest = [deepest]
    for data in (
        {"n": 10**4_000},
        {"n": -0.0, "m": 2.5, "k": 5e-324},
        {"deep": deepest},
        {"": {"": None}},
    ):
        told = await asking.post(lead, "/v1/events", event(data=data))
        async with asking.world.database.transaction(lead.tenant_id) as work:
            row = await work.row(text("SELECT data FROM events WHERE id = :id"), {"id": told["event_id"]})
        assert row is not None
        assert row.data == data
    for data in ({"deep": [[deepest]]}, {"a\u0000": 1, "a": 2}, [], "x", 7):
        answer = await asking.ask(lead, "POST", "/v1/events", event(data=data))
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")


async def test_the_largest_sound_calls_are_within_the_limit(asking: Asking) -> None:
    """Every character as an escape of six or twelve bytes; and what is beyond all measure is refused at once."""
    lead = asking.world.lead
    room = MAX_EVENT_BYTES - size_of(event(text=""))
    for text_of, length in (("\x01", room // 6), ("密", room // 3), ("😀", room // 4)):
        await asking.post(lead, "/v1/events", event(text=text_of * length))
    names = ["密" * 300] * 1_000
    assert len(json.dumps(names)) < MAX_CALL_BYTES
    await asking.post(lead, "/v1/recall", {"scope": STAGING, "query": "", "entities": names})
    await asking.post(lead, "/v1/recall", {"scope": STAGING, "query": "😀" * 20_000, "entities": names[:500]})
    for wrong in (["x" * 301], [*names, "x"], ["密" * 300_000]):
        answer = await asking.ask(lead, "POST", "/v1/recall", {"scope": STAGING, "entities": wrong})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")
    wide: Any = {"field": "kind", "op": "eq", "value": "fact"}
    for _ in range(2):
        wide = {"any": [wide] * 50}
    body = {"scope": STAGING, "filter": {"any": [wide] * 12}}
    assert MAX_CALL_BYTES / 2 < len(json.dumps(body)) < MAX_CALL_BYTES
    began = asyncio.get_running_loop().time()
    answer = await asking.ask(lead, "POST", "/v1/memories/query", body)
    assert (answer.status_code, answer.json()["field"]) == (422, "filter")
    assert asyncio.get_running_loop().time() - began < 5
