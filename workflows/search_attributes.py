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


class State(StrEnum):
    """Where a workflow is, for the list of workflows."""

    WAITING = "waiting"
    WORKING = "working"
    KEPT = "kept"
    SKIPPED = "skipped"
    SETTLED = "settled"
    CLOSED = "closed"


def at_start(tenant_id: UUID, process: Process, state: State) -> TypedSearchAttributes:
    """The attributes that a workflow starts with."""
    return TypedSearchAttributes(
        [
            SearchAttributePair(TENANT, str(tenant_id)),
            SearchAttributePair(PROCESS, process.value),
            SearchAttributePair(STATE, state.value),
        ]
    )


def show(state: State) -> None:
    """Let the list of workflows show `state` for the running one."""
    workflow.upsert_search_attributes([STATE.value_set(state.value)])  # pyright: ignore[reportUnknownMemberType] - the SDK leaves the pair's type open
