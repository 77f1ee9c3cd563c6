"""Laws of a fact's life that the database itself enforces, whatever the code above it does."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from models.authority import Authority, Standing
from models.candidates import Terms
from models.facts import Admission, Ending
from models.ids import tenant_id
from models.scope import Scope
from models.statements import Statement
from runtime.addresses import Addresses
from store import candidates, evidence, facts
from store.evidence import Evidence, Kind, Transition
from store.facts import FactKey, NewFact
from store.unit_of_work import UnitOfWork
from tests.world import MONDAY, STAGING, World, event

KEY = FactKey(Scope(STAGING), None, "owner", None)


def new_fact(key_id: UUID, begins: datetime, **fields: Any) -> NewFact:
    values: dict[str, Any] = {
        "id": uuid4(),
        "key_id": key_id,
        "scope_key": Scope(STAGING).key,
        "admission": Admission.ADMITTED,
        "terms": Terms(value="team-a"),
        "valid_from": begins,
        "stated_at": begins,
        "authority": Authority.HUMAN_INSTRUCTION,
        "canonical": "keep",
        "valid_until": None,
        "lapses_at": None,
        "authority_role": "infra_lead",
        "standing": Standing.OBSERVED,
        "challenges": None,
        "statement": "said",
    }
    return NewFact(**{**values, **fields})


async def derive(work: UnitOfWork, fact: NewFact, event_id: UUID) -> None:
    witness = Evidence(event_id, "statement", Authority.HUMAN_INSTRUCTION, "infra_lead", "dana", MONDAY)
    await evidence.cite(work, Kind.FACT, fact.id, [witness])


async def declare(work: UnitOfWork, fact_id: UUID, to_status: str = "active") -> None:
    await evidence.declare(
        work, Kind.FACT, Transition(fact_id, None, to_status, "test", "test", "dana", None, None, MONDAY)
    )


@pytest.fixture
async def event_id(world: World) -> UUID:
    return (await world.publish(world.lead, event(text="said")))[0].event_id


async def lawful(work: UnitOfWork, event_id: UUID, begins: datetime, **fields: Any) -> UUID:
    """A fact with all that the law asks for."""
    key_id = await facts.ensure_key(work, KEY)
    fact = new_fact(key_id, begins, **fields)
    await facts.begin(work, fact)
    await derive(work, fact, event_id)
    await declare(work, fact.id)
    return fact.id


async def test_two_facts_of_a_key_never_govern_at_once(world: World, event_id: UUID) -> None:
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        first = await lawful(work, event_id, MONDAY)
    with pytest.raises(DBAPIError, match="facts_govern_alone"):
        async with world.database.transaction(tenant_id(world.tenant)) as work:
            await lawful(work, event_id, MONDAY + timedelta(days=1))
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        await facts.end(work, first, Ending.SUPERSEDED, MONDAY + timedelta(days=1))
        await declare(work, first, "superseded")
        await lawful(work, event_id, MONDAY + timedelta(days=1))


async def test_an_expiry_makes_room_and_an_unverified_claim_needs_none(world: World, event_id: UUID) -> None:
    soon = MONDAY + timedelta(days=1)
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        await lawful(work, event_id, MONDAY, terms=Terms(value="team-a", expires_at=soon))
        await lawful(work, event_id, soon)
        await lawful(work, event_id, MONDAY, admission=Admission.UNVERIFIED)
    with pytest.raises(DBAPIError, match="facts_govern_alone"):
        async with world.database.transaction(tenant_id(world.tenant)) as work:
            await lawful(work, event_id, soon - timedelta(seconds=1))


async def test_a_derived_record_needs_lineage(world: World) -> None:
    async def begin_without_lineage() -> None:
        async with world.database.transaction(tenant_id(world.tenant)) as work:
            fact = new_fact(await facts.ensure_key(work, KEY), MONDAY)
            await facts.begin(work, fact)
            await declare(work, fact.id)

    with pytest.raises(DBAPIError, match="has no lineage"):
        await begin_without_lineage()


async def test_a_fact_begins_and_ends_by_declared_transitions(world: World, event_id: UUID) -> None:
    async def begin_undeclared() -> None:
        async with world.database.transaction(tenant_id(world.tenant)) as work:
            fact = new_fact(await facts.ensure_key(work, KEY), MONDAY)
            await facts.begin(work, fact)
            await derive(work, fact, event_id)

    with pytest.raises(DBAPIError, match="without a transition"):
        await begin_undeclared()
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        begun = await lawful(work, event_id, MONDAY)
    with pytest.raises(DBAPIError, match="without a transition"):
        async with world.database.transaction(tenant_id(world.tenant)) as work:
            await facts.end(work, begun, Ending.RETIRED, MONDAY + timedelta(days=1))


async def test_an_end_is_never_taken_back_or_put_off(world: World, event_id: UUID) -> None:
    end = MONDAY + timedelta(days=2)
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        ended = await lawful(work, event_id, MONDAY)
        await facts.end(work, ended, Ending.RETIRED, end)
    for revival in ("ended_at = NULL, ending = NULL", "ended_at = ended_at + interval '1 second'"):
        with pytest.raises(DBAPIError, match="stays ended"):
            async with world.database.transaction(tenant_id(world.tenant)) as work:
                await work.run(text(f"UPDATE facts SET {revival} WHERE id = :id"), {"id": ended})


async def test_an_end_that_has_not_come_may_be_taken_back(world: World, event_id: UUID) -> None:
    """As when a successor is withdrawn before it begins: by a declared transition, like any change of status."""
    to_come = datetime.now(UTC) + timedelta(days=2)
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        fact_id = await lawful(work, event_id, MONDAY)
        await facts.end(work, fact_id, Ending.SUPERSEDED, to_come)
    with pytest.raises(DBAPIError, match="without a transition"):
        async with world.database.transaction(tenant_id(world.tenant)) as work:
            await facts.reopen(work, fact_id, None)
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        await facts.reopen(work, fact_id, None)
        await declare(work, fact_id)
        reopened = await facts.get(work, fact_id)
    assert reopened is not None
    assert reopened.ends_at is None


async def test_what_a_fact_says_cannot_be_changed(world: World, event_id: UUID) -> None:
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        fact_id = await lawful(work, event_id, MONDAY)
    with pytest.raises(DBAPIError, match="permission denied"):
        async with world.database.transaction(tenant_id(world.tenant)) as work:
            await work.run(text("UPDATE facts SET value = 'x' WHERE id = :id"), {"id": fact_id})


async def unnamed(world: World) -> UUID:
    """A candidate; of which thing it speaks is of no account to the law."""
    said = Statement(scope=STAGING, attribute="owner", value="team-a")
    stated = await world.service.remember(world.lead, said)
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        [candidate] = await candidates.of_events(work, [stated.event_id])
    return candidate.id


async def second_waits(admin: AsyncEngine) -> None:
    """Return once a statement that settles something waits for a lock. Each look is a transaction of its own."""
    query = text(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INTO settlements%'"
    )
    async with asyncio.timeout(20), admin.connect() as watching:
        while (await watching.execute(query)).scalar_one() == 0:
            await watching.rollback()
            await asyncio.sleep(0.01)


async def test_a_candidate_without_a_thing_is_settled_once(world: World, addresses: Addresses) -> None:
    """The second review waits for the first, and settles it only where that came to nothing."""
    candidate = await unnamed(world)
    tenant = tenant_id(world.tenant)

    async def settle() -> bool:
        async with world.database.transaction(tenant) as work:
            return await candidates.settle(work, candidate, candidate)

    admin = create_async_engine(str(addresses.admin_database_url), poolclass=NullPool)
    async with world.database.trial(tenant) as work:
        assert await candidates.settle(work, candidate, candidate)
        second = asyncio.create_task(settle())
        await second_waits(admin)
    assert await second
    assert not await settle()
    again = text("INSERT INTO settlements VALUES (:tenant, :id, :id)")
    with pytest.raises(DBAPIError, match="settlements_pkey"):
        async with world.database.transaction(tenant) as work:
            await work.run(again, {"id": candidate})


async def test_citing_an_event_that_is_not_there_is_refused(world: World) -> None:
    with pytest.raises(DBAPIError, match="foreign key"):
        async with world.database.transaction(tenant_id(world.tenant)) as work:
            await lawful(work, uuid4(), MONDAY)
