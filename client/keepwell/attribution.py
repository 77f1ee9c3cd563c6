"""Calls about answers that were given: how one came about, why a record was in it, and what became of it."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from datetime import datetime
from typing import Any, overload
from uuid import UUID

from keepwell.calls import Calls, id_in_path, request_from
from keepwell.types import (
    Attribution,
    AttributionQuery,
    ExplanationTold,
    NewReport,
    ReportTold,
    TraceHeadTold,
    TracePage,
    TraceTold,
)
from keepwell.types.words import Advice, Arm, Outcome, Trigger


class AttributionCalls(Calls):
    """Read traces, report on them, and see what they come to."""

    async def trace(self, trace_id: UUID | str) -> TraceTold:
        """How an answer came about; `trace_id` is in the answer."""
        path = f"/v1/traces/{id_in_path(trace_id)}"
        return await self._transport.call("GET", path, TraceTold.model_validate_json)

    async def trace_page(
        self,
        *,
        record_id: UUID | str | None = None,
        trigger: Trigger | None = None,
        advice: Advice | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> TracePage:
        """One page of one's own recalls, or of everybody's for a role that reads the whole tenant, newest first.

        A page can be shorter than `limit` and still have a `next`.
        """
        said = {
            "record_id": None if record_id is None else id_in_path(record_id),
            "trigger": trigger,
            "advice": advice,
            "limit": None if limit is None else str(limit),
            "cursor": cursor,
        }
        params = {name: value for name, value in said.items() if value is not None}
        return await self._transport.call("GET", "/v1/traces", TracePage.model_validate_json, params=params)

    async def traces(
        self,
        *,
        record_id: UUID | str | None = None,
        trigger: Trigger | None = None,
        advice: Advice | None = None,
        page_size: int | None = None,
    ) -> AsyncGenerator[TraceHeadTold]:
        """All of these recalls, newest first, a page fetched at a time."""
        cursor: str | None = None
        while True:
            page = await self.trace_page(
                record_id=record_id, trigger=trigger, advice=advice, limit=page_size, cursor=cursor
            )
            for trace in page.traces:
                yield trace
            if page.next is None:
                return
            cursor = page.next

    async def explain_trace(self, trace_id: UUID | str, memory_id: UUID | str) -> ExplanationTold:
        """Why a fact or an episode was in a past answer, or which step dropped it. What came later does not count."""
        path = f"/v1/traces/{id_in_path(trace_id)}/explain/{id_in_path(memory_id)}"
        return await self._transport.call("GET", path, ExplanationTold.model_validate_json)

    @overload
    async def report(self, trace_id: UUID | str, report: NewReport | Mapping[str, Any], /) -> ReportTold: ...

    @overload
    async def report(
        self,
        trace_id: UUID | str,
        /,
        *,
        visible: Iterable[UUID | str] | None = None,
        used: Iterable[UUID | str] | None = None,
        outcome: Outcome | None = None,
        pair: str | None = None,
        arm: Arm | None = None,
        idempotency_key: str | None = None,
    ) -> ReportTold: ...

    async def report(
        self, trace_id: UUID | str, report: NewReport | Mapping[str, Any] | None = None, /, **fields: Any
    ) -> ReportTold:
        """Say what became of one's own recall: which records were `visible` on an action and which were `used`.

        `outcome` is how the run ended, now or in a later report. With `pair` and `arm` it is one of two runs of one
        task, with memory and without. An activity tells by itself what was visible and used. A report without a key is
        a new one each time it is sent, and changes nothing where it says nothing new.
        """
        said = request_from(NewReport, report, fields, like="report(trace_id, used=[…])")
        path = f"/v1/traces/{id_in_path(trace_id)}/report"
        return await self._transport.call("POST", path, ReportTold.model_validate_json, body=said.as_json())

    async def attribution(
        self,
        *,
        scope: Mapping[str, str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Attribution:
        """The funnel from written to helped, what triggers brought, and the effect in paired runs, of a period.

        For a role that reads the whole tenant; of the 30 days before `until`, which is now, unless `since` is given.
        """
        fields = {"scope": scope, "since": since, "until": until}
        body = request_from(AttributionQuery, None, fields, like="attribution(scope={…})").as_json()
        return await self._transport.call(
            "POST", "/v1/attribution/query", Attribution.model_validate_json, body=body
        )
