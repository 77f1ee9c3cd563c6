"""The client for programs without an event loop: the same calls, each of which waits for its answer.

The calls themselves are those of `Keepwell`, run on a loop in a thread of its own; nothing is written twice.
"""

import asyncio
import atexit
import socket
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Mapping
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

import httpx2
from pydantic import PrivateAttr

from keepwell.buffer import BufferLimits, Flushed
from keepwell.client import Keepwell
from keepwell.errors import ClientClosed, KeepwellError
from keepwell.retry import Retry
from keepwell.ticket import Ticket, TicketState
from keepwell.types import Acknowledgement, DueTold, IntentionRead, NewEvent

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K", bound="KeepwellSync")


class _Loop(asyncio.SelectorEventLoop):
    """A loop that finds hosts to the end: once the program ends, executors, which look them up, take no more work."""

    async def getaddrinfo(self, *args: Any, **kwargs: Any) -> Any:
        """As ever, and in the thread of the loop where no other one can be had."""
        try:
            return await super().getaddrinfo(*args, **kwargs)
        except RuntimeError:
            return socket.getaddrinfo(*args, **kwargs)


def _waiting(
    call: Callable[Concatenate[Keepwell, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["KeepwellSync", P], T]:
    """The same call, which returns once it is answered."""

    @wraps(call)
    def waiting(self: "KeepwellSync", *args: P.args, **kwargs: P.kwargs) -> T:
        return self.wait_for(call(self.client, *args, **kwargs))

    return waiting


def _pulled(
    stream: Callable[Concatenate[Keepwell, P], AsyncGenerator[T]],
) -> Callable[Concatenate["KeepwellSync", P], Generator[T]]:
    """The same stream, of which each item is waited for."""

    @wraps(stream)
    def pulled(self: "KeepwellSync", *args: P.args, **kwargs: P.kwargs) -> Generator[T]:
        items = stream(self.client, *args, **kwargs)
        try:
            while True:
                try:
                    item = self.wait_for(anext(items))
                except StopAsyncIteration:
                    return
                yield item
        finally:
            self.wait_for(items.aclose())

    return pulled


class SyncTicket:
    """The receipt for an event in the buffer; see `keepwell.ticket.Ticket`."""

    def __init__(self, client: "KeepwellSync", ticket: Ticket) -> None:
        self._client = client
        self._ticket = ticket

    def __repr__(self) -> str:
        return repr(self._ticket)

    @property
    def state(self) -> TicketState:
        return self._ticket.state

    @property
    def acknowledgement(self) -> Acknowledgement | None:
        return self._ticket.acknowledgement

    @property
    def error(self) -> KeepwellError | None:
        return self._ticket.error

    def durable(self, timeout: float | None = None) -> Acknowledgement:
        """Wait until the event is durable; raises as `Ticket.durable` does."""
        return self._client.wait_for(self._ticket.durable(timeout))


class SyncDue(DueTold):
    """Something due; see `keepwell.inbox.Due`."""

    _client: "KeepwellSync" = PrivateAttr()

    @classmethod
    def of(cls, client: "KeepwellSync", told: DueTold) -> "SyncDue":
        """What was told, with the client by which it is answered."""
        made = cls.model_validate(told.model_dump())
        made._client = client  # noqa: SLF001 - it is being made
        return made

    def acknowledge(self, text: str | None = None, **fields: Any) -> IntentionRead:
        """Say what came of it; see `keepwell.inbox.Due.acknowledge`."""
        return self._client.acknowledge(self.occurrence_id, lease=self.lease, text=text, **fields)

    def snooze(self, **fields: Any) -> IntentionRead:
        """It comes again `until` an instant, or `after` a delay."""
        return self._client.snooze(self.occurrence_id, lease=self.lease, **fields)


class KeepwellSync:
    """As `Keepwell`, for threads: any number of them may share one object. Use it with `with`, or `close` it."""

    def __init__(
        self,
        api_key: str | None = None,
        url: str | None = None,
        *,
        timeout: float = 10.0,
        retry: Retry | None = None,
        buffer: BufferLimits | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self.client = Keepwell(api_key, url, timeout=timeout, retry=retry, buffer=buffer, transport=transport)
        self._loop = _Loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="keepwell", daemon=True)
        self._thread.start()
        # A program that ends without closing has its buffer flushed all the same, once its other threads are done.
        atexit.register(self.close)

    def __repr__(self) -> str:
        return f"<KeepwellSync of {self.client!r}>"

    def __enter__(self: K) -> K:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Send what is in the buffer, for a bounded time, and close all connections.

        A program that ends without it has that done all the same.
        """
        if self._loop.is_closed() or not self._thread.is_alive():
            return
        atexit.unregister(self.close)
        try:
            self.wait_for(self.client.aclose())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def wait_for(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of the client on its loop and wait for what it returns."""
        if self._loop.is_closed():
            coroutine.close()
            raise ClientClosed("the client was closed; make another")
        if not self._thread.is_alive():
            coroutine.close()
            raise ClientClosed("the client is of the process that this one was forked from; make another")
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            # Whoever interrupts the wait wants the call itself to end as well.
            future.cancel()
            raise

    def put(self, event: NewEvent | Mapping[str, Any]) -> SyncTicket:
        """Put an event into the buffer; see `EventBuffer.put`."""

        async def put() -> Ticket:
            return self.client.buffer.put(event)

        return SyncTicket(self, self.wait_for(put()))

    def flush(self, timeout: float | None = None) -> Flushed:
        """Send what is in the buffer; see `EventBuffer.flush`."""
        return self.wait_for(self.client.buffer.flush(timeout))

    def take(self, **asked: Any) -> list[SyncDue]:
        """What is due in one's inbox, each under a lease; see `Keepwell.take`."""
        return [SyncDue.of(self, each) for each in self.wait_for(self.client.take(**asked))]

    def inbox(self, *, lease_seconds: float | None = None) -> Generator[SyncDue]:
        """Whatever is due, one after another; see `Keepwell.inbox`."""
        for each in self._inbox(lease_seconds=lease_seconds):
            yield SyncDue.of(self, each)

    _inbox = _pulled(Keepwell.inbox)
    publish = _waiting(Keepwell.publish)
    publish_batch = _waiting(Keepwell.publish_batch)
    verdict_of = _waiting(Keepwell.verdict_of)
    recall = _waiting(Keepwell.recall)
    context = _waiting(Keepwell.context)
    explain = _waiting(Keepwell.explain)
    trace = _waiting(Keepwell.trace)
    trace_page = _waiting(Keepwell.trace_page)
    traces = _pulled(Keepwell.traces)
    explain_trace = _waiting(Keepwell.explain_trace)
    report = _waiting(Keepwell.report)
    attribution = _waiting(Keepwell.attribution)
    remember = _waiting(Keepwell.remember)
    correct = _waiting(Keepwell.correct)
    retract = _waiting(Keepwell.retract)
    promote = _waiting(Keepwell.promote)
    confirm = _waiting(Keepwell.confirm)
    memory = _waiting(Keepwell.memory)
    memory_page = _waiting(Keepwell.memory_page)
    memories = _pulled(Keepwell.memories)
    history = _waiting(Keepwell.history)
    history_of = _waiting(Keepwell.history_of)
    lineage = _waiting(Keepwell.lineage)
    review_page = _waiting(Keepwell.review_page)
    reviews = _pulled(Keepwell.reviews)
    accept = _waiting(Keepwell.accept)
    reject = _waiting(Keepwell.reject)
    intend = _waiting(Keepwell.intend)
    preview_intention = _waiting(Keepwell.preview_intention)
    intention_page = _waiting(Keepwell.intention_page)
    intentions = _pulled(Keepwell.intentions)
    intention = _waiting(Keepwell.intention)
    cancel_intention = _waiting(Keepwell.cancel_intention)
    confirm_intention = _waiting(Keepwell.confirm_intention)
    reschedule_intention = _waiting(Keepwell.reschedule_intention)
    hand_over_intention = _waiting(Keepwell.hand_over_intention)
    acknowledge = _waiting(Keepwell.acknowledge)
    snooze = _waiting(Keepwell.snooze)
    register_endpoint = _waiting(Keepwell.register_endpoint)
    endpoints = _waiting(Keepwell.endpoints)
    rotate_endpoint = _waiting(Keepwell.rotate_endpoint)
    disable_endpoint = _waiting(Keepwell.disable_endpoint)
    enable_endpoint = _waiting(Keepwell.enable_endpoint)
    propose = _waiting(Keepwell.propose)
    proposal_page = _waiting(Keepwell.proposal_page)
    proposals = _pulled(Keepwell.proposals)
    proposal = _waiting(Keepwell.proposal)
    revise_proposal = _waiting(Keepwell.revise_proposal)
    withdraw_proposal = _waiting(Keepwell.withdraw_proposal)
    decide = _waiting(Keepwell.decide)
    procedure_page = _waiting(Keepwell.procedure_page)
    procedures = _pulled(Keepwell.procedures)
    procedure = _waiting(Keepwell.procedure)
    roll_back = _waiting(Keepwell.roll_back)
    report_run = _waiting(Keepwell.report_run)
    runs = _waiting(Keepwell.runs)
    reflect = _waiting(Keepwell.reflect)
    retract_episode = _waiting(Keepwell.retract_episode)
    ask_erasure = _waiting(Keepwell.ask_erasure)
    erasure_page = _waiting(Keepwell.erasure_page)
    erasures = _pulled(Keepwell.erasures)
    erasure = _waiting(Keepwell.erasure)
    confirm_erasure = _waiting(Keepwell.confirm_erasure)
    withdraw_erasure = _waiting(Keepwell.withdraw_erasure)
    tombstone = _waiting(Keepwell.tombstone)
    check_erasure_log = _waiting(Keepwell.check_erasure_log)
    hold = _waiting(Keepwell.hold)
    holds = _waiting(Keepwell.holds)
    release_hold = _waiting(Keepwell.release_hold)
    own_memory_page = _waiting(Keepwell.own_memory_page)
    own_memories = _pulled(Keepwell.own_memories)
    export = _waiting(Keepwell.export)
    export_document = _waiting(Keepwell.export_document)
    switches = _waiting(Keepwell.switches)
    switch_off = _waiting(Keepwell.switch_off)
    switch_on = _waiting(Keepwell.switch_on)
    news = _pulled(Keepwell.news)
    create_key = _waiting(Keepwell.create_key)
    keys = _waiting(Keepwell.keys)
    revoke_key = _waiting(Keepwell.revoke_key)
    policy = _waiting(Keepwell.policy)
    apply_policy = _waiting(Keepwell.apply_policy)
    policy_log = _waiting(Keepwell.policy_log)
    principal = _waiting(Keepwell.principal)
    health = _waiting(Keepwell.health)
    readiness = _waiting(Keepwell.readiness)
