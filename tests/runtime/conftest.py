"""A stack to share among the tests of a file, and folders that go at once: a cluster takes some 40 MB."""

import shutil
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
import pytest_asyncio

from runtime.embedded.stack import EmbeddedStack


@pytest.fixture
def tmp_path(tmp_path: Path) -> Generator[Path]:
    # pytest keeps the directories of three runs; each cluster in them takes some 40 MB.
    yield tmp_path
    shutil.rmtree(tmp_path)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def stack(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[EmbeddedStack]:
    data_dir = tmp_path_factory.mktemp("stack") / "data"
    async with EmbeddedStack(data_dir, durable=False, search_attributes={"Kept": "Keyword"}) as running:
        yield running
    shutil.rmtree(data_dir)
