"""What became of one event that was put into a buffer."""

import asyncio
from collections.abc import Generator
from typing import Any, Literal

from keepwell.errors import KeepwellError, NotDurableYet
from keepwell.types import Acknowledgement

TicketState = Literal["waiting", "durable", "refused", "dropped"]


class Ticket:
    """The receipt for one event; `await ticket` waits until it is durable.

    | state | means |
    | --- | --- |
    | waiting | it is in the buffer, and will be sent for as long as the buffer lives |
    | durable | the service has stored it; `acknowledgement` says as what |
    | refused | the service, or the client, will not take it as it is; `error` says why |
    | dropped | the buffer was full, or was closed before the service had acknowledged it; see `error` |
    """

    def __init__(self, idempotency_key: str) -> None:
        self.idempotency_key = idempotency_key
        self.state: TicketState = "waiting"
        self.acknowledgement: Acknowledgement | None = None
        self.error: KeepwellError | None = None
        self._settled = asyncio.Event()

    def __repr__(self) -> str:
        return f"<Ticket {self.idempotency_key} {self.state}>"

    def __await__(self) -> Generator[Any, None, Acknowledgement]:
        return self.durable().__await__()

    async def durable(self, timeout: float | None = None) -> Acknowledgement:
        """Wait until the event is durable.

        Raises `NotDurableYet` after `timeout` seconds, and the ticket's error where it was refused or dropped.
        """
        if not await self.settled(timeout):
            raise NotDurableYet(f"not durable after {timeout:g} s; it stays in the buffer and will be sent")
        if self.acknowledgement is None:
            assert self.error is not None
            raise self.error
        return self.acknowledgement

    async def settled(self, timeout: float | None = None) -> bool:
        """Wait until the event is no longer waiting; False where it still is after `timeout` seconds."""
        return await happens(self._settled, timeout)

    def settle(
        self,
        state: TicketState,
        *,
        acknowledgement: Acknowledgement | None = None,
        error: KeepwellError | None = None,
    ) -> None:
        """Say what became of the event; for the buffer alone."""
        self.state = state
        self.acknowledgement = acknowledgement
        self.error = error
        self._settled.set()


async def happens(event: asyncio.Event, timeout: float | None) -> bool:
    """Wait for `event`; False where it has not happened after `timeout` seconds.

    `asyncio.wait_for` of Python before 3.12 can swallow a cancellation that comes at the same moment.
    """
    if event.is_set() or (timeout is not None and timeout <= 0):
        return event.is_set()
    waiter = asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait({waiter}, timeout=timeout)
    finally:
        waiter.cancel()
    return event.is_set()
