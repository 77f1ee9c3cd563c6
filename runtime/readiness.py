"""What a running service lacks at the moment, seen through the connections that it has."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.service import RPCError

from models.errors import KeepwellError, Unavailable
from store.engine import Database
from store.migrate import newest_revision

_PATIENCE = timedelta(seconds=3)


class Missing(NamedTuple):
    """One thing that is not there. Without what is `required` no call can be taken; the rest can wait."""

    name: str
    detail: str
    required: bool


async def pollers(client: Client, task_queue: str) -> Sequence[str]:
    """Identities of the workers that poll the queue, `PID@HOST`. Temporal forgets one that is gone after minutes.

    Raises `Unavailable` where Temporal does not answer.
    """
    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=task_queue),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    )
    try:
        described = await client.workflow_service.describe_task_queue(request, timeout=_PATIENCE)
    except (RPCError, RuntimeError) as lost:
        raise Unavailable("Temporal does not answer; check that it runs and try again") from lost
    return [poller.identity for poller in described.pollers]


def behind(found: str | None, wanted: str) -> str:
    """What to say, and to do, where the database is at another revision than this code needs."""
    return f"at revision {found}, this code needs {wanted}; run: keepwell migrate"


def no_worker(task_queue: str) -> str:
    """What to say, and to do, where nobody polls the queue."""
    return f"none polls {task_queue}; start one with: python worker.py"


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
            return [Missing("migrations", behind(found, self._wanted), required=True)]
        return []

    async def _temporal(self) -> list[Missing]:
        try:
            known = await pollers(self._client, self._task_queue)
        except Unavailable:
            detail = "does not answer; events are kept and statements are pending until it does"
            return [Missing("temporal", detail, required=False)]
        return [] if known else [Missing("worker", no_worker(self._task_queue), required=False)]
