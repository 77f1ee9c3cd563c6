"""Databases for tests that need one to themselves, as copies of the migrated one."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool
from temporalio.client import Client

from models.episodes import outline, passages, weakest_word
from models.policy import Policy
from models.scope import Scope
from providers.protocols import Embedder, Extractor, Reranker
from runtime.addresses import Addresses
from runtime.language_model import LanguageModel
from runtime.service import Service
from runtime.worker import running_worker
from store import episodes, events, evidence
from store.engine import Database
from store.episodes import EpisodeRow
from store.evidence import Evidence, Kind
from store.migrate import migrate
from store.policies import Policies
from store.unit_of_work import UnitOfWork
from tests.world import MASKER, QUIET_SECONDS, World


@asynccontextmanager
async def own_world(
    addresses: Addresses,
    policy: Policy,
    client: Client,
    extractor: Extractor | None = None,
    model: LanguageModel | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
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
                reranker=reranker,
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


async def keep_episode(work: UnitOfWork, activity_id: UUID) -> None:
    """Write the episode of an activity as consolidation does, in the middle of whatever else `work` does."""
    stored = await events.of_activity(work, activity_id)
    row = EpisodeRow(
        activity_id=activity_id,
        scope=Scope(stored[0].scope),
        revision=stored[-1].seq,
        outline=outline(stored),
        narrative="",
        narrator="test",
        authority=weakest_word(stored),
        passages=passages(stored),
        entity_ids=[],
    )
    await episodes.write(work, row)
    identity = episodes.episode_id(work.tenant_id, activity_id)
    cited = [
        Evidence(each.id, each.type.value, each.authority, None, each.speaker.subject, each.occurred_at)
        for each in stored
    ]
    await evidence.cite(work, Kind.EPISODE, identity, cited)
