"""How a workflow waits: until somebody asks, or a time has passed, whichever comes first."""

from collections.abc import Callable
from datetime import timedelta

from temporalio import workflow


async def asked_or_over(asked: Callable[[], bool], left: timedelta | None) -> None:
    """Return once `asked` holds, or after `left`; without it only then."""
    try:
        await workflow.wait_condition(asked, timeout=left)
    except TimeoutError:
        return
