"""The service as its surfaces see it: every verb, composed from the rooms below.

The only caller of the Temporal client beside the dispatcher.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from uuid import UUID

from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.service import RPCError

from capture.publish import Publisher, Receipt
from models.conditions import ConfirmationState
from models.errors import InvalidInput, NotFound, Unavailable
from models.explanation import Explanation
from models.history import FactLife
from models.ids import derived_id
from models.messages import ConfirmationOutcome, ConfirmationRef, FactRef
from models.policy import Policy
from models.principals import Principal
from models.recall import RecallAnswer, RecallRequest
from models.scope import Scope, parse_scope
from recall.explain import Explain
from recall.history import History
from recall.recall import Recall
from store import activities, candidates, episodes, facts, gates, outbox, tenants
from store import events as event_log
from store.candidates import Decided
from store.engine import Database
from store.episodes import Episode
from workflows import ids
from workflows.condition_gate import ConditionGate
from workflows.search_attributes import SUMMARIES, Process, at_start

_SETTLE_POLL_SECONDS = 0.1


class Service:
    """What a surface may ask for. `client` is None where only Postgres is at hand."""

    def __init__(self, database: Database, policy: Policy, client: Client | None, *, task_queue: str) -> None:
        self._database = database
        self._policy = policy
        self._client = client
        self._task_queue = task_queue
        self._publisher = Publisher(database, policy)
        self._recall = Recall(database, policy)
        self._explain = Explain(database, policy, self._recall)
        self._history = History(database, policy)

    async def add_tenant(self, principal: Principal) -> bool:
        """Make the principal's tenant; whether it was new."""
        async with self._database.transaction(principal.tenant_id) as work:
            return await tenants.add(work, principal.tenant)

    async def publish(self, principal: Principal, raw: Sequence[object]) -> list[Receipt]:
        """Store events; see `capture.publish.Publisher.publish`."""
        return await self._publisher.publish(principal, raw)

    async def recall(self, principal: Principal, request: RecallRequest) -> RecallAnswer:
        """What should influence the next decision; see `recall.recall.Recall.recall`."""
        return await self._recall.recall(principal, request)

    async def explain(self, principal: Principal, record_id: UUID, request: RecallRequest) -> Explanation:
        """Why a record is or is not in an answer; see `recall.explain.Explain.explain`."""
        return await self._explain.explain(principal, record_id, request)

    async def history_of_fact(self, principal: Principal, fact_id: UUID) -> list[FactLife]:
        """The life of a fact and of its kin; see `recall.history.History.of_fact`."""
        return await self._history.of_fact(principal, fact_id, datetime.now(UTC))

    async def history_of_entity(
        self, principal: Principal, scope: dict[str, str], mention: str
    ) -> list[FactLife]:
        """The lives of all facts about an entity; see `recall.history.History.of_entity`."""
        checked = parse_scope(scope, self._policy.dimensions)
        return await self._history.of_entity(principal, checked, mention, datetime.now(UTC))

    async def confirm(self, principal: Principal, fact_id: UUID, event_id: UUID) -> ConfirmationOutcome:
        """Say that the condition which ends a fact is met, shown by a published event.

        The confirmation is stored first, so that it is decided even if this call breaks off. Said again by
        the same principal with the same evidence, it answers the same. Raises `NotFound`, `InvalidInput`
        for a fact that waits for no condition, and `Unavailable`.
        """
        confirmation_id = derived_id("confirmation", fact_id, event_id, principal.kind, principal.subject)
        async with self._database.transaction(principal.tenant_id) as work:
            fact = await facts.get(work, fact_id)
            if fact is None or not self._policy.may_read(principal, Scope(fact.scope)):
                raise NotFound("no such fact within reach; check the id, the tenant and the roles")
            event = (await event_log.by_ids(work, [event_id])).get(event_id)
            if event is None or not self._reaches(principal, event.scope):
                raise NotFound("no such event; publish the evidence first and give its id", field="evidence")
            if await gates.get(work, fact_id) is None:
                raise InvalidInput("waits for no condition, so there is nothing to confirm", field="fact")
            if await gates.add_confirmation(work, confirmation_id, fact_id, event_id, principal):
                await outbox.put(work, outbox.Kind.GATE, [fact_id])
        return await self._decide(principal, fact_id, confirmation_id)

    async def _decide(
        self, principal: Principal, fact_id: UUID, confirmation_id: UUID
    ) -> ConfirmationOutcome:
        kept = "the confirmation is stored and will be decided once Temporal answers"
        if self._client is None:
            raise Unavailable(f"no Temporal server is configured; {kept}")
        tenant = principal.tenant_id
        start = WithStartWorkflowOperation(
            ConditionGate.run,
            FactRef(tenant_id=tenant, fact_id=fact_id),
            id=ids.gate(tenant, fact_id),
            task_queue=self._task_queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            search_attributes=at_start(tenant, Process.CONDITION_GATE),
            static_summary=SUMMARIES[Process.CONDITION_GATE],
        )
        confirmation = ConfirmationRef(tenant_id=tenant, fact_id=fact_id, confirmation_id=confirmation_id)
        try:
            return await self._client.execute_update_with_start_workflow(  # pyright: ignore[reportUnknownMemberType] - the SDK's overloads do not see through an async handler
                "confirm",
                confirmation,
                start_workflow_operation=start,
                id=str(confirmation_id),
                result_type=ConfirmationOutcome,
            )
        except (RPCError, WorkflowUpdateRPCTimeoutOrCancelledError, WorkflowUpdateFailedError) as lost:
            # The answer got lost; what was decided is a row all the same.
            decided = await self._outcome(tenant, fact_id, confirmation_id)
            if decided is None:
                raise Unavailable(kept) from lost
            return decided

    async def _outcome(
        self, tenant_id: UUID, fact_id: UUID, confirmation_id: UUID
    ) -> ConfirmationOutcome | None:
        """What a confirmation came to; None while nobody has decided on it."""
        async with self._database.transaction(tenant_id) as work:
            stored = {each.id: each for each in await gates.confirmations_of(work, fact_id)}[confirmation_id]
        if stored.state is ConfirmationState.PENDING:
            return None
        return ConfirmationOutcome(state=stored.state, reason=stored.reason or "")

    async def became_of(self, principal: Principal, event_ids: Sequence[UUID]) -> list[Decided]:
        """What was decided on the candidates of these events, as far as the principal reaches them."""
        async with self._database.transaction(principal.tenant_id) as work:
            found = await event_log.by_ids(work, event_ids)
            known = [event.id for event in found.values() if self._reaches(principal, event.scope)]
            return await candidates.decided_on(work, known)

    async def episode_of(self, principal: Principal, activity_id: UUID) -> Episode | None:
        """The episode of an activity, by the activity's internal id; None where there is none to see."""
        async with self._database.transaction(principal.tenant_id) as work:
            episode = await episodes.get(work, episodes.episode_id(principal.tenant_id, activity_id))
        return episode if episode is not None and self._reaches(principal, episode.scope) else None

    async def verdict_counts(self, principal: Principal) -> dict[str, int]:
        """How many candidates of the tenant got each verdict. Takes a role that reaches the whole tenant."""
        self._policy.require_scope(principal, Scope({}))
        async with self._database.transaction(principal.tenant_id) as work:
            return await candidates.counts(work)

    def _reaches(self, principal: Principal, scope: Mapping[str, str]) -> bool:
        return self._policy.reaches(principal, Scope(scope))

    async def settle(self, principal: Principal, activity_ids: Sequence[UUID]) -> None:
        """Return once these activities are consolidated and all their candidates are decided.

        Waits for as long as that takes: give it a time-out of your own.
        """
        while True:
            async with self._database.transaction(principal.tenant_id) as work:
                if await activities.are_settled(work, activity_ids):
                    return
            await asyncio.sleep(_SETTLE_POLL_SECONDS)
