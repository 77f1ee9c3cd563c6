"""The service to measure: one of its own on temporary servers, or one that runs already."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from runtime.addresses import find, of_stack
from runtime.embedded.stack import EmbeddedStack
from runtime.policy_file import load_policy
from runtime.service import Service
from runtime.settings import load_settings
from runtime.temporal import connect
from runtime.worker import running_worker
from store.engine import Database
from store.migrate import migrate
from workflows.search_attributes import REGISTERED

QUIET_SECONDS = 0.2


@asynccontextmanager
async def temporary_service() -> AsyncGenerator[Service]:
    """A service with a worker in this process; its servers and their data are gone afterwards."""
    settings = load_settings()
    policy = load_policy(settings.policy)
    with tempfile.TemporaryDirectory(prefix="keepwell-evals-") as folder:
        async with EmbeddedStack(Path(folder), durable=False, search_attributes=REGISTERED) as stack:
            addresses = of_stack(stack.info)
            assert addresses.admin_database_url is not None
            await migrate(addresses.admin_database_url, addresses.database_url)
            client = await connect(addresses.temporal_address, "default")
            queue = settings.task_queue
            async with (
                Database(addresses.database_url) as database,
                running_worker(
                    addresses.database_url, client, policy, task_queue=queue, quiet_seconds=QUIET_SECONDS
                ),
            ):
                yield Service(database, policy, client, task_queue=queue)


@asynccontextmanager
async def running_service() -> AsyncGenerator[Service]:
    """The service on the servers that the settings name; its worker is expected to run."""
    settings = load_settings()
    addresses = find(settings)
    client = await connect(addresses.temporal_address, settings.temporal_namespace)
    async with Database(addresses.database_url) as database:
        yield Service(database, load_policy(settings.policy), client, task_queue=settings.task_queue)
