"""Histories of workflows, deleted one by one. They have ids and no content; they go all the same."""

from collections.abc import Collection
from uuid import UUID

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import DeleteWorkflowExecutionRequest
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.service import RPCError, RPCStatusCode

_PROCESSES = ("consolidation", "fact", "gate", "promotion")


class WorkflowRuns:
    """Deletes the histories of a Temporal namespace."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def delete(self, tenant_id: UUID, subjects: Collection[UUID]) -> tuple[int, int]:
        """Ask for the deletion of every ended run about these activities, keys, facts and proposals.

        How many that were, and how many are still there: those that run yet are left alone, and so counted until they
        have ended. Deleting takes the server some time, in which a run that is gone may still be listed.
        """
        wanted = {f"{process}/{tenant_id}/{subject}" for process in _PROCESSES for subject in subjects}
        deleted, running = 0, 0
        async for run in self._client.list_workflows(f"KeepwellTenant = '{tenant_id}'"):
            if run.id not in wanted:
                continue
            if run.status is WorkflowExecutionStatus.RUNNING:
                running += 1
            elif await self._delete(run.id, run.run_id):
                deleted += 1
        return deleted, running + deleted

    async def _delete(self, workflow_id: str, run_id: str) -> bool:
        """Ask for one run to be deleted; False where it is gone already."""
        try:
            await self._client.workflow_service.delete_workflow_execution(
                DeleteWorkflowExecutionRequest(
                    namespace=self._client.namespace,
                    workflow_execution=WorkflowExecution(workflow_id=workflow_id, run_id=run_id),
                )
            )
        except RPCError as refused:
            if refused.status is RPCStatusCode.NOT_FOUND:
                return False
            raise
        return True
