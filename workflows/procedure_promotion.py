"""Procedure promotion: a proposal waits for people, is called to mind, and lapses visibly where nobody decides.

A decision is a row before it is a message: an update names one, and a proposal that missed it finds it when it looks.
Time passing approves nothing.
"""

from datetime import timedelta
from uuid import UUID

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from activities.promotion import PromotionSteps
from models.messages import DecisionOutcome, DecisionRef, ProposalLook, ProposalReading, ProposalRef
from models.proposals import MEANINGS, WAITING, DecisionResult
from workflows.options import STEP
from workflows.search_attributes import State, show
from workflows.waiting import asked_or_over


@workflow.defn(name="keepwell.procedure_promotion")
class ProcedurePromotion:
    """Started by the dispatcher with a `look`; ends when nobody has anything to decide on the proposal any more."""

    @workflow.init
    def __init__(self, proposal: ProposalRef) -> None:
        self._proposal = proposal
        self._asked = False
        self._revision = 0
        self._leaving = False

    @workflow.run
    async def run(self, proposal: ProposalRef) -> None:
        while True:
            self._asked = False
            reading = await self._look()
            for decision_id in reading.pending:
                # Whether its reviewer has drafted it is decided with it, as for every one.
                await self._count(self._ref(decision_id, reading.revision))
            if reading.pending:
                continue
            if reading.state not in WAITING:
                await workflow.wait_condition(workflow.all_handlers_finished)
                if self._asked:
                    # A decision may have been stored since that reading, and no other run would look.
                    continue
                break
            workflow.set_current_details(
                f"**{reading.state.value}**: revision {reading.revision} waits for a reviewer."
            )
            if reading.wakes_at is not None:
                left = reading.wakes_at - workflow.now()
                await asked_or_over(lambda: self._asked, max(left, timedelta(seconds=1)))
            else:
                await workflow.wait_condition(lambda: self._asked)
            if workflow.info().is_continue_as_new_suggested():
                # Whoever waits for a decision to count would wait for ever: it comes in the next run.
                self._leaving = True
                await workflow.wait_condition(workflow.all_handlers_finished)
                workflow.continue_as_new(proposal)
        workflow.set_current_details(f"**{reading.state.value}**: nobody has anything to decide any more.")
        show(State.SETTLED)

    @workflow.signal(name="look")
    def look(self) -> None:
        """The proposal, its decisions or what is in force has changed."""
        self._asked = True

    @workflow.update(name="decide")
    async def decide(self, decision: DecisionRef) -> DecisionOutcome:
        """Count a stored decision; sent again it answers the same."""
        outcome = await self._count(decision)
        self._asked = True
        return outcome

    @decide.validator
    def _can_count(self, decision: DecisionRef) -> None:
        """Refuse what could not count before it leaves a trace here; the stored row is refused in its turn."""
        if (decision.tenant_id, decision.proposal_id) != (
            self._proposal.tenant_id,
            self._proposal.proposal_id,
        ):
            raise ValueError("the decision is on another proposal than this one")
        if self._leaving:
            raise ValueError("the workflow goes on as another run; send it again")
        if decision.revision < self._revision:
            raise _refused(DecisionResult.STALE)
        if decision.by_drafter:
            raise _refused(DecisionResult.OWN_DRAFT)

    async def _look(self) -> ProposalReading:
        reading = await workflow.execute_activity_method(
            PromotionSteps.look_at_proposal,
            ProposalLook(**self._proposal.model_dump(), now=workflow.now()),
            summary="See how the proposal stands",
            **STEP,
        )
        self._revision = max(self._revision, reading.revision)
        return reading

    async def _count(self, decision: DecisionRef) -> DecisionOutcome:
        outcome = await workflow.execute_activity_method(
            PromotionSteps.count_decision, decision, summary="Count a decision", **STEP
        )
        self._revision = max(self._revision, outcome.revision)
        return outcome

    def _ref(self, decision_id: UUID, revision: int) -> DecisionRef:
        return DecisionRef(
            **self._proposal.model_dump(), decision_id=decision_id, revision=revision, by_drafter=False
        )


def _refused(outcome: DecisionResult) -> ApplicationError:
    return ApplicationError(MEANINGS[outcome], type=outcome.value, non_retryable=True)
