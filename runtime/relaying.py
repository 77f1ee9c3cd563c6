"""The loop of a relay: take what waits in the outbox until nothing does, and sleep until something comes.

It is woken by a notification after each commit that has work for it, and looks by itself now and then in
case a notification was lost. Several may run: a row is held by one at a time.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from temporalio.service import RPCError

from models.errors import Unavailable
from store.listen import Listener

POLL_SECONDS = 2.0
AFTER_FAILURE_SECONDS = 1.0


async def relay_for_ever(relay: Callable[[], Awaitable[bool]], listener: Listener, log: Any) -> None:
    """Call `relay`, which says whether there is more to do at once, until cancelled. A lost server is waited for."""
    while True:
        try:
            while await relay():
                pass
            await listener.wait(POLL_SECONDS)
        except (Unavailable, RPCError) as lost:
            log.warning("relay_waits", reason=type(lost).__name__)
            await asyncio.sleep(AFTER_FAILURE_SECONDS)
        except Exception as failed:
            log.error("relay_failed", error=type(failed).__name__)  # noqa: TRY400 - a traceback may quote content
            await asyncio.sleep(AFTER_FAILURE_SECONDS)
