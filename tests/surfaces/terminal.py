"""The real command in a process of its own, as somebody at a terminal or a program calls it.

Most calls are forked from a server that has imported the command already, as starting an interpreter takes
two seconds of a busy machine; `started` and `run` start the installed program itself.
"""

import asyncio
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import psutil

import surfaces.cli

SCRIPTS = Path(sys.prefix) / "bin"
KEEPWELL = str(SCRIPTS / "keepwell")
SECONDS = 60.0
CANARY = "zanzibar-kingfisher-7731"
"""A text that events of these tests hold. No error may repeat it."""


class Ended(NamedTuple):
    """A command that has ended, with all that it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def said(self) -> str:
        """What a person reads of a command that went well; without colours, as this is no terminal."""
        assert (self.code, self.err) == (0, "")
        assert "\x1b" not in self.out
        return self.out

    def refused(self, code: int, *words: str) -> None:
        """Assert one line on standard error that has `words`, this exit code, and no word of content."""
        assert (self.code, self.out) == (code, ""), self
        assert self.err.startswith("keepwell: "), self.err
        assert self.err.count("\n") == 1, self.err
        assert self.err.endswith("\n"), self.err
        assert CANARY not in self.err
        assert [word for word in words if word not in self.err] == [], self.err


_FORKED = multiprocessing.get_context("forkserver")
_FORKED.set_forkserver_preload(["surfaces.cli"])


def _enter(arguments: list[str], folder: str, environment: dict[str, str], streams: str) -> None:
    """In the forked process: become the command, with the files `streams`/0 to 2 as its standard streams."""
    for number, flags in enumerate((os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT)):
        os.dup2(os.open(f"{streams}/{number}", flags, 0o600), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["keepwell", *arguments]
    surfaces.cli.main()


class Terminal:
    """A folder to work in and the `KEEPWELL_` variables that are set there; nothing else of ours is passed on."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        self.variables = variables

    def environment(self, **variables: str) -> dict[str, str]:
        ours = {name: value for name, value in os.environ.items() if name in {"HOME", "LANG", "TMPDIR"}}
        path = f"{SCRIPTS}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        return {**ours, "PATH": path, **self.variables, **variables}

    async def keepwell(self, *arguments: object, stdin: bytes = b"", **variables: str) -> Ended:
        """Run `keepwell ARGUMENTS` to its end, in a process that has imported it already."""
        with tempfile.TemporaryDirectory() as folder:
            streams = Path(folder)
            (streams / "0").write_bytes(stdin)
            call = _FORKED.Process(
                target=_enter,
                args=([*map(str, arguments)], str(self.folder), self.environment(**variables), folder),
            )
            await asyncio.to_thread(call.start)
            try:
                await asyncio.to_thread(call.join, SECONDS)
            finally:
                call.kill()
                call.join()
            code = call.exitcode
            call.close()
            assert code is not None
            return Ended(code, (streams / "1").read_text(), (streams / "2").read_text())

    async def run(self, argv: Sequence[str], *, stdin: bytes = b"", **variables: str) -> Ended:
        """Run any command to its end."""
        async with self.started(argv, **variables) as process, asyncio.timeout(SECONDS):
            out, err = await process.communicate(stdin)
        assert process.returncode is not None
        return Ended(process.returncode, out.decode(), err.decode())

    @asynccontextmanager
    async def started(
        self, argv: Sequence[str], **variables: str
    ) -> AsyncGenerator[asyncio.subprocess.Process]:
        """A command that runs; whatever happens, neither it nor a child of it is left at the end."""
        process = await asyncio.create_subprocess_exec(
            *argv,
            cwd=self.folder,
            env=self.environment(**variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            yield process
        finally:
            await end(tree_of(process.pid) if process.returncode is None else [])
            await process.communicate()


def tree_of(pid: int) -> list[psutil.Process]:
    """A process and all that it has started, directly or not."""
    with suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    return []


def living(processes: Sequence[psutil.Process]) -> list[psutil.Process]:
    """Those that still do something. One that nobody has reaped yet does nothing any more."""
    alive: list[psutil.Process] = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                alive.append(process)
    return alive


async def end(processes: Sequence[psutil.Process]) -> None:
    """Kill these processes, children last so that nobody replaces them, and wait until they are gone."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    async with asyncio.timeout(SECONDS):
        while living(processes):
            await asyncio.sleep(0.02)
