"""Commands that wait for a workflow's answer: by update, which starts the workflow where none runs.

What a command is about is stored before it is sent. Whoever waits in vain has lost the answer and nothing else.
"""

import asyncio
import random
import time
from collections.abc import Coroutine
from functools import partial
from typing import Any, TypeVar
from uuid import UUID, uuid4

from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from models.errors import Unavailable
from models.messages import (
    ConfirmationOutcome,
    ConfirmationRef,
    DecisionOutcome,
    DecisionRef,
    FactKeyRef,
    FactRef,
    ProposalRef,
    Reflected,
    TenantMessage,
)
from models.proposals import DecisionResult
from workflows import ids
from workflows.condition_gate import ConditionGate
from workflows.fact_reconciliation import FactReconciliation
from workflows.procedure_promotion import ProcedurePromotion
from workflows.reflection import Reflection
from workflows.search_attributes import SUMMARIES, Process, at_start

PATIENCE_SECONDS = 10.0
"""How long an answer is waited for."""

T = TypeVar("T")


class Commands:
    """Sends commands. `client` is None where no Temporal server is at hand."""

    def __init__(self, client: Client | None, *, task_queue: str) -> None:
        self._client = client
        self._task_queue = task_queue
        self._settling: dict[UUID, asyncio.Lock] = {}
        self._rounds: dict[UUID, asyncio.Task[None]] = {}

    async def settle_key(self, tenant_id: UUID, key_id: UUID) -> None:
        """Return once what is stored for a fact key is decided, or once it is time to see and ask again.

        Whoever asks while an answer is awaited waits for the next one together with all the others: a
        workflow takes few updates at once. Raises `Unavailable`.
        """
        round_to_come = self._rounds.get(key_id)
        if round_to_come is None:
            round_to_come = asyncio.create_task(self._round(tenant_id, key_id), name="settle a fact key")
            self._rounds[key_id] = round_to_come
        try:
            await _within(PATIENCE_SECONDS, asyncio.shield(round_to_come))
        except TimeoutError as late:
            raise Unavailable("Temporal, or a worker, does not answer in time") from late

    async def _round(self, tenant_id: UUID, key_id: UUID) -> None:
        """One update for all who asked before it is sent."""
        turn = self._settling.setdefault(key_id, asyncio.Lock())
        try:
            async with turn:
                del self._rounds[key_id]
                key = FactKeyRef(tenant_id=tenant_id, key_id=key_id)
                workflow_id = ids.fact(tenant_id, key_id)
                start = self._start(Process.FACT_RECONCILIATION, FactReconciliation.run, key, workflow_id)
                await self._update("settle", key, start, uuid4(), None)
        finally:
            if key_id not in self._rounds:
                self._settling.pop(key_id, None)

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

    async def count_decision(self, tenant_id: UUID, decision: DecisionRef) -> DecisionResult:
        """What a stored decision on a proposal comes to.

        A workflow takes ten updates at once: whoever comes eleventh tries again, and so does whoever comes between two
        runs. Raises `Unavailable`.
        """
        proposal = ProposalRef(tenant_id=tenant_id, proposal_id=decision.proposal_id)
        workflow_id = ids.promotion(tenant_id, decision.proposal_id)
        start = partial(
            self._start, Process.PROCEDURE_PROMOTION, ProcedurePromotion.run, proposal, workflow_id
        )
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                counted: DecisionOutcome = await self._update(
                    "decide", decision, start(), decision.decision_id, DecisionOutcome
                )
            except Unavailable as refused:
                lost = refused.__cause__
                if isinstance(lost, WorkflowUpdateFailedError) and (at_the_door := _outcome_in(lost)):
                    return at_the_door
                if not _is_crowded(lost) or time.monotonic() > until:
                    raise
                await asyncio.sleep(random.uniform(*_TURN_SECONDS))  # noqa: S311 - whose turn it is, is no secret
            else:
                return counted.outcome

    async def reflect(self, tenant_id: UUID) -> Reflected:
        """Reflect on a tenant's experience as it is by now; what came of it. Raises `Unavailable`."""
        tenant = TenantMessage(tenant_id=tenant_id)
        start = self._start(Process.REFLECTION, Reflection.run, tenant, ids.reflection(tenant_id))
        found: Reflected = await self._update("reflect", tenant, start, uuid4(), Reflected)
        return found

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
        answer: Coroutine[Any, Any, Any] = self._client.execute_update_with_start_workflow(  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - the SDK's overloads do not see through an async handler
            name, argument, start_workflow_operation=start, id=str(update_id), result_type=result
        )
        try:
            return await _within(PATIENCE_SECONDS, answer)
        except _LOST as lost:
            # The start has failed with the update, and its outcome wants to be looked at too.
            asyncio.ensure_future(start.workflow_handle()).add_done_callback(_looked_at)
            raise Unavailable("Temporal, or a worker, does not answer in time") from lost


# A client that connects with its first call says by a RuntimeError that nobody answers.
_LOST = (
    RPCError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
    WorkflowUpdateFailedError,
    RuntimeError,
    TimeoutError,
)


_TURN_SECONDS = (0.05, 0.25)
"""How long whoever finds a workflow with too many updates waits before the next try."""


def _outcome_in(refused: WorkflowUpdateFailedError) -> DecisionResult | None:
    """As what a proposal has refused a decision at its door, None where it failed otherwise."""
    kind = refused.cause.type if isinstance(refused.cause, ApplicationError) else None
    return DecisionResult(kind) if kind in set(DecisionResult) else None


def _is_crowded(lost: BaseException | None) -> bool:
    """Whether a workflow has too many updates at the moment, or is about to go on as another run."""
    if isinstance(lost, RPCError):
        return lost.status is RPCStatusCode.RESOURCE_EXHAUSTED
    return isinstance(lost, WorkflowUpdateFailedError)


def _looked_at(done: asyncio.Future[Any]) -> None:
    """What came of it has been seen, and need not be reported."""
    if not done.cancelled():
        done.exception()


async def _within(seconds: float, answer: Coroutine[Any, Any, T] | asyncio.Future[T]) -> T:
    """`answer` in time; raises TimeoutError. The SDK takes its own cancellation for an error, so it has a task."""
    task = asyncio.ensure_future(answer)
    # Whatever comes of it after nobody waits any more is no news.
    task.add_done_callback(_looked_at)
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        task.cancel()
