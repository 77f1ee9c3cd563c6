"""One listener on a channel for many who wait: whoever waits is woken by each notification."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import structlog

from models.errors import Unavailable
from store.listen import Listener

_LOOK_AGAIN_SECONDS = 5.0
_AFTER_FAILURE_SECONDS = 1.0

log = structlog.get_logger("keepwell.bell")


class Bell:
    """Rings for all at once. Made by `hung_bell`."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._rung = asyncio.Event()

    async def wait(self, seconds: float) -> None:
        """Return at the next ring, or after `seconds`: a notification may be lost, so look in any case."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._rung.wait(), seconds)

    async def listen(self) -> None:
        """Ring at each notification until cancelled. A server that is away is waited for."""
        while True:
            try:
                await self._listener.wait(_LOOK_AGAIN_SECONDS)
            except Unavailable as lost:
                log.warning("bell_waits", reason=type(lost).__name__)
                await asyncio.sleep(_AFTER_FAILURE_SECONDS)
            self.ring()

    def ring(self) -> None:
        """Wake everybody who waits."""
        rung, self._rung = self._rung, asyncio.Event()
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
