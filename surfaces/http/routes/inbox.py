"""The inbox: take what is due, as soon as it is, and say what came of it."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from capture.inbox import Due
from models.errors import Unavailable
from models.intention_changes import LEASE_SECONDS, LONGEST_LEASE_SECONDS, AcknowledgementGiven, Snooze, Take
from models.principals import Principal
from surfaces.http import intending
from surfaces.http.answers import DueTold, InboxTaken, IntentionRead
from surfaces.http.api import Api, Caller, TheApi, still_speaks
from surfaces.http.bodies import read, read_once
from surfaces.http.document import IDEMPOTENCY_KEY, problems, takes

router = APIRouter(prefix="/inbox", tags=["inbox"])

_LOOK_AGAIN_SECONDS = 2.0
"""What comes again by time alone, as a lease runs out, rings no bell."""
_AT_ONCE = 10
_MOST_LEASED = 100
"""So much of an inbox may be handed out by a stream and not acknowledged."""

LeaseSeconds = Annotated[
    float,
    Query(ge=1, le=LONGEST_LEASE_SECONDS, description="How long there is to acknowledge what is sent."),
]


@router.post("/take", summary="Take what is due", openapi_extra=takes(Take), responses=problems(404, 415))
async def take(request: Request, who: Caller, api: TheApi) -> InboxTaken:
    """What is due in the caller's inbox, the oldest first, each under a lease; it is waited for if need be.

    What is not acknowledged in time comes again, and counts as dead after five times.
    """
    asked = await read(request, Take)
    patience = time.monotonic() + asked.wait_seconds
    while True:
        rung = api.inbox_bell.next_ring(who.tenant_id)
        found = await _taken(api, who, asked)
        left = patience - time.monotonic()
        if found or left <= 0 or api.draining.is_set():
            return InboxTaken(due=[intending.due(each) for each in found])
        with suppress(TimeoutError):
            await asyncio.wait_for(rung.wait(), min(left, _LOOK_AGAIN_SECONDS))
        if await request.is_disconnected():
            # Nobody would hear of what is taken now.
            return InboxTaken(due=[])


async def _taken(api: Api, who: Principal, asked: Take) -> list[Due]:
    return await api.service.inbox.take(who, asked)


async def _place(who: Caller, api: TheApi) -> AsyncGenerator[None]:
    """One of the places for streams, until the answer has ended."""
    await api.service.inbox.require(who)
    with api.streams.taken(who):
        yield


@router.get(
    "/stream",
    summary="What is due, as it comes",
    response_class=EventSourceResponse,
    responses=problems(404),
    dependencies=[Depends(_place)],
)
async def stream(
    request: Request, who: Caller, api: TheApi, lease_seconds: LeaseSeconds = LEASE_SECONDS
) -> AsyncIterator[ServerSentEvent]:
    """Events named `due` (DueTold), each under a lease from when it is sent; acknowledge it by its id.

    While a hundred are not acknowledged, no more are sent.

    The stream ends when the server is to end, or when the credential no longer holds.
    """
    yield ServerSentEvent(comment="what is due follows")
    asked = Take(limit=_AT_ONCE, lease_seconds=lease_seconds)
    while not api.draining.is_set() and await still_speaks(request, api, who):
        rung = api.inbox_bell.next_ring(who.tenant_id)
        try:
            has_room = await api.service.inbox.leased(who) < _MOST_LEASED
            found = await _taken(api, who, asked) if has_room else []
        except Unavailable:
            # Nothing can be told any more in an answer that has begun. Whoever comes again hears the reason.
            return
        for each in found:
            told: DueTold = intending.due(each)
            yield ServerSentEvent(data=told, event="due", id=str(told.occurrence_id))
        if len(found) < _AT_ONCE:
            with suppress(TimeoutError):
                await asyncio.wait_for(rung.wait(), _LOOK_AGAIN_SECONDS)


@router.post(
    "/{occurrence_id}/acknowledge",
    summary="Say what came of something due",
    openapi_extra=takes(AcknowledgementGiven, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def acknowledge(occurrence_id: UUID, request: Request, who: Caller, api: TheApi) -> IntentionRead:
    """It was done, it failed, or there was no need any more. What is said becomes an event; it never comes again."""
    said = await read_once(request, AcknowledgementGiven)
    changed = await api.service.inbox.acknowledge(who, occurrence_id, said)
    return intending.read(*await api.service.agenda.one(who, changed.intention_id))


@router.post(
    "/{occurrence_id}/snooze",
    summary="Put something due off",
    openapi_extra=takes(Snooze, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def snooze(occurrence_id: UUID, request: Request, who: Caller, api: TheApi) -> IntentionRead:
    """It comes again, at an instant or after a delay, as due as it was."""
    said = await read_once(request, Snooze)
    changed = await api.service.inbox.snooze(who, occurrence_id, said)
    return intending.read(*await api.service.agenda.one(who, changed.intention_id))
