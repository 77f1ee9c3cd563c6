"""Keep one worker process running: started, awaited until it polls, started again when it dies."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import structlog
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError

from runtime.embedded.processes import ChildCommand, ChildProcess, start_child

WORKER_PROGRAM = Path(__file__).resolve().parent.parent / "worker.py"
READY_SECONDS = 60.0
LONGEST_PAUSE_SECONDS = 30.0
STEADY_SECONDS = 10.0
"""A worker that has lived this long is started again at once when it dies."""

log = structlog.get_logger("keepwell.supervisor")


class SupervisedWorker:
    """A worker that is always there. Made by `supervised_worker`."""

    def __init__(self, client: Client, task_queue: str, log_path: Path, environment: dict[str, str]) -> None:
        self._client = client
        self._task_queue = task_queue
        self._command = ChildCommand(
            name="worker",
            argv=[sys.executable, str(WORKER_PROGRAM)],
            log_path=log_path,
            environment={"PATH": os.environ.get("PATH", os.defpath), **environment},
        )
        self._child: ChildProcess | None = None
        self._ready = asyncio.Event()

    @property
    def pid(self) -> int:
        """The process that works at the moment."""
        assert self._child is not None
        return self._child.pid

    async def start(self) -> None:
        """Start a process and return once it polls. Raises the errors of `runtime.embedded.errors`."""
        self._child = await start_child(self._command)
        try:
            await self._child.wait_ready(self._polls, READY_SECONDS)
        except BaseException:
            await self._child.stop()
            raise
        self._ready.set()

    async def wait_ready(self) -> None:
        """Return when a process polls; at once where one does."""
        await self._ready.wait()

    async def watch(self) -> None:
        """Start a new process whenever the present one ends, pausing longer each time that it soon ends again."""
        pause = 0.0
        while True:
            assert self._child is not None
            began = time.monotonic()
            code = await self._child.wait()
            if time.monotonic() - began > STEADY_SECONDS:
                pause = 0.0
            self._ready.clear()
            log.warning("worker_ended", code=code, starts_again_in_seconds=pause)
            await asyncio.sleep(pause)
            try:
                await self.start()
            except Exception as failed:
                log.warning("worker_does_not_start", error=type(failed).__name__)
            pause = min(LONGEST_PAUSE_SECONDS, pause * 2 or 1.0)

    async def stop(self) -> None:
        """Ask the process to end, and wait until it has."""
        if self._child is not None:
            await self._child.stop()

    async def _polls(self) -> bool:
        """Whether Temporal knows our process as a poller of the queue."""
        request = DescribeTaskQueueRequest(
            namespace=self._client.namespace,
            task_queue=TaskQueue(name=self._task_queue),
            task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
        )
        try:
            described = await self._client.workflow_service.describe_task_queue(request)
        except RPCError:
            return False
        return any(poller.identity.startswith(f"{self.pid}@") for poller in described.pollers)


@asynccontextmanager
async def supervised_worker(
    client: Client, task_queue: str, log_path: Path, environment: dict[str, str]
) -> AsyncGenerator[SupervisedWorker]:
    """A worker process for as long as the context lasts. `environment` holds its settings."""
    worker = SupervisedWorker(client, task_queue, log_path, environment)
    try:
        await worker.start()
        watching = asyncio.create_task(worker.watch(), name="worker supervisor")
        try:
            yield worker
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
    finally:
        await worker.stop()
