"""Databases for tests that need one to themselves, as copies of the migrated one."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import uuid4

from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool
from temporalio.client import Client

from models.policy import Policy
from providers.protocols import Embedder, Extractor
from runtime.addresses import Addresses
from runtime.language_model import LanguageModel
from runtime.service import Service
from runtime.worker import running_worker
from store.engine import Database
from store.migrate import migrate
from store.policies import Policies
from tests.world import MASKER, QUIET_SECONDS, World


@asynccontextmanager
async def own_world(
    addresses: Addresses,
    policy: Policy,
    client: Client,
    extractor: Extractor | None = None,
    model: LanguageModel | None = None,
    embedder: Embedder | None = None,
) -> AsyncGenerator[World]:
    """A tenant in a database of its own, whose worker has this extractor, or the bundled one, and these models."""
    name = f"own-{uuid4().hex[:8]}"
    async with own_database(addresses) as url, Database(url) as database:
        worker = running_worker(
            url,
            client,
            policy,
            task_queue=name,
            quiet_seconds=QUIET_SECONDS,
            extractor=extractor,
            model=model,
            embedder=embedder,
        )
        async with worker:
            service = Service(
                database,
                Policies(database, policy),
                client,
                masker=MASKER,
                task_queue=name,
                embedder=embedder,
            )
            world = World(service, database, name)
            await world.service.add_tenant(world.agent)
            yield world


@asynccontextmanager
async def own_database(addresses: Addresses) -> AsyncGenerator[str]:
    """The URL, for the service's login, of a fresh migrated database that is dropped afterwards."""
    name = f"own_{uuid4().hex[:12]}"
    admin = make_url(str(addresses.admin_database_url))
    engine = create_async_engine(admin, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(f"CREATE DATABASE {name}"))
    mine = admin.set(database=name).render_as_string(hide_password=False)
    await migrate(mine)
    app = make_url(addresses.database_url).set(database=name).render_as_string(hide_password=False)
    try:
        yield app
    finally:
        async with engine.connect() as connection:
            await connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
        await engine.dispose()
