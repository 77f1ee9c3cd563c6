"""The service as its surfaces see it: every verb, composed from the rooms below."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from uuid import UUID

from temporalio.client import Client

from capture.accept import Receipt
from capture.confirmations import Confirmations
from capture.endpoints import Endpoints
from capture.erasures import Erasures
from capture.inbox import Inbox
from capture.intentions import Intentions
from capture.masking import Masker
from capture.procedure_runs import ProcedureRuns
from capture.procedures import Procedures
from capture.promotions import Promotions
from capture.publish import Publisher
from capture.reporting import Reported, Reports
from capture.retractions import Retractions
from capture.reviews import Reviews
from capture.statements import Statements
from capture.switches import Switches
from models.attribution import Attribution, AttributionQuery
from models.context import Context, ContextRequest
from models.controls import Switch, SwitchState
from models.endpoints import Allowed
from models.errors import Unavailable
from models.explanation import Explanation
from models.extractions import Extraction, State
from models.history import FactLife
from models.memories import MemoryQuery
from models.messages import ConfirmationOutcome
from models.news import News, NewsPosition
from models.policy_proposal import NewPolicy, PolicyChange
from models.principals import Principal
from models.readers import readable_by
from models.recall import RecallAnswer, RecallRequest
from models.reports import NewReport
from models.reviews import Acceptance, ReviewItem
from models.scope import Scope
from models.statements import Correction, Decided, EventVerdict, Promotion, Stated, Statement, Withdrawal
from models.traces import Trace, TraceQuery
from models.verbs import Verb
from providers.protocols import Embedder, Reranker
from recall.agenda import Agenda
from recall.attribution import Attributions
from recall.context import Contexts
from recall.erasures import ErasureReader
from recall.explain import Explain
from recall.export import Exports
from recall.history import History
from recall.inquiry import Inquiries
from recall.likeness import QueryEmbedder
from recall.memories import Lineage, Memories, Memory, Page
from recall.news import NewsReader
from recall.procedure_runs import RunReader
from recall.procedures import Playbooks
from recall.recall import Recall
from recall.reranking import SecondLook
from recall.reviews import ReviewPage, ReviewQueue
from recall.traces import TracePage, Traces
from recall.verdicts import Verdicts
from runtime.answering import Answering
from runtime.commands import Commands
from runtime.deciding import Deciding
from runtime.policy_changes import PolicyChanges, PolicyRead
from store import activities, candidates, episodes, extractions, gates, tenants, vectors
from store.engine import Database
from store.episodes import Episode
from store.listen import Listener
from store.policies import Applied, Policies
from store.words import Words

_SETTLE_POLL_SECONDS = 0.1
_LOOK_AGAIN_SECONDS = 5.0


class Service:
    """What a surface may ask for. `client` is None where only Postgres is at hand, `embedder` where words do all.

    Without a `reranker` recall's own order is the order. The operator allows `webhook_hosts` and `signal_targets`.
    """

    def __init__(
        self,
        database: Database,
        policies: Policies,
        client: Client | None,
        *,
        masker: Masker,
        task_queue: str,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        webhook_hosts: Collection[str] = (),
        signal_targets: Collection[str] = (),
    ) -> None:
        self._database = database
        self._policies = policies
        self.task_queue = task_queue
        self._commands = Commands(client, task_queue=task_queue)
        self._publisher = Publisher(database, policies, masker)
        self._statements = Statements(database, policies, masker)
        self._promotions = Promotions(database, policies, masker)
        self._reviews = Reviews(database, policies, masker)
        self._confirmations = Confirmations(database, policies)
        self._answering = Answering(database, policies, self._commands)
        self.erasures = Erasures(database, policies)
        self.erased = ErasureReader(database, policies)
        self.procedures = Procedures(database, policies, masker)
        self.procedure_runs = ProcedureRuns(database, policies, masker)
        self.playbooks = Playbooks(database, policies)
        self.run_reader = RunReader(database, policies)
        self.deciding = Deciding(database, policies, self.procedures, self._commands)
        self.retractions = Retractions(database, policies, masker)
        self.intentions = Intentions(database, policies, masker)
        self.inbox = Inbox(database, policies, masker)
        self.agenda = Agenda(database, policies)
        self.endpoints = Endpoints(database, policies, Allowed(webhook_hosts, signal_targets))
        queries = QueryEmbedder(database, embedder, masker.masked)
        inquiries = Inquiries(database, policies, queries)
        second_look = SecondLook(reranker, masker.masked)
        self._recall = Recall(inquiries, second_look, masker.masked)
        self._contexts = Contexts(inquiries, second_look, masker.masked)
        self._traces = Traces(database, policies)
        self._reports = Reports(database, policies)
        self._attributions = Attributions(database, policies)
        self._explain = Explain(database, policies, queries, second_look)
        self._history = History(database, policies)
        self._review_queue = ReviewQueue(database, policies)
        self._memories = Memories(database, policies)
        self._verdicts = Verdicts(database, policies)
        self._news = NewsReader(database, policies)
        self._switches = Switches(database, policies)
        self._exports = Exports(database, policies)
        self._policy_changes = PolicyChanges(database, policies, masker)

    async def add_tenant(self, principal: Principal) -> bool:
        """Make the principal's tenant; whether it was new. For the operator's own process alone."""
        async with self._database.transaction(principal.tenant_id) as work:
            return await tenants.add(work, principal.tenant)

    async def publish(self, principal: Principal, raw: Sequence[object]) -> list[Receipt]:
        """Store events; see `capture.publish.Publisher.publish`."""
        return await self._publisher.publish(principal, raw)

    async def verdicts_of(
        self, principal: Principal, event_ids: Sequence[UUID], verb: Verb = Verb.READ
    ) -> list[EventVerdict]:
        """What became of events; see `recall.verdicts.Verdicts.of_events`."""
        return await self._verdicts.of_events(principal, event_ids, verb)

    async def said_in(self, principal: Principal, event_ids: Sequence[UUID]) -> dict[UUID, Words]:
        """Where events apply and what was said there; see `recall.verdicts.Verdicts.said_in`."""
        return await self._verdicts.said_in(principal, event_ids)

    async def became_of(self, principal: Principal, event_ids: Sequence[UUID]) -> list[Decided]:
        """What was decided on the candidates of these events, as far as the principal reaches them."""
        told = await self._verdicts.of_events(principal, event_ids)
        return [decided for verdict in told for decided in verdict.decisions]

    async def recall(self, principal: Principal, request: RecallRequest) -> RecallAnswer:
        """What should influence the next decision; see `recall.recall.Recall.recall`."""
        return await self._recall.recall(principal, request)

    async def context(self, principal: Principal, request: ContextRequest) -> Context:
        """Working memory for one model call; see `recall.context.Contexts.context`."""
        return await self._contexts.context(principal, request)

    async def explain(self, principal: Principal, record_id: UUID, request: RecallRequest) -> Explanation:
        """Why a record is or is not in an answer; see `recall.explain.Explain.explain`."""
        return await self._explain.explain(principal, record_id, request)

    async def trace(self, principal: Principal, trace_id: UUID) -> Trace:
        """How an answer came about; see `recall.traces.Traces.get`."""
        return await self._traces.get(principal, trace_id)

    async def traces(self, principal: Principal, query: TraceQuery) -> TracePage:
        """One page of recalls; see `recall.traces.Traces.page`."""
        return await self._traces.page(principal, query)

    async def explain_trace(self, principal: Principal, trace_id: UUID, record_id: UUID) -> Explanation:
        """Why a record was or was not in a past answer; see `recall.explain.Explain.of_trace`."""
        return await self._explain.of_trace(principal, trace_id, record_id)

    async def report(self, principal: Principal, trace_id: UUID, report: NewReport) -> Reported:
        """Say what became of an answer; see `capture.reporting.Reports.report`."""
        return await self._reports.report(principal, trace_id, report)

    async def attribution(self, principal: Principal, query: AttributionQuery) -> Attribution:
        """What memory was good for in a period; see `recall.attribution.Attributions.of`."""
        return await self._attributions.of(principal, query)

    async def remember(self, principal: Principal, statement: Statement) -> Stated:
        """State a fact and wait for the verdict; see `capture.statements.Statements.remember`."""
        return await self._answering.decided(principal, await self._statements.remember(principal, statement))

    async def correct(self, principal: Principal, fact_id: UUID, correction: Correction) -> Stated:
        """State other terms for a fact; see `capture.statements.Statements.correct`."""
        return await self._answering.decided(
            principal, await self._statements.correct(principal, fact_id, correction)
        )

    async def retract(self, principal: Principal, fact_id: UUID, withdrawal: Withdrawal) -> Stated:
        """Withdraw a fact; see `capture.statements.Statements.withdraw`."""
        return await self._answering.decided(
            principal, await self._statements.withdraw(principal, fact_id, withdrawal)
        )

    async def promote(self, principal: Principal, fact_id: UUID, promotion: Promotion) -> Stated:
        """Carry a fact over to a wider scope; see `capture.promotions.Promotions.promote`."""
        return await self._answering.decided(
            principal, await self._promotions.promote(principal, fact_id, promotion)
        )

    async def review_queue(
        self, principal: Principal, within: dict[str, str], cursor: str | None = None, limit: int = 50
    ) -> ReviewPage:
        """What waits for a reviewer; see `recall.reviews.ReviewQueue.page`."""
        return await self._review_queue.page(principal, within, cursor, limit)

    async def waiting_for_review(self, principal: Principal, identity: UUID) -> ReviewItem | None:
        """What waits under an id of the queue; see `recall.reviews.ReviewQueue.one`."""
        return await self._review_queue.one(principal, identity)

    async def accept(self, principal: Principal, claim_id: UUID, acceptance: Acceptance) -> Stated:
        """Accept a held claim and wait for the verdict; see `capture.reviews.Reviews.accept`."""
        return await self._answering.decided(
            principal, await self._reviews.accept(principal, claim_id, acceptance)
        )

    async def reject(self, principal: Principal, claim_id: UUID, rejection: Withdrawal) -> Stated:
        """Reject a held claim and wait for the verdict; see `capture.reviews.Reviews.reject`."""
        return await self._answering.decided(
            principal, await self._reviews.reject(principal, claim_id, rejection)
        )

    async def confirm(self, principal: Principal, fact_id: UUID, event_id: UUID) -> ConfirmationOutcome:
        """Say that the condition which ends a fact is met, shown by a published event.

        Said again by the same principal with the same evidence, it answers the same. `pending` where nobody
        decided in time: it stays stored and will be decided. Raises as
        `capture.confirmations.Confirmations.store` does.
        """
        confirmation_id = await self._confirmations.store(principal, fact_id, event_id)
        try:
            return await self._commands.decide_confirmation(principal.tenant_id, fact_id, confirmation_id)
        except Unavailable:
            # The answer got lost; what was decided is a row all the same.
            async with self._database.transaction(principal.tenant_id) as work:
                said = {each.id: each for each in await gates.confirmations_of(work, fact_id)}
            stored = said[confirmation_id]
            return ConfirmationOutcome(state=stored.state, reason=stored.reason or "not_decided_yet")

    async def memories(self, principal: Principal, query: MemoryQuery) -> Page:
        """One page of memories; see `recall.memories.Memories.page`."""
        return await self._memories.page(principal, query)

    async def own_memories(self, principal: Principal, limit: int, cursor: str | None = None) -> Page:
        """One page of the facts about the principal; see `recall.memories.Memories.own`."""
        return await self._memories.own(principal, limit, cursor)

    async def switches_of(self, principal: Principal) -> list[Switch]:
        """How the principal has each class; see `capture.switches.Switches.every`."""
        return await self._switches.every(principal)

    async def switch_off(self, principal: Principal, class_name: str) -> Switch:
        """Have no memories of a class about the principal; see `capture.switches.Switches.turn`."""
        return await self._switches.turn(principal, class_name, SwitchState.OFF)

    async def switch_on(self, principal: Principal, class_name: str) -> Switch:
        """Have memories of a class again, and those that were there; see `capture.switches.Switches.turn`."""
        return await self._switches.turn(principal, class_name, SwitchState.ON)

    async def export_of(self, principal: Principal, subject: str | None = None) -> bytes:
        """All that is held of a person, as one JSON document; see `recall.export.Exports.of`."""
        return await self._exports.of(principal, subject)

    async def memory(self, principal: Principal, record_id: UUID, as_of: datetime | None = None) -> Memory:
        """One fact or episode; see `recall.memories.Memories.get`."""
        return await self._memories.get(principal, record_id, as_of or datetime.now(UTC))

    async def lineage(self, principal: Principal, record_id: UUID) -> Lineage:
        """What a record was made from and what was made from it; see `recall.memories.Memories.lineage`."""
        return await self._memories.lineage(principal, record_id)

    async def history_of_fact(
        self, principal: Principal, fact_id: UUID, as_of: datetime | None = None
    ) -> list[FactLife]:
        """The life of a fact and of its kin; see `recall.history.History.of_fact`."""
        return await self._history.of_fact(principal, fact_id, as_of or datetime.now(UTC))

    async def history_of_entity(
        self, principal: Principal, scope: dict[str, str], mention: str, as_of: datetime | None = None
    ) -> list[FactLife]:
        """The lives of all facts about an entity; see `recall.history.History.of_entity`."""
        return await self._history.of_entity(principal, scope, mention, as_of or datetime.now(UTC))

    async def require_news(self, principal: Principal) -> None:
        """Raise `NotPermitted` for a principal that may read nothing anywhere."""
        await self._news.require_news(principal)

    async def news_begin(self, principal: Principal, last: NewsPosition | None) -> NewsPosition:
        """Where a reader of news goes on; see `recall.news.NewsReader.begin`."""
        return await self._news.begin(principal, last)

    async def news(
        self, principal: Principal, position: NewsPosition
    ) -> tuple[list[News], NewsPosition, bool]:
        """News for the principal after `position`; see `recall.news.NewsReader.after`."""
        return await self._news.after(principal, position)

    async def episode_of(self, principal: Principal, activity_id: UUID) -> Episode | None:
        """The episode of an activity, by the activity's internal id; None where there is none to see."""
        policy = await self._policies.of(principal.tenant_id)
        identity = episodes.episode_id(principal.tenant_id, activity_id)
        async with self._database.transaction(principal.tenant_id) as work:
            episode = await episodes.seen(work, identity, readable_by(policy, principal))
        if episode is None or not policy.may_know(principal, Verb.READ, episode.scope):
            return None
        return episode

    async def verdict_counts(self, principal: Principal) -> dict[str, int]:
        """How many candidates of the tenant got each verdict. Takes a role that reads the whole tenant."""
        policy = await self._policies.of(principal.tenant_id)
        policy.require(principal, Verb.READ, Scope({}))
        async with self._database.transaction(principal.tenant_id) as work:
            return await candidates.counts(work, readable_by(policy, principal))

    async def policy_in_force(self, principal: Principal) -> PolicyRead:
        """The policy that is in force; see `runtime.policy_changes.PolicyChanges.in_force`."""
        return await self._policy_changes.in_force(principal)

    async def policy_of_version(self, principal: Principal, version: int) -> PolicyRead:
        """A policy as it was applied; see `runtime.policy_changes.PolicyChanges.of_version`."""
        return await self._policy_changes.of_version(principal, version)

    async def apply_policy(self, principal: Principal, new: NewPolicy) -> PolicyChange:
        """Change the policy, or tell what that would do; see `runtime.policy_changes.PolicyChanges.apply`."""
        return await self._policy_changes.apply(principal, new)

    async def policy_log(self, principal: Principal) -> Sequence[Applied]:
        """Who changed the policy, when and why; see `runtime.policy_changes.PolicyChanges.log`."""
        return await self._policy_changes.log(principal)

    async def extractions(self, principal: Principal, state: State | None, most: int) -> list[Extraction]:
        """What models were asked, newest first. Takes a role that reads the whole tenant."""
        policy = await self._policies.of(principal.tenant_id)
        policy.require(principal, Verb.READ, Scope({}))
        async with self._database.transaction(principal.tenant_id) as work:
            return await extractions.every(work, state, most)

    async def settle(self, principal: Principal, activity_ids: Sequence[UUID]) -> None:
        """Return once these activities are consolidated and all their candidates are decided.

        Waits for as long as that takes: give it a time-out of your own. It tells nothing but that.
        """
        while True:
            async with self._database.transaction(principal.tenant_id) as work:
                if await activities.are_settled(work, activity_ids):
                    return
            await asyncio.sleep(_SETTLE_POLL_SECONDS)

    async def embedded(self, principal: Principal) -> None:
        """Return once nothing of the tenant waits for a vector any more; see `settle`."""
        async with Listener(self._database.url, vectors.CHANNEL) as listener:
            while True:
                async with self._database.transaction(principal.tenant_id) as work:
                    if not await vectors.count_waiting(work):
                        return
                await listener.wait(_LOOK_AGAIN_SECONDS)
