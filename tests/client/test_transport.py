"""What the client does when the network, a proxy or the service does not do as it should."""

import asyncio
import time
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx2
import pytest
from keepwell import (
    ApiError,
    ClientClosed,
    ConfigurationInvalid,
    Conflict,
    ConnectionLost,
    InvalidInput,
    Keepwell,
    KeepwellError,
    NotFound,
    NotPermitted,
    Retry,
    ServerFault,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
)

from tests.client.answers import MEMORY_ID, EventLog, acknowledgement, key, outcome, recalled
from tests.client.misbehaving import (
    CUT,
    KEY,
    QUICK,
    UNAVAILABLE,
    Reply,
    Server,
    client_of,
    html,
    listening,
    problem,
)

SECRET = "the launch code is 0000"
SAID: dict[str, Any] = {
    "type": "note",
    "activity_id": "act-1",
    "scope": {"workspace": "staging"},
    "text": SECRET,
}


@pytest.mark.parametrize(
    "failure", [UNAVAILABLE, CUT, html(502), html(504)], ids=["503", "cut", "502", "504"]
)
async def test_a_publish_that_failed_is_sent_again_as_it_was(
    server: Server, memory: Keepwell, failure: Reply
) -> None:
    server.script.extend([failure, failure, Reply(201, acknowledgement())])
    await memory.publish(**SAID)
    first, *others = server.sent
    assert len(others) == 2
    assert first.body["idempotency_key"]
    assert all(sent.raw == first.raw for sent in others)
    assert len({sent.headers["x-request-id"] for sent in server.sent}) == 1


async def test_a_lost_answer_makes_no_second_event(server: Server, memory: Keepwell) -> None:
    log = EventLog()
    taken = log

    def take_and_cut(sent: Any) -> Reply:
        taken(sent)
        server.usual = log
        return CUT

    server.usual = take_and_cut
    answer = await memory.publish(**SAID)
    assert answer.duplicate
    assert len(log.events) == 1


async def test_a_key_of_the_callers_own_is_kept(server: Server, memory: Keepwell) -> None:
    server.script.extend([UNAVAILABLE, Reply(202, outcome("pending"))])
    answer = await memory.remember(scope={}, attribute="a", value="b", idempotency_key="mine")
    assert answer.verdict == "pending"
    assert [sent.body["idempotency_key"] for sent in server.sent] == ["mine", "mine"]


async def test_retry_after_is_honoured(server: Server, memory: Keepwell) -> None:
    server.script.extend(
        [problem(429, "too_many_requests", retryable=True, retry_after="0.3"), Reply(200, recalled())]
    )
    began = time.monotonic()
    await memory.recall(scope={})
    assert time.monotonic() - began >= 0.3


async def test_retry_after_may_be_a_date(server: Server) -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(minutes=10), usegmt=True)
    server.script.append(html(429, **{"retry-after": at}))
    async with client_of(server) as memory:
        with pytest.raises(TooManyRequests) as caught:
            await memory.recall(scope={})
    assert caught.value.retry_after == pytest.approx(600, abs=5)
    assert len(server.sent) == 1, "no call waits beyond its deadline"


async def test_attempts_are_bounded(server: Server, memory: Keepwell) -> None:
    with pytest.raises(Unavailable) as caught:
        await memory.recall(scope={})
    assert len(server.sent) == QUICK.attempts
    assert caught.value.retryable


async def test_the_deadline_bounds_attempts(server: Server) -> None:
    server.usual = lambda _: Reply(200, recalled(), after=asyncio.Event())
    retry = Retry(attempts=100, deadline=0.3, first_pause=0.001, longest_pause=0.001)
    async with client_of(server, timeout=0.2, retry=retry) as memory:
        with pytest.raises(ConnectionLost) as caught:
            await memory.recall(scope={})
    assert caught.value.may_have_happened
    assert 1 <= len(server.sent) < 5


async def test_a_late_answer_is_asked_for_again(server: Server) -> None:
    server.script.extend([Reply(200, recalled(), after=asyncio.Event()), Reply(200, recalled())])
    async with client_of(server, timeout=0.2) as memory:
        await memory.recall(scope={})
    assert len(server.sent) == 2


async def test_a_verdict_may_take_its_time(server: Server) -> None:
    decided = asyncio.Event()
    server.script.append(Reply(200, outcome(), after=decided))
    async with client_of(server, timeout=0.1) as memory:
        asyncio.get_running_loop().call_later(0.4, decided.set)
        assert (await memory.remember(scope={}, attribute="a", value="b")).verdict == "establish"
    assert len(server.sent) == 1


async def test_what_would_take_effect_twice_is_not_repeated(server: Server, memory: Keepwell) -> None:
    server.script.append(CUT)
    with pytest.raises(ConnectionLost, match="it may have taken effect") as caught:
        await memory.create_key(name="ci", subject="ci", kind="agent")
    assert caught.value.may_have_happened
    assert len(server.sent) == 1
    for number, failure in enumerate([html(502), UNAVAILABLE, html(503)], 2):
        server.script.append(failure)
        with pytest.raises(Unavailable):
            await memory.create_key(name="ci", subject="ci", kind="agent")
        assert len(server.sent) == number, "a database may be lost in the moment of the commit"


async def test_what_the_service_did_not_take_is_sent_again(server: Server, memory: Keepwell) -> None:
    made = Reply(201, {"key": key(), "token": "kw_x"})
    server.script.extend([problem(429, "too_many_requests", retryable=True), html(429), made])
    answer = await memory.create_key(name="ci", subject="ci", kind="agent")
    assert answer.token == "kw_x"
    assert "kw_x" not in repr(answer)


async def test_a_connection_that_was_refused_is_tried_again() -> None:
    tries = 0

    def answer(request: httpx2.Request) -> httpx2.Response:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise httpx2.ConnectError("nobody there", request=request)
        return httpx2.Response(201, json={"key": key(), "token": "kw_x"})

    async with Keepwell(KEY, retry=QUICK, transport=httpx2.MockTransport(answer)) as memory:
        await memory.create_key(name="ci", subject="ci", kind="agent")
    assert tries == 3


async def test_nobody_listens() -> None:
    async with listening() as server:
        pass
    async with client_of(server) as memory:
        with pytest.raises(ConnectionLost, match="nothing was done; check that it runs") as caught:
            await memory.publish(**SAID)
    assert server.url in str(caught.value)
    assert "(keepwell up) and KEEPWELL_URL" in str(caught.value)
    assert not caught.value.may_have_happened
    assert caught.value.retryable


async def test_an_attempt_that_may_have_worked_is_not_forgotten(server: Server, memory: Keepwell) -> None:
    release = asyncio.Event()
    server.script.append(Reply(cut=True, after=release))
    call = asyncio.create_task(memory.publish(**SAID))
    await server.requests(1)
    server.usual = lambda _: CUT
    await server.stop()
    release.set()
    with pytest.raises(ConnectionLost, match="it may have taken effect"):
        await call
    await server.start()


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (422, "invalid_input", InvalidInput),
        (413, "too_large", TooLarge),
        (403, "not_permitted", NotPermitted),
        (404, "not_found", NotFound),
        (409, "conflict", Conflict),
        (401, "unauthenticated", Unauthenticated),
        (500, "internal_error", ServerFault),
        (405, "method_not_allowed", ApiError),
        (418, "of_a_newer_service", ApiError),
    ],
)
async def test_problems_are_told_apart(
    server: Server, memory: Keepwell, status: int, code: str, kind: type[ApiError]
) -> None:
    server.script.append(problem(status, code, field="scope", position=3))
    with pytest.raises(kind) as caught:
        await memory.publish(**SAID)
    error = caught.value
    assert type(error) is kind
    assert (error.code, error.status, error.field, error.position) == (code, status, "scope", 3)
    assert error.request_id == "request-1"
    assert not error.retryable
    assert str(error) == f"item 3: scope: change it and send it again ({code}, request request-1)"
    assert len(server.sent) == 1


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (html(200), ServerFault),
        (html(403), ServerFault),
        (html(404), ServerFault),
        (html(413), TooLarge),
        (html(503), Unavailable),
        (Reply(302, b"", {"location": "https://login.example"}), ServerFault),
        (Reply(200, {"hello": "world"}), ServerFault),
        (Reply(422, {"detail": [{"input": SECRET}]}), ServerFault),
    ],
    ids=lambda value: str(value.status) if isinstance(value, Reply) else "",
)
async def test_what_is_no_answer_of_the_service_is_not_taken_for_one(
    server: Server, memory: Keepwell, reply: Reply, kind: type[ApiError]
) -> None:
    server.usual = lambda _: reply
    with pytest.raises(kind) as caught:
        await memory.memory(MEMORY_ID)
    assert type(caught.value) is kind
    assert caught.value.status == reply.status
    assert "It works" not in str(caught.value)
    assert SECRET not in repr(caught.value)


@pytest.mark.parametrize(
    "reply",
    [CUT, UNAVAILABLE, html(200), problem(422, "invalid_input"), Reply(201, {"text": SECRET})],
    ids=["cut", "503", "html", "422", "unreadable"],
)
async def test_errors_hold_neither_key_nor_content(server: Server, memory: Keepwell, reply: Reply) -> None:
    server.usual = lambda _: reply
    with pytest.raises(KeepwellError) as caught:
        await memory.publish(**SAID)
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert KEY not in told
    assert KEY[-20:] not in told
    assert SECRET not in told
    with pytest.raises(InvalidInput) as refused:
        await memory.publish(**{**SAID, "text": 7, "timezone": SECRET})
    assert SECRET not in "".join(traceback.format_exception(refused.value))


async def test_the_client_shows_no_key(server: Server, memory: Keepwell) -> None:
    assert KEY not in repr(memory)
    assert server.url in repr(memory)
    server.script.append(Reply(200, recalled()))
    await memory.recall(scope={})
    assert server.sent[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_missing_key_is_named() -> None:
    with pytest.raises(ConfigurationInvalid, match="KEEPWELL_API_KEY"):
        Keepwell()


async def test_key_and_address_come_from_the_environment(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEEPWELL_API_KEY", f"{KEY}\n")
    monkeypatch.setenv("KEEPWELL_URL", f"{server.url}/behind/a/proxy/")
    server.script.append(Reply(200, recalled()))
    async with Keepwell() as memory:
        await memory.recall(scope={})
    assert server.sent[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.sent[0].path == "/behind/a/proxy/v1/recall"


@pytest.mark.parametrize("bad", [f"{KEY}\r\nX-Evil: 1", "kw_ü", "two words", "   "])
def test_a_key_that_no_header_can_carry_is_refused_unquoted(bad: str) -> None:
    with pytest.raises(ConfigurationInvalid) as caught:
        Keepwell(bad)
    assert bad.strip() == "" or bad not in str(caught.value)


@pytest.mark.parametrize(
    "bad",
    [
        "localhost:7420",
        "ftp://localhost",
        "http://",
        "http://user:secret@localhost",
        "http://h:x",
        "http://h/?a=b",
    ],
)
def test_an_address_that_is_none_is_refused_unquoted(bad: str) -> None:
    with pytest.raises(ConfigurationInvalid, match="KEEPWELL_URL") as caught:
        Keepwell(KEY, bad)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/behind/a/proxy/v1", "/mcp"])
def test_an_address_holds_no_path_of_the_service(path: str) -> None:
    with pytest.raises(ConfigurationInvalid, match=r"KEEPWELL_URL ends in /(v1|mcp), which is added to it"):
        Keepwell(KEY, f"http://localhost:7420{path}")


async def test_a_closed_client_says_so(server: Server) -> None:
    memory = client_of(server)
    await memory.aclose()
    with pytest.raises(ClientClosed):
        await memory.recall(scope={})
    await memory.aclose()
    assert server.sent == []


async def test_another_transport_may_take_the_place_of_the_network() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, json=recalled())

    async with Keepwell(KEY, transport=httpx2.MockTransport(answer)) as memory:
        assert (await memory.recall(scope={})).advice == "use"
