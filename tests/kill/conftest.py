"""The laboratory of a test run, and the one undisturbed run that every other is held against."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

import pytest
from temporalio.client import Client

from models.policy import Policy
from runtime.addresses import Addresses
from tests.kill.laboratory import Laboratory
from tests.kill.snapshot import Dump


@pytest.fixture(scope="session")
async def laboratory(
    addresses: Addresses, client: Client, policy: Policy, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Laboratory]:
    made = Laboratory(addresses, client, policy, tmp_path_factory.mktemp("kill"))
    await made.prepare()
    try:
        yield made
    finally:
        await made.close()


@pytest.fixture(scope="session")
async def undisturbed_run(laboratory: Laboratory) -> AsyncGenerator[asyncio.Task[Dump]]:
    """The undisturbed run, under way, so that others can be played beside it."""
    running = asyncio.create_task(laboratory.end_of(None))
    yield running
    running.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await running


@pytest.fixture(scope="session")
async def undisturbed(undisturbed_run: asyncio.Task[Dump]) -> Dump:
    """How an undisturbed run ends."""
    return await undisturbed_run
