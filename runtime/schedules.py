"""The schedules by which tenants' experience is reflected on, kept by Temporal and set up again where it lost them.

All of them run as often, each at times of its own, so that not all tenants are reflected on at once.
"""

import asyncio
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

import structlog
from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleIntervalSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleUpdate,
    ScheduleUpdateInput,
)
from temporalio.service import RPCError

from models.errors import Unavailable
from models.messages import TenantMessage
from store import tenants
from store.engine import Database
from workflows import ids
from workflows.reflection import Reflection
from workflows.search_attributes import SUMMARIES, Process, at_start

LOOK_AGAIN_SECONDS = 600.0
AFTER_FAILURE_SECONDS = 30.0
JITTER = 0.25
"""By so much of the time between two reflections each of them is put off at most."""

log = structlog.get_logger("keepwell.schedules")


class ReflectionSchedules:
    """Sees to it that each tenant has its schedule. `relay` is a pool under the relay's role."""

    def __init__(self, relay: Database, client: Client, every: timedelta, *, task_queue: str) -> None:
        self._relay = relay
        self._client = client
        self._every = every
        self._task_queue = task_queue

    async def run(self) -> None:
        """Set up what is missing, now and every ten minutes, until cancelled. A server that is away is waited for."""
        while True:
            pause = LOOK_AGAIN_SECONDS
            try:
                await self.set_up()
            except (Unavailable, RPCError) as lost:
                log.warning("schedules_wait", reason=type(lost).__name__)
                pause = AFTER_FAILURE_SECONDS
            except Exception as failed:
                log.error("schedules_failed", error=type(failed).__name__)  # noqa: TRY400 - a traceback may quote content
                pause = AFTER_FAILURE_SECONDS
            await asyncio.sleep(pause)

    async def set_up(self) -> None:
        """Give every tenant a schedule, and have those that there are run as often as is said by now."""
        async with self._relay.relay() as work:
            known = await tenants.every(work)
        for tenant_id in known:
            schedule = self._schedule(tenant_id)
            try:
                await self._client.create_schedule(ids.reflection(tenant_id), schedule)
            except ScheduleAlreadyRunningError:
                await self._have_it_run_as(tenant_id, schedule)

    async def _have_it_run_as(self, tenant_id: UUID, schedule: Schedule) -> None:
        def told(there: ScheduleUpdateInput) -> ScheduleUpdate | None:
            if there.description.schedule.spec.intervals == schedule.spec.intervals:
                return None
            return ScheduleUpdate(schedule)

        with suppress(RPCError):
            await self._client.get_schedule_handle(ids.reflection(tenant_id)).update(told)

    def _schedule(self, tenant_id: UUID) -> Schedule:
        return Schedule(
            action=ScheduleActionStartWorkflow(
                Reflection.run,
                TenantMessage(tenant_id=tenant_id),
                id=ids.reflection(tenant_id),
                task_queue=self._task_queue,
                static_summary=SUMMARIES[Process.REFLECTION],
                typed_search_attributes=at_start(tenant_id, Process.REFLECTION),
            ),
            spec=ScheduleSpec(
                intervals=[ScheduleIntervalSpec(every=self._every)], jitter=self._every * JITTER
            ),
            policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP),
        )
