"""Keep one process running: started, awaited until it is ready, started again when it dies."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import structlog

from runtime.embedded.processes import ChildProcess, start_child
from runtime.programs import Program

READY_SECONDS = 60.0
LONGEST_PAUSE_SECONDS = 30.0
STEADY_SECONDS = 10.0
"""A process that has lived this long is started again at once when it dies."""

log = structlog.get_logger("keepwell.supervisor")


class Supervised:
    """A process that is always there. Made by `supervised`."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._child: ChildProcess | None = None
        self._ready = asyncio.Event()

    @property
    def pid(self) -> int:
        """The process that runs at the moment."""
        assert self._child is not None
        return self._child.pid

    async def start(self) -> None:
        """Start a process and return once it is ready. Raises the errors of `runtime.embedded.errors`."""
        self._child = await start_child(self._program.command)
        try:
            await self._child.wait_ready(self._is_ready, READY_SECONDS)
        except BaseException:
            await self._child.stop()
            raise
        self._ready.set()

    async def wait_ready(self) -> None:
        """Return when a process is ready; at once where one is."""
        await self._ready.wait()

    async def watch(self) -> None:
        """Start a new process whenever the present one ends, pausing longer each time that it soon ends again."""
        name = self._program.command.name
        pause = 0.0
        while True:
            assert self._child is not None
            began = time.monotonic()
            code = await self._child.wait()
            if time.monotonic() - began > STEADY_SECONDS:
                pause = 0.0
            self._ready.clear()
            log.warning("process_ended", process=name, code=code, starts_again_in_seconds=pause)
            await asyncio.sleep(pause)
            try:
                await self.start()
            except Exception as failed:
                log.warning("process_does_not_start", process=name, error=type(failed).__name__)
            pause = min(LONGEST_PAUSE_SECONDS, pause * 2 or 1.0)

    async def stop(self) -> None:
        """Ask the process to end, and wait until it has."""
        if self._child is not None:
            await self._child.stop()

    async def _is_ready(self) -> bool:
        return await self._program.is_ready(self.pid)


@asynccontextmanager
async def supervised(program: Program) -> AsyncGenerator[Supervised]:
    """A process of `program` for as long as the context lasts, ready when it begins."""
    process = Supervised(program)
    try:
        await process.start()
        watching = asyncio.create_task(process.watch(), name=f"supervisor of {program.command.name}")
        try:
            yield process
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
    finally:
        await process.stop()
