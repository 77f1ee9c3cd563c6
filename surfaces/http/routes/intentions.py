"""Intentions: set, see, change, and what they are told as before they are set."""

from uuid import UUID

from fastapi import APIRouter, Request

from models.intention_changes import Cancellation, Confirmation, HandOver, Rescheduling
from models.intentions import IntentionQuery, NewIntention
from surfaces.http import intending
from surfaces.http.answers import IntentionChanged, IntentionPage, IntentionPreview, IntentionRead
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import read, read_once
from surfaces.http.document import IDEMPOTENCY_KEY, problems, takes

router = APIRouter(tags=["intentions"])


@router.post(
    "/intentions",
    status_code=201,
    summary="Set an intention",
    openapi_extra=takes(NewIntention, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def intend(request: Request, who: Caller, api: TheApi) -> IntentionChanged:
    """Have an action come back when its trigger does: at an instant, again and again, with an event, with a change.

    It is the caller's own, unless `owner` says whose. The answer tells in words what it waits for.
    """
    new = await read_once(request, NewIntention)
    return await intending.changed_by(api.service, who, await api.service.intentions.intend(who, new))


@router.post(
    "/intentions/preview",
    summary="See what an intention would wait for",
    openapi_extra=takes(NewIntention),
    responses=problems(415),
)
async def preview(request: Request, who: Caller, api: TheApi) -> IntentionPreview:
    """What words, a rule or an event come to, told in full for confirmation. Nothing is set."""
    new = await read(request, NewIntention)
    return intending.preview(await api.service.intentions.preview(who, new))


@router.post(
    "/intentions/query",
    summary="List intentions",
    openapi_extra=takes(IntentionQuery),
    responses=problems(415),
)
async def query(request: Request, who: Caller, api: TheApi) -> IntentionPage:
    """One's own intentions that are still to come, or those of everybody in a scope, the latest set first.

    A page can be shorter than `limit` and still have a `next`.
    """
    return intending.page(await api.service.agenda.page(who, await read(request, IntentionQuery)))


@router.get("/intentions/{intention_id}", summary="Read an intention", responses=problems(404))
async def one(intention_id: UUID, who: Caller, api: TheApi) -> IntentionRead:
    """An intention, when it comes next, and what came of it."""
    return intending.read(*await api.service.agenda.one(who, intention_id))


@router.post(
    "/intentions/{intention_id}/cancel",
    summary="Give an intention up",
    openapi_extra=takes(Cancellation, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def cancel(intention_id: UUID, request: Request, who: Caller, api: TheApi) -> IntentionChanged:
    """Nothing comes of it any more, and what of it was handed out and not acknowledged is taken back."""
    said = await read_once(request, Cancellation)
    return await intending.changed_by(
        api.service, who, await api.service.intentions.cancel(who, intention_id, said)
    )


@router.post(
    "/intentions/{intention_id}/confirm",
    summary="Say yes to a proposed intention",
    openapi_extra=takes(Confirmation, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def confirm(intention_id: UUID, request: Request, who: Caller, api: TheApi) -> IntentionChanged:
    """What was taken from somebody's words waits for this, and comes to nothing without it."""
    said = await read_once(request, Confirmation)
    return await intending.changed_by(
        api.service, who, await api.service.intentions.confirm(who, intention_id, said)
    )


@router.post(
    "/intentions/{intention_id}/reschedule",
    summary="Give an intention another time",
    openapi_extra=takes(Rescheduling, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def reschedule(intention_id: UUID, request: Request, who: Caller, api: TheApi) -> IntentionChanged:
    """Of one that waits for a time: at an instant, after a delay, by a rule, or in words."""
    said = await read_once(request, Rescheduling)
    return await intending.changed_by(
        api.service, who, await api.service.intentions.reschedule(who, intention_id, said)
    )


@router.post(
    "/intentions/{intention_id}/hand-over",
    summary="Give an intention another owner",
    openapi_extra=takes(HandOver, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def hand_over(intention_id: UUID, request: Request, who: Caller, api: TheApi) -> IntentionChanged:
    """It comes into their inbox from now on, and so does what is open of it. Takes the right to assign."""
    said = await read_once(request, HandOver)
    return await intending.changed_by(
        api.service, who, await api.service.intentions.hand_over(who, intention_id, said)
    )
