"""Traces that have had their time are forgotten, a batch at a time, with what was reported on them.

What is to be forgotten follows from the clock and from the rows alone: whatever ends this process, the next one goes on
where it was, and several at work take nothing from each other.
"""

import asyncio
from datetime import UTC, datetime, timedelta

import structlog

from models.errors import Unavailable
from store import tenants, traces
from store.engine import Database

BATCH = 500
LOOK_AGAIN_SECONDS = 3_600.0
AFTER_FAILURE_SECONDS = 60.0

log = structlog.get_logger("keepwell.retention")


class TraceRetention:
    """Forgets for all tenants. `relay` is a pool under the relay's role, `database` one under the service's."""

    def __init__(self, relay: Database, database: Database, kept_for: timedelta) -> None:
        self._relay = relay
        self._database = database
        self._kept_for = kept_for

    async def run(self) -> None:
        """Forget what is due, now and every hour, until cancelled. A server that is away is waited for."""
        while True:
            pause = LOOK_AGAIN_SECONDS
            try:
                await self.forget_due(datetime.now(UTC))
            except Unavailable as lost:
                log.warning("retention_waits", reason=type(lost).__name__)
                pause = AFTER_FAILURE_SECONDS
            except Exception as failed:
                log.error("retention_failed", error=type(failed).__name__)  # noqa: TRY400 - a traceback may quote content
                pause = AFTER_FAILURE_SECONDS
            await asyncio.sleep(pause)

    async def forget_due(self, now: datetime) -> int:
        """Forget every trace that is older than is kept at `now`; how many there were."""
        async with self._relay.relay() as work:
            found = await tenants.every(work)
        gone = 0
        for tenant_id in found:
            batch = BATCH
            while batch == BATCH:
                async with self._database.transaction(tenant_id) as work:
                    batch = await traces.forget_before(work, now - self._kept_for, BATCH)
                gone += batch
        if gone:
            log.info("traces_forgotten", traces=gone)
        return gone
