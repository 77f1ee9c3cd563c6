"""The HTTP server as a process of its own, which can be killed and started again on the same port."""

import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from runtime.addresses import Addresses
from runtime.embedded.processes import ChildCommand, ChildProcess, free_port, start_child
from runtime.http_server import is_alive
from runtime.programs import rule_cache

READY_SECONDS = 60.0


class ServerProcess:
    """`python -m surfaces.http` on one port, whichever process it is at the moment."""

    def __init__(self, addresses: Addresses, database_url: str, task_queue: str, folder: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / f"http-{self.port}.log"
        self._command = ChildCommand(
            name="http",
            argv=[sys.executable, "-m", "surfaces.http"],
            log_path=self.log,
            environment={
                "PATH": os.environ.get("PATH", os.defpath),
                **rule_cache(),
                "KEEPWELL_DATABASE_URL": database_url,
                "KEEPWELL_TEMPORAL_ADDRESS": addresses.temporal_address,
                "KEEPWELL_TASK_QUEUE": task_queue,
                "KEEPWELL_HOME": str(folder),
                "KEEPWELL_HTTP_PORT": str(self.port),
                "KEEPWELL_REQUESTS_PER_SECOND": "100000",
            },
        )
        self._child: ChildProcess | None = None

    async def start(self) -> None:
        """Start a process and return once it answers."""
        self._child = await start_child(self._command)
        await self._child.wait_ready(lambda: is_alive(self.url), READY_SECONDS)

    async def kill(self) -> None:
        """SIGKILL, and wait until the process is gone."""
        assert self._child is not None
        os.kill(self._child.pid, signal.SIGKILL)
        await self._child.wait()

    async def terminate(self) -> int:
        """SIGTERM, and wait for the exit code."""
        assert self._child is not None
        os.kill(self._child.pid, signal.SIGTERM)
        return await self._child.wait()

    async def stop(self) -> None:
        if self._child is not None:
            await self._child.stop()


@asynccontextmanager
async def served(
    addresses: Addresses, database_url: str, task_queue: str, folder: Path
) -> AsyncGenerator[ServerProcess]:
    """A running server for as long as the context lasts."""
    server = ServerProcess(addresses, database_url, task_queue, folder)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
