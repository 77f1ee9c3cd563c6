"""What a running service lacks at the moment, seen through the connections that it has."""

from datetime import timedelta
from typing import NamedTuple

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError

from models.errors import KeepwellError
from store.engine import Database
from store.migrate import newest_revision

_PATIENCE = timedelta(seconds=3)


class Missing(NamedTuple):
    """One thing that is not there. Without what is `required` no call can be taken; the rest can wait."""

    name: str
    detail: str
    required: bool


class Readiness:
    """Looks at Postgres, the migrations, Temporal and its workers."""

    def __init__(self, database: Database, client: Client, *, task_queue: str) -> None:
        self._database = database
        self._client = client
        self._task_queue = task_queue
        self._wanted = newest_revision()

    async def missing(self) -> list[Missing]:
        """What is not there; empty when all is well."""
        return [*await self._postgres(), *await self._temporal()]

    async def _postgres(self) -> list[Missing]:
        try:
            found = await self._database.revision()
        except KeepwellError as error:
            return [Missing("postgres", str(error), required=True)]
        if found != self._wanted:
            detail = f"at revision {found}, this code needs {self._wanted}; run: keepwell migrate"
            return [Missing("migrations", detail, required=True)]
        return []

    async def _temporal(self) -> list[Missing]:
        request = DescribeTaskQueueRequest(
            namespace=self._client.namespace,
            task_queue=TaskQueue(name=self._task_queue),
            task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
        )
        try:
            described = await self._client.workflow_service.describe_task_queue(request, timeout=_PATIENCE)
        except (RPCError, RuntimeError):
            detail = "does not answer; events are kept and statements are pending until it does"
            return [Missing("temporal", detail, required=False)]
        if not described.pollers:
            detail = f"none polls {self._task_queue}; start one with: python worker.py"
            return [Missing("worker", detail, required=False)]
        return []
