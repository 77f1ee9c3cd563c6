"""Deferred intentions: one durable timer a tenant, which fires what is due, by time or by what has happened.

Postgres knows what is due when; this wakes at the earliest of it. One for each intention would wake a herd that is due
at one instant some twenty a second; here it is one step for some hundreds.
"""

from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError

from activities.intentions import IntentionSteps
from models.messages import IntentionsRef, TenantMessage
from workflows.options import STEP
from workflows.search_attributes import State, show
from workflows.waiting import asked_or_over

AFTER_FAILURE = timedelta(minutes=1)
"""How long a step that has failed for good is left alone, unless somebody asks."""
LEAST_WAIT = timedelta(milliseconds=50)
"""What falls due within so short a time fires together."""


@workflow.defn(name="keepwell.deferred_intentions")
class DeferredIntentions:
    """Started by the dispatcher with a `look`; ends when nothing of the tenant comes by itself any more."""

    def __init__(self) -> None:
        self._asked = False

    @workflow.run
    async def run(self, tenant: TenantMessage) -> None:
        fired = 0
        while True:
            self._asked = False
            try:
                step = await workflow.execute_activity_method(
                    IntentionSteps.advance,
                    IntentionsRef(tenant_id=tenant.tenant_id, now=workflow.now()),
                    summary="Fire what is due",
                    **STEP,
                )
            except ActivityError:
                # Nobody else would look: whatever hinders it may be mended meanwhile.
                workflow.set_current_details(
                    "**Hindered**: the step failed for good and is tried again later."
                )
                await asked_or_over(lambda: self._asked, AFTER_FAILURE)
                if workflow.info().is_continue_as_new_suggested():
                    workflow.continue_as_new(tenant)
                continue
            fired += step.fired
            if step.wakes_at is None and not self._asked:
                break
            if workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(tenant)
            if step.wakes_at is not None:
                workflow.set_current_details(
                    f"**Waiting** until {step.wakes_at.isoformat()}; {fired} fired so far."
                )
                left = max(step.wakes_at - workflow.now(), LEAST_WAIT)
                await asked_or_over(lambda: self._asked, left)
        workflow.set_current_details(f"**Nothing waits**: {fired} fired.")
        show(State.SETTLED)

    @workflow.signal(name="look")
    def look(self) -> None:
        """Something has happened, or is due earlier than what was known."""
        self._asked = True
