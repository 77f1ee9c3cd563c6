"""Steps of a procedure's promotion: see how a proposal stands, do what has come due of it, count one decision."""

from datetime import UTC, datetime

from temporalio import activity

from capture.promoting import count, look
from models.errors import NotFound
from models.messages import DecisionOutcome, DecisionRef, ProposalLook, ProposalReading
from models.proposals import DecisionResult, DecisionState, ProposalState
from store import proposals
from store.engine import Database
from store.policies import Policies


class PromotionSteps:
    """The steps, with what they need."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies

    @activity.defn(name="keepwell.look_at_proposal")
    async def look_at_proposal(self, ref: ProposalLook) -> ProposalReading:
        """Remind, escalate or let lapse what is due, carry it over to what is in force; how it stands then."""
        policy = await self._policies.of(ref.tenant_id)
        async with self._database.transaction(ref.tenant_id) as work:
            held = await proposals.hold(work, ref.proposal_id)
            if held is None:
                # It is stored before anybody looks at it, so that it was erased since.
                return ProposalReading(state=ProposalState.WITHDRAWN, revision=0)
            proposal = await look(work, policy, held, max(ref.now, datetime.now(UTC)))
            pending = await proposals.pending(work, [proposal.id])
        return ProposalReading(
            state=proposal.state,
            revision=proposal.revision,
            wakes_at=proposal.wakes_at,
            pending=tuple(pending),
        )

    @activity.defn(name="keepwell.count_decision")
    async def count_decision(self, ref: DecisionRef) -> DecisionOutcome:
        """Count one stored decision, once; tried again it answers what it came to."""
        policy = await self._policies.of(ref.tenant_id)
        async with self._database.transaction(ref.tenant_id) as work:
            held = await proposals.hold(work, ref.proposal_id)
            decision = await proposals.decision(work, ref.decision_id)
            if held is None or decision is None or decision.proposal_id != ref.proposal_id:
                raise NotFound("no such decision; store it before it is counted")
            if decision.state is DecisionState.PENDING:
                outcome = await count(work, policy, held, decision, datetime.now(UTC))
            else:
                outcome = DecisionResult(decision.outcome)
            proposal = await proposals.get(work, ref.proposal_id)
            assert proposal is not None
        return DecisionOutcome(outcome=outcome, state=proposal.state, revision=proposal.revision)
