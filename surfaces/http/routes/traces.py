"""Traces: how answers came about, why a record was in one or was not, and what became of it."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request

from models.attribution import Attribution, AttributionQuery
from models.memories import MAX_PAGE
from models.recall import Advice
from models.reports import NewReport
from models.traces import TraceQuery
from models.triggers import Trigger
from surfaces.http import telling
from surfaces.http.answers import ExplanationTold, ReportTold, TracePage, TraceTold
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import read, read_once
from surfaces.http.document import IDEMPOTENCY_KEY, problems, takes

router = APIRouter(tags=["traces"])

OfRecord = Annotated[UUID | None, Query(description="Of recalls that found this fact or passage.")]
OfTrigger = Annotated[Trigger | None, Query(description="Of recalls that this called for.")]
OfAdvice = Annotated[Advice | None, Query(description="Of recalls whose answer advised this.")]
Limit = Annotated[int, Query(ge=1, le=MAX_PAGE, description="How many recalls a page has.")]
Cursor = Annotated[
    str | None, Query(max_length=500, description="The `next` of a page, for the one that follows.")
]


@router.get("/traces", summary="List recalls", responses=problems())
async def traces(
    who: Caller,
    api: TheApi,
    record_id: OfRecord = None,
    trigger: OfTrigger = None,
    advice: OfAdvice = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> TracePage:
    """The caller's own recalls, or everybody's for a role that reads the whole tenant, newest first.

    A page can be shorter than `limit` and still have a `next`; send it with the same filters.
    """
    query = TraceQuery(record_id=record_id, trigger=trigger, advice=advice, cursor=cursor, limit=limit)
    return TracePage.model_validate(await api.service.traces(who, query))


@router.get("/traces/{trace_id}", summary="Read a trace", responses=problems(404))
async def trace(trace_id: UUID, who: Caller, api: TheApi) -> TraceTold:
    """How an answer came about: what was asked, each decision, and what became of every record that was found."""
    return telling.trace(await api.service.trace(who, trace_id))


@router.get(
    "/traces/{trace_id}/explain/{memory_id}",
    summary="Why, and why not, in a past answer",
    responses=problems(404),
)
async def explain(trace_id: UUID, memory_id: UUID, who: Caller, api: TheApi) -> ExplanationTold:
    """The step that kept a fact or an episode in a past answer, or dropped it. What came later does not count."""
    return ExplanationTold.model_validate(await api.service.explain_trace(who, trace_id, memory_id))


@router.post(
    "/traces/{trace_id}/report",
    summary="Report what became of an answer",
    openapi_extra=takes(NewReport, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def report(trace_id: UUID, request: Request, who: Caller, api: TheApi) -> ReportTold:
    """Which records were visible on an action and which were used, and how the run ended. Of one's own recall alone."""
    said = await read_once(request, NewReport)
    return ReportTold.model_validate(await api.service.report(who, trace_id, said))


@router.post(
    "/attribution/query",
    summary="What memory was good for",
    openapi_extra=takes(AttributionQuery),
    responses=problems(404, 415),
)
async def attribution(request: Request, who: Caller, api: TheApi) -> Attribution:
    """The funnel from written to helped, how often each trigger brought what was used, and the effect in paired runs.

    For a role that reads the whole tenant. `helped` and the effect are told from paired runs alone.
    """
    return await api.service.attribution(who, await read(request, AttributionQuery))
