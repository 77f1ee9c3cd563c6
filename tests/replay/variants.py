"""Workflows changed as nobody may change them while runs of the old code are left. Replay has to refuse each."""

from datetime import timedelta

from temporalio import workflow

from activities.consolidation import ConsolidationSteps
from activities.delivering import DeliverySteps
from activities.erasure import ErasureSteps
from activities.gates import GateSteps
from activities.intentions import IntentionSteps
from activities.promotion import PromotionSteps
from activities.reconciliation import ReconciliationSteps
from activities.reembedding import ReembeddingSteps
from activities.reflection import ReflectionSteps
from models.messages import (
    ActivityPass,
    ActivityRef,
    ConfirmationRef,
    ConsolidationInput,
    DecisionRef,
    DeliveryRef,
    EndpointRef,
    ErasureRef,
    FactKeyRef,
    FactRef,
    IntentionsRef,
    ProposalRef,
    ReembeddingInput,
    ReflectionLook,
    TenantMessage,
)
from workflows.options import STEP


@workflow.defn(name="keepwell.consolidation")
class ConsolidationReordered:
    """Proposes facts before it has built the episode."""

    @workflow.run
    async def run(self, start: ConsolidationInput) -> None:
        await workflow.sleep(timedelta(seconds=start.quiet_seconds))
        ref = ActivityRef(tenant_id=start.tenant_id, activity_id=start.activity_id)
        seen = ActivityPass(**ref.model_dump(), through_seq=1)
        await workflow.execute_activity_method(ConsolidationSteps.propose_facts, seen, **STEP)
        await workflow.execute_activity_method(ConsolidationSteps.build_episode, ref, **STEP)

    @workflow.signal(name="look")
    def look(self) -> None:
        """Heard and forgotten."""


@workflow.defn(name="keepwell.fact_reconciliation")
class ReconciliationTwice:
    """Decides once more, to be sure."""

    @workflow.run
    async def run(self, key: FactKeyRef) -> None:
        await workflow.execute_activity_method(ReconciliationSteps.reconcile, key, **STEP)
        await workflow.execute_activity_method(ReconciliationSteps.reconcile, key, **STEP)
        await workflow.execute_activity_method(ReconciliationSteps.reconcile, key, **STEP)

    @workflow.signal(name="look")
    def look(self) -> None:
        """Heard and forgotten."""


@workflow.defn(name="keepwell.condition_gate")
class GateWithoutALook:
    """Waits for confirmations and never looks how the gate stands."""

    def __init__(self) -> None:
        self._over = False

    @workflow.run
    async def run(self, fact: FactRef) -> None:
        await workflow.wait_condition(lambda: self._over)

    @workflow.signal(name="look")
    def look(self) -> None:
        """Heard and forgotten."""

    @workflow.update(name="confirm")
    async def confirm(self, confirmation: ConfirmationRef) -> None:
        """Decide, and be over."""
        await workflow.execute_activity_method(GateSteps.decide_confirmation, confirmation, **STEP)
        self._over = True


@workflow.defn(name="keepwell.deferred_intentions")
class IntentionsAfterASleep:
    """Sleeps before it looks what is due."""

    @workflow.run
    async def run(self, tenant: TenantMessage) -> None:
        await workflow.sleep(timedelta(seconds=1))
        ref = IntentionsRef(tenant_id=tenant.tenant_id, now=workflow.now())
        await workflow.execute_activity_method(IntentionSteps.advance, ref, **STEP)

    @workflow.signal(name="look")
    def look(self) -> None:
        """Heard and forgotten."""


@workflow.defn(name="keepwell.endpoint_delivery")
class DeliveryAfterASleep:
    """Sleeps before it sends anything."""

    @workflow.run
    async def run(self, endpoint: EndpointRef) -> None:
        await workflow.sleep(timedelta(seconds=1))
        ref = DeliveryRef(tenant_id=endpoint.tenant_id, endpoint_id=endpoint.endpoint_id, now=workflow.now())
        await workflow.execute_activity_method(DeliverySteps.deliver_batch, ref, **STEP)

    @workflow.signal(name="look")
    def look(self) -> None:
        """Heard and forgotten."""


@workflow.defn(name="keepwell.reembedding")
class ReembeddingHasty:
    """Has the space serve before anything is in it."""

    @workflow.run
    async def run(self, start: ReembeddingInput) -> None:
        await workflow.execute_activity_method(ReembeddingSteps.serve_space, start, **STEP)
        await workflow.execute_activity_method(ReembeddingSteps.fill_space, start, **STEP)


@workflow.defn(name="keepwell.procedure_promotion")
class PromotionWithoutALook:
    """Counts decisions and never looks how the proposal stands."""

    def __init__(self) -> None:
        self._over = False

    @workflow.run
    async def run(self, proposal: ProposalRef) -> None:
        await workflow.wait_condition(lambda: self._over)

    @workflow.signal(name="look")
    def look(self) -> None:
        """Heard and forgotten."""

    @workflow.update(name="decide")
    async def decide(self, decision: DecisionRef) -> None:
        """Count, and be over."""
        await workflow.execute_activity_method(PromotionSteps.count_decision, decision, **STEP)
        self._over = True


@workflow.defn(name="keepwell.reflection")
class ReflectionUnread:
    """Proposes before it has read anything."""

    @workflow.run
    async def run(self, tenant: TenantMessage) -> None:
        ref = ReflectionLook(tenant_id=tenant.tenant_id, now=workflow.now())
        await workflow.execute_activity_method(ReflectionSteps.reflect, ref, **STEP)
        await workflow.execute_activity_method(ReflectionSteps.read, tenant, **STEP)

    @workflow.update(name="reflect")
    async def reflect(self, tenant: TenantMessage) -> None:
        """Heard and forgotten."""


@workflow.defn(name="keepwell.erasure")
class ErasureUnplanned:
    """Erases before anybody knows what."""

    @workflow.run
    async def run(self, erasure: ErasureRef) -> None:
        await workflow.execute_activity_method(ErasureSteps.erase, erasure, **STEP)

    @workflow.signal(name="look")
    def look(self) -> None:
        """Heard and forgotten."""


VARIANTS: dict[str, type] = {
    "consolidation": ConsolidationReordered,
    "fact_reconciliation": ReconciliationTwice,
    "condition_gate": GateWithoutALook,
    "deferred_intentions": IntentionsAfterASleep,
    "endpoint_delivery": DeliveryAfterASleep,
    "procedure_promotion": PromotionWithoutALook,
    "reflection": ReflectionUnread,
    "erasure": ErasureUnplanned,
    "reembedding": ReembeddingHasty,
}
"""By the part of the workflow's name after `keepwell.`."""
