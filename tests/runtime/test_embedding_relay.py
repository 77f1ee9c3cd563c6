"""The embedding relay gives every tenant its turn, whatever is the matter with one of them."""

from collections.abc import AsyncGenerator, Sequence

import pytest
from sqlalchemy import text

from models.policy import Policy
from providers.protocols import Vector
from runtime.addresses import Addresses
from runtime.embedding import EmbeddingRelay, own_space
from runtime.service import Service
from store import outbox, vectors
from store.engine import Database, Role
from store.listen import Listener
from store.policies import Policies
from tests.stores import keep_episode, own_database
from tests.world import MASKER, World, event


class Stumbles:
    """An embedder that some texts throw off its feet, in a way that nobody has foreseen."""

    model = "stumbles"
    dimension = 2
    floor = 0.0
    remote = False

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        if any("stone" in text for text in texts):
            raise RuntimeError("a stone")
        return [[1.0, 0.0] for _ in texts]


@pytest.fixture
async def worlds(addresses: Addresses, policy: Policy) -> AsyncGenerator[tuple[World, World]]:
    """Two tenants in a database of their own, where no worker runs."""
    async with own_database(addresses) as url, Database(url) as database:
        service = Service(database, Policies(database, policy), None, masker=MASKER, task_queue="none")
        first, last = World(service, database, "first"), World(service, database, "last")
        for world in (first, last):
            await service.add_tenant(world.agent)
        yield first, last


async def say(world: World, said: str) -> None:
    [receipt] = await world.publish(world.lead, event(type="feedback", text=said))
    async with world.database.transaction(world.agent.tenant_id) as work:
        await keep_episode(work, receipt.activity_id)


async def test_a_tenant_that_cannot_be_embedded_holds_back_no_other(worlds: tuple[World, World]) -> None:
    first, last = worlds
    database, embedder = first.database, Stumbles()
    space = await own_space(database, embedder)
    await say(first, "a stone lies in the way")
    await say(last, "the way is clear")
    async with (
        Database(database.url, Role.RELAY, pool_size=1) as relay,
        Listener(database.url, outbox.CHANNEL) as listener,
    ):
        await EmbeddingRelay(relay, database, listener, embedder, space).relay_once()
    for world, left in ((first, {space.id: 1}), (last, {})):
        async with database.transaction(world.agent.tenant_id) as work:
            assert await vectors.count_waiting(work) == left
            put_off = await work.rows(text("SELECT attempts FROM outbox WHERE kind = 'embed'"))
        assert [row.attempts for row in put_off] == [1] * len(left)
