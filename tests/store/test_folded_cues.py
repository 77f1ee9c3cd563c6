"""Cues that were written before their ids were folded are found after the migration, with all that is said of them."""

import importlib
from typing import Any

from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Connection, text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool
from temporalio.client import Client

from models.policy import Policy
from models.recall import RecallRequest
from models.statements import Statement
from runtime.addresses import Addresses
from tests.stores import own_world
from tests.world import STAGING, World

MIGRATION = importlib.import_module("store.migrations.versions.0015_folded_cues")
AS_WRITTEN = {
    "tool:alone": "tool:Alone",
    "tool:old": "tool:Old",
    "tool:new": "tool:new",
    "tool:both": "tool:both",
    "tool:both-old": "tool:Both",
}
"""The ids of what is spoken of, as they are written today and as they were before."""
BESIDE = {"tool:old": "tool", "tool:New": "tool", "tool:NEW": "tool", "server:WEB-1": "server"}
"""With their types, those of which nothing is said; the tools are the same as some of which something is."""


async def said(world: World, about: str, value: str) -> None:
    statement = Statement(
        scope=STAGING, attribute="standing_instruction", entity=about, value=value, text=f"Always {value}."
    )
    assert (await world.service.remember(world.lead, statement)).governs


async def heeded(world: World, about: str) -> set[str]:
    answer = await world.service.recall(
        world.agent, RecallRequest(scope=STAGING, query="lunch", entities=(about,))
    )
    return {fact.value for fact in answer.required}


def upgraded(connection: Connection) -> None:
    with Operations.context(MigrationContext.configure(connection)):
        MIGRATION.upgrade()


async def rows(connection: Any, statement: str) -> list[Any]:
    return [tuple(row) for row in await connection.execute(text(statement))]


async def test_cues_that_were_kept_as_written_are_folded_and_made_one(
    addresses: Addresses, policy: Policy, client: Client
) -> None:
    async with own_world(addresses, policy, client) as world:
        for about in AS_WRITTEN:
            await said(world, about, f"mind {about}")
        database = make_url(world.database.url).database
        owner = make_url(str(addresses.admin_database_url)).set(database=database)
        engine = create_async_engine(owner, poolclass=NullPool)
        async with engine.begin() as admin:
            for now, before in AS_WRITTEN.items():
                unfold = text("UPDATE entities SET canonical = :before WHERE canonical = :now")
                await admin.execute(unfold, {"now": now, "before": before})
            for beside, kind in BESIDE.items():
                values = {"tenant": world.agent.tenant_id, "beside": beside, "kind": kind}
                await admin.execute(
                    text(
                        "INSERT INTO entities (tenant_id, canonical, type) VALUES (:tenant, :beside, :kind)"
                    ),
                    values,
                )
        assert await heeded(world, "tool:Alone") == await heeded(world, "tool:OLD") == set()

        async with engine.begin() as admin:
            # An owner that the walls around the tables hold for as well, as on a server of somebody else's.
            await admin.execute(text("CREATE ROLE plain_owner"))
            for table in ("entities", "fact_keys"):
                await admin.execute(text(f"ALTER TABLE {table} OWNER TO plain_owner"))
            await admin.execute(text("SET LOCAL ROLE plain_owner"))
            await admin.run_sync(upgraded)
            await admin.execute(text("RESET ROLE"))
            for table in ("entities", "fact_keys"):
                await admin.execute(text(f"ALTER TABLE {table} OWNER TO CURRENT_USER"))
            await admin.execute(text("DROP ROLE plain_owner"))
            walls = await rows(
                admin, "SELECT relforcerowsecurity FROM pg_class WHERE relname IN ('entities', 'fact_keys')"
            )
            left = await rows(admin, "SELECT canonical FROM entities WHERE type <> 'same'")
        await engine.dispose()

        assert walls == [(True,), (True,)]
        wanted = ["server:WEB-1", "tool:alone", "tool:both", "tool:new", "tool:old"]
        assert sorted(canonical for (canonical,) in left) == wanted
        assert await heeded(world, "tool:Alone") == {"mind tool:alone"}
        assert await heeded(world, "tool:OLD") == {"mind tool:old"}
        assert await heeded(world, "tool:New") == {"mind tool:new"}
        assert await heeded(world, "tool:both") == {"mind tool:both", "mind tool:both-old"}
