"""How long the buffer waits, and what it says of itself when the client closes."""

import asyncio
from collections.abc import Callable

import pytest
from keepwell import BufferLimits, ClientClosed, Keepwell

from tests.client.answers import EventLog
from tests.client.misbehaving import KEY, NO_LINGER, Server, client_of, html, listening, problem
from tests.client.putting import event, put

SECRET = "the launch code is 0000"


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not true():
            await asyncio.sleep(0.001)


async def test_retry_after_is_honoured(server: Server, memory: Keepwell) -> None:
    loop = asyncio.get_running_loop()
    server.script.append(problem(429, "too_many_requests", retryable=True, retry_after="0.3"))
    server.usual = EventLog()
    (ticket,) = put(memory, "a")
    await server.requests(1)
    began = loop.time()
    await ticket
    assert loop.time() - began >= 0.28


@pytest.mark.parametrize("asked", ["600", "1e9"])
async def test_a_flush_cuts_short_what_was_asked_to_wait_for(
    server: Server, memory: Keepwell, asked: str
) -> None:
    server.script.append(html(503, **{"retry-after": asked}))
    server.usual = log = EventLog()
    put(memory, "a")
    await until(lambda: memory.buffer.last_error is not None)
    assert (await memory.buffer.flush(5)).complete
    put(memory, "b")
    server.script.append(html(503, **{"retry-after": asked}))
    await server.requests(3)
    began = asyncio.get_running_loop().time()
    await memory.aclose()
    assert asyncio.get_running_loop().time() - began < 4, "closing does not wait for it either"
    assert log.texts == ["a", "b"]


async def test_nobody_can_ask_it_to_wait_for_long(
    server: Server, memory: Keepwell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keepwell.buffer.LONGEST_TOLD", 0.05)
    server.script.append(html(503, **{"retry-after": "600"}))
    server.usual = EventLog()
    (ticket,) = put(memory, "a")
    await ticket.durable(5)


async def test_leaving_the_client_flushes(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    server.usual = log = EventLog()
    async with client_of(server, buffer=BufferLimits(linger=60.0)) as memory:
        tickets = put(memory, "a", "b")
    assert log.texts == ["a", "b"]
    assert {ticket.state for ticket in tickets} == {"durable"}
    assert caplog.records == []


async def test_leaving_the_client_says_what_was_not_made_durable(caplog: pytest.LogCaptureFixture) -> None:
    async with listening() as server:
        pass
    async with client_of(server, buffer=BufferLimits(linger=0.0, closing=0.1)) as memory:
        tickets = put(memory, "a", SECRET)
    said = "2 events were not made durable before the client closed (connection_lost)"
    assert caplog.records[-1].message == said
    assert SECRET not in caplog.text
    assert {ticket.state for ticket in tickets} == {"dropped"}
    assert memory.buffer.dropped == 2
    with pytest.raises(ClientClosed):
        await tickets[0]
    late = memory.buffer.put(event("late"))
    assert late.state == "dropped"
    with pytest.raises(ClientClosed):
        await late.durable(1)


@pytest.mark.parametrize(("status", "code"), [(401, "unauthenticated"), (403, "not_permitted")])
async def test_leaving_the_client_does_not_wait_for_a_key_that_is_refused(
    server: Server, caplog: pytest.LogCaptureFixture, status: int, code: str
) -> None:
    server.usual = lambda _: problem(status, code)
    began = asyncio.get_running_loop().time()
    async with client_of(server, buffer=BufferLimits(linger=0.0, closing=60.0)) as memory:
        tickets = put(memory, "a", "b")
    assert asyncio.get_running_loop().time() - began < 30
    said = f"2 events were not made durable before the client closed ({code})"
    assert caplog.records[-1].message == said
    assert {ticket.state for ticket in tickets} == {"dropped"}
    assert memory.buffer.dropped == 2


async def test_a_loop_that_ends_says_what_was_not_made_durable(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    memory = client_of(server)
    (ticket,) = put(memory, "a")
    await server.requests(1)
    sender = next(task for task in asyncio.all_tasks() if task.get_name() == "keepwell-buffer")
    sender.cancel()
    await asyncio.wait({sender})
    assert caplog.records[-1].message == "1 events were not made durable before the client closed"
    assert ticket.state == "dropped"
    await memory.aclose()


def test_an_event_may_be_put_before_there_is_a_loop() -> None:
    memory = Keepwell(KEY, "http://127.0.0.1:1", buffer=NO_LINGER)
    ticket = memory.buffer.put(event("a"))
    assert ticket.state == "waiting"

    async def close() -> None:
        await memory.buffer.aclose(0.05)
        await memory.aclose()

    asyncio.run(close())
    assert ticket.state == "dropped"
