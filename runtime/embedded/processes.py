"""A supervised child process: started with its output in a log file, watched until ready, stopped with grace.

A child asks the kernel for its stop signal when this process dies (Linux), so that even `kill -9` leaves no
server behind. The kernel means the thread that started the child: start a stack from a thread that lives as
long as the stack, which the thread of the event loop does. Nothing here waits blindly: readiness is what a
probe says, and an ended child fails the wait at once.
"""

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from runtime.embedded import launch
from runtime.embedded.errors import ChildExited, ChildNotReady, DataUnusable
from runtime.embedded.launch import LaunchOrder

LOOPBACK = "127.0.0.1"
PROBE_INTERVAL_SECONDS = 0.03
LOG_TAIL_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Identity:
    """The account a child runs under instead of root, and the one Linux capability it keeps, if any."""

    uid: int
    gid: int
    capability: int | None = None


@dataclass(frozen=True, slots=True)
class ChildCommand:
    """What to run. `argv[0]` is an absolute path; `environment` is all that the child sees of ours.

    `log_path` receives both outputs; the log of the start before is kept beside it as `NAME.previous`.
    `stop_signal` asks the program to end in order. `identity` is None to run as we do.
    """

    name: str
    argv: Sequence[str]
    log_path: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    stop_signal: signal.Signals = signal.SIGTERM
    identity: Identity | None = None


class ChildProcess:
    """A running child. Made by `start_child`; whoever made it calls `stop`."""

    def __init__(self, command: ChildCommand, process: asyncio.subprocess.Process) -> None:
        self._command = command
        self._process = process

    @property
    def pid(self) -> int:
        """The process id, which stays the same from launch to end."""
        return self._process.pid

    async def wait(self) -> int:
        """Wait for the end of the child; its exit code, negative for the signal that ended it."""
        return await self._process.wait()

    def exit_error(self) -> ChildExited:
        """The error that tells how the child ended. Call it after the end."""
        code = self._process.returncode
        assert code is not None
        log_path = self._command.log_path
        return ChildExited(self._command.name, code, log_path, read_tail(log_path))

    async def wait_ready(self, probe: Callable[[], Awaitable[bool]], seconds: float) -> None:
        """Return once `probe` is true.

        Raises ChildExited as soon as the child ends, ChildNotReady after `seconds`, and what `probe` raises.
        """
        ended = asyncio.ensure_future(self._process.wait())
        polled = asyncio.ensure_future(poll(probe))
        try:
            await asyncio.wait({ended, polled}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                raise self.exit_error()
            if not polled.done():
                raise ChildNotReady(self._command.name, seconds, self._command.log_path)
            await polled
        finally:
            for task in (ended, polled):
                task.cancel()
            await asyncio.gather(ended, polled, return_exceptions=True)

    async def stop(self, grace_seconds: float = 20.0) -> None:
        """Ask the child to end, wait `grace_seconds`, then kill it. The child is gone on return."""
        if self._process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            self._process.send_signal(self._command.stop_signal)
        try:
            async with asyncio.timeout(grace_seconds):
                await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


async def start_child(command: ChildCommand) -> ChildProcess:
    """Start `command` in a session of its own, so that Ctrl-C in the terminal reaches only us.

    Files the child creates are readable by its account alone. Raises DataUnusable where something else than a
    log is in the log's place, and OSError when the log cannot be opened.
    """
    order = LaunchOrder(
        parent=os.getpid(),
        death_signal=int(command.stop_signal),
        uid=command.identity.uid if command.identity else None,
        gid=command.identity.gid if command.identity else None,
        capability=command.identity.capability if command.identity else None,
    )
    log = open_log(command.log_path)
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            launch.__file__,
            order.to_json(),
            *command.argv,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            # The interpreter may need our environment to start at all; the server gets only its own.
            env={**os.environ, launch.ENVIRONMENT_VARIABLE: json.dumps(dict(command.environment))},
            cwd="/",
            umask=0o077,
            start_new_session=True,
        )
    finally:
        os.close(log)
    return ChildProcess(command, process)


async def poll(probe: Callable[[], Awaitable[bool]]) -> None:
    """Ask `probe` again and again, with short waits, until it is true."""
    while not await probe():
        await asyncio.sleep(PROBE_INTERVAL_SECONDS)


def open_log(path: Path) -> int:
    """A new private log file at `path`, open for writing; the one before becomes `NAME.previous`.

    Raises DataUnusable for what is no regular file, such as a device or a link: it is not ours to replace.
    """
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(path.lstat().st_mode):
            raise DataUnusable(f"{path} is no regular file; move it away, or choose another --home")
        path.replace(path.with_name(f"{path.name}.previous"))
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def read_tail(path: Path) -> str:
    """The last 8 KiB of the log at `path`; empty when there is none."""
    try:
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - LOG_TAIL_BYTES))
            return log.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


def free_port() -> int:
    """A TCP port of 127.0.0.1 without a listener, unlikely to be given to anybody else for some seconds.

    The port is left in TIME_WAIT by a connection of our own. The kernel then does not hand it out as a free
    port, while a server, which binds with SO_REUSEADDR, still gets it.
    """
    with socket.create_server((LOOPBACK, 0), backlog=1) as listener:
        port: int = listener.getsockname()[1]
        with socket.create_connection((LOOPBACK, port)) as client:
            accepted, _ = listener.accept()
            # The side that closes first is the one that stays in TIME_WAIT.
            accepted.close()
            client.recv(1)
    return port


def port_is_free(port: int) -> bool:
    """Whether a server could bind `port` of 127.0.0.1 now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as candidate:
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind((LOOPBACK, port))
            # On Linux two sockets with SO_REUSEADDR may share a port until one of them listens.
            candidate.listen(1)
        except OSError:
            return False
    return True
