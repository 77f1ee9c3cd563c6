"""Postgres drops every connection under a worker that lives on: it connects again, and goes on."""

import asyncio

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine
from temporalio.client import Client

from capture.publish import Receipt
from models.errors import Unavailable
from models.policy import Policy
from runtime.worker import running_worker
from tests.kill.laboratory import Laboratory
from tests.world import World, event

RETRY_SECONDS = 0.1
DROPS = 3

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
