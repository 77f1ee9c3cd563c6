"""What is kept of each record of the index, beside what the records themselves say."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

import store.migrations.versions
from activities.consolidation import ConsolidationSteps
from capture.proposing import Narrators, Proposers
from models.messages import ActivityRef
from models.policy import Policy
from providers.narrators import TemplateNarrator
from providers.rule_extractor import RuleExtractor
from runtime.addresses import Addresses
from runtime.service import Service
from store.engine import Database
from store.policies import Policies
from tests.store.test_laws import lawful
from tests.stores import own_database
from tests.world import MASKER, MONDAY, STAGING, World, event

MIGRATION = Path(next(iter(store.migrations.versions.__path__))) / "0011_disclosures.sql"
"""It fills the table for what is there already, in statements between these two."""
FIRST, LAST = "CREATE TEMPORARY TABLE documents", "ALTER TABLE candidates FORCE"
KEPT = text("SELECT * FROM disclosures WHERE tenant_id = :tenant ORDER BY record_id, about_id")


async def test_what_is_kept_step_by_step_is_what_the_migration_makes_of_all(
    world: World, addresses: Addresses
) -> None:
    """Facts that come before their passages and after them, words that are refused, and an episode that is rebuilt."""
    keep = "Keep gpu-bench-01 running until the audit is over."
    for who, words in ((world.developer, keep), (world.lead, keep), (world.lead, "It is quiet.")):
        await world.say(who, words, activity_id="act-1")
    two = [{"attribute": name, "entity": "gpu-bench-01", "value": "b"} for name in ("owner", "unheard_of")]
    await world.say(world.lead, "It is b.", activity_id="act-2", data={"candidates": two})
    await world.say(world.developer, "Not b.", activity_id="act-2")
    await world.digest(
        await world.publish(world.lead, event(type="activity_completed", activity_id="act-2", scope=STAGING))
    )
    script = MIGRATION.read_text("utf-8")
    statements = script[script.index(FIRST) : script.index(LAST)].split(";")
    admin = create_async_engine(str(addresses.admin_database_url), poolclass=NullPool)
    tenant = {"tenant": world.agent.tenant_id}
    async with admin.connect() as owner:
        kept = (await owner.execute(KEPT, tenant)).all()
        await owner.execute(text("DELETE FROM disclosures"))
        for statement in filter(str.strip, statements):
            await owner.execute(text(statement))
        made = (await owner.execute(KEPT, tenant)).all()
        await owner.rollback()
    await admin.dispose()
    assert kept == made
    assert {row.proposed for row in kept} == {True, False}
    assert {row.record_id == row.about_id for row in kept} == {True, False}


@pytest.fixture
async def alone(addresses: Addresses, policy: Policy) -> AsyncGenerator[World]:
    """A world in a database of its own that no worker works for."""
    async with own_database(addresses) as url, Database(url) as database:
        service = Service(database, Policies(database, policy), None, masker=MASKER, task_queue="none")
        made = World(service, database, "alone")
        await service.add_tenant(made.agent)
        yield made


async def test_what_cites_an_event_while_its_passage_is_indexed_is_kept(alone: World, policy: Policy) -> None:
    """Neither of the two transactions sees what the other one writes."""
    database, tenant_id = alone.database, alone.agent.tenant_id
    [receipt] = await alone.publish(alone.lead, event(type="feedback", text="a report"))
    steps = ConsolidationSteps(
        database, Policies(database, policy), Narrators(TemplateNarrator()), Proposers(RuleExtractor())
    )
    waits = """
        SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    """
    async with database.transaction(tenant_id) as citing:
        fact_id = await lawful(citing, receipt.event_id, MONDAY)
        ref = ActivityRef(tenant_id=tenant_id, activity_id=receipt.activity_id)
        building = asyncio.create_task(steps.build_episode(ref))
        async with database.transaction(tenant_id) as work:
            while not building.done() and not (await work.rows(text(waits)))[0].n:
                await asyncio.sleep(0.01)
    assert (await building).passages == 1
    async with database.transaction(tenant_id) as work:
        [passage] = await work.rows(text("SELECT id FROM passages"))
        kept = await work.rows(text("SELECT record_id, about_id FROM disclosures"))
    assert [tuple(row) for row in kept] == [(passage.id, fact_id)]
