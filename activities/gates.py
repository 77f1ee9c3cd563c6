"""Steps of a condition gate: see how it stands, let a term run out, decide on a confirmation."""

from datetime import UTC, datetime

from temporalio import activity

from activities.endings import Cause, declare_change, end_fact
from models.conditions import ConfirmationState, GateState, decide_confirmation
from models.errors import NotFound
from models.facts import Ending, Status
from models.messages import ConfirmationOutcome, ConfirmationRef, FactRef, GateReading
from models.scope import Scope
from store import events as event_log
from store import evidence, facts, gates
from store.engine import Database
from store.policies import Policies


class GateSteps:
    """The steps, with what they need."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies

    @activity.defn(name="keepwell.settle_gate")
    async def settle_gate(self, ref: FactRef) -> GateReading:
        """Close the gate of a fact that has ended, recording a term that ran out; how the gate stands then."""
        now = datetime.now(UTC)
        async with self._database.transaction(ref.tenant_id) as work:
            fact = await facts.lock(work, ref.fact_id)
            if fact is None:
                return GateReading(state=GateState.CLOSED, reason="no_such_fact")
            if fact.ends_at is not None and fact.ends_at <= now:
                reason = fact.ending.value if fact.ended_at == fact.ends_at and fact.ending else "expired"
                if await gates.close(work, fact.id, reason, now) and reason == "expired":
                    cause = Cause("expire", "term_ran_out", "keepwell", None, None)
                    await declare_change(work, fact, Status.EXPIRED.value, fact.ends_at, cause)
            gate = await gates.get(work, ref.fact_id)
            waiting = await gates.confirmations_of(work, ref.fact_id)
        return GateReading(
            state=GateState.CLOSED if gate is None else gate.state,
            reason=None if gate is None else gate.reason,
            ends_at=fact.ends_at,
            pending=tuple(each.id for each in waiting if each.state is ConfirmationState.PENDING),
        )

    @activity.defn(name="keepwell.decide_confirmation")
    async def decide_confirmation(self, ref: ConfirmationRef) -> ConfirmationOutcome:
        """Decide on one stored confirmation, once; retire the fact if it is accepted.

        A refused confirmation stays as the claim that it is.
        """
        now = datetime.now(UTC)
        policy = await self._policies.of(ref.tenant_id)
        async with self._database.transaction(ref.tenant_id) as work:
            fact = await facts.lock(work, ref.fact_id)
            said = {each.id: each for each in await gates.confirmations_of(work, ref.fact_id)}
            confirmation = said.get(ref.confirmation_id)
            if fact is None or confirmation is None:
                raise NotFound("no such confirmation; store it before it is decided")
            if confirmation.state is not ConfirmationState.PENDING:
                return ConfirmationOutcome(state=confirmation.state, reason=confirmation.reason or "")
            event = (await event_log.by_ids(work, [confirmation.event_id]))[confirmation.event_id]
            role = policy.permitted_confirmer(confirmation.speaker, fact.attribute, Scope(fact.scope))
            cited = {each.event_id for each in await evidence.of_record(work, fact.id)}
            verdict = decide_confirmation(fact, role, event.occurred_at, now, is_statement=event.id in cited)
            if verdict.ends_at is not None:
                cause = Cause("retire", verdict.reason, confirmation.speaker.subject, role, event.id)
                await end_fact(work, fact, Ending.RETIRED, verdict.ends_at, cause, now)
                witness = evidence.Evidence(
                    event.id, "ending", event.authority, role, confirmation.speaker.subject, event.occurred_at
                )
                await evidence.cite(work, evidence.Kind.FACT, fact.id, [witness])
            await gates.decide_confirmation(work, ref.confirmation_id, verdict.state, verdict.reason, now)
        return ConfirmationOutcome(state=verdict.state, reason=verdict.reason)
