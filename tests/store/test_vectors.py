"""Vectors come and go with their records, in whatever spaces there are, and writing waits for no embedder."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from models.policy import Policy
from runtime.addresses import Addresses
from runtime.service import Service
from store import search, tenants, vectors
from store.engine import Database
from store.policies import Policies
from store.search import Document, RecordKind
from store.unit_of_work import UnitOfWork
from store.vectors import SpaceState
from tests.stores import keep_episode, own_database
from tests.world import MASKER, World, event

CELL = uuid4()
SINCE = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
async def own(addresses: Addresses) -> AsyncGenerator[Database]:
    async with own_database(addresses) as url, Database(url) as database:
        yield database


@pytest.fixture
async def tenant(own: Database) -> UUID:
    """A tenant of its own; spaces are shared, and begun anew for each test."""
    made = uuid4()
    async with own.transaction(made) as work:
        await tenants.add(work, f"tenant-{made.hex}")
        for space in await vectors.spaces(work):
            await vectors.turn(work, space.id, SpaceState.RETIRED)
    return made


async def begun(work: UnitOfWork, model: str, state: SpaceState = SpaceState.SERVING) -> UUID:
    await vectors.begin_space(work, model, 3, state)
    [space] = [each for each in await vectors.spaces(work) if each.model == model]
    return space.id


def documents(count: int) -> list[Document]:
    return [Document(uuid4(), f"words {number}", SINCE) for number in range(count)]


async def rows(work: UnitOfWork, statement: str) -> list[Any]:
    return [tuple(row) for row in await work.rows(text(statement))]


async def test_what_is_indexed_waits_in_every_space_that_is_in_use(own: Database, tenant: UUID) -> None:
    two = documents(2)
    async with own.transaction(tenant) as work:
        serving = await begun(work, "one")
        building = await begun(work, "two", SpaceState.BUILDING)
        retired = await begun(work, "three", SpaceState.BUILDING)
        await vectors.turn(work, retired, SpaceState.RETIRED)
        await search.index(work, RecordKind.PASSAGE, CELL, two)
        assert await vectors.count_waiting(work) == {serving: 2, building: 2}
        waiting = await vectors.waiting(work, serving, 10)
        assert {each.record_id for each in waiting} == {each.record_id for each in two}
        assert len(await vectors.waiting(work, serving, 1)) == 1
        assert await rows(work, "SELECT DISTINCT kind, subject_id FROM outbox") == [("embed", tenant)]


async def test_without_a_space_nothing_waits_and_nobody_is_told(own: Database, tenant: UUID) -> None:
    async with own.transaction(tenant) as work:
        await search.index(work, RecordKind.FACT, CELL, documents(1))
        assert await vectors.count_waiting(work) == {}
        assert await rows(work, "SELECT kind FROM outbox") == []


async def test_a_vector_is_given_once_and_to_what_is_there(own: Database, tenant: UUID) -> None:
    [one, other] = documents(2)
    async with own.transaction(tenant) as work:
        space = await begun(work, "one")
        await search.index(work, RecordKind.PASSAGE, CELL, [one, other])
        given = [(one.record_id, [1.0, 0.0, 0.0]), (uuid4(), [0.0, 1.0, 0.0])]
        assert await vectors.fill(work, space, given) == 1
        assert await vectors.fill(work, space, [(one.record_id, [0.0, 0.0, 1.0])]) == 0
        assert await vectors.fill(work, space, []) == 0
        assert [each.record_id for each in await vectors.waiting(work, space, 10)] == [other.record_id]
        assert await rows(work, "SELECT embedding::text FROM vectors WHERE embedding IS NOT NULL") == [
            ("[1,0,0]",)
        ]


async def test_what_is_dropped_from_search_loses_its_vectors_in_the_same_transaction(
    own: Database, tenant: UUID
) -> None:
    [kept, gone] = documents(2)
    async with own.transaction(tenant) as work:
        space = await begun(work, "one")
        await begun(work, "two", SpaceState.BUILDING)
        await search.index(work, RecordKind.PASSAGE, CELL, [kept, gone])
        await vectors.fill(work, space, [(gone.record_id, [1.0, 0.0, 0.0])])
        await search.drop(work, [gone.record_id])
        assert await rows(work, "SELECT DISTINCT record_id FROM vectors") == [(kept.record_id,)]


async def test_one_space_serves_at_most(own: Database, tenant: UUID) -> None:
    async with own.transaction(tenant) as work:
        first = await begun(work, "one")
        await vectors.begin_space(work, "one", 3, SpaceState.SERVING)
        await vectors.begin_space(work, "two", 3, SpaceState.SERVING)
        assert [space.id for space in await vectors.spaces(work)] == [first]
        serving = await vectors.serving(work)
        assert serving is not None
        assert (serving.id, serving.model, serving.dimension) == (first, "one", 3)


async def test_a_space_that_is_gone_does_not_come_back(own: Database, tenant: UUID) -> None:
    """Somebody else has had another space serve while this one was filled; the one that serves goes on."""
    async with own.transaction(tenant) as work:
        serving = await begun(work, "one")
        gone = await begun(work, "two", SpaceState.BUILDING)
        assert await vectors.serve(work, serving)
        assert not await vectors.serve(work, gone)
        assert [(space.id, space.state) for space in await vectors.spaces(work)] == [
            (serving, SpaceState.SERVING)
        ]
        assert await vectors.serve(work, None)
        assert await vectors.spaces(work) == []


async def test_of_two_spaces_that_are_to_serve_at_once_one_does(own: Database, tenant: UUID) -> None:
    async with own.transaction(tenant) as work:
        one = await begun(work, "one", SpaceState.BUILDING)
        other = await begun(work, "two", SpaceState.BUILDING)

    async def served(space: UUID) -> bool:
        async with own.transaction(tenant) as work:
            return await vectors.serve(work, space)

    assert sorted(await asyncio.gather(served(one), served(other))) == [False, True]
    async with own.transaction(tenant) as work:
        [left] = await vectors.spaces(work)
        assert left.state is SpaceState.SERVING


async def test_a_space_that_is_gone_is_cleared_some_at_a_time(own: Database, tenant: UUID) -> None:
    async with own.transaction(tenant) as work:
        await begun(work, "one")
        other = await begun(work, "two", SpaceState.BUILDING)
        await search.index(work, RecordKind.PASSAGE, CELL, documents(5))
        assert await vectors.serve(work, other)
        assert [await vectors.clear_retired(work, 3) for _ in range(3)] == [3, 2, 0]
        assert await vectors.count_waiting(work) == {other: 5}
        serving = await vectors.serving(work)
        assert serving is not None
        assert serving.id == other


@pytest.fixture
async def world(own: Database, tenant: UUID, policy: Policy) -> World:
    """The same tenant with a service that no worker works for."""
    service = Service(own, Policies(own, policy), None, masker=MASKER, task_queue="none")
    made = World(service, own, f"world-{tenant.hex}")
    await service.add_tenant(made.agent)
    return made


async def expecting_all(world: World, space: UUID) -> asyncio.Task[int]:
    """`expect_all` in a transaction of its own, come to where it is done or waits for somebody else's."""

    async def expect_all() -> int:
        async with world.database.transaction(world.agent.tenant_id) as work:
            return await vectors.expect_all(work, space)

    waits = """
        SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    """
    task = asyncio.create_task(expect_all())
    async with world.database.transaction(world.agent.tenant_id) as work:
        while not task.done() and not (await work.rows(text(waits)))[0].n:
            await asyncio.sleep(0.01)
    return task


async def test_what_is_being_written_by_whoever_does_not_see_a_new_space_gets_a_vector_in_it(
    world: World,
) -> None:
    """Its transaction looks for spaces before there is this one, and ends after all records were looked at."""
    tenant_id = world.agent.tenant_id
    [receipt] = await world.publish(world.lead, event(type="feedback", text="a report"))
    async with world.database.transaction(tenant_id) as writing:
        await keep_episode(writing, receipt.activity_id)
        async with world.database.transaction(tenant_id) as work:
            space = await begun(work, "new", SpaceState.BUILDING)
        filling = await expecting_all(world, space)
    assert await filling == 1
    async with world.database.transaction(tenant_id) as work:
        assert await vectors.count_waiting(work) == {space: 1}


async def test_what_is_being_dropped_does_not_wait_for_a_vector_for_ever(world: World) -> None:
    tenant_id = world.agent.tenant_id
    [receipt] = await world.publish(world.lead, event(type="feedback", text="a report"))
    async with world.database.transaction(tenant_id) as work:
        await keep_episode(work, receipt.activity_id)
        space = await begun(work, "new", SpaceState.BUILDING)
    async with world.database.transaction(tenant_id) as dropping:
        [[passage]] = await rows(dropping, "SELECT id FROM passages")
        await search.drop(dropping, [passage])
        filling = await expecting_all(world, space)
        await dropping.run(text("DELETE FROM passages"))
    assert await filling == 0
    async with world.database.transaction(tenant_id) as work:
        assert await vectors.count_waiting(work) == {}


async def test_vectors_lie_in_their_rows(own: Database, tenant: UUID) -> None:
    async with own.transaction(tenant) as work:
        storage = "SELECT attstorage::text FROM pg_attribute WHERE attname = 'embedding'"
        assert await rows(work, f"{storage} AND attrelid = 'vectors'::regclass") == [("p",)]


async def test_an_exact_search_reads_by_a_key_that_leads_with_the_tenant(own: Database, tenant: UUID) -> None:
    async with own.transaction(tenant) as work:
        space = await begun(work, "one")
        await search.index(work, RecordKind.PASSAGE, CELL, documents(300))
        await work.run(text("SET LOCAL enable_seqscan = off"))
        plan = await rows(
            work,
            f"EXPLAIN SELECT record_id, -(embedding <#> CAST('[1,0,0]' AS halfvec)) FROM vectors"
            f" WHERE tenant_id = '{tenant}' AND space_id = '{space}' AND scope_key = ANY(ARRAY['{CELL}'::uuid])",
        )
    told = " ".join(line for (line,) in plan)
    assert "vectors_pkey" in told
    assert "tenant_id" in told.partition("Index Cond")[2]
