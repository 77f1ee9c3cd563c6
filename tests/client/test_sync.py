"""The client for programs without a loop of their own."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from keepwell import BufferLimits, ClientClosed, InvalidInput, KeepwellSync, NewEvent, Unavailable
from keepwell.types import EpisodeTold, FactTold

from tests.client.answers import AT, EventLog, episode, fact, recalled
from tests.client.misbehaving import KEY, NO_LINGER, QUICK, UNAVAILABLE, Reply, Server
from tests.client.test_news import VERDICT, item, stream


def event(text: str) -> NewEvent:
    return NewEvent(activity_id="act-1", type="note", scope={}, occurred_at=datetime.now(UTC), text=text)


def open_client(server: Server, buffer: BufferLimits = NO_LINGER) -> KeepwellSync:
    return KeepwellSync(KEY, server.url, retry=QUICK, buffer=buffer)


@pytest.fixture
async def memory(server: Server) -> AsyncGenerator[KeepwellSync]:
    memory = open_client(server)
    yield memory
    await asyncio.to_thread(memory.close)


async def test_calls_wait_for_their_answers(server: Server, memory: KeepwellSync) -> None:
    server.script.extend([UNAVAILABLE, Reply(200, recalled())])
    answer = await asyncio.to_thread(memory.recall, scope={}, query="?")
    assert answer.advice == "use"
    with pytest.raises(Unavailable):
        await asyncio.to_thread(memory.keys)
    with pytest.raises(InvalidInput):
        await asyncio.to_thread(memory.memory, "no-id")
    assert KEY not in repr(memory)


async def test_several_threads_share_a_client(server: Server, memory: KeepwellSync) -> None:
    server.usual = log = EventLog()

    def work() -> None:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda number: memory.publish(event(str(number))), range(32)))

    await asyncio.to_thread(work)
    assert sorted(log.texts, key=int) == [str(number) for number in range(32)]


async def test_memories_and_news_are_iterated(server: Server, memory: KeepwellSync) -> None:
    server.script.extend(
        [
            Reply(200, {"memories": [fact()], "next": "2", "as_of": AT}),
            Reply(200, {"memories": [episode()], "next": None, "as_of": AT}),
            stream(item("1", "verdict", VERDICT)),
            stream(item("2", "verdict", VERDICT), ends=False),
        ]
    )

    def iterate() -> list[str]:
        assert [type(each) for each in memory.memories(scope={})] == [FactTold, EpisodeTold]
        news = memory.news()
        found = [next(news).id, next(news).id]
        news.close()
        return found

    assert await asyncio.to_thread(iterate) == ["1", "2"]


async def test_the_buffer_is_flushed_at_the_end(server: Server) -> None:
    server.usual = log = EventLog()

    def work() -> None:
        with open_client(server, BufferLimits(linger=0.01)) as memory:
            ticket = memory.put(event("a"))
            assert ticket.durable(5).seq == 1
            assert (ticket.state, ticket.error) == ("durable", None)
            memory.put(event("b"))
            assert memory.flush(5).complete
            memory.put(event("c"))

    await asyncio.to_thread(work)
    assert log.texts == ["a", "b", "c"]


async def test_a_closed_client_says_so_and_leaves_no_thread(server: Server) -> None:
    memory = open_client(server)
    await asyncio.to_thread(memory.close)
    await asyncio.to_thread(memory.close)
    with pytest.raises(ClientClosed):
        memory.keys()
    with pytest.raises(ClientClosed):
        memory.put(event("a"))
    assert "keepwell" not in {thread.name for thread in threading.enumerate()}
