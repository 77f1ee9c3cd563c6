"""A misbehaving server for each test, and a client of it."""

from collections.abc import AsyncGenerator

import pytest
from keepwell import Keepwell

from tests.client.misbehaving import Server, client_of, listening


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the machine of the tests has set is no part of them."""
    for name in ("KEEPWELL_API_KEY", "KEEPWELL_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
async def server() -> AsyncGenerator[Server]:
    async with listening() as server:
        yield server


@pytest.fixture
async def memory(server: Server) -> AsyncGenerator[Keepwell]:
    async with client_of(server) as memory:
        yield memory
