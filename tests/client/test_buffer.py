"""The buffer: nothing is lost quietly, nothing is stored twice, and the agent never waits."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
from keepwell import (
    BufferFull,
    BufferLimits,
    InvalidInput,
    Keepwell,
    NotDurableYet,
    NotPermitted,
    Unauthenticated,
    Unavailable,
)

from tests.client.answers import EventLog
from tests.client.misbehaving import (
    CUT,
    KEY,
    UNAVAILABLE,
    Reply,
    Sent,
    Server,
    client_of,
    html,
    problem,
)
from tests.client.putting import event, put

SECRET = "the launch code is 0000"


def refusing(log: EventLog, blame: Callable[[dict[str, Any]], Reply | None]) -> Callable[[Sent], Reply]:
    """Takes a batch all or nothing: one event to blame, and none of it is stored."""

    def answer(sent: Sent) -> Reply:
        for each in sent.body["events"]:
            refusal = blame(each)
            if refusal is not None:
                return refusal
        return log(sent)

    return answer


async def test_events_become_durable_in_order(server: Server) -> None:
    server.usual = log = EventLog()
    async with client_of(server, buffer=BufferLimits(batch_events=3, linger=0.0)) as memory:
        tickets = put(memory, *"abcdefgh")
        assert {ticket.state for ticket in tickets} == {"waiting"}
        answers = [await ticket for ticket in tickets]
    assert log.texts == list("abcdefgh")
    assert [answer.seq for answer in answers] == list(range(1, 9))
    assert {ticket.state for ticket in tickets} == {"durable"}
    assert max(len(sent.body["events"]) for sent in server.sent) == 3


async def test_a_batch_is_bounded_in_bytes(server: Server) -> None:
    server.usual = log = EventLog()
    async with client_of(server, buffer=BufferLimits(batch_bytes=1_000, linger=0.0)) as memory:
        put(memory, "a" * 600, "b" * 600, "c" * 5_000, "d")
        assert (await memory.buffer.flush(5)).complete
    assert [len(sent.body["events"]) for sent in server.sent] == [1, 1, 1, 1]
    assert len(log.events) == 4


async def test_events_wait_while_the_service_is_away(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    async with client_of(server) as memory:
        await server.stop()
        tickets = put(memory, "a", "b", SECRET)
        flushed = await memory.buffer.flush(0.1)
        assert (flushed.durable, flushed.waiting, flushed.refused) == (0, 3, 0)
        assert not flushed.complete
        assert flushed.error is memory.buffer.last_error is not None
        assert memory.buffer.undelivered == 3
        with pytest.raises(NotDurableYet, match="will be sent"):
            await tickets[0].durable(0.01)
        server.usual = log = EventLog()
        await server.start()
        assert (await memory.buffer.flush(5)).complete
        assert memory.buffer.undelivered == memory.buffer.undelivered_bytes == 0
        assert memory.buffer.last_error is None
    assert log.texts == ["a", "b", SECRET]
    warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1, "an outage is told once"
    assert SECRET not in caplog.text
    assert KEY not in caplog.text


@pytest.mark.parametrize(
    "failure",
    [
        UNAVAILABLE,
        CUT,
        html(502),
        html(200),
        html(413),
        problem(500, "internal_error"),
        problem(401, "unauthenticated"),
        problem(403, "not_permitted"),
        problem(409, "conflict"),
        problem(404, "not_found"),
        problem(422, "invalid_input", position=9),
        problem(429, "too_many_requests", retryable=True, retry_after="0"),
        Reply(201, {"events": []}),
    ],
    ids=lambda reply: f"{reply.status}-{reply.cut}",
)
async def test_what_no_event_is_to_blame_for_passes(server: Server, memory: Keepwell, failure: Reply) -> None:
    log = EventLog()
    server.script.extend([failure, failure])
    server.usual = log
    put(memory, *"abcdefgh")
    flushed = await memory.buffer.flush(5)
    assert flushed.complete
    assert flushed.durable == 8
    assert log.texts == list("abcdefgh")


async def test_a_lost_answer_doubles_nothing(server: Server, memory: Keepwell) -> None:
    log = EventLog()

    def take_and_cut(sent: Sent) -> Reply:
        log(sent)
        server.usual = log
        return CUT

    server.usual = take_and_cut
    tickets = put(memory, "a", "b")
    put(memory, "c")
    assert (await memory.buffer.flush(5)).complete
    assert log.texts == ["a", "b", "c"]
    assert tickets[0].acknowledgement is not None
    assert tickets[0].acknowledgement.duplicate
    assert next(iter(log.events)) == tickets[0].idempotency_key


@pytest.mark.parametrize(
    ("status", "code"),
    [(422, "invalid_input"), (413, "too_large"), (403, "not_permitted"), (409, "conflict")],
)
async def test_a_bad_event_is_set_aside_alone(
    server: Server, memory: Keepwell, status: int, code: str
) -> None:
    log = EventLog()

    def blame(sent: Sent) -> Reply:
        texts = [each["text"] for each in sent.body["events"]]
        if "bad" in texts:
            return problem(status, code, field="scope", position=texts.index("bad") + 1)
        return log(sent)

    server.usual = blame
    tickets = put(memory, "a", "b", "bad", "c", "bad", "d")
    flushed = await memory.buffer.flush(5)
    assert (flushed.durable, flushed.waiting, flushed.refused) == (4, 0, 2)
    assert not flushed.complete
    assert log.texts == ["a", "b", "c", "d"]
    assert [ticket.state for ticket in tickets] == [
        "durable",
        "durable",
        "refused",
        "durable",
        "refused",
        "durable",
    ]
    assert memory.buffer.refused == 2
    error = tickets[2].error
    assert error is not None
    assert (error.code, error.field, error.position) == (code, "scope", None)
    with pytest.raises(type(error)):
        await tickets[2]


async def test_a_bad_event_is_found_without_a_position(server: Server, memory: Keepwell) -> None:
    log = EventLog()
    server.usual = refusing(
        log, lambda each: problem(413, "too_large") if each["text"].startswith("bad") else None
    )
    tickets = put(memory, *[f"bad {number}" if number in {13, 14} else f"{number}" for number in range(40)])
    flushed = await memory.buffer.flush(10)
    assert (flushed.durable, flushed.refused) == (38, 2)
    assert [number for number, ticket in enumerate(tickets) if ticket.state == "refused"] == [13, 14]
    assert log.texts == [f"{number}" for number in range(40) if number not in {13, 14}]


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (problem(401, "unauthenticated"), Unauthenticated),
        (problem(403, "not_permitted"), NotPermitted),
        (UNAVAILABLE, Unavailable),
    ],
)
async def test_a_key_that_is_not_accepted_loses_nothing_and_is_visible(
    server: Server, memory: Keepwell, failure: Reply, kind: type[Exception]
) -> None:
    server.usual = lambda _: failure
    (ticket,) = put(memory, "a")
    flushed = await memory.buffer.flush(0.1)
    assert flushed.waiting == 1
    assert isinstance(memory.buffer.last_error, kind)
    assert ticket.state == "waiting"
    server.usual = EventLog()
    await ticket


async def test_the_buffer_is_bounded_in_events(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    async with client_of(server, buffer=BufferLimits(max_events=3, linger=0.0)) as memory:
        kept = put(memory, "a", "b", "c")
        lost = put(memory, "d", SECRET)
        assert {ticket.state for ticket in lost} == {"dropped"}
        assert memory.buffer.dropped == 2
        assert memory.buffer.undelivered == 3
        with pytest.raises(BufferFull):
            await lost[0]
        assert [record.message for record in caplog.records] == [
            "the buffer is full with 3 events; new ones are dropped"
        ]
        server.usual = log = EventLog()
        for ticket in kept:
            await ticket
        await put(memory, "e")[0]
    assert log.texts == ["a", "b", "c", "e"]
    assert SECRET not in caplog.text


async def test_the_buffer_is_bounded_in_bytes(server: Server) -> None:
    server.usual = log = EventLog()
    async with client_of(server, buffer=BufferLimits(max_bytes=3_000, linger=0.0)) as memory:
        tickets = put(memory, "a" * 2_000, "b" * 2_000, "c" * 100)
        assert [ticket.state for ticket in tickets] == ["waiting", "dropped", "waiting"]
        assert 2_100 < memory.buffer.undelivered_bytes <= 3_000
    assert len(log.events) == 2


async def test_what_is_being_sent_counts_until_it_is_durable(server: Server) -> None:
    release = asyncio.Event()
    log = EventLog()
    server.usual = lambda sent: Reply(201, log(sent).body, after=release)
    async with client_of(server, buffer=BufferLimits(max_events=1, linger=0.0)) as memory:
        (first,) = put(memory, "a")
        await server.requests(1)
        assert put(memory, "b")[0].state == "dropped"
        flushing = asyncio.create_task(memory.buffer.flush(5))
        release.set()
        assert (await flushing).durable == 1
        assert first.state == "durable"


async def test_what_cannot_be_sent_is_refused_on_its_ticket(server: Server, memory: Keepwell) -> None:
    server.usual = log = EventLog()
    changed = event("a", data={"fine": 1})
    changed.data["fine"] = object()
    ticket = memory.buffer.put(changed)
    assert ticket.state == "refused"
    with pytest.raises(InvalidInput, match="JSON cannot carry"):
        await ticket
    await put(memory, "b")[0]
    assert log.texts == ["b"]


async def test_fields_may_be_put_as_they_are(server: Server, memory: Keepwell) -> None:
    server.usual = log = EventLog()
    fields = {"type": "note", "activity_id": "act-1", "scope": {}, "text": "a", "idempotency_key": "mine"}
    ticket = memory.buffer.put(fields)
    await ticket
    assert ticket.idempotency_key == "mine"
    assert log.events["mine"]["occurred_at"]
    refused = {
        "mood: unknown field; remove it or put it into data": {**fields, "mood": "calm"},
        "neither a NewEvent nor a mapping of its fields": "hello",
    }
    for complaint, given in refused.items():
        ticket = memory.buffer.put(given)  # pyright: ignore[reportArgumentType] - that is what must be refused
        with pytest.raises(InvalidInput, match=complaint):
            await ticket
    assert memory.buffer.refused == 2


async def test_a_key_of_the_callers_own_is_kept(server: Server, memory: Keepwell) -> None:
    server.usual = log = EventLog()
    first = memory.buffer.put(event("a", idempotency_key="mine"))
    await memory.buffer.put(event("a", idempotency_key="mine"))
    assert first.idempotency_key == "mine"
    assert list(log.events) == ["mine"]


async def test_nothing_to_flush(memory: Keepwell) -> None:
    flushed = await memory.buffer.flush()
    assert flushed.complete
    assert flushed.durable == 0
