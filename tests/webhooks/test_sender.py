"""Sending to a server that answers on loopback: what arrives, and whatever goes wrong."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta, timezone

import pytest

from models.attempts import Answer, Ending
from models.webhooks import Target
from providers.webhooks.sender import MOST_DRAINED, WebhookSender
from tests.webhooks.senders import BODY, HOST, MESSAGE, PATH, SECRET, Names, sending, sent
from tests.webhooks.server import (
    Reaction,
    Receiver,
    Wire,
    answers,
    breaks_off,
    hangs,
    receiving,
    stalls,
)


@pytest.fixture
async def receiver() -> AsyncGenerator[Receiver]:
    async with receiving() as running:
        yield running


@pytest.fixture
async def sender() -> AsyncGenerator[WebhookSender]:
    async with sending(HOST) as made:
        yield made


async def test_a_message_arrives_as_it_was_handed_over(sender: WebhookSender, receiver: Receiver) -> None:
    assert await sent(sender, receiver.port) == Answer(Ending.ANSWERED, 204)
    [received] = receiver.received
    assert (received.path, received.body) == (PATH, BODY)
    assert received.heads["host"] == f"{HOST}:{receiver.port}"
    assert received.heads["content-type"] == "application/json"
    assert received.heads["webhook-id"] == str(MESSAGE)


@pytest.mark.parametrize("status", [200, 202, 301, 302, 307, 400, 401, 404, 410, 429, 500, 502, 503])
async def test_a_status_is_told(sender: WebhookSender, receiver: Receiver, status: int) -> None:
    receiver.reaction = answers(status, "the body decides nothing")
    assert await sent(sender, receiver.port) == Answer(Ending.ANSWERED, status)


@pytest.mark.parametrize("status", [410, 429, 503])
async def test_when_to_come_back_is_told(sender: WebhookSender, receiver: Receiver, status: int) -> None:
    receiver.reaction = answers(status, retry_after="120")
    assert await sent(sender, receiver.port) == Answer(Ending.ANSWERED, status, 120.0)


async def test_a_date_to_come_back_is_told_in_seconds(sender: WebhookSender, receiver: Receiver) -> None:
    receiver.reaction = answers(503, retry_after="Tue, 01 Dec 2026 09:02:00 GMT")
    at = datetime(2026, 12, 1, 9, tzinfo=UTC)
    target = Target("http", HOST, receiver.port, PATH)
    assert await sender.send(target, MESSAGE, at, BODY, [SECRET]) == Answer(Ending.ANSWERED, 503, 120.0)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("public", [True, False])
async def test_a_redirect_is_not_followed(receiver: Receiver, status: int, public: bool) -> None:
    names = Names("127.0.0.1")
    async with receiving() as other, sending(HOST, resolve=names) as sender:
        location = "https://www.example.com/" if public else f"http://127.0.0.1:{other.port}/"
        receiver.reaction = answers(status, location=location)
        assert await sent(sender, receiver.port) == Answer(Ending.ANSWERED, status)
    assert other.connections == 0
    assert names.asked == [(HOST, receiver.port)]


@pytest.mark.parametrize(
    ("reaction", "ending"),
    [
        (hangs, Ending.TIMED_OUT),
        (stalls("HTTP/1.1 200 X\r\ncontent-le"), Ending.TIMED_OUT),
        (stalls("HTTP/1.1 102 X\r\n\r\n"), Ending.TIMED_OUT),
        (breaks_off(""), Ending.BROKEN_OFF),
        (breaks_off("HTTP/1.1 200 X\r\ncontent-le"), Ending.BROKEN_OFF),
        (breaks_off("220 mail.example.org ESMTP\r\n\r\n"), Ending.BROKEN_OFF),
        (stalls(f"HTTP/1.1 200 X\r\nx: {'y' * 300_000}"), Ending.BROKEN_OFF),
        (breaks_off("HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"), Ending.BROKEN_OFF),
    ],
)
async def test_no_answer_is_told_by_its_kind(receiver: Receiver, reaction: Reaction, ending: Ending) -> None:
    receiver.reaction = reaction
    async with sending(HOST, total_seconds=0.5) as sender:
        assert await sent(sender, receiver.port) == Answer(ending)


@pytest.mark.parametrize(
    "reaction",
    [
        breaks_off("HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\nok"),
        stalls("HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\nok"),
        breaks_off("HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\nno length\r\n"),
    ],
)
async def test_the_body_of_an_answer_decides_nothing(
    sender: WebhookSender, receiver: Receiver, reaction: Reaction
) -> None:
    receiver.reaction = reaction
    assert await sent(sender, receiver.port) == Answer(Ending.ANSWERED, 200)
    receiver.reaction = answers(201)
    assert await sent(sender, receiver.port) == Answer(Ending.ANSWERED, 201)


async def test_of_an_endless_body_little_is_read(sender: WebhookSender, receiver: Receiver) -> None:
    written = 0
    closed = asyncio.Event()

    async def never_ends(wire: Wire) -> None:
        nonlocal written
        await wire.say("HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n")
        try:
            while True:
                await wire.say(f"{0x4000:x}\r\n{'x' * 0x4000}\r\n")
                written += 0x4000
        finally:
            closed.set()

    receiver.reaction = never_ends
    assert await sent(sender, receiver.port) == Answer(Ending.ANSWERED, 200)
    await closed.wait()
    # What the system had taken into its buffers on both sides was written as well.
    assert written < MOST_DRAINED + 16 * 1024 * 1024


async def test_an_answer_that_takes_its_time_is_waited_for(sender: WebhookSender, receiver: Receiver) -> None:
    async def takes_its_time(wire: Wire) -> None:
        done = asyncio.Event()
        asyncio.get_running_loop().call_later(0.3, done.set)
        await done.wait()
        await answers(200)(wire)

    receiver.reaction = takes_its_time
    began = time.monotonic()
    assert await sent(sender, receiver.port) == Answer(Ending.ANSWERED, 200)
    assert time.monotonic() - began >= 0.3


async def test_an_answer_that_is_late_is_no_answer_to_the_next_message(receiver: Receiver) -> None:
    given_up = asyncio.Event()

    async def is_late(wire: Wire) -> None:
        await given_up.wait()
        await answers(200)(wire)

    async with sending(HOST, total_seconds=0.3) as sender:
        receiver.reaction = is_late
        assert await sent(sender, receiver.port) == Answer(Ending.TIMED_OUT)
        given_up.set()
        receiver.reaction = answers(503)
        assert await sent(sender, receiver.port) == Answer(Ending.ANSWERED, 503)
    assert receiver.connections == 2


async def test_one_that_hangs_does_not_delay_others(receiver: Receiver) -> None:
    async with receiving() as other, sending(HOST) as sender:
        arrived = asyncio.Semaphore(0)

        async def arrives_and_hangs(wire: Wire) -> None:
            arrived.release()
            await hangs(wire)

        receiver.reaction = arrives_and_hangs
        waiting = [asyncio.create_task(sent(sender, receiver.port)) for _ in range(30)]
        for _ in waiting:
            await arrived.acquire()
        assert await asyncio.wait_for(sent(sender, other.port), 5) == Answer(Ending.ANSWERED, 204)
        for each in waiting:
            each.cancel()
        assert {type(each) for each in await asyncio.gather(*waiting, return_exceptions=True)} == {
            asyncio.CancelledError
        }


async def test_nobody_there_is_told(sender: WebhookSender) -> None:
    assert await sent(sender, 1) == Answer(Ending.UNREACHABLE)


async def test_a_connection_is_kept_and_made_again_when_it_is_lost(
    sender: WebhookSender, receiver: Receiver
) -> None:
    for _ in range(3):
        assert await sent(sender, receiver.port) == Answer(Ending.ANSWERED, 204)
    assert receiver.connections == 1
    await receiver.hang_up()
    assert await sent(sender, receiver.port) == Answer(Ending.ANSWERED, 204)
    assert receiver.connections == 2


async def test_no_proxy_of_the_environment_is_used(
    monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    async with receiving() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        async with sending(HOST) as sender:
            assert await sent(sender, receiver.port) == Answer(Ending.ANSWERED, 204)
    assert proxy.connections == 0


async def test_nothing_that_is_logged_quotes_what_was_sent(
    sender: WebhookSender, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for reaction in (answers(200, "zebra-7731"), answers(500), breaks_off("")):
        receiver.reaction = reaction
        await sent(sender, receiver.port)
    assert receiver.received[0].body == BODY
    assert [line for line in caplog.messages if "receive_response_headers" in line]
    assert not [line for line in caplog.messages if "zebra" in line or SECRET in line]


async def test_the_time_of_an_attempt_does_not_depend_on_its_zone(
    sender: WebhookSender, receiver: Receiver
) -> None:
    at = datetime(2026, 12, 1, 9, tzinfo=UTC)
    target = Target("http", HOST, receiver.port, PATH)
    for moment in (at, at.astimezone(timezone(timedelta(hours=-8))), at + timedelta(milliseconds=900)):
        await sender.send(target, MESSAGE, moment, BODY, [SECRET])
    assert {each.heads["webhook-timestamp"] for each in receiver.received} == {str(int(at.timestamp()))}
    assert len({each.heads["webhook-signature"] for each in receiver.received}) == 1
