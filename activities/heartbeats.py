"""Heartbeats of a step that may take long: its worker is alive for as long as they come."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from temporalio import activity

INTERVAL_SECONDS = 2.0


@asynccontextmanager
async def beating() -> AsyncGenerator[None]:
    """Send heartbeats as long as the context lasts; none where no workflow called the step."""
    if not activity.in_activity():
        yield
        return
    beats = asyncio.create_task(_beat(), name="heartbeats")
    try:
        yield
    finally:
        beats.cancel()
        with suppress(asyncio.CancelledError):
            await beats


async def _beat() -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(INTERVAL_SECONDS)
