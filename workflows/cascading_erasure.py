"""Cascading erasure: plan, wait for who has to confirm, fence, erase, verify until nothing is found, write it down."""

from datetime import timedelta

from temporalio import workflow

from activities.erasure import ErasureSteps
from models.erasure.erasures import Step
from models.messages import ErasureLook, ErasurePlanned, ErasureRef
from workflows.options import LONG_STEP
from workflows.search_attributes import State, show
from workflows.waiting import asked_or_over

_SOON = timedelta(milliseconds=500)
_AT_MOST = timedelta(minutes=5)
"""How long it waits before it looks again for what it has found: longer each time, up to this."""


@workflow.defn(name="keepwell.erasure")
class CascadingErasure:
    """Started by the dispatcher with a `look`; ends when the receipt is written, or nobody wants it any more."""

    @workflow.init
    def __init__(self, erasure: ErasureRef) -> None:
        self._erasure = erasure
        self._asked = False

    @workflow.run
    async def run(self, erasure: ErasureRef) -> None:
        if await self._accepted():
            await self._until_gone()
            await self._until_runs_are_gone()
            written = await workflow.execute_activity_method(
                ErasureSteps.finish, erasure, summary="Write the receipt", **LONG_STEP
            )
            workflow.set_current_details(f"**Done**: receipt {written.number}.")
        show(State.SETTLED)

    @workflow.signal(name="look")
    def look(self) -> None:
        """Somebody has confirmed or withdrawn, or a hold is over."""
        self._asked = True

    async def _accepted(self) -> bool:
        """Plan until the plan may be carried out; False where it never will be."""
        while True:
            self._asked = False
            planned = await self._plan()
            if planned.next is Step.ERASE:
                return True
            if planned.next is Step.LAPSE:
                workflow.set_current_details(f"**{planned.state.value}**: nothing is erased.")
                return False
            workflow.set_current_details(f"**{planned.state.value}**: {planned.total} records are planned.")
            if planned.wakes_at is None:
                await workflow.wait_condition(lambda: self._asked)
            else:
                left = planned.wakes_at - workflow.now()
                await asked_or_over(lambda: self._asked, max(left, timedelta(seconds=1)))

    async def _plan(self) -> ErasurePlanned:
        return await workflow.execute_activity_method(
            ErasureSteps.plan,
            ErasureLook(**self._erasure.model_dump(), now=workflow.now()),
            summary="Find out what it reaches",
            **LONG_STEP,
        )

    async def _until_gone(self) -> None:
        """Fence and erase until nothing is found any more."""
        pause = _SOON
        while True:
            workflow.set_current_details("**Fencing**: nothing new is made of what goes.")
            await workflow.execute_activity_method(
                ErasureSteps.fence, self._erasure, summary="Fence what goes", **LONG_STEP
            )
            workflow.set_current_details("**Erasing**.")
            await workflow.execute_activity_method(
                ErasureSteps.erase, self._erasure, summary="Erase what is there", **LONG_STEP
            )
            verified = await workflow.execute_activity_method(
                ErasureSteps.verify, self._erasure, summary="Look for it everywhere", **LONG_STEP
            )
            if not verified.number:
                return
            workflow.set_current_details(
                f"**Verifying**: found in {verified.number} places; seen to once more."
            )
            await workflow.sleep(pause)
            pause = min(pause * 2, _AT_MOST)

    async def _until_runs_are_gone(self) -> None:
        """Delete the histories of the workflows concerned, until the server has none of them any more."""
        pause = _SOON
        while True:
            left = await workflow.execute_activity_method(
                ErasureSteps.close_runs, self._erasure, summary="Delete histories", **LONG_STEP
            )
            if not left.number:
                return
            workflow.set_current_details(f"**Deleting histories**: {left.number} are still there.")
            await workflow.sleep(pause)
            pause = min(pause * 2, _AT_MOST)
