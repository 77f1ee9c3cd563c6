"""A worker in a process of its own that can be killed, and Postgres crashed and started anew under the stack."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from typing import NamedTuple

import psutil

from evals.bench.stage import NAMESPACE, QUEUE, Stage
from runtime.addresses import of_stack
from runtime.embedded.account import server_account
from runtime.embedded.layout import layout_of
from runtime.embedded.postgres import running_postgres
from runtime.embedded.processes import ChildProcess, start_child
from runtime.embedded.stack import StackInfo, read_stack
from runtime.programs import Program, worker
from runtime.settings import load_settings
from runtime.temporal import connect

READY_SECONDS = 60.0
_LOOK_SECONDS = 0.01


class Outage(NamedTuple):
    """From when to when something was away."""

    since: datetime
    until: datetime


def stack_of(stage: Stage) -> StackInfo:
    """How to reach the servers of a stage, and as which processes they run."""
    info = read_stack(stage.folder)
    assert info is not None
    return info


class Workshop:
    """One worker at a time."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._child: ChildProcess | None = None

    async def start(self) -> None:
        """Start a worker, and wait until it polls."""
        self._child = child = await start_child(self._program.command)
        await child.wait_ready(lambda: self._program.is_ready(child.pid), READY_SECONDS)

    async def stop(self) -> None:
        """Have it end what it is at, and end."""
        if self._child is not None:
            await self._child.stop()

    async def kill(self) -> Outage:
        """Kill it in the middle of whatever it does, and start another."""
        assert self._child is not None
        since = datetime.now(UTC)
        os.kill(self._child.pid, signal.SIGKILL)
        await self._child.wait()
        await self.start()
        return Outage(since, datetime.now(UTC))


@asynccontextmanager
async def working(stage: Stage) -> AsyncGenerator[Workshop]:
    """A worker in a process of its own for as long as the context lasts."""
    told = {"home": stage.folder, "task_queue": QUEUE, "temporal_namespace": NAMESPACE, "embedder": None}
    settings = load_settings().model_copy(update=told)
    client = await connect(stage.temporal_address, NAMESPACE)
    workshop = Workshop(worker(settings, of_stack(stack_of(stage)), client))
    await workshop.start()
    try:
        yield workshop
    finally:
        await workshop.stop()


async def crash_postgres(stage: Stage, opening: AsyncExitStack) -> Outage:
    """End Postgres as a crash does, and start it anew on the same data and port; `opening` stops it at its end."""
    info, layout = stack_of(stage), layout_of(stage.folder)
    since = datetime.now(UTC)
    os.kill(info.postgres_pid, signal.SIGQUIT)
    # The stack sees to what is left of its child; nobody else may wait for it.
    async with asyncio.timeout(READY_SECONDS):
        while psutil.pid_exists(info.postgres_pid):
            await asyncio.sleep(_LOOK_SECONDS)
    account = server_account(layout.cluster)
    await opening.enter_async_context(running_postgres(layout, info.postgres_port, account, durable=True))
    return Outage(since, datetime.now(UTC))
