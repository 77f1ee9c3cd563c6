"""Endpoint delivery: everything that is due at one endpoint goes out through one workflow, and waits in it together.

So an endpoint that hangs, fails or is left alone for a while keeps up no other one.
"""

from temporalio import workflow

from activities.delivering import DeliverySteps
from models.messages import DeliveryRef, EndpointRef
from workflows.due_work import Done, DueWork
from workflows.options import LONG_STEP


@workflow.defn(name="keepwell.endpoint_delivery")
class EndpointDelivery(DueWork):
    """Started by the dispatcher with a `look`; ends when nothing waits for the endpoint any more."""

    @workflow.run
    async def run(self, endpoint: EndpointRef) -> None:
        async def deliver() -> Done:
            step = await workflow.execute_activity_method(
                DeliverySteps.deliver_batch,
                DeliveryRef(
                    tenant_id=endpoint.tenant_id, endpoint_id=endpoint.endpoint_id, now=workflow.now()
                ),
                summary="Send what is due",
                **LONG_STEP,
            )
            return Done(step.delivered, step.wakes_at)

        await self.until_nothing_waits(deliver, lambda: workflow.continue_as_new(endpoint))
