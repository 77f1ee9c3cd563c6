"""The dispatcher: relays outbox rows to workflows by signal-with-start, at least once.

It is woken by a notification after each commit that has work for it, and looks by itself now and then in
case a notification was lost. Several may run: a row is held by one at a time.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog
from temporalio.client import Client
from temporalio.service import RPCError

from models.messages import (
    ConsolidationInput,
    EndpointRef,
    ErasureRef,
    FactKeyRef,
    FactRef,
    ProposalRef,
    TenantMessage,
)
from runtime.relaying import relay_for_ever
from store import outbox
from store.engine import Database
from store.listen import Listener
from store.outbox import Kind, Parcel
from workflows import ids
from workflows.cascading_erasure import CascadingErasure
from workflows.condition_gate import ConditionGate
from workflows.consolidation import Consolidation
from workflows.deferred_intentions import DeferredIntentions
from workflows.endpoint_delivery import EndpointDelivery
from workflows.fact_reconciliation import FactReconciliation
from workflows.procedure_promotion import ProcedurePromotion
from workflows.reflection import Reflection
from workflows.search_attributes import SUMMARIES, Process, at_start

BATCH = 50
TO_TEMPORAL = (
    Kind.CONSOLIDATE,
    Kind.RECONCILE,
    Kind.GATE,
    Kind.INTEND,
    Kind.DELIVER,
    Kind.PROMOTE,
    Kind.REFLECT,
    Kind.ERASE,
)

log = structlog.get_logger("keepwell.dispatcher")


class Dispatcher:
    """Relays for all tenants. `relay` is a pool under the relay's role."""

    def __init__(
        self, relay: Database, client: Client, listener: Listener, *, task_queue: str, quiet_seconds: float
    ) -> None:
        self._relay = relay
        self._client = client
        self._listener = listener
        self._task_queue = task_queue
        self._quiet_seconds = quiet_seconds

    async def run(self) -> None:
        """Relay until cancelled; see `runtime.relaying`."""
        await relay_for_ever(self._is_behind, self._listener, log)

    async def _is_behind(self) -> bool:
        return await self.relay_once() == BATCH

    async def relay_once(self) -> int:
        """Take one batch and deliver it; how many rows there were. What fails is put off and tried again."""
        async with self._relay.relay() as work:
            parcels = await outbox.take(work, TO_TEMPORAL, BATCH)
            arrived = await asyncio.gather(*(self._deliver(parcel) for parcel in parcels))
            await outbox.delivered(work, _ids(parcels, arrived, wanted=True))
            await outbox.put_off(work, _ids(parcels, arrived, wanted=False))
        return len(parcels)

    async def _deliver(self, parcel: Parcel) -> bool:
        try:
            await self._look(parcel)
        except RPCError as refused:
            log.warning("delivery_failed", kind=parcel.kind.value, status=refused.status.name)
            return False
        except Exception as failed:
            log.warning("delivery_failed", kind=parcel.kind.value, error=type(failed).__name__)
            return False
        return True

    async def _look(self, parcel: Parcel) -> None:
        tenant, subject = parcel.tenant_id, parcel.subject_id
        match parcel.kind:
            case Kind.CONSOLIDATE:
                activity = ConsolidationInput(
                    tenant_id=tenant, activity_id=subject, quiet_seconds=self._quiet_seconds
                )
                workflow_id = ids.consolidation(tenant, subject)
                await self._signal(Process.CONSOLIDATION, Consolidation.run, activity, workflow_id)
            case Kind.RECONCILE:
                key = FactKeyRef(tenant_id=tenant, key_id=subject)
                workflow_id = ids.fact(tenant, subject)
                await self._signal(Process.FACT_RECONCILIATION, FactReconciliation.run, key, workflow_id)
            case Kind.GATE:
                fact = FactRef(tenant_id=tenant, fact_id=subject)
                workflow_id = ids.gate(tenant, subject)
                await self._signal(Process.CONDITION_GATE, ConditionGate.run, fact, workflow_id)
            case Kind.INTEND:
                whole = TenantMessage(tenant_id=tenant)
                workflow_id = ids.intentions(tenant)
                await self._signal(Process.DEFERRED_INTENTIONS, DeferredIntentions.run, whole, workflow_id)
            case Kind.DELIVER:
                endpoint = EndpointRef(tenant_id=tenant, endpoint_id=subject)
                workflow_id = ids.delivery(tenant, subject)
                await self._signal(Process.ENDPOINT_DELIVERY, EndpointDelivery.run, endpoint, workflow_id)
            case Kind.PROMOTE:
                proposal = ProposalRef(tenant_id=tenant, proposal_id=subject)
                workflow_id = ids.promotion(tenant, subject)
                await self._signal(Process.PROCEDURE_PROMOTION, ProcedurePromotion.run, proposal, workflow_id)
            case Kind.REFLECT:
                whole = TenantMessage(tenant_id=tenant)
                await self._signal(Process.REFLECTION, Reflection.run, whole, ids.reflection(tenant))
            case Kind.ERASE:
                erasure = ErasureRef(tenant_id=tenant, erasure_id=subject)
                workflow_id = ids.erasure(tenant, subject)
                await self._signal(Process.ERASURE, CascadingErasure.run, erasure, workflow_id)
            case Kind.EMBED:
                raise ValueError("no workflow embeds what is new; the embedding relay takes these rows")

    async def _signal(self, process: Process, run: Any, start: TenantMessage, workflow_id: str) -> None:
        """Start a workflow with a look, or let the one that runs have it."""
        await self._client.start_workflow(
            run,
            start,
            id=workflow_id,
            task_queue=self._task_queue,
            start_signal="look",
            search_attributes=at_start(start.tenant_id, process),
            static_summary=SUMMARIES[process],
        )


def _ids(parcels: Sequence[Parcel], arrived: Sequence[bool], *, wanted: bool) -> list[int]:
    return [parcel.id for parcel, came in zip(parcels, arrived, strict=True) if came is wanted]
