"""A condition gate: wait, for months if need be, until somebody with the right says that the end has come.

Confirmations are rows before they are messages: an update or a signal names one, and a gate that missed both
finds it when it looks. Time passing confirms nothing; it only lets a stated term run out.
"""

from datetime import timedelta

from temporalio import workflow

from activities.gates import GateSteps
from models.conditions import GateState
from models.messages import ConfirmationOutcome, ConfirmationRef, FactRef, GateReading
from workflows.options import STEP
from workflows.search_attributes import State, show
from workflows.waiting import asked_or_over


@workflow.defn(name="keepwell.condition_gate")
class ConditionGate:
    """Started by the dispatcher with a `look`; ends when the fact has ended, whatever ended it."""

    @workflow.init
    def __init__(self, fact: FactRef) -> None:
        self._fact = fact
        self._asked = False

    @workflow.run
    async def run(self, fact: FactRef) -> None:
        while True:
            self._asked = False
            reading = await self._settle(fact)
            for confirmation_id in reading.pending:
                await self._decide(
                    ConfirmationRef(
                        tenant_id=fact.tenant_id, fact_id=fact.fact_id, confirmation_id=confirmation_id
                    )
                )
            if reading.pending:
                continue
            if reading.state is GateState.CLOSED:
                await workflow.wait_condition(workflow.all_handlers_finished)
                if self._asked:
                    # A confirmation may have been stored since that reading, and no other run would look.
                    continue
                break
            workflow.set_current_details("**Open**: waiting for a permitted confirmation, with evidence.")
            await self._wait(reading)
            if workflow.info().is_continue_as_new_suggested():
                await workflow.wait_condition(workflow.all_handlers_finished)
                workflow.continue_as_new(fact)
        workflow.set_current_details(f"**Closed**: {reading.reason}.")
        show(State.CLOSED)

    @workflow.signal(name="look")
    def look(self) -> None:
        """The fact or its confirmations have changed."""
        self._asked = True

    @workflow.update(name="confirm")
    async def confirm(self, confirmation: ConfirmationRef) -> ConfirmationOutcome:
        """Decide on a stored confirmation; sent again it answers the same."""
        outcome = await self._decide(confirmation)
        self._asked = True
        return outcome

    @confirm.validator
    def _is_for_this_gate(self, confirmation: ConfirmationRef) -> None:
        if (confirmation.tenant_id, confirmation.fact_id) != (self._fact.tenant_id, self._fact.fact_id):
            raise ValueError("the confirmation names another fact than this gate's")

    async def _settle(self, fact: FactRef) -> GateReading:
        return await workflow.execute_activity_method(
            GateSteps.settle_gate, fact, summary="See how the gate stands", **STEP
        )

    async def _decide(self, confirmation: ConfirmationRef) -> ConfirmationOutcome:
        return await workflow.execute_activity_method(
            GateSteps.decide_confirmation, confirmation, summary="Decide on a confirmation", **STEP
        )

    async def _wait(self, reading: GateReading) -> None:
        left = (
            None if reading.ends_at is None else max(reading.ends_at - workflow.now(), timedelta(seconds=1))
        )
        await asked_or_over(lambda: self._asked, left)
