"""Fact reconciliation: one claim after another for one fact key, and gone when none is left."""

from collections import Counter

from temporalio import workflow

from activities.reconciliation import ReconciliationSteps
from models.messages import FactKeyRef
from workflows.options import STEP
from workflows.search_attributes import State, show


@workflow.defn(name="keepwell.fact_reconciliation")
class FactReconciliation:
    """Started by the dispatcher with a `look`; serialises what is decided for its key."""

    def __init__(self) -> None:
        self._asked = False

    @workflow.run
    async def run(self, key: FactKeyRef) -> None:
        verdicts: Counter[str] = Counter()
        more = True
        while more or self._asked:
            self._asked = False
            done = await workflow.execute_activity_method(
                ReconciliationSteps.reconcile, key, summary="Decide on the claims that wait", **STEP
            )
            more = done.more
            verdicts.update(done.verdicts)
            if (more or self._asked) and workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(key)
        told = ", ".join(f"{count} × {verdict}" for verdict, count in sorted(verdicts.items()))
        workflow.set_current_details(f"**Decided**: {told or 'nothing was waiting'}.")
        show(State.SETTLED)

    @workflow.signal(name="look")
    def look(self) -> None:
        """A candidate for the key has been stored."""
        self._asked = True
