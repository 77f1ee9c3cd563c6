"""What an operator can filter workflows by. Ids and enums only: these stand in the clear."""

from enum import StrEnum
from uuid import UUID

from temporalio import workflow
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes

TENANT = SearchAttributeKey.for_keyword("KeepwellTenant")
PROCESS = SearchAttributeKey.for_keyword("KeepwellProcess")
STATE = SearchAttributeKey.for_keyword("KeepwellState")

REGISTERED = {TENANT.name: "Keyword", PROCESS.name: "Keyword", STATE.name: "Keyword"}
"""Names and types, as a Temporal server has to know them before the first workflow starts."""


class Process(StrEnum):
    """What sort of promise a workflow keeps."""

    CONSOLIDATION = "consolidation"
    FACT_RECONCILIATION = "fact_reconciliation"
    CONDITION_GATE = "condition_gate"
    DEFERRED_INTENTIONS = "deferred_intentions"
    ENDPOINT_DELIVERY = "endpoint_delivery"
    PROCEDURE_PROMOTION = "procedure_promotion"
    REFLECTION = "reflection"
    ERASURE = "erasure"
    REEMBEDDING = "reembedding"


class State(StrEnum):
    """Where a workflow is, for the list of workflows."""

    WAITING = "waiting"
    KEPT = "kept"
    SKIPPED = "skipped"
    SETTLED = "settled"
    CLOSED = "closed"


SUMMARIES = {
    Process.CONSOLIDATION: "Make an episode of one activity, and propose what it may have taught",
    Process.FACT_RECONCILIATION: "Decide which fact governs one key",
    Process.CONDITION_GATE: "Wait until the condition that ends one fact is confirmed",
    Process.DEFERRED_INTENTIONS: "Fire a tenant's intentions when they are due",
    Process.ENDPOINT_DELIVERY: "Deliver to one endpoint what is due there",
    Process.PROCEDURE_PROMOTION: "Wait until people have decided on one proposal for a procedure",
    Process.REFLECTION: "Look for what recurs in a tenant's experience, and propose what it teaches",
    Process.ERASURE: "Erase what somebody has named, and all that was made of it",
    Process.REEMBEDDING: "Fill a space of vectors for all tenants, and have it serve",
}
"""What a workflow of each process is for, as the list of workflows shows it."""


def at_start(tenant_id: UUID | None, process: Process) -> TypedSearchAttributes:
    """The attributes that a workflow starts with; None for one that goes through all tenants."""
    of_tenant = [] if tenant_id is None else [SearchAttributePair(TENANT, str(tenant_id))]
    return TypedSearchAttributes(
        [
            *of_tenant,
            SearchAttributePair(PROCESS, process.value),
            SearchAttributePair(STATE, State.WAITING.value),
        ]
    )


def show(state: State) -> None:
    """Let the list of workflows show `state` for the running one."""
    workflow.upsert_search_attributes([STATE.value_set(state.value)])  # pyright: ignore[reportUnknownMemberType] - the SDK leaves the pair's type open
