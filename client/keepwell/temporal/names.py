"""How Keepwell's workflows are called, for workflows and programs that signal them directly.

| workflow | type | id |
| --- | --- | --- |
| makes an episode of one activity | `keepwell.consolidation` | `consolidation/<tenant id>/<activity's internal id>` |
| decides which fact governs one key | `keepwell.fact_reconciliation` | `fact/<tenant id>/<key id>` |
| waits for the condition that ends a fact | `keepwell.condition_gate` | `gate/<tenant id>/<fact id>` |

All of them know the signal `look`, which carries nothing: something was written to Postgres, come and see. The
tenant id is `PrincipalTold.tenant_id`, the activity's internal id `Acknowledgement.activity`. The fact and gate
workflows are started by Keepwell as soon as there is something to decide; only a consolidation is worth starting
from outside, for an activity without a checkpoint.

Both sides have to be in one Temporal namespace. The arguments are plain JSON: a client or worker whose data converter
encrypts payloads has to let these through, as Keepwell's worker could not read them.
"""

import math
from typing import Any, Protocol
from uuid import UUID

from temporalio import workflow
from temporalio.client import Client, WorkflowHandle
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.workflow import ParentClosePolicy

CONSOLIDATION = "keepwell.consolidation"
FACT_RECONCILIATION = "keepwell.fact_reconciliation"
CONDITION_GATE = "keepwell.condition_gate"
LOOK = "look"
TASK_QUEUE = "keepwell"
"""The task queue of Keepwell's worker, unless KEEPWELL_TASK_QUEUE names another."""
QUIET_SECONDS = 5.0
"""How long an activity is silent before it is consolidated, unless KEEPWELL_QUIET_SECONDS says otherwise."""
_SUMMARY = "Make an episode of one activity, and propose what it may have taught"
_TENANT = SearchAttributeKey.for_keyword("KeepwellTenant")
_PROCESS = SearchAttributeKey.for_keyword("KeepwellProcess")
_STATE = SearchAttributeKey.for_keyword("KeepwellState")


class Signalled(Protocol):
    """A handle to a running workflow, from a client or from within a workflow."""

    async def signal(self, signal: str, /) -> None: ...


def consolidation_id(tenant_id: UUID | str, activity: UUID | str) -> str:
    """The consolidation of one activity, by the activity's internal id. Raises ValueError for what is no UUID."""
    return f"consolidation/{_uuid(tenant_id)}/{_uuid(activity)}"


def fact_id(tenant_id: UUID | str, key_id: UUID | str) -> str:
    """The reconciliation of one fact key. Raises ValueError for what is no UUID."""
    return f"fact/{_uuid(tenant_id)}/{_uuid(key_id)}"


def gate_id(tenant_id: UUID | str, fact: UUID | str) -> str:
    """The condition gate of one fact. Raises ValueError for what is no UUID."""
    return f"gate/{_uuid(tenant_id)}/{_uuid(fact)}"


async def look(handle: Signalled) -> None:
    """Let a running workflow look again. Raises what `handle.signal` raises where none of that id runs."""
    await handle.signal(LOOK)


async def look_now(
    client: Client,
    tenant_id: UUID | str,
    activity: UUID | str,
    *,
    task_queue: str = TASK_QUEUE,
    quiet_seconds: float = QUIET_SECONDS,
) -> WorkflowHandle[Any, Any]:
    """Have an activity consolidated once it falls silent, with or without a checkpoint; the workflow's handle.

    Starts the consolidation with a look, or lets the running one have it. For programs and for activities; within
    a workflow use `look_from_workflow`. Raises ValueError for what is no UUID or no positive time, and
    `temporalio.service.RPCError`.
    """
    return await client.start_workflow(  # pyright: ignore[reportUnknownMemberType] - the SDK leaves arguments by name open
        CONSOLIDATION,
        _start(tenant_id, activity, quiet_seconds),
        id=consolidation_id(tenant_id, activity),
        task_queue=task_queue,
        start_signal=LOOK,
        search_attributes=_search_attributes(tenant_id),
        static_summary=_SUMMARY,
    )


async def look_from_workflow(
    tenant_id: UUID | str,
    activity: UUID | str,
    *,
    task_queue: str = TASK_QUEUE,
    quiet_seconds: float = QUIET_SECONDS,
) -> None:
    """The same within a workflow: a signal where a consolidation runs, else one is started, and left to itself.

    Nothing but ids gets into the history. Raises `temporalio.exceptions.ApplicationError` where neither succeeds.
    """
    identity = consolidation_id(tenant_id, activity)
    try:
        # A fresh one looks without being told to.
        await workflow.start_child_workflow(  # pyright: ignore[reportUnknownMemberType] - as above
            CONSOLIDATION,
            _start(tenant_id, activity, quiet_seconds),
            id=identity,
            task_queue=task_queue,
            parent_close_policy=ParentClosePolicy.ABANDON,
            search_attributes=_search_attributes(tenant_id),
            static_summary=_SUMMARY,
        )
    except WorkflowAlreadyStartedError:
        await look(workflow.get_external_workflow_handle(identity))


def _start(tenant_id: UUID | str, activity: UUID | str, quiet_seconds: float) -> dict[str, Any]:
    if not (math.isfinite(quiet_seconds) and quiet_seconds > 0):
        raise ValueError("quiet_seconds is a time above 0, in seconds")
    return {
        "tenant_id": str(_uuid(tenant_id)),
        "activity_id": str(_uuid(activity)),
        "quiet_seconds": float(quiet_seconds),
    }


def _search_attributes(tenant_id: UUID | str) -> TypedSearchAttributes:
    return TypedSearchAttributes(
        [
            SearchAttributePair(_TENANT, str(_uuid(tenant_id))),
            SearchAttributePair(_PROCESS, "consolidation"),
            SearchAttributePair(_STATE, "waiting"),
        ]
    )


def _uuid(value: UUID | str) -> UUID:
    return value if isinstance(value, UUID) else UUID(value)
