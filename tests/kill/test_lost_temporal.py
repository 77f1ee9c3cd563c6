"""Temporal's store is lost, all of it: what was promised is seen to again, from what Postgres alone has."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import pytest
from sqlalchemy import text
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.service import RPCError

from models.endpoints import NewEndpoint
from models.ids import tenant_id
from models.policy import Policy
from models.principals import PrincipalKind
from models.statements import Statement
from runtime.addresses import of_stack
from runtime.embedded.layout import layout_of
from runtime.embedded.stack import EmbeddedStack
from runtime.service import Service
from runtime.temporal import connect
from runtime.up import SEARCH_ATTRIBUTES
from runtime.worker import running_worker
from store.engine import Database, Role
from store.migrate import migrate
from store.policies import Policies
from tests.erasure.desk import Desk as EraseDesk
from tests.intentions.desk import PATIENCE_SECONDS, Desk, far, now, soon
from tests.procedures.bench import Bench, content
from tests.surfaces.terminal import Terminal
from tests.webhooks.server import Receiver, answers, receiving
from tests.world import MASKER, STAGING, WEBHOOK_HOSTS, World, event
from workflows import ids

QUEUE = "lost"
LONG_SECONDS = 3600.0
"""No activity is consolidated here: that it waits for it is what is lost."""


class Standing(NamedTuple):
    """Both servers, and the service over them."""

    url: str
    client: Client
    policy: Policy
    world: World

    def working(self) -> AbstractAsyncContextManager[None]:
        """A worker, which consolidates nothing as long as anybody looks."""
        return running_worker(
            self.url,
            self.client,
            self.policy,
            task_queue=QUEUE,
            quiet_seconds=LONG_SECONDS,
            webhook_hosts=WEBHOOK_HOSTS,
        )

    async def runs(self, workflow_id: str) -> bool:
        """Whether a workflow is under way."""
        try:
            told = await self.client.get_workflow_handle(workflow_id).describe()
        except RPCError:
            return False
        return told.status is WorkflowExecutionStatus.RUNNING

    async def until_running(self, workflow_ids: set[str]) -> None:
        """Return once all of these workflows are under way."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not all([await self.runs(each) for each in workflow_ids]):
                await asyncio.sleep(0.05)


def service_over(database: Database, policy: Policy, client: Client | None) -> Service:
    """The service, with Temporal or without."""
    policies = Policies(database, policy)
    return Service(database, policies, client, masker=MASKER, task_queue=QUEUE, webhook_hosts=WEBHOOK_HOSTS)


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="keepwell-lost-") as folder:
        yield Path(folder)


@asynccontextmanager
async def standing(folder: Path, policy: Policy) -> AsyncGenerator[Standing]:
    """The stack on whatever is in the folder, without a worker."""
    async with EmbeddedStack(folder, durable=False, search_attributes=SEARCH_ATTRIBUTES) as stack:
        found = of_stack(stack.info)
        assert found.admin_database_url is not None
        await migrate(found.admin_database_url, found.database_url)
        client = await connect(found.temporal_address, "default")
        async with Database(found.database_url) as database:
            world = World(service_over(database, policy, client), database, "lost")
            yield Standing(found.database_url, client, policy, world)


def _statement(entity: str) -> Statement:
    said = {"scope": STAGING, "attribute": "lifecycle_policy", "value": "keep", "ends_when": "it is over"}
    return Statement.model_validate({**said, "entity": f"cloud-instance:{entity}", "activity_id": entity})


class Promised(NamedTuple):
    """The workflows that wait, what is still to be delivered, and what waits for an event."""

    waiting: set[str]
    undelivered: UUID
    cued: UUID


async def promise(world: World, receiver: Receiver) -> Promised:
    """Give promises, keep some of them, and have the others wait."""
    desk, tenant = Desk(world), tenant_id(world.tenant)
    hooks = NewEndpoint(name="hooks", address=f"http://127.0.0.1:{receiver.port}/in")
    admin = world.principal("root", PrincipalKind.HUMAN, "admin")
    endpoint = (await world.service.endpoints.register(admin, hooks)).endpoint
    stated = await world.service.remember(world.lead, _statement("i-1"))
    assert stated.decided is not None
    assert stated.decided.fact_id is not None
    [begun] = await world.publish(world.lead, event(type="milestone", text="The audit has begun."))
    await desk.intend(at=far())
    await desk.intend(at=soon())
    [due] = await desk.due()
    await desk.acknowledge(due)
    await desk.until(await desk.intend(at=soon(), deliver_to="hooks"), "delivered")
    receiver.reaction = answers(503)
    undelivered = await desk.intend(at=soon(), deliver_to="hooks")
    async with asyncio.timeout(PATIENCE_SECONDS):
        while len(receiver.received) < 2:
            await asyncio.sleep(0.05)
    bench = Bench(world)
    proposal = await bench.propose(content("look"))
    asked = await EraseDesk(world).ask({"kind": "event", "id": str(begun.event_id)}, dry_run=True)
    waiting = {
        ids.promotion(tenant, proposal),
        ids.gate(tenant, stated.decided.fact_id),
        ids.consolidation(tenant, begun.activity_id),
        ids.intentions(tenant),
        ids.delivery(tenant, endpoint.id),
        ids.erasure(tenant, asked.id),
    }
    done = {"conditions": [{"field": "data.job", "value": "migration"}]}
    return Promised(waiting, undelivered, await desk.intend(on=done))


async def lose_a_claim_and_an_event(there: Standing) -> UUID:
    """The event of a claim that was stored and handed over to a Temporal which then kept nothing of it.

    Nor of an event that something waits for.
    """
    migrated = event(activity_id="migration", type="observation", data={"job": "migration"})
    await there.world.publish(there.world.lead, {**migrated, "occurred_at": now().isoformat()})
    alone = service_over(there.world.database, there.policy, None)
    stated = await alone.remember(there.world.lead, _statement("i-2"))
    assert stated.decided is None
    async with Database(there.url, Role.RELAY, pool_size=1) as relay, relay.relay() as work:
        await work.run(text("DELETE FROM outbox"))
    return stated.event_id


@pytest.mark.timeout(180)
async def test_every_promise_is_seen_to_again_and_what_is_kept_is_not(folder: Path, policy: Policy) -> None:
    async with receiving() as receiver:
        async with standing(folder, policy) as there:
            await there.world.service.add_tenant(there.world.lead)
            async with there.working():
                promised = await promise(there.world, receiver)
                await there.until_running(promised.waiting)
            claim = await lose_a_claim_and_an_event(there)
        shutil.rmtree(layout_of(folder).temporal)
        async with standing(folder, policy) as there, there.working(), asyncio.timeout(PATIENCE_SECONDS):
            assert not any([await there.runs(each) for each in promised.waiting])
            receiver.reaction = answers(204)
            terminal = Terminal(folder, KEEPWELL_HOME=str(folder))
            *kinds, _ = (await terminal.keepwell("resume")).said().splitlines()
            assert [line.split()[0] for line in kinds] == ["1"] * 7
            desk = Desk(there.world)
            await desk.until(promised.undelivered, "delivered")
            await desk.until(promised.cued, "due")
            while await there.world.verdicts(claim) != ["establish"]:
                await asyncio.sleep(0.05)
            delivery = {each for each in promised.waiting if each.startswith("delivery/")}
            await there.until_running(promised.waiting - delivery)
            (await terminal.keepwell("resume")).said()
            taken = await desk.service.inbox.take(desk.agent, desk.everything())
            assert [due.intention.id for due in taken] == [promised.cued]
            messages = [received.heads["webhook-id"] for received in receiver.received]
            assert messages.count(messages[0]) == 1, "what had arrived is not sent again"
            assert len(set(messages)) == 2
