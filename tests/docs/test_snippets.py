"""Every snippet of the README and of the guides runs against a stack that was started as they say."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from runtime.embedded.processes import free_port
from tests.docs.run_document import blocks_of
from tests.surfaces.terminal import KEEPWELL

ROOT = Path(__file__).resolve().parents[2]
GUIDES = sorted(ROOT.glob("docs/*.md"))
RUN = [guide for guide in GUIDES if blocks_of(guide.read_text("utf-8"))]
SECONDS = 150


@asynccontextmanager
async def started_up(folder: Path) -> AsyncGenerator[dict[str, str]]:
    """`keepwell up` in a folder of its own; the environment of another terminal in the same folder."""
    port = free_port()
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}",
        "HOME": str(folder),
        "KEEPWELL_QUIET_SECONDS": "0.5",
        "KEEPWELL_HTTP_PORT": str(port),
        "KEEPWELL_URL": f"http://127.0.0.1:{port}",
    }
    process = await asyncio.create_subprocess_exec(
        KEEPWELL,
        "up",
        cwd=folder,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(SECONDS):
            if b"Keepwell is up." not in await process.stdout.readline():
                pytest.fail((await process.communicate())[1].decode())
        yield environment
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


async def run(document: Path, folder: Path, environment: dict[str, str]) -> str:
    """What a document's snippets print; they must all end well."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(ROOT / "tests/docs/run_document.py"),
        str(document),
        cwd=folder,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(SECONDS):
        printed = (await process.communicate())[0].decode()
    assert process.returncode == 0, printed
    return printed


@pytest.mark.timeout(300)
async def test_the_ten_line_agent_keeps_what_it_must_keep(tmp_path: Path) -> None:
    async with started_up(tmp_path) as environment:
        printed = await run(ROOT / "README.md", tmp_path, environment)
    print(printed)
    assert "kept gpu-bench-01 because" in printed
    assert "until QA has migrated its suite" in printed
    assert "stopped dev-sandbox-04" in printed
    assert "stopped gpu-bench-01" not in printed


@pytest.mark.timeout(600)
async def test_every_guide_does_what_it_says(tmp_path: Path) -> None:
    assert RUN
    async with started_up(tmp_path) as environment:
        for guide in RUN:
            await run(guide, tmp_path, environment)


async def test_a_snippet_that_fails_is_noticed(tmp_path: Path) -> None:
    for broken in (
        "```sh\nfalse\n```\n",
        "```python\nassert 1 == 2\n```\n",
        "```python\nawait nothing()\n```\n",
    ):
        document = tmp_path / "broken.md"
        document.write_text(broken)
        with pytest.raises(AssertionError):
            await run(document, tmp_path, dict(os.environ))
