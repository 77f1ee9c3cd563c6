"""Reviews: what waits for a person, and their word on it."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from models.reviews import Acceptance, ReviewQuery
from models.statements import Withdrawal
from surfaces.http import answers, telling
from surfaces.http.answers import StatementOutcome
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import read, read_once
from surfaces.http.document import IDEMPOTENCY_KEY, problems, takes
from surfaces.http.stating import PENDING, outcome

router = APIRouter(tags=["reviews"])


@router.post(
    "/reviews/query",
    summary="List what waits for review",
    openapi_extra=takes(ReviewQuery),
    responses=problems(415),
)
async def query(request: Request, who: Caller, api: TheApi) -> answers.ReviewPage:
    """What is held or disputed in scopes that the caller may review, the oldest first, a page at a time.

    The scope `{}` asks for all of them. Send the `next` of a page as `cursor` for the page that follows.
    """
    asked = await read(request, ReviewQuery)
    return telling.reviews(await api.service.review_queue(who, asked.scope, asked.cursor, asked.limit))


@router.post(
    "/reviews/{claim_id}/accept",
    summary="Accept what waits",
    openapi_extra=takes(Acceptance, IDEMPOTENCY_KEY),
    responses={**PENDING, **problems(404, 409, 415)},
)
async def accept(
    claim_id: UUID, request: Request, response: Response, who: Caller, api: TheApi
) -> StatementOutcome:
    """Say what a claim says, with the caller's own right: as it stands, or with other `terms`."""
    acceptance = await read_once(request, Acceptance)
    return outcome(response, await api.service.accept(who, claim_id, acceptance))


@router.post(
    "/reviews/{claim_id}/reject",
    summary="Reject what waits",
    openapi_extra=takes(Withdrawal, IDEMPOTENCY_KEY),
    responses={**PENDING, **problems(404, 409, 415)},
)
async def reject(
    claim_id: UUID, request: Request, response: Response, who: Caller, api: TheApi
) -> StatementOutcome:
    """Close a claim, with a reason. What governs is untouched, and the claim stays closed however often it is said."""
    rejection = await read_once(request, Withdrawal)
    return outcome(response, await api.service.reject(who, claim_id, rejection))
