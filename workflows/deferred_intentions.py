"""Deferred intentions: one durable timer a tenant, which fires what is due, by time or by what has happened.

One for each intention would wake a herd that is due at one instant some twenty a second; here it is one step for some
hundreds.
"""

from temporalio import workflow

from activities.intentions import IntentionSteps
from models.messages import IntentionsRef, TenantMessage
from workflows.due_work import Done, DueWork
from workflows.options import PROMPT_STEP


@workflow.defn(name="keepwell.deferred_intentions")
class DeferredIntentions(DueWork):
    """Started by the dispatcher with a `look`; ends when nothing of the tenant comes by itself any more."""

    @workflow.run
    async def run(self, tenant: TenantMessage) -> None:
        async def fire() -> Done:
            step = await workflow.execute_activity_method(
                IntentionSteps.advance,
                IntentionsRef(tenant_id=tenant.tenant_id, now=workflow.now()),
                summary="Fire what is due",
                **PROMPT_STEP,
            )
            return Done(step.fired, step.wakes_at)

        await self.until_nothing_waits(fire, lambda: workflow.continue_as_new(tenant))
