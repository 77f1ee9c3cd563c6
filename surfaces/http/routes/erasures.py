"""Erasures: asked for, planned, confirmed and proven; legal holds, and what is left of what was erased."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from models.erasure.erasures import NewErasure, PlanConfirmation
from models.erasure.holds import NewHold
from surfaces.http import erasing
from surfaces.http.answers import (
    ErasureList,
    ErasureTold,
    HoldList,
    HoldMade,
    LogChecked,
    TombstoneTold,
)
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import read
from surfaces.http.document import problems, takes

router = APIRouter(tags=["erasures"])

Limit = Annotated[int, Query(ge=1, le=200, description="How many erasures a page has.")]
After = Annotated[UUID | None, Query(description="The `next` of a page, for the one that follows.")]


@router.post(
    "/erasures",
    status_code=202,
    summary="Ask that something be erased",
    openapi_extra=takes(NewErasure),
    responses=problems(404, 415),
)
async def ask(request: Request, who: Caller, api: TheApi) -> ErasureTold:
    """What it reaches is planned first. The plan waits where a look, or a second person, is asked for."""
    asked = await api.service.erasures.ask(who, await read(request, NewErasure))
    return erasing.without_receipt(asked)


@router.get("/erasures", summary="List erasures", responses=problems())
async def every(who: Caller, api: TheApi, limit: Limit = 50, after: After = None) -> ErasureList:
    """The erasures of the tenant, the newest first, for who may erase everywhere."""
    return erasing.page(await api.service.erased.page(who, after, limit))


@router.get("/erasures/log", summary="Check the log of receipts", responses=problems())
async def log(who: Caller, api: TheApi) -> LogChecked:
    """Whether every receipt is as it was written and follows the one before it."""
    return erasing.checked(await api.service.erased.faults(who))


@router.get("/erasures/{erasure_id}", summary="Read an erasure", responses=problems(404))
async def one(erasure_id: UUID, who: Caller, api: TheApi) -> ErasureTold:
    """How it stands, with its plan, and its receipt once nothing is found any more."""
    return erasing.erasure(await api.service.erased.one(who, erasure_id))


@router.post(
    "/erasures/{erasure_id}/confirm",
    summary="Confirm the plan of an erasure",
    openapi_extra=takes(PlanConfirmation),
    responses=problems(404, 409, 415),
)
async def confirm(erasure_id: UUID, request: Request, who: Caller, api: TheApi) -> ErasureTold:
    """By the digest of the plan that was looked at. A plan that has changed since is looked at again."""
    await api.service.erasures.confirm(who, erasure_id, await read(request, PlanConfirmation))
    return erasing.erasure(await api.service.erased.one(who, erasure_id))


@router.post("/erasures/{erasure_id}/withdraw", summary="Call an erasure off", responses=problems(404, 409))
async def withdraw(erasure_id: UUID, who: Caller, api: TheApi) -> ErasureTold:
    """As long as it has not begun: what is erased does not come back."""
    await api.service.erasures.withdraw(who, erasure_id)
    return erasing.erasure(await api.service.erased.one(who, erasure_id))


@router.get("/tombstones/{record_id}", summary="Why something is gone", responses=problems(404))
async def tombstone(record_id: UUID, who: Caller, api: TheApi) -> TombstoneTold:
    """When it was erased, and by which request. There is no content in it."""
    return erasing.tombstone(await api.service.erased.tombstone(who, record_id))


@router.post(
    "/holds",
    status_code=201,
    summary="Forbid that something be erased",
    openapi_extra=takes(NewHold),
    responses=problems(404, 415),
)
async def hold(request: Request, who: Caller, api: TheApi) -> HoldMade:
    """Until an instant, or until somebody releases it. An erasure that it stops says so, and waits."""
    new = await read(request, NewHold)
    return HoldMade(id=await api.service.erasures.hold(who, new.target, new.reason, new.until))


@router.get("/holds", summary="List legal holds", responses=problems())
async def holds(who: Caller, api: TheApi) -> HoldList:
    """All of the tenant, those that are over as well."""
    return erasing.holds(await api.service.erased.holds(who))


@router.post("/holds/{hold_id}/release", status_code=204, summary="End a legal hold", responses=problems(404))
async def release(hold_id: UUID, who: Caller, api: TheApi) -> Response:
    """What it has stopped goes on."""
    await api.service.erasures.release(who, hold_id)
    return Response(status_code=204)
