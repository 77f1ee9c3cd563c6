"""Reflection: read what a tenant's episodes teach, and propose what recurs and what has spread. It decides on nothing.

A schedule starts it for each tenant now and then, and anybody who may propose can ask for it.
"""

from temporalio import workflow

from activities.reflection import ReflectionSteps
from models.messages import Reflected, ReflectionLook, TenantMessage
from workflows.options import LONG_STEP
from workflows.search_attributes import State, show


@workflow.defn(name="keepwell.reflection")
class Reflection:
    """Started by a schedule, or with a `look` or a `reflect`; ends when nobody has asked since it began."""

    @workflow.init
    def __init__(self, tenant: TenantMessage) -> None:
        self._tenant = tenant
        self._asked = False
        self._begun = 0
        self._done = 0
        self._last = Reflected()

    @workflow.run
    async def run(self, tenant: TenantMessage) -> None:
        while True:
            self._asked = False
            self._begun += 1
            self._last = await self._pass()
            self._done = self._begun
            if not self._asked:
                break
        await workflow.wait_condition(workflow.all_handlers_finished)
        told = self._last
        workflow.set_current_details(
            f"**Reflected**: {told.read} episodes read, {told.found} recur, {told.proposed} proposed;"
            f" {told.widened} proposed for wider scopes, {told.lapsed} at their end."
        )
        show(State.SETTLED)

    @workflow.signal(name="look")
    def look(self) -> None:
        """There is something to reflect on."""
        self._asked = True

    @workflow.update(name="reflect")
    async def reflect(self, tenant: TenantMessage) -> Reflected:
        """Reflect on all that is there by now; what came of it."""
        self._asked = True
        to_come = self._begun + 1
        await workflow.wait_condition(lambda: self._done >= to_come)
        return self._last

    @reflect.validator
    def _is_for_this_tenant(self, tenant: TenantMessage) -> None:
        if tenant != self._tenant:
            raise ValueError("names another tenant than this workflow's")

    async def _pass(self) -> Reflected:
        look = ReflectionLook(tenant_id=self._tenant.tenant_id, now=workflow.now())
        workflow.set_current_details("**Writing down** what has ended.")
        lapsed = await workflow.execute_activity_method(
            ReflectionSteps.lapse, look, summary="Write down what has come to its end", **LONG_STEP
        )
        workflow.set_current_details("**Reading** what episodes teach.")
        read, more = 0, True
        while more:
            step = await workflow.execute_activity_method(
                ReflectionSteps.read, self._tenant, summary="Read what some episodes teach", **LONG_STEP
            )
            read, more = read + step.read, step.more
        found = await workflow.execute_activity_method(
            ReflectionSteps.reflect, look, summary="Propose what recurs", **LONG_STEP
        )
        await workflow.execute_activity_method(
            ReflectionSteps.word, look, summary="Have drafts worded, where a model is configured", **LONG_STEP
        )
        spread = await workflow.execute_activity_method(
            ReflectionSteps.widen,
            look,
            summary="Propose for wider scopes what several have in common",
            **LONG_STEP,
        )
        return found.model_copy(update={"read": read, "widened": spread.number, "lapsed": lapsed.number})
