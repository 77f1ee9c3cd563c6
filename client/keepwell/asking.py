"""Asking memory within a deadline: the agent waits so long and no longer, and hears all that it must heed."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar
from uuid import UUID

from keepwell.errors import ApiError, KeepwellError
from keepwell.inbox import Due
from keepwell.journal import Buffer
from keepwell.recollection import Recollection, corrections_in, with_required
from keepwell.retrieval import MAX_BUDGET_TOKENS, Retrieval
from keepwell.types import ContextRequest, ContextTold, IntentionChanged, Recalled, RecallRequest

T = TypeVar("T")
_MAX_MESSAGE = 500
_log = logging.getLogger("keepwell")


class Memory(Protocol):
    """What an activity needs of a client; `keepwell.Keepwell` is one."""

    @property
    def buffer(self) -> Buffer: ...

    async def recall(self, request: RecallRequest, /) -> Recalled: ...

    async def context(self, request: ContextRequest, /) -> ContextTold: ...

    async def intend(self, action: str, /, **fields: Any) -> IntentionChanged: ...

    def inbox(self, *, lease_seconds: float | None = None) -> AsyncGenerator[Due]: ...


class Heard(NamedTuple):
    """What came back, and the traces of the recalls that brought it."""

    answer: Recalled
    trace_ids: tuple[UUID, ...]

    def recollection(self, decision: str, retrieval: Retrieval) -> Recollection:
        """What it says to the decision that it was asked for."""
        answer = self.answer
        return Recollection(
            decision=decision,
            reasons=retrieval.reasons,
            recalled=True,
            facts=tuple(answer.facts),
            passages=tuple(answer.passages),
            session=corrections_in(answer),
            advice=answer.advice,
            missing=tuple(answer.missing),
            conflicts=tuple(answer.conflicts),
            intentions=tuple(answer.intentions),
            procedure=answer.procedure,
            trace_id=answer.trace_id,
            trace_ids=self.trace_ids,
            left_out=retrieval.left_out,
            as_of=answer.as_of,
        )


class RecallLate(KeepwellError):
    """The recall did not come back before the deadline of the decision."""

    code = "deadline"
    retryable = True


async def ask(memory: Memory, request: RecallRequest, own: Sequence[str], seconds: float) -> Heard:
    """The answer within `seconds`, with all that must be heeded even where the budget had no room for it.

    `own` are those of the request's entities for which that is so; the others are asked about to tell them apart.
    Then `advice` stays `narrow`; `missing` names what did not come with the second call either. Raises
    `RecallLate`, and whatever the recall raises.
    """
    ends = time.monotonic() + seconds
    answer = await within(seconds, memory.recall(request))
    if not answer.missing:
        return _heard(answer)
    # A restriction that does not fit is one that the agent would break; room in a prompt is worth less.
    whole = request.model_copy(
        update={"entities": tuple(own), "budget_tokens": MAX_BUDGET_TOKENS, "limit": 1}
    )
    try:
        more = await within(ends - time.monotonic(), memory.recall(whole))
        return _heard(with_required(answer, more), more)
    except Exception as error:  # noqa: BLE001 - the first answer stands, and says that it is not whole
        _log.warning("not all that must be heeded could be recalled (%s)", code_of(error))
        return _heard(answer)


def _heard(answer: Recalled, *more: Recalled) -> Heard:
    ids = (each.trace_id for each in (answer, *more))
    return Heard(answer, tuple(identity for identity in ids if identity is not None))


async def within(seconds: float, recall: Awaitable[T]) -> T:
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


def message_of(error: BaseException) -> str | None:
    """What a failed recall has to say, in one line: by the rule of the one tree of errors no message holds content.

    Of any other error nobody knows what its message holds, and there is none.
    """
    if not isinstance(error, KeepwellError):
        return None
    if isinstance(error, ApiError):
        field = f"{error.field}: " if error.field else ""
        said = f"{field}{error.problem.detail}"
    else:
        said = str(error)
    return " ".join(said.split())[:_MAX_MESSAGE] or None
