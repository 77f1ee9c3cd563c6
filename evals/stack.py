"""The service to measure: one of its own on temporary servers, or one that runs already."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from runtime.addresses import of_stack
from runtime.embedded.stack import EmbeddedStack
from runtime.embedder import opened_embedder
from runtime.opening import opened_service
from runtime.policy_file import load_policy
from runtime.service import Service
from runtime.settings import load_settings
from runtime.temporal import connect
from runtime.up import DYNAMIC_CONFIG, SEARCH_ATTRIBUTES
from runtime.worker import running_worker
from store.migrate import migrate

QUIET_SECONDS = 0.2


@asynccontextmanager
async def temporary_service() -> AsyncGenerator[Service]:
    """A service with a worker in this process; its servers and their data are gone afterwards."""
    settings = load_settings()
    with tempfile.TemporaryDirectory(prefix="keepwell-evals-") as folder:
        stack = EmbeddedStack(
            Path(folder), durable=False, search_attributes=SEARCH_ATTRIBUTES, dynamic_config=DYNAMIC_CONFIG
        )
        async with stack, opened_embedder(settings) as embedder:
            addresses = of_stack(stack.info)
            assert addresses.admin_database_url is not None
            await migrate(addresses.admin_database_url, addresses.database_url)
            at_home = settings.model_copy(update={"home": Path(folder)})
            working = running_worker(
                addresses.database_url,
                await connect(addresses.temporal_address, settings.temporal_namespace),
                load_policy(settings.policy),
                task_queue=settings.task_queue,
                quiet_seconds=QUIET_SECONDS,
                embedder=embedder,
            )
            async with working, opened_service(at_home, where=addresses) as service:
                yield service


@asynccontextmanager
async def running_service() -> AsyncGenerator[Service]:
    """The service on the servers that the settings lead to; a worker is expected to run on them."""
    async with opened_service(load_settings()) as service:
        yield service
