"""A newer version works beside this one, as during a deployment: what it hands over waits for its own workers."""

import asyncio

from sqlalchemy import text
from temporalio.client import Client

from models.policy import Policy
from runtime.worker import running_worker
from tests.kill.laboratory import Laboratory, Site
from tests.world import event

_HAND_OVER = text(
    "INSERT INTO outbox (tenant_id, kind, subject_id) SELECT id, 'of a newer version', uuidv7() FROM tenants"
)


async def test_a_hand_over_that_nobody_knows_holds_nothing_up(
    laboratory: Laboratory, client: Client, policy: Policy
) -> None:
    async with (
        laboratory.fresh() as site,
        running_worker(site.url, client, policy, task_queue=site.name, quiet_seconds=0.1),
    ):
        async with site.owner.begin() as connection:
            await connection.execute(_HAND_OVER)
        said = event(type="correction", text="Do not touch billing-api until the audit is over.")
        await site.world.digest(await site.world.publish(site.world.lead, said))
        # A row goes when its delivery is committed, which may be a moment after what it led to.
        async with asyncio.timeout(30):
            while (left := await kinds_left(site)) != ["of a newer version"]:
                assert "of a newer version" in left
                await asyncio.sleep(0.05)


async def kinds_left(site: Site) -> list[str]:
    async with site.owner.connect() as connection:
        return list((await connection.execute(text("SELECT kind FROM outbox"))).scalars().all())
