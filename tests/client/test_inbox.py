"""The inbox of the client: it outlives lost connections, acknowledges nothing by itself and ends with the client."""

import asyncio
from contextlib import aclosing
from typing import Any

import pytest
from keepwell import ClientClosed, Keepwell, KeepwellSync, NotPermitted, SyncDue

from tests.client.intending import READ, changed, due
from tests.client.misbehaving import CUT, KEY, QUICK, UNAVAILABLE, Reply, Server, problem

TAKEN = Reply(200, {"due": [due()]})
NOTHING = Reply(200, {"due": []})
LEASE = due()["lease"]


def said(server: Server) -> list[tuple[str, dict[str, Any]]]:
    """The words that came in, by the last part of their path, without the keys under which they are said."""
    words = [(sent.path.rsplit("/", 1)[1], dict(sent.body)) for sent in server.sent]
    assert all(body.pop("idempotency_key") for word, body in words if word != "take")
    return words


async def test_it_outlives_lost_connections_and_a_service_that_is_away(
    server: Server, memory: Keepwell
) -> None:
    attempts = QUICK.attempts
    server.script.extend([TAKEN, *[CUT] * attempts, *[UNAVAILABLE] * attempts, NOTHING, TAKEN])
    async with asyncio.timeout(20), aclosing(memory.inbox(lease_seconds=90)) as inbox:
        first, second = await anext(inbox), await anext(inbox)
    assert first.occurrence_id == second.occurrence_id
    assert {word for word, _ in said(server)} == {"take"}, "nothing is acknowledged by itself"
    assert server.sent[0].body == {"limit": 1, "wait_seconds": 30.0, "lease_seconds": 90.0}


async def test_it_goes_on_after_the_server_was_started_again(server: Server, memory: Keepwell) -> None:
    server.script.append(Reply(200, {"due": []}, after=asyncio.Event()))
    async with asyncio.timeout(20), aclosing(memory.inbox()) as inbox:
        waiting = asyncio.ensure_future(anext(inbox))
        await server.requests(1)
        await server.stop()
        server.script.append(TAKEN)
        await server.start()
        assert str((await waiting).lease) == LEASE


async def test_what_came_of_it_is_said_under_its_lease(server: Server, memory: Keepwell) -> None:
    server.script.extend([TAKEN, Reply(200, READ), Reply(200, READ)])
    async with aclosing(memory.inbox()) as inbox:
        given = await anext(inbox)
        await given.acknowledge("It is well.", outcome="done")
        await given.snooze(after="PT15M")
    assert said(server)[1:] == [
        ("acknowledge", {"lease": LEASE, "text": "It is well.", "outcome": "done"}),
        ("snooze", {"lease": LEASE, "after": "PT15M"}),
    ]


async def test_a_program_without_a_loop_says_it_the_same_way(server: Server) -> None:
    server.script.extend([TAKEN, Reply(200, READ), TAKEN, Reply(200, READ)])

    def work() -> None:
        with KeepwellSync(KEY, server.url, retry=QUICK) as memory:
            inbox = memory.inbox()
            next(inbox).acknowledge("It is well.")
            inbox.close()
            [given] = memory.take(limit=1)
            assert isinstance(given, SyncDue)
            given.snooze(after="PT15M")

    await asyncio.to_thread(work)
    assert said(server)[1::2] == [
        ("acknowledge", {"lease": LEASE, "text": "It is well."}),
        ("snooze", {"lease": LEASE, "after": "PT15M"}),
    ]


async def test_it_ends_with_the_client(server: Server, memory: Keepwell) -> None:
    server.script.append(Reply(200, {"due": []}, after=asyncio.Event()))
    waiting = asyncio.ensure_future(anext(memory.inbox()))
    async with asyncio.timeout(20):
        await server.requests(1)
        await memory.aclose()
        with pytest.raises(ClientClosed):
            await waiting


async def test_what_no_attempt_would_mend_is_raised(server: Server, memory: Keepwell) -> None:
    server.script.append(problem(403, "not_permitted"))
    with pytest.raises(NotPermitted):
        await anext(memory.inbox())


async def test_an_activity_intends_in_its_own_scope_and_zone(server: Server, memory: Keepwell) -> None:
    answers = {"/v1/intentions": Reply(201, changed()), "/v1/inbox/take": TAKEN}
    server.usual = lambda sent: answers.get(sent.path, problem(403, "not_permitted"))
    run = memory.activity("watch", scope={"a": "b"}, activity_id="run-1", timezone="Europe/Berlin")
    with pytest.raises(RuntimeError):
        await run.intend("check it", words="at 9")
    with pytest.raises(RuntimeError):
        run.inbox()
    async with run:
        await run.intend("check it", words="at 9", idempotency_key="k")
        async with aclosing(run.inbox()) as inbox:
            assert str((await anext(inbox)).lease) == LEASE
    [new] = [sent.body for sent in server.sent if sent.path == "/v1/intentions"]
    own = {"scope": {"a": "b"}, "activity_id": "run-1", "timezone": "Europe/Berlin"}
    assert new == {**own, "action": "check it", "words": "at 9", "idempotency_key": "k"}
