"""Due work: a workflow that does what is due, waits for the next of it, and ends when nothing comes by itself.

Postgres knows what is due when; one durable timer wakes at the earliest of it, however much that is.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import NamedTuple, NoReturn

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from workflows.search_attributes import State, show
from workflows.waiting import asked_or_over

AFTER_FAILURE = timedelta(minutes=1)
"""How long a step that has failed for good is left alone, unless somebody asks."""
LEAST_WAIT = timedelta(milliseconds=50)
"""What falls due within so short a time is done together."""


class Done(NamedTuple):
    """What a step has done, and when something more is due; None where nothing is."""

    number: int
    wakes_at: datetime | None


class DueWork:
    """What the workflows of due work share: the `look` by which the dispatcher starts and wakes them, and the loop."""

    def __init__(self) -> None:
        self._asked = False

    async def until_nothing_waits(
        self, step: Callable[[], Awaitable[Done]], continue_as_new: Callable[[], NoReturn]
    ) -> None:
        """Call `step` whenever something is due or somebody has asked."""
        count = 0
        while True:
            self._asked = False
            try:
                done = await step()
            except ActivityError as failure:
                if is_cancelled_exception(failure):
                    raise
                # Nobody else would look: whatever hinders it may be mended meanwhile.
                workflow.set_current_details("**Hindered**: the step failed for good and is tried again.")
                wakes_at = workflow.now() + AFTER_FAILURE
            else:
                count += done.number
                wakes_at = done.wakes_at
                if wakes_at is not None:
                    workflow.set_current_details(f"**Waiting** until {wakes_at.isoformat()}; {count} so far.")
            if wakes_at is None and not self._asked:
                break
            if workflow.info().is_continue_as_new_suggested():
                continue_as_new()
            if wakes_at is not None and (left := wakes_at - workflow.now()) > timedelta(0):
                await asked_or_over(lambda: self._asked, max(left, LEAST_WAIT))
        workflow.set_current_details(f"**Nothing waits**: {count} in all.")
        show(State.SETTLED)

    @workflow.signal(name="look")
    def look(self) -> None:
        """Something has happened, or is due earlier than what was known."""
        self._asked = True
