"""How programs and workflows of somebody's own have Keepwell look at what was published."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from keepwell.temporal import (
    CONDITION_GATE,
    CONSOLIDATION,
    FACT_RECONCILIATION,
    LOOK,
    TASK_QUEUE,
    KeepwellInterceptor,
    consolidation_id,
    fact_id,
    gate_id,
    look,
    look_now,
)
from keepwell.temporal.names import QUIET_SECONDS as DEFAULT_QUIET_SECONDS
from temporalio import workflow
from temporalio.client import Client, WorkflowHandle
from temporalio.service import RPCError

from models.messages import ConsolidationInput
from models.policy import Policy
from runtime.addresses import Addresses
from runtime.service import Service
from runtime.settings import Settings
from runtime.worker import running_worker
from store.engine import Database
from store.policies import Policies
from tests.client.recorder import Recorder
from tests.client.records import BENCH
from tests.client.their_agent import Cleanup, Looking
from tests.client.their_worker import outcome, worker
from tests.world import MASKER, QUIET_SECONDS, STAGING, World, event
from workflows import ids
from workflows.condition_gate import ConditionGate
from workflows.consolidation import Consolidation
from workflows.fact_reconciliation import FactReconciliation


@pytest.fixture(scope="module")
async def theirs(addresses: Addresses) -> Client:
    """A client of somebody's own, who has Temporal's own data converter and no plugin."""
    return await Client.connect(addresses.temporal_address)


@pytest.fixture(scope="module")
def task_queue() -> str:
    return f"kept-{uuid4().hex[:8]}"


@pytest.fixture(scope="module")
async def service(
    addresses: Addresses, database: Database, policy: Policy, client: Client, task_queue: str
) -> AsyncGenerator[Service]:
    """The service, with a worker whose task queue is known."""
    async with running_worker(
        addresses.database_url, client, policy, task_queue=task_queue, quiet_seconds=QUIET_SECONDS
    ):
        yield Service(database, Policies(database, policy), client, masker=MASKER, task_queue=task_queue)


class TestNames:
    TENANT, RECORD = uuid4(), uuid4()

    def test_ids_are_those_of_the_service(self) -> None:
        for ours, theirs in ((consolidation_id, ids.consolidation), (fact_id, ids.fact), (gate_id, ids.gate)):
            assert ours(self.TENANT, self.RECORD) == theirs(self.TENANT, self.RECORD)
            assert ours(str(self.TENANT), str(self.RECORD).upper()) == theirs(self.TENANT, self.RECORD)

    @pytest.mark.parametrize("made", [consolidation_id, fact_id, gate_id])
    def test_nothing_but_an_id_goes_into_an_id(self, made: Callable[..., str]) -> None:
        for odd in ("../x", "", f"{uuid4()}/y"):
            with pytest.raises(ValueError, match="UUID"):
                made(self.TENANT, odd)

    @pytest.mark.parametrize(
        ("name", "served"),
        [
            (CONSOLIDATION, Consolidation),
            (FACT_RECONCILIATION, FactReconciliation),
            (CONDITION_GATE, ConditionGate),
        ],
    )
    def test_types_and_the_signal_are_those_of_the_service(self, name: str, served: type) -> None:
        definition = workflow._Definition.must_from_class(served)

        assert definition.name == name
        assert LOOK in definition.signals

    def test_defaults_are_those_of_the_service(self) -> None:
        fields = Settings.model_fields
        assert (fields["task_queue"].default, fields["quiet_seconds"].default) == (
            TASK_QUEUE,
            DEFAULT_QUIET_SECONDS,
        )


async def unnoticed(world: World) -> UUID:
    """The internal id of an activity with something to tell and no checkpoint."""
    text = "Keep gpu-bench-01 running until QA has migrated."
    [receipt] = await world.publish(world.lead, event(type="instruction", text=text, entities=[BENCH]))
    assert await world.service.episode_of(world.lead, receipt.activity_id) is None
    return receipt.activity_id


async def signals_of(handle: WorkflowHandle[Any, Any], count: int) -> list[Any]:
    """What each of the first `count` signals that a workflow got carried, once they have all come."""
    carried: list[Any] = []
    async with asyncio.timeout(30):
        # One that comes during a workflow task stands in the history only when the task is over.
        async for each in handle.fetch_history_events(wait_new_event=True):
            if each.HasField("workflow_execution_signaled_event_attributes"):
                signaled = each.workflow_execution_signaled_event_attributes
                assert signaled.signal_name == LOOK
                carried.append(list(signaled.input.payloads))
            if len(carried) == count:
                break
    return carried


class TestLooking:
    async def test_a_program_has_an_activity_without_a_checkpoint_consolidated(
        self, world: World, theirs: Client, task_queue: str
    ) -> None:
        activity_id = await unnoticed(world)

        handle = await look_now(
            theirs, world.lead.tenant_id, activity_id, task_queue=task_queue, quiet_seconds=QUIET_SECONDS
        )

        await handle.result()
        episode = await world.service.episode_of(world.lead, activity_id)
        assert episode is not None
        described = await handle.describe()
        assert described.workflow_type == CONSOLIDATION
        assert [pair.value for pair in described.typed_search_attributes][-1] is not None

    async def test_a_workflow_of_theirs_does_so_too(
        self, world: World, theirs: Client, task_queue: str
    ) -> None:
        activity_id = await unnoticed(world)
        tenant_id = world.lead.tenant_id

        async with worker(theirs) as queue:
            await outcome(
                theirs, queue, Looking.run, str(tenant_id), str(activity_id), task_queue, QUIET_SECONDS
            )

        await theirs.get_workflow_handle(consolidation_id(tenant_id, activity_id)).result()
        assert await world.service.episode_of(world.lead, activity_id) is not None

    async def test_one_that_runs_gets_a_signal_with_nothing_in_it(
        self, world: World, theirs: Client, task_queue: str
    ) -> None:
        activity_id = await unnoticed(world)
        tenant_id = world.lead.tenant_id
        handle = await look_now(theirs, tenant_id, activity_id, task_queue=task_queue, quiet_seconds=600)
        try:
            async with worker(theirs) as queue:
                await outcome(theirs, queue, Looking.run, str(tenant_id), str(activity_id), task_queue, 600.0)
            await look_now(theirs, tenant_id, activity_id, task_queue=task_queue, quiet_seconds=600)
            await look(theirs.get_workflow_handle(handle.id))
            await look(theirs.get_workflow_handle_for(Consolidation.run, handle.id))

            assert await signals_of(handle, 5) == [[]] * 5
        finally:
            await handle.terminate()

    async def test_a_look_at_nothing_says_so(self, theirs: Client) -> None:
        with pytest.raises(RPCError):
            await look(theirs.get_workflow_handle(consolidation_id(uuid4(), uuid4())))

    @pytest.mark.parametrize(
        ("tenant_id", "quiet_seconds"),
        [("northwind", 1.0), (str(UUID(int=1)), 0.0), (str(UUID(int=1)), float("inf"))],
    )
    async def test_what_means_nothing_is_not_sent(
        self, theirs: Client, tenant_id: str, quiet_seconds: float
    ) -> None:
        with pytest.raises(ValueError, match=r"UUID|quiet_seconds"):
            await look_now(theirs, tenant_id, uuid4(), quiet_seconds=quiet_seconds)

    async def test_the_service_reads_what_starts_a_consolidation(self, theirs: Client) -> None:
        tenant_id, activity_id = uuid4(), uuid4()
        handle = await look_now(theirs, tenant_id, activity_id, task_queue=f"nobody-{uuid4().hex}")
        try:
            started = (await handle.fetch_history()).events[0].workflow_execution_started_event_attributes
            [payload] = started.input.payloads
            assert ConsolidationInput.model_validate_json(payload.data) == ConsolidationInput(
                tenant_id=tenant_id, activity_id=activity_id, quiet_seconds=DEFAULT_QUIET_SECONDS
            )
        finally:
            await handle.terminate()

    async def test_the_service_takes_what_is_published_and_takes_it_once(
        self, theirs: Client, world: World, task_queue: str
    ) -> None:
        recorder = Recorder()
        async with worker(theirs, KeepwellInterceptor(recorder, scope=STAGING)) as queue:
            await outcome(theirs, queue, Cleanup.run, name=f"cleanup-{world.tenant}")
        events = [json.loads(each.as_json()) for each in recorder.events]

        first = await world.publish(world.agent, *events)
        again = await world.publish(world.agent, *events)

        assert [each.event_id for each in first] == [each.event_id for each in again]
        assert all(each.duplicate for each in again)
        handle = await look_now(
            theirs, world.agent.tenant_id, first[0].activity_id, task_queue=task_queue, quiet_seconds=0.1
        )
        await handle.result()
        episode = await world.service.episode_of(world.agent, first[0].activity_id)
        assert episode is not None
