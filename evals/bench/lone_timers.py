"""What one timer a tenant is held against: a workflow for each intention, all due at one instant."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from temporalio import activity, workflow
from temporalio.worker import Worker

from evals.bench.stage import NAMESPACE, Stage
from runtime.temporal import connect

STARTS_A_SECOND = 40
STARTED_AT_ONCE = 20


@activity.defn(name="keepwell_bench.wake")
async def wake() -> None:
    """Do nothing, so that all that is measured is the way here."""


@workflow.defn(name="keepwell_bench.lone_timer", sandboxed=False)
class LoneTimer:
    """Sleeps until its instant, and runs one step."""

    @workflow.run
    async def run(self, due_at: datetime) -> None:
        left = due_at - workflow.now()
        if left > timedelta(0):
            await workflow.sleep(left)
        await workflow.execute_activity(wake, start_to_close_timeout=timedelta(seconds=30))


async def seconds_to_wake(stage: Stage, count: int) -> float:
    """Seconds from the instant at which `count` workflows are due until the last has run its step."""
    client = await connect(stage.temporal_address, NAMESPACE)
    queue = f"keepwell-bench-lone-{uuid4().hex[:8]}"
    due_at = datetime.now(UTC) + timedelta(seconds=3 + count / STARTS_A_SECOND)
    async with Worker(client, task_queue=queue, workflows=[LoneTimer], activities=[wake]):
        room = asyncio.Semaphore(STARTED_AT_ONCE)

        async def one(number: int) -> None:
            async with room:
                handle = await client.start_workflow(
                    LoneTimer.run, due_at, id=f"{queue}-{number}", task_queue=queue
                )
            await handle.result()

        started = time.perf_counter() + (due_at - datetime.now(UTC)).total_seconds()
        await asyncio.gather(*(one(number) for number in range(count)))
        return time.perf_counter() - started
