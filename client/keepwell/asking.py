"""Asking memory within a deadline: the agent waits so long and no longer, and hears all that it must heed."""

import asyncio
import logging
import time
from collections.abc import Awaitable
from typing import Protocol

from keepwell.errors import KeepwellError
from keepwell.journal import Buffer
from keepwell.recollection import with_required
from keepwell.types import Recalled, RecallRequest

WHOLE_BUDGET_TOKENS = 200_000
"""The most that the service takes as a budget."""
_log = logging.getLogger("keepwell")


class Memory(Protocol):
    """What an activity needs of a client; `keepwell.Keepwell` is one."""

    @property
    def buffer(self) -> Buffer: ...

    async def recall(self, request: RecallRequest, /) -> Recalled: ...


class RecallLate(KeepwellError):
    """The recall did not come back before the deadline of the decision."""

    code = "deadline"
    retryable = True


async def ask(memory: Memory, request: RecallRequest, seconds: float) -> Recalled:
    """The answer within `seconds`, with all that must be heeded even where the budget had no room for it.

    Then `advice` stays `narrow`; `missing` names what did not come with the second call either. Raises
    `RecallLate`, and whatever the recall raises.
    """
    ends = time.monotonic() + seconds
    answer = await _within(seconds, memory.recall(request))
    if not answer.missing:
        return answer
    # A restriction that does not fit is one that the agent would break; room in a prompt is worth less.
    whole = request.model_copy(update={"budget_tokens": WHOLE_BUDGET_TOKENS, "limit": 1})
    try:
        return with_required(answer, await _within(ends - time.monotonic(), memory.recall(whole)))
    except Exception as error:  # noqa: BLE001 - the first answer stands, and says that it is not whole
        _log.warning("not all that must be heeded could be recalled (%s)", code_of(error))
        return answer


async def _within(seconds: float, recall: Awaitable[Recalled]) -> Recalled:
    """The answer of `recall` in time. `asyncio.wait_for` of Python before 3.12 can swallow a cancellation."""
    seconds = max(0.0, seconds)
    task = asyncio.ensure_future(recall)
    # A recall that fails after nobody waits for it any more is no news.
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            raise RecallLate(f"memory did not answer within {seconds:.3g} s")
        return task.result()
    finally:
        task.cancel()


def code_of(error: BaseException) -> str:
    """What an error is called: its code where it is one of Keepwell's, else its type."""
    return error.code if isinstance(error, KeepwellError) else type(error).__name__
