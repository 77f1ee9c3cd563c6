"""Commands that wait for a workflow's answer: by update, which starts the workflow where none runs.

What a command is about is stored before it is sent. Whoever waits in vain has lost the answer and nothing else.
"""

from contextlib import suppress
from datetime import timedelta
from typing import Any
from uuid import UUID

from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.service import RPCError

from models.errors import Unavailable
from models.messages import ConfirmationOutcome, ConfirmationRef, FactKeyRef, FactRef, TenantMessage
from workflows import ids
from workflows.condition_gate import ConditionGate
from workflows.fact_reconciliation import FactReconciliation
from workflows.search_attributes import SUMMARIES, Process, at_start

PATIENCE = timedelta(seconds=10)
"""How long an answer is waited for."""


class Commands:
    """Sends commands. `client` is None where no Temporal server is at hand."""

    def __init__(self, client: Client | None, *, task_queue: str) -> None:
        self._client = client
        self._task_queue = task_queue

    async def settle_key(self, tenant_id: UUID, key_id: UUID, update_id: UUID) -> None:
        """Return once everything that is stored for a fact key is decided. Raises `Unavailable`."""
        key = FactKeyRef(tenant_id=tenant_id, key_id=key_id)
        start = self._start(
            Process.FACT_RECONCILIATION, FactReconciliation.run, key, ids.fact(tenant_id, key_id)
        )
        await self._update("settle", key, start, update_id, None)

    async def decide_confirmation(
        self, tenant_id: UUID, fact_id: UUID, confirmation_id: UUID
    ) -> ConfirmationOutcome:
        """What a stored confirmation comes to. Raises `Unavailable`."""
        fact = FactRef(tenant_id=tenant_id, fact_id=fact_id)
        start = self._start(Process.CONDITION_GATE, ConditionGate.run, fact, ids.gate(tenant_id, fact_id))
        confirmation = ConfirmationRef(tenant_id=tenant_id, fact_id=fact_id, confirmation_id=confirmation_id)
        outcome: ConfirmationOutcome = await self._update(
            "confirm", confirmation, start, confirmation_id, ConfirmationOutcome
        )
        return outcome

    def _start(
        self, process: Process, run: Any, argument: TenantMessage, workflow_id: str
    ) -> WithStartWorkflowOperation[Any, Any]:
        return WithStartWorkflowOperation(
            run,
            argument,
            id=workflow_id,
            task_queue=self._task_queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            search_attributes=at_start(argument.tenant_id, process),
            static_summary=SUMMARIES[process],
        )

    async def _update(
        self,
        name: str,
        argument: TenantMessage,
        start: WithStartWorkflowOperation[Any, Any],
        update_id: UUID,
        result: type | None,
    ) -> Any:
        if self._client is None:
            raise Unavailable("no Temporal server is configured")
        try:
            return await self._client.execute_update_with_start_workflow(  # pyright: ignore[reportUnknownMemberType] - the SDK's overloads do not see through an async handler
                name,
                argument,
                start_workflow_operation=start,
                id=str(update_id),
                result_type=result,
                rpc_timeout=PATIENCE,
            )
        except (RPCError, WorkflowUpdateRPCTimeoutOrCancelledError, WorkflowUpdateFailedError) as lost:
            # The start has failed with the update, and its outcome wants to be looked at too.
            with suppress(RPCError, WorkflowUpdateRPCTimeoutOrCancelledError):
                await start.workflow_handle()
            raise Unavailable("Temporal, or a worker, does not answer in time") from lost
