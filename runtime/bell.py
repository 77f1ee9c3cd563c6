"""One listener on a channel for many who wait: whoever waits on a tenant is woken by each notification for it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from uuid import UUID

import structlog

from store.listen import ANYTHING, Listener

_LOOK_AGAIN_SECONDS = 5.0
_AFTER_FAILURE_SECONDS = 1.0
_BURST_SECONDS = 0.05

log = structlog.get_logger("keepwell.bell")


class Bell:
    """Rings for all who wait on one tenant. Made by `hung_bell`."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._rung: dict[UUID, asyncio.Event] = {}

    def next_ring(self, tenant_id: UUID) -> asyncio.Event:
        """Set at the tenant's next ring. Take it before you look, and await it if there was nothing to see.

        A notification may be lost: look now and then in any case.
        """
        return self._rung.setdefault(tenant_id, asyncio.Event())

    async def listen(self) -> None:
        """Ring at each notification until cancelled. A server that is away is waited for."""
        while True:
            try:
                heard = await self._listener.wait(_LOOK_AGAIN_SECONDS)
            except Exception as lost:
                log.warning("bell_waits", reason=type(lost).__name__)
                heard = {ANYTHING}
                await asyncio.sleep(_AFTER_FAILURE_SECONDS)
            if ANYTHING in heard:
                self.ring_all()
            for tenant in heard - {ANYTHING}:
                self._ring(UUID(tenant))
            # What a burst has to tell is told at once, and not one by one.
            await asyncio.sleep(_BURST_SECONDS)

    def ring_all(self) -> None:
        """Wake everybody who waits."""
        for tenant_id in list(self._rung):
            self._ring(tenant_id)

    def _ring(self, tenant_id: UUID) -> None:
        rung = self._rung.pop(tenant_id, None)
        if rung is not None:
            rung.set()


@asynccontextmanager
async def hung_bell(database_url: str, channel: str) -> AsyncGenerator[Bell]:
    """A bell for as long as the context lasts."""
    async with Listener(database_url, channel) as listener:
        bell = Bell(listener)
        listening = asyncio.create_task(bell.listen(), name="bell")
        try:
            yield bell
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError):
                await listening
