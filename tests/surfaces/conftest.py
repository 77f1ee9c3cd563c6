"""The command line at the servers of the tests, with a worker whose task queue the commands are told."""

from collections.abc import AsyncGenerator
from pathlib import Path
from uuid import uuid4

import pytest
from temporalio.client import Client

from models.policy import Policy
from runtime.addresses import Addresses
from runtime.service import Service
from runtime.worker import running_worker
from store.engine import Database
from store.policies import Policies
from tests.surfaces.terminal import Terminal
from tests.world import MASKER, QUIET_SECONDS, World


@pytest.fixture(scope="session")
def task_queue() -> str:
    return f"commands-{uuid4().hex[:8]}"


@pytest.fixture(scope="session")
async def service(
    addresses: Addresses, database: Database, policy: Policy, client: Client, task_queue: str
) -> AsyncGenerator[Service]:
    async with running_worker(
        addresses.database_url, client, policy, task_queue=task_queue, quiet_seconds=QUIET_SECONDS
    ):
        yield Service(database, Policies(database, policy), client, masker=MASKER, task_queue=task_queue)


@pytest.fixture
def tenant(world: World) -> str:
    """The tenant of the test."""
    return world.tenant


@pytest.fixture
def terminal(tmp_path: Path, addresses: Addresses, task_queue: str, tenant: str) -> Terminal:
    """A terminal of somebody who works for the tenant of the test."""
    return Terminal(
        tmp_path,
        KEEPWELL_DATABASE_URL=addresses.database_url,
        KEEPWELL_TEMPORAL_ADDRESS=addresses.temporal_address,
        KEEPWELL_TASK_QUEUE=task_queue,
        KEEPWELL_TENANT=tenant,
    )


@pytest.fixture
def nowhere(tmp_path: Path) -> Terminal:
    """A terminal in a folder where nothing runs."""
    return Terminal(tmp_path)
