"""The real command in a process of its own, as somebody at a terminal or a program calls it."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import psutil

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
        """Run `keepwell ARGUMENTS` to its end."""
        return await self.run([KEEPWELL, *map(str, arguments)], stdin=stdin, **variables)

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
