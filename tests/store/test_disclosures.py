"""What is kept of each record of the index, beside what the records themselves say."""

from pathlib import Path

from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

import store.migrations.versions
from runtime.addresses import Addresses
from tests.world import STAGING, World, event

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
