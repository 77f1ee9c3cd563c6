"""The stream of news: it goes on where it broke off."""

import asyncio
import json
from contextlib import aclosing
from typing import Any

import pytest
from keepwell import (
    ApiError,
    ClientClosed,
    Conflict,
    ConnectionLost,
    InvalidInput,
    Keepwell,
    News,
    NotFound,
    NotPermitted,
    ServerFault,
    Unauthenticated,
    Unavailable,
)
from keepwell.types import TransitionNews, VerdictNews

from tests.client.answers import AT, MEMORY_ID
from tests.client.misbehaving import (
    CUT,
    QUICK,
    UNAVAILABLE,
    Reply,
    Server,
    client_of,
    html,
    listening,
    problem,
)

VERDICT = {
    "event_id": str(MEMORY_ID),
    "kind": "establish",
    "attribute": "keep_running",
    "verdict": "establish",
    "reason": "nothing_there",
    "memory_id": str(MEMORY_ID),
    "concerns": None,
    "recorded_at": AT,
}
TRANSITION = {
    "memory_id": str(MEMORY_ID),
    "from_status": "active",
    "to_status": "retired",
    "rule": "retire",
    "reason": "permitted_confirmation",
    "effective_at": AT,
    "recorded_at": AT,
}


def item(cursor: str, kind: str, told: dict[str, Any]) -> bytes:
    return f"id: {cursor}\nevent: {kind}\ndata: {json.dumps(told)}\n\n".encode()


def stream(*pieces: bytes, ends: bool = True) -> Reply:
    queue: asyncio.Queue[bytes | None] = asyncio.Queue()
    for piece in pieces:
        queue.put_nowait(piece)
    if ends:
        queue.put_nowait(None)
    return Reply(200, headers={"content-type": "text/event-stream"}, stream=queue)


async def read(memory: Keepwell, number: int, after: str | None = None) -> list[News]:
    found: list[News] = []
    async with aclosing(memory.news(after)) as news:
        async for each in news:
            found.append(each)
            if len(found) == number:
                break
    return found


async def test_news_go_on_where_they_broke_off(server: Server, memory: Keepwell) -> None:
    first, second = item("1", "verdict", VERDICT), item("2", "transition", TRANSITION)
    server.script.extend(
        [
            stream(b": alive\n\n", first, second[:20]),
            UNAVAILABLE,
            CUT,
            html(502),
            stream(second, item("3", "verdict", VERDICT), ends=False),
        ]
    )
    found = await read(memory, 3)
    assert [each.id for each in found] == ["1", "2", "3"]
    assert [type(each.told) for each in found] == [VerdictNews, TransitionNews, VerdictNews]
    assert [sent.headers.get("last-event-id") for sent in server.sent] == [None, "1", "1", "1", "1"]
    assert {(sent.method, sent.path) for sent in server.sent} == {("GET", "/v1/stream")}


async def test_news_are_asked_for_after_an_id(server: Server, memory: Keepwell) -> None:
    server.script.append(stream(item("8", "verdict", VERDICT), ends=False))
    assert [each.id for each in await read(memory, 1, after="7")] == ["8"]
    assert server.sent[0].headers["last-event-id"] == "7"


async def test_a_beginning_without_news_is_remembered(server: Server, memory: Keepwell) -> None:
    server.script.extend(
        [stream(b"id: 41\nretry: 1\n\n"), stream(item("42", "verdict", VERDICT), ends=False)]
    )
    await read(memory, 1)
    assert server.sent[1].headers["last-event-id"] == "41"


async def test_news_of_a_newer_service_are_passed_over(
    server: Server, memory: Keepwell, caplog: pytest.LogCaptureFixture
) -> None:
    server.script.extend(
        [
            stream(item("1", "weather", {"sun": True}), item("2", "verdict", {"secret": "0000"})),
            stream(item("3", "verdict", VERDICT), ends=False),
        ]
    )
    assert [each.id for each in await read(memory, 1)] == ["3"]
    assert server.sent[1].headers["last-event-id"] == "2"
    assert "could not be read" in caplog.text
    assert "0000" not in caplog.text


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (problem(401, "unauthenticated"), Unauthenticated),
        (problem(403, "not_permitted"), NotPermitted),
        (problem(404, "not_found"), NotFound),
        (problem(418, "of_a_newer_service"), ApiError),
        (html(200), ServerFault),
        (html(404), ServerFault),
    ],
)
async def test_what_another_attempt_would_not_mend_is_raised(
    server: Server, memory: Keepwell, reply: Reply, kind: type[Exception]
) -> None:
    server.script.extend([stream(item("1", "verdict", VERDICT)), reply])
    with pytest.raises(kind):
        await read(memory, 2)
    assert len(server.sent) == 2


async def test_the_first_connection_is_tried_as_often_as_any_call(server: Server, memory: Keepwell) -> None:
    with pytest.raises(Unavailable):
        await read(memory, 1)
    assert len(server.sent) == QUICK.attempts
    async with listening() as gone:
        pass
    async with client_of(gone) as nowhere:
        with pytest.raises(ConnectionLost):
            await read(nowhere, 1)


REFUSED = [
    problem(409, "conflict", field="Last-Event-ID"),
    problem(422, "invalid_input", field="Last-Event-ID"),
]


@pytest.mark.parametrize("refused", REFUSED, ids=["409", "422"])
async def test_a_place_that_the_service_has_lost_is_given_up(
    server: Server, memory: Keepwell, caplog: pytest.LogCaptureFixture, refused: Reply
) -> None:
    """As after a restore of its database: what it has told itself it knows no more."""
    server.script.extend(
        [
            stream(b"id: 7\n\n", item("8", "verdict", VERDICT)),
            refused,
            stream(item("2", "verdict", VERDICT), ends=False),
        ]
    )
    assert [each.id for each in await read(memory, 2, after="7")] == ["8", "2"]
    assert [sent.headers.get("last-event-id") for sent in server.sent] == ["7", "8", None]
    assert "it begins anew, from now" in caplog.text


async def test_so_is_one_that_it_has_taken_once(server: Server, memory: Keepwell) -> None:
    server.script.extend(
        [stream(b"id: 7\n\n"), REFUSED[0], stream(item("2", "verdict", VERDICT), ends=False)]
    )
    assert [each.id for each in await read(memory, 1, after="7")] == ["2"]
    assert [sent.headers.get("last-event-id") for sent in server.sent] == ["7", "7", None]


@pytest.mark.parametrize(("refused", "kind"), [(REFUSED[0], Conflict), (REFUSED[1], InvalidInput)])
async def test_a_place_of_the_callers_own_that_is_refused_is_an_error(
    server: Server, memory: Keepwell, refused: Reply, kind: type[ApiError]
) -> None:
    server.usual = lambda _: refused
    with pytest.raises(kind, match=r"after: is no place that the service knows.*leave it out to begin now"):
        await read(memory, 1, after="7")
    assert len(server.sent) == 1
    server.script.append(stream(item("8", "verdict", VERDICT)))
    with pytest.raises(kind):
        await read(memory, 2)
    assert len(server.sent) == 4, "one that is refused without a place is refused"


async def test_nobody_can_ask_the_stream_to_wait_for_long(
    server: Server, memory: Keepwell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keepwell.news.LONGEST_TOLD", 0.05)
    server.script.extend(
        [
            html(503, **{"retry-after": "600"}),
            stream(b"retry: 600000\n\n"),
            stream(item("1", "verdict", VERDICT), ends=False),
        ]
    )
    async with asyncio.timeout(10):
        assert [each.id for each in await read(memory, 1)] == ["1"]


@pytest.mark.parametrize("state", ["pausing", "open"])
async def test_closing_the_client_ends_the_stream(server: Server, state: str) -> None:
    last = html(503, **{"retry-after": "20"}) if state == "pausing" else stream(b": alive\n\n", ends=False)
    server.script.extend([stream(item("1", "verdict", VERDICT)), last])
    memory = client_of(server)
    reading = asyncio.create_task(read(memory, 2))
    await server.requests(2)
    began = asyncio.get_running_loop().time()
    await asyncio.sleep(0.1)
    await memory.aclose()
    with pytest.raises(ClientClosed):
        await reading
    assert asyncio.get_running_loop().time() - began < 10
