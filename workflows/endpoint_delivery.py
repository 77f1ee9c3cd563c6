"""Endpoint delivery: everything that is due at one endpoint goes out through one workflow, and waits in it together.

Postgres knows what is to be sent when; this wakes at the earliest of it. So an endpoint that hangs, fails or is left
alone for a while keeps up no other one.
"""

from datetime import timedelta

from temporalio import workflow

from activities.delivering import DeliverySteps
from models.messages import DeliveryRef, EndpointRef
from workflows.options import LONG_STEP
from workflows.search_attributes import State, show
from workflows.waiting import asked_or_over


@workflow.defn(name="keepwell.endpoint_delivery")
class EndpointDelivery:
    """Started by the dispatcher with a `look`; ends when nothing waits for the endpoint any more."""

    def __init__(self) -> None:
        self._asked = False

    @workflow.run
    async def run(self, endpoint: EndpointRef) -> None:
        delivered = 0
        while True:
            self._asked = False
            step = await workflow.execute_activity_method(
                DeliverySteps.deliver_batch,
                DeliveryRef(
                    tenant_id=endpoint.tenant_id, endpoint_id=endpoint.endpoint_id, now=workflow.now()
                ),
                summary="Send what is due",
                **LONG_STEP,
            )
            delivered += step.delivered
            if step.wakes_at is None and not self._asked:
                break
            if workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(endpoint)
            if step.wakes_at is not None and (left := step.wakes_at - workflow.now()) > timedelta(0):
                workflow.set_current_details(
                    f"**Waiting** until {step.wakes_at.isoformat()}; {delivered} delivered so far."
                )
                await asked_or_over(lambda: self._asked, left)
        workflow.set_current_details(f"**Nothing waits**: {delivered} delivered.")
        show(State.SETTLED)

    @workflow.signal(name="look")
    def look(self) -> None:
        """Something more is due, or the endpoint was switched on."""
        self._asked = True
