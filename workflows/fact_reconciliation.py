"""Fact reconciliation: one claim after another for one fact key, and gone when none is left."""

from collections import Counter

from temporalio import workflow

from activities.reconciliation import ReconciliationSteps
from models.messages import FactKeyRef
from workflows.options import STEP
from workflows.search_attributes import State, show


@workflow.defn(name="keepwell.fact_reconciliation")
class FactReconciliation:
    """Started with a `look` or a `settle`; serialises what is decided for its key."""

    @workflow.init
    def __init__(self, key: FactKeyRef) -> None:
        self._key = key
        self._asked = False
        self._begun = 0
        self._nothing_left_after = 0
        self._leaving = False

    @workflow.run
    async def run(self, key: FactKeyRef) -> None:
        verdicts: Counter[str] = Counter()
        more = True
        while more or self._asked:
            self._asked = False
            self._begun += 1
            done = await workflow.execute_activity_method(
                ReconciliationSteps.reconcile, key, summary="Decide on the claims that wait", **STEP
            )
            more = done.more
            if not more:
                self._nothing_left_after = self._begun
            verdicts.update(done.verdicts)
            if (more or self._asked) and workflow.info().is_continue_as_new_suggested():
                # Whoever waits for a step to come would wait for ever: it comes in the next run.
                self._leaving = True
                await workflow.wait_condition(workflow.all_handlers_finished)
                workflow.continue_as_new(key)
        await workflow.wait_condition(workflow.all_handlers_finished)
        told = ", ".join(f"{count} × {verdict}" for verdict, count in sorted(verdicts.items()))
        workflow.set_current_details(f"**Decided**: {told or 'nothing was waiting'}.")
        show(State.SETTLED)

    @workflow.signal(name="look")
    def look(self) -> None:
        """A candidate for the key has been stored."""
        self._asked = True

    @workflow.update(name="settle")
    async def settle(self, key: FactKeyRef) -> None:
        """Return once everything that was stored for the key before this call is decided.

        Returns early where the workflow is about to go on as a new run: see what is decided, and ask again.
        """
        self._asked = True
        step_to_come = self._begun + 1
        await workflow.wait_condition(lambda: self._leaving or self._nothing_left_after >= step_to_come)

    @settle.validator
    def _is_for_this_key(self, key: FactKeyRef) -> None:
        if key != self._key:
            raise ValueError("names another fact key than this workflow's")
