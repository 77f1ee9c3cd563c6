"""An agent of somebody's own that runs on Temporal and knows nothing of Keepwell, save where it asks for a look."""

import asyncio
from datetime import timedelta

from temporalio import activity, workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError

with workflow.unsafe.imports_passed_through():
    from keepwell.temporal import look_from_workflow

LIMIT = timedelta(seconds=20)
ONCE = RetryPolicy(maximum_attempts=1)
QUICKLY = RetryPolicy(initial_interval=timedelta(milliseconds=1), maximum_attempts=3)


@activity.defn
def list_machines() -> list[dict[str, str]]:
    """Runs in a thread."""
    return [{"id": "cloud-instance:i-09a8f", "name": "gpu-bench-01"}]


@activity.defn
async def stop_machine(name: str) -> str:
    """Succeeds at the second attempt."""
    if activity.info().attempt == 1:
        raise ApplicationError("the password is hunter2", type="RateLimited")
    return f"{name} is stopped"


@activity.defn
async def fail_for_good() -> None:
    raise ValueError("the password is hunter2")


@activity.defn
async def wait_for_ever() -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(0.05)


@activity.defn
async def leave_it_to_others() -> str:
    activity.raise_complete_async()


@activity.defn
async def stop_worker() -> str:
    return "stopped"


ACTIVITIES = [list_machines, stop_machine, fail_for_good, wait_for_ever, leave_it_to_others, stop_worker]


@workflow.defn
class Cleanup:
    """Lists, stops, and looks once more."""

    @workflow.run
    async def run(self) -> list[str]:
        machines = await workflow.execute_activity(list_machines, start_to_close_timeout=LIMIT)
        stopped = [
            await workflow.execute_activity(
                stop_machine, machine["name"], start_to_close_timeout=LIMIT, retry_policy=QUICKLY
            )
            for machine in machines
        ]
        await workflow.execute_local_activity(list_machines, start_to_close_timeout=LIMIT)
        return stopped


@workflow.defn
class Failing:
    @workflow.run
    async def run(self) -> str:
        try:
            await workflow.execute_activity(fail_for_good, start_to_close_timeout=LIMIT, retry_policy=ONCE)
        except ActivityError as failed:
            return str(getattr(failed.cause, "type", None))
        return ""


@workflow.defn
class Waiting:
    @workflow.run
    async def run(self) -> None:
        await workflow.execute_activity(
            wait_for_ever,
            start_to_close_timeout=timedelta(minutes=5),
            heartbeat_timeout=timedelta(seconds=2),
            retry_policy=ONCE,
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        )


@workflow.defn
class Leaving:
    @workflow.run
    async def run(self) -> str:
        return await workflow.execute_activity(
            leave_it_to_others, activity_id="left", start_to_close_timeout=LIMIT, retry_policy=ONCE
        )


@workflow.defn
class Looking:
    """Asks Keepwell for a look at an activity."""

    @workflow.run
    async def run(self, tenant_id: str, activity_id: str, task_queue: str, quiet_seconds: float) -> None:
        await look_from_workflow(tenant_id, activity_id, task_queue=task_queue, quiet_seconds=quiet_seconds)


WORKFLOWS = [Cleanup, Failing, Waiting, Leaving, Looking]
