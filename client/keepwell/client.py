"""The client: one object for all that a program has to say to Keepwell and to ask of it."""

import os
from collections.abc import Mapping
from types import TracebackType
from typing import TypeVar

import httpx2

from keepwell.activity import MAX_RESULT, Activity
from keepwell.administration import AdministrationCalls
from keepwell.attribution import AttributionCalls
from keepwell.buffer import BufferLimits, EventBuffer
from keepwell.checks import OnFailure
from keepwell.controls import ControlCalls
from keepwell.endpoints import EndpointCalls
from keepwell.erasures import ErasureCalls
from keepwell.errors import ConfigurationInvalid
from keepwell.events import EventCalls
from keepwell.inbox import InboxCalls
from keepwell.intentions import IntentionCalls
from keepwell.journal import Redact
from keepwell.mentions import Finder, find_mentions
from keepwell.news import NewsCalls
from keepwell.policy import PolicyCalls
from keepwell.procedures import ProcedureCalls
from keepwell.reading import ReadingCalls
from keepwell.retrieval import RetrievalPolicy
from keepwell.retry import Retry
from keepwell.reviews import ReviewCalls
from keepwell.statements import StatementCalls
from keepwell.transport import Transport

DEFAULT_URL = "http://127.0.0.1:7420"

K = TypeVar("K", bound="Keepwell")


class Keepwell(
    EventCalls,
    StatementCalls,
    ReviewCalls,
    IntentionCalls,
    InboxCalls,
    EndpointCalls,
    ProcedureCalls,
    ErasureCalls,
    ReadingCalls,
    AttributionCalls,
    ControlCalls,
    NewsCalls,
    PolicyCalls,
    AdministrationCalls,
):
    """The durable memory of one tenant, as the holder of one API key sees it.

    `api_key` and `url` come from KEEPWELL_API_KEY and KEEPWELL_URL unless they are given. `timeout` is for one
    attempt, besides what the service takes for a verdict; `retry` says how often and how long a call is tried.
    `buffer` takes events that nobody waits for. `transport` takes the place of the network, in tests or behind
    a tunnel. Use it with `async with`, or call `aclose`; one object serves any number of tasks of one event
    loop.
    """

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
        key = os.environ.get("KEEPWELL_API_KEY") if api_key is None else api_key
        if not key:
            raise ConfigurationInvalid(
                "no API key; set KEEPWELL_API_KEY, or give api_key (keepwell keys create makes one)"
            )
        address = url or os.environ.get("KEEPWELL_URL") or DEFAULT_URL
        self._transport = Transport(
            key, address, timeout=timeout, retry=retry or Retry(), transport=transport
        )
        self.buffer = EventBuffer(self._transport, buffer)

    def __repr__(self) -> str:
        state = "closed" if self._transport.is_closed else "open"
        return f"<Keepwell {self._transport.origin} {state}>"

    async def __aenter__(self: K) -> K:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Send what is in the buffer, for a bounded time, and close all connections."""
        try:
            await self.buffer.aclose()
        finally:
            await self._transport.aclose()

    def activity(
        self,
        goal: str,
        *,
        scope: Mapping[str, str],
        activity_id: str | None = None,
        entities: object = (),
        task_class: str | None = None,
        timezone: str | None = None,
        retrieval: RetrievalPolicy | None = None,
        find: Finder = find_mentions,
        redact: Redact | None = None,
        on_failure: OnFailure = "report",
        result_characters: int = MAX_RESULT,
    ) -> Activity:
        """One run of an agent towards `goal`, to be used with `async with`; see `keepwell.activity.Activity`."""
        return Activity(
            self,
            goal,
            scope=scope,
            activity_id=activity_id,
            entities=entities,
            task_class=task_class,
            timezone=timezone,
            retrieval=retrieval,
            find=find,
            redact=redact,
            on_failure=on_failure,
            result_characters=result_characters,
        )
