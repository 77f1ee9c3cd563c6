"""The client for programs without a loop of their own."""

import asyncio
import multiprocessing
import os
import sys
import threading
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from keepwell import BufferLimits, ClientClosed, InvalidInput, KeepwellSync, NewEvent, Unavailable
from keepwell.types import EpisodeTold, FactTold

from tests.client.answers import AT, EventLog, episode, export, fact, recalled
from tests.client.misbehaving import KEY, NO_LINGER, QUICK, UNAVAILABLE, Reply, Server, problem
from tests.client.test_news import VERDICT, item, stream

# A program that never closes its client; nothing is sent before it ends.
FORGETFUL = """
import sys
from keepwell import BufferLimits, KeepwellSync

memory = KeepwellSync(sys.argv[1], sys.argv[2], buffer=BufferLimits(linger=60.0))
for text in "abc":
    memory.put({"type": "note", "activity_id": "act-1", "scope": {}, "text": text})
"""


# A program whose thread goes on after its beginning has ended.
GOING_ON = """
import sys, threading
from keepwell import KeepwellSync

memory = KeepwellSync(sys.argv[1], sys.argv[2])

def go_on():
    threading.main_thread().join()
    memory.publish(type="note", activity_id="act-1", scope={}, text="late")
    memory.put({"type": "note", "activity_id": "act-1", "scope": {}, "text": "later"})

threading.Thread(target=go_on).start()
"""


async def ended(program: str, url: str) -> tuple[int | None, str]:
    """The exit code of a program, and what it has written."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program, KEY, url),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "NO_PROXY": "localhost"},
    )
    async with asyncio.timeout(60):
        said, _ = await process.communicate()
    return process.returncode, said.decode()


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
            Reply(200, {"memories": [fact()], "next": None, "as_of": AT}),
            Reply(200, export()),
            stream(item("1", "verdict", VERDICT)),
            stream(item("2", "verdict", VERDICT), ends=False),
        ]
    )

    def iterate() -> list[str]:
        assert [type(each) for each in memory.memories(scope={})] == [FactTold, EpisodeTold]
        assert [type(each) for each in memory.own_memories()] == [FactTold]
        assert memory.export().counts.memories == 0
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


async def test_a_program_that_ends_without_closing_loses_nothing(server: Server) -> None:
    """Where the address has a host name, that has to be looked up while the interpreter ends."""
    server.usual = log = EventLog()
    assert await ended(FORGETFUL, f"http://localhost:{server.port}") == (0, "")
    assert log.texts == ["a", "b", "c"]


async def test_a_thread_may_go_on_after_the_main_one(server: Server) -> None:
    server.usual = log = EventLog()
    assert await ended(GOING_ON, f"http://localhost:{server.port}") == (0, "")
    assert log.texts == ["late", "later"]


async def test_a_program_with_a_wrong_key_ends_at_once_and_says_why(server: Server) -> None:
    server.usual = lambda _: problem(401, "unauthenticated")
    code, said = await ended(FORGETFUL, server.url)
    assert code == 0
    assert said.endswith("3 events were not made durable before the client closed (unauthenticated)\n")
    assert len(server.sent) == 1, "it is not tried until the time is over"


def use_what_was_inherited(memory: KeepwellSync) -> None:
    try:
        memory.keys()
    except ClientClosed:
        memory.close()
        os._exit(7)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="takes fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
async def test_a_forked_process_neither_hangs_on_the_client_nor_uses_it(memory: KeepwellSync) -> None:
    fork = multiprocessing.get_context("fork")
    inherits = fork.Process(target=use_what_was_inherited, args=(memory,))
    ends = fork.Process(target=int)
    for process, code in ((inherits, 7), (ends, 0)):
        process.start()
        await asyncio.to_thread(process.join, 20)
        alive = process.is_alive()
        if alive:
            process.kill()
        assert (alive, process.exitcode) == (False, code)
