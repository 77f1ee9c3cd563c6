"""A memory that keeps what it is told and answers what it is told to: the seam between an activity and its client."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from keepwell import NewEvent, Recalled, RecallRequest, Ticket

from tests.client.records import answer

Answer = Recalled | Exception | Callable[[RecallRequest], Recalled]


class Recorder:
    """Stands for a client. `answers` come in order and then `usual`; a recall that is to be late waits for `late`
    and says when it is cancelled."""

    def __init__(self) -> None:
        self.buffer = RecorderBuffer()
        self.answers: deque[Answer] = deque()
        self.usual: Answer = answer()
        self.asked: list[RecallRequest] = []
        self.late: asyncio.Event | None = None
        self.given_up = asyncio.Event()

    async def recall(self, request: RecallRequest, /) -> Recalled:
        self.asked.append(request)
        if self.late is not None:
            try:
                await self.late.wait()
            except asyncio.CancelledError:
                self.given_up.set()
                raise
        given = self.answers.popleft() if self.answers else self.usual
        if isinstance(given, Exception):
            raise given
        return given if isinstance(given, Recalled) else given(request)

    @property
    def events(self) -> list[NewEvent]:
        return self.buffer.events

    @property
    def told(self) -> list[tuple[str, str | None]]:
        """Type and text of each event."""
        return [(event.type, event.text) for event in self.events]

    def last(self, kind: str) -> NewEvent:
        """The latest event of a type."""
        return next(event for event in reversed(self.events) if event.type == kind)

    def memory_of(self, kind: str = "tool_call") -> dict[str, Any]:
        """What the latest event of a type says of memory."""
        return self.last(kind).data["memory"]


class RecorderBuffer:
    """Keeps events and leaves their tickets waiting. `error` is raised in place of that, as no buffer should."""

    def __init__(self) -> None:
        self.events: list[NewEvent] = []
        self.error: Exception | None = None
        self.arrived = asyncio.Event()

    def put(self, event: NewEvent) -> Ticket:
        if self.error is not None:
            raise self.error
        self.events.append(event)
        self.arrived.set()
        return Ticket(event.idempotency_key or uuid4().hex)

    async def count(self, number: int) -> list[NewEvent]:
        """The events so far, once there are as many as that."""
        while len(self.events) < number:
            self.arrived.clear()
            await self.arrived.wait()
        return self.events
