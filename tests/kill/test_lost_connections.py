"""Postgres drops every connection under a worker that lives on: it connects again, and goes on."""

import asyncio

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine
from temporalio.client import Client

from capture.accept import Receipt
from models.errors import Unavailable
from models.policy import Policy
from runtime.worker import running_worker
from store.engine import Database, Role
from tests.kill.laboratory import Laboratory
from tests.world import World, event

RETRY_SECONDS = 0.1
DROPS = 2

_DROP = text(
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


async def drop_connections(owner: AsyncEngine) -> int:
    """End every other connection to the database, as a restart or a fail-over does; how many there were."""
    async with owner.connect() as connection:
        return int((await connection.execute(_DROP)).scalar_one())


async def publish(world: World, activity: str) -> list[Receipt]:
    """Publish under one idempotency key until it is acknowledged."""
    said = event(
        activity_id=activity,
        type="correction",
        text=f"Do not touch {activity} until the audit is over.",
        idempotency_key=activity,
    )
    while True:
        try:
            return await world.publish(world.lead, said)
        except Unavailable:
            await asyncio.sleep(RETRY_SECONDS)


async def settle(world: World, receipts: list[Receipt]) -> None:
    """Wait until these events are digested, across lost connections of our own."""
    while True:
        try:
            return await world.digest(receipts)
        except Unavailable:
            await asyncio.sleep(RETRY_SECONDS)


async def test_a_worker_outlives_its_connections(
    laboratory: Laboratory, client: Client, policy: Policy
) -> None:
    async with (
        laboratory.fresh() as site,
        running_worker(site.url, client, policy, task_queue=site.name, quiet_seconds=0.1),
    ):
        await settle(site.world, await publish(site.world, "billing-api-0"))
        for number in range(1, DROPS + 1):
            assert await drop_connections(site.owner) > 0
            receipts = await publish(site.world, f"billing-api-{number}")
            await asyncio.wait_for(settle(site.world, receipts), 30)
            assert await site.world.verdicts(receipts[0].event_id) == ["establish"]


async def test_a_server_without_a_free_connection_is_unavailable(laboratory: Laboratory) -> None:
    """What the dispatcher and the steps wait out, and not an error that ends them."""
    async with (
        laboratory.fresh() as site,
        Database(site.url) as database,
        Database(site.url, Role.RELAY) as relay,
    ):
        async with site.owner.begin() as connection:
            await connection.execute(text(f"ALTER DATABASE {site.name} CONNECTION LIMIT 0"))
        with pytest.raises(Unavailable):
            async with database.transaction(site.world.agent.tenant_id):
                pass
        with pytest.raises(Unavailable):
            async with relay.relay():
                pass
