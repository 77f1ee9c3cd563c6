"""Asking a model: within the tenant's budget, a bounded number of times, and with the answer kept before it is used.

Each step is a row first. So a process that dies in between neither asks for nothing, nor forgets what it asked, nor
gets a second answer to a question that has one.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import structlog

from models.errors import ModelFailed
from models.extractions import MOST_ATTEMPTS, Budget, Extraction, Fallback, Fault, State, Usage, pause_after
from providers.protocols import Question
from store import extractions, model_spending
from store.engine import Database
from store.extractions import About, Asked
from store.unit_of_work import UnitOfWork

Content = TypeVar("Content")

log = structlog.get_logger("keepwell.models")


class Reply(NamedTuple):
    """What came of a question.

    `proposed` is JSON as it is stored; None where rules end it, and where it has been applied already.
    """

    extraction: Extraction
    proposed: Any

    @property
    def fallback(self) -> Fallback | None:
        """Why rules end it; None where the model was of help."""
        reason = self.extraction.reason
        if self.extraction.state is not State.FELL_BACK or reason is None:
            return None
        return Fallback(reason, self.extraction.attempts)


class _Call(NamedTuple):
    """One call that is about to be made, and what was put aside for it on which day."""

    attempt: int
    day: date
    reserved: Usage


class Asking:
    """Asks questions of any tenant, each of which may spend `budget` a day."""

    def __init__(self, database: Database, budget: Budget) -> None:
        self._database = database
        self._budget = budget

    async def reply(
        self,
        tenant_id: UUID,
        about: About,
        extractor: str,
        question: Question[Content],
        as_json: Callable[[Content], Any],
    ) -> Reply:
        """The reply to a question, asked now unless it has been before.

        Raises a `ModelFailed` that is retryable, with the seconds to wait, where the model is to be asked again:
        it is the same question then. After the last attempt, or where another one would fail too, rules end it.
        """
        asked = Asked(extractor, question.model, question.prompt, question.digest)
        call = await self._begin(tenant_id, about, asked, question.most)
        if isinstance(call, Reply):
            return call
        try:
            answer = await question.ask()
        except ModelFailed as failed:
            taken = Usage() if failed.was_free else call.reserved
            pause = pause_after(failed, call.attempt)
            state = State.FELL_BACK if pause is None else State.ASKED
            await self._end(tenant_id, about, call, state, taken, reason=Fault(failed.code))
            if pause is not None:
                raise type(failed)(retry_after=pause) from None
        else:
            taken = answer.usage or call.reserved
            proposed = as_json(answer.content)
            await self._end(tenant_id, about, call, State.PROPOSED, taken, proposed=proposed)
        return await self._found(tenant_id, about)

    async def _begin(self, tenant_id: UUID, about: About, asked: Asked, most: Usage) -> "_Call | Reply":
        """Note the call and put aside what it may take; the reply where there is one, or nothing may be asked."""
        day = datetime.now(UTC).date()
        async with self._database.transaction(tenant_id) as work:
            attempt = await extractions.ask(work, about, asked, MOST_ATTEMPTS)
            if attempt is None:
                # Settled already, or every call was cut off before it could be.
                await self._settle(work, about, State.FELL_BACK, Usage(), reason=Fault.INTERRUPTED)
            elif await model_spending.reserve(work, day, most, self._budget):
                return _Call(attempt, day, most)
            else:
                await self._settle(work, about, State.FELL_BACK, Usage(), reason=Fault.BUDGET_SPENT)
        return await self._found(tenant_id, about)

    async def _end(
        self, tenant_id: UUID, about: About, call: _Call, state: State, taken: Usage, **how: Any
    ) -> None:
        async with self._database.transaction(tenant_id) as work:
            await model_spending.set_right(work, call.day, call.reserved, taken)
            await self._settle(work, about, state, taken, **how)

    async def _settle(
        self,
        work: UnitOfWork,
        about: About,
        state: State,
        taken: Usage,
        *,
        proposed: Any = None,
        reason: Fault | None = None,
    ) -> None:
        first = await extractions.settle(work, about.id, state, taken, proposed=proposed, reason=reason)
        if first and reason is not None:
            log.warning(
                "model_was_no_help",
                reason=reason.value,
                purpose=about.purpose.value,
                activity_id=str(about.activity_id),
                ended_by_rule=state is State.FELL_BACK,
                tokens=taken.tokens,
            )

    async def _found(self, tenant_id: UUID, about: About) -> Reply:
        async with self._database.transaction(tenant_id) as work:
            stored = await extractions.find(work, about.id)
        assert stored is not None
        return Reply(*stored)
