"""Events on their way: taken at once, sent in order behind the agent's back, and kept until they are durable.

The buffer lives in memory. It never stops the agent: it neither blocks nor raises because the service is away.
It never says that an event is safe before the service has said so, and never grows beyond its limits.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import uuid4

from keepwell.calls import event_from
from keepwell.errors import (
    ApiError,
    BufferFull,
    ClientClosed,
    Conflict,
    InvalidInput,
    KeepwellError,
    NotPermitted,
    TooLarge,
    Unauthenticated,
    invalid_input,
)
from keepwell.retry import LONGEST_TOLD, Retry
from keepwell.ticket import Ticket, happens
from keepwell.transport import Transport
from keepwell.types import Acknowledgement, Acknowledgements, NewEvent

_log = logging.getLogger("keepwell")


@dataclass(frozen=True)
class BufferLimits:
    """How much a buffer holds and how it sends.

    It holds `max_events` and `max_bytes` of JSON, those that are being sent included. A batch is sent after
    `linger` seconds, of at most `batch_events` and about `batch_bytes`. When the client closes, it has
    `closing` seconds to send what is left.
    """

    max_events: int = 10_000
    max_bytes: int = 32 * 1024 * 1024
    batch_events: int = 100
    batch_bytes: int = 1_000_000
    linger: float = 0.02
    closing: float = 5.0


class Flushed(NamedTuple):
    """What became of the events that were in the buffer when it was flushed.

    `error` is what keeps the waiting ones from being sent, where the last attempt has failed.
    """

    durable: int
    waiting: int
    refused: int
    error: Exception | None = None

    @property
    def complete(self) -> bool:
        """Whether every one of them is durable."""
        return self.waiting == 0 and self.refused == 0


class _Waiting(NamedTuple):
    ticket: Ticket
    body: bytes


class EventBuffer:
    """Takes events for the service. `last_error` is why the last batch could not be sent, None if it could."""

    def __init__(self, transport: Transport, limits: BufferLimits | None = None) -> None:
        self.limits = limits or BufferLimits()
        self.dropped = 0
        self.refused = 0
        self.last_error: Exception | None = None
        self._transport = transport
        self._queue: deque[_Waiting] = deque()
        self._bytes = 0
        self._failures = 0
        self._batch_events = self.limits.batch_events
        self._told_full = False
        self._closed = False
        self._filled = asyncio.Event()
        self._hurry = asyncio.Event()
        self._sender: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<EventBuffer {self.undelivered} waiting, {self.refused} refused, {self.dropped} dropped>"

    @property
    def undelivered(self) -> int:
        """How many events are not durable yet and will still be sent."""
        return len(self._queue)

    @property
    def undelivered_bytes(self) -> int:
        """How much that is, as JSON."""
        return self._bytes

    def put(self, event: NewEvent | Mapping[str, Any]) -> Ticket:
        """Take an event, or a mapping of its fields; see `publish`. It is sent in its turn, under its idempotency
        key or one that it gets here.

        Never blocks and never raises: what became of the event is on the ticket. To be called in the thread of
        the event loop; from other threads there is `KeepwellSync.put`.
        """
        key = uuid4().hex
        ticket = Ticket(key)
        try:
            said = event_from(event)
            ticket.idempotency_key = key = said.idempotency_key or key
            body = said.model_copy(update={"idempotency_key": key}).as_json()
        except InvalidInput as refused:
            self._refuse(ticket, refused)
            return ticket
        except (TypeError, ValueError, RecursionError):
            self._refuse(ticket, invalid_input("holds a value that JSON cannot carry", field="data"))
            return ticket
        if self._closed:
            self._drop(ticket, ClientClosed("the client was closed; the event was not taken"))
        elif len(self._queue) >= self.limits.max_events or self._bytes + len(body) > self.limits.max_bytes:
            self._tell_full()
            self._drop(ticket, BufferFull("the buffer is full; the event was not taken"))
        else:
            self._queue.append(_Waiting(ticket, body))
            self._bytes += len(body)
            self._filled.set()
            self._start()
        return ticket

    async def flush(self, timeout: float | None = None) -> Flushed:
        """Send what is waiting now, for at most `timeout` seconds, and say what became of it."""
        tickets = [waiting.ticket for waiting in self._queue]
        ends = None if timeout is None else time.monotonic() + timeout
        if tickets:
            self._start()
            self._failures = 0
            self._hurry.set()
        for ticket in tickets:
            if not await ticket.settled(None if ends is None else ends - time.monotonic()):
                break
        states = [ticket.state for ticket in tickets]
        durable, refused = states.count("durable"), states.count("refused")
        return Flushed(durable, len(states) - durable - refused, refused, self.last_error)

    async def aclose(self, timeout: float | None = None) -> Flushed:
        """Take no more, flush, and give up on what is not durable within `timeout` or `limits.closing` seconds.

        It is not waited for where the key is refused: that passes, but not as quickly.
        """
        self._closed = True
        flushed = await self.flush(self.limits.closing if timeout is None else timeout)
        if self._sender is not None:
            self._sender.cancel()
            await asyncio.wait({self._sender})
        self._give_up()
        return flushed

    def _start(self) -> None:
        """Start to send, where there is a loop to do it in; outside of one it begins with a later call."""
        if self._sender is not None and not self._sender.done():
            return
        try:
            self._sender = asyncio.get_running_loop().create_task(self._send_all(), name="keepwell-buffer")
        except RuntimeError:
            return

    async def _send_all(self) -> None:
        try:
            while True:
                await self._filled.wait()
                await self._pause(self.limits.linger)
                while self._queue:
                    await self._send_batch()
                self._filled.clear()
        except asyncio.CancelledError:
            # The loop may end without the client having been closed: not even then is anything lost quietly.
            self._give_up()
            raise

    async def _send_batch(self) -> None:
        batch = self._next_batch()
        try:
            answer = await self._transport.call(
                "POST",
                "/v1/events/batch",
                Acknowledgements.model_validate_json,
                body=b'{"events":[' + b",".join(waiting.body for waiting in batch) + b"]}",
                retry=Retry(attempts=1),
            )
        except KeepwellError as error:
            if not self._set_aside(error, batch):
                await self._wait_out(error)
        except Exception as error:  # noqa: BLE001 - whatever failed, the events stay and are sent again
            await self._wait_out(error)
        else:
            if len(answer.events) == len(batch):
                self._deliver(answer.events)
            else:
                await self._wait_out(KeepwellError("not every event of the batch was acknowledged"))

    def _next_batch(self) -> list[_Waiting]:
        batch: list[_Waiting] = []
        size = 0
        for waiting in self._queue:
            size += len(waiting.body)
            if batch and (len(batch) >= self._batch_events or size > self.limits.batch_bytes):
                break
            batch.append(waiting)
        return batch

    def _deliver(self, acknowledgements: Sequence[Acknowledgement]) -> None:
        if self.last_error is not None:
            _log.info("the service takes events again")
        self._failures = 0
        self.last_error = None
        self._batch_events = self.limits.batch_events
        for acknowledgement in acknowledgements:
            waiting = self._queue.popleft()
            self._bytes -= len(waiting.body)
            waiting.ticket.settle("durable", acknowledgement=acknowledgement)
        self._told_full = self._told_full and bool(self._queue)

    def _set_aside(self, error: KeepwellError, batch: Sequence[_Waiting]) -> bool:
        """Take the event that is to blame for `error` out of the way; False where the whole batch has to wait.

        | the batch was refused | with a position in it | without one |
        | --- | --- | --- |
        | as malformed or too large | that event is refused | halved until one event is left, which is refused |
        | for lack of a grant, or in conflict | that event is refused | it waits: the key may yet get the grant |
        | with any other error | it waits | it waits |
        """
        if not isinstance(error, (InvalidInput, TooLarge, NotPermitted, Conflict)):
            return False
        position = error.position
        if position is None and isinstance(error, (InvalidInput, TooLarge)):
            if len(batch) > 1:
                self._batch_events = len(batch) // 2
                return True
            position = 1
        if position is None or not 1 <= position <= len(batch):
            return False
        waiting = self._queue[position - 1]
        del self._queue[position - 1]
        self._bytes -= len(waiting.body)
        # The position was one in a batch that the caller of `put` knows nothing of.
        self._refuse(waiting.ticket, type(error)(error.problem.model_copy(update={"position": None})))
        return True

    async def _wait_out(self, error: Exception) -> None:
        if self.last_error is None:
            _log.warning("the service does not take events (%s); they wait in the buffer", _called(error))
        self.last_error = error
        self._failures += 1
        if self._closed and isinstance(error, (Unauthenticated, NotPermitted)):
            self._give_up()
            return
        told = error.retry_after if isinstance(error, ApiError) else None
        pause = self._transport.retry.pause(self._failures) if told is None else min(told, LONGEST_TOLD)
        await self._pause(pause)

    async def _pause(self, seconds: float) -> None:
        """Wait, or until somebody flushes. That cuts one pause short and no more, or it would hammer."""
        if await happens(self._hurry, seconds):
            self._hurry.clear()

    def _refuse(self, ticket: Ticket, error: KeepwellError) -> None:
        self.refused += 1
        ticket.settle("refused", error=error)
        _log.warning("an event was refused (%s); its ticket says why", error.code)

    def _drop(self, ticket: Ticket, error: KeepwellError) -> None:
        self.dropped += 1
        ticket.settle("dropped", error=error)

    def _tell_full(self) -> None:
        """Say once that the buffer is full, and again only after it was empty."""
        if not self._told_full:
            self._told_full = True
            _log.warning("the buffer is full with %d events; new ones are dropped", len(self._queue))

    def _give_up(self) -> None:
        if not self._queue:
            return
        why = "" if self.last_error is None else f" ({_called(self.last_error)})"
        _log.warning("%d events were not made durable before the client closed%s", len(self._queue), why)
        for waiting in self._queue:
            self._drop(
                waiting.ticket,
                ClientClosed("the client was closed before the service had acknowledged the event"),
            )
        self._queue.clear()
        self._bytes = 0


def _called(error: Exception) -> str:
    """What an error is called: its code where it is one of ours, else its type."""
    return error.code if isinstance(error, KeepwellError) else type(error).__name__
