"""Embedded stacks in processes of their own, for tests, and what they leave behind."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import asyncpg
import psutil

from runtime.embedded import orphans
from runtime.embedded.layout import layout_of
from runtime.embedded.stack import EmbeddedStack, StackInfo

ROOT = Path(__file__).resolve().parents[2]

RUN_STACK = """
import asyncio, sys
from dataclasses import asdict
from json import dumps
from pathlib import Path
from runtime.embedded.stack import EmbeddedStack

async def main():
    async with EmbeddedStack(Path(sys.argv[1]), durable=False) as stack:
        print(dumps(asdict(stack.info)), flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def connect(running: EmbeddedStack) -> asyncpg.Connection:
    return await asyncpg.connect(running.admin_database_url.replace("+asyncpg", ""))


def processes_of(data_dir: Path) -> list[psutil.Process]:
    return [process for process, _ in orphans.find_orphans(layout_of(data_dir))]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.02)


async def start_elsewhere(data_dir: Path) -> tuple[asyncio.subprocess.Process, StackInfo]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", RUN_STACK, str(data_dir), stdout=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), 60)
    return process, StackInfo(**json.loads(line))


# --- running ---------------------------------------------------------------------------------------------
