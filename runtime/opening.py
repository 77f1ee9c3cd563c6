"""Open the service, or its keys, for one process: settings, policy, a pool, and Temporal where it is needed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from runtime.addresses import Addresses, find
from runtime.authentication.keys import ApiKeys
from runtime.policy_file import load_policy
from runtime.service import Service
from runtime.settings import Settings
from runtime.temporal import connect
from store.engine import Database
from store.policies import Policies


@asynccontextmanager
async def opened_service(
    settings: Settings, *, temporal: bool = False, where: Addresses | None = None
) -> AsyncGenerator[Service]:
    """The service over the servers that the settings lead to; Temporal is connected only when asked for."""
    shipped = load_policy(settings.policy)
    servers = where or find(settings)
    client = None
    if temporal:
        client = await connect(servers.temporal_address, settings.temporal_namespace)
    async with Database(servers.database_url) as database:
        yield Service(database, Policies(database, shipped), client, task_queue=settings.task_queue)


@asynccontextmanager
async def opened_keys(settings: Settings, *, where: Addresses | None = None) -> AsyncGenerator[ApiKeys]:
    """The API keys of the servers that the settings lead to."""
    shipped = load_policy(settings.policy)
    servers = where or find(settings)
    async with Database(servers.database_url, pool_size=1) as database:
        yield ApiKeys(database, Policies(database, shipped))
