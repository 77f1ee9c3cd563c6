"""News as they come, by server-sent events: verdicts on the caller's words, and what became of their memories and
intentions.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from models.errors import InvalidInput, Unavailable
from models.news import NewsPosition, parse_position
from surfaces.http.api import Caller, TheApi, still_speaks
from surfaces.http.document import problems
from surfaces.http.telling import news

router = APIRouter(tags=["stream"])
_LOOK_AGAIN_SECONDS = 5.0


async def _place(who: Caller, api: TheApi) -> AsyncGenerator[None]:
    """One of the places for streams, until the answer has ended."""
    with api.streams.taken(who):
        yield


async def _begin(
    request: Request,
    who: Caller,
    api: TheApi,
    last_event_id: Annotated[
        str | None, Header(description="The id of the last event that was seen, to go on after it.")
    ] = None,
) -> NewsPosition:
    """Where the stream begins: after the last event seen, or now. Refused before anything is sent."""
    await api.service.require_news(who)
    if len(request.headers.getlist("last-event-id")) > 1:
        raise InvalidInput("send one id, that of the last event", field="Last-Event-ID")
    last = parse_position(last_event_id) if last_event_id else None
    return await api.service.news_begin(who, last)


@router.get(
    "/stream",
    summary="One's own news",
    response_class=EventSourceResponse,
    responses=problems(404, 409),
    dependencies=[Depends(_place)],
)
async def stream(
    request: Request, who: Caller, api: TheApi, position: Annotated[NewsPosition, Depends(_begin)]
) -> AsyncIterator[ServerSentEvent]:
    """Events named `verdict` (VerdictNews), `transition` (TransitionNews) and `intention` (IntentionNews), none twice
    and none left out.

    After a break, send the last id as `Last-Event-ID`; the first one comes at once, before any event. The stream
    ends when the server is to end, or when the credential no longer holds.
    """
    yield ServerSentEvent(comment="news follow", id=str(position))
    while not api.draining.is_set() and await still_speaks(request, api, who):
        rung = api.bell.next_ring(who.tenant_id)
        try:
            found, position, more = await api.service.news(who, position)
        except Unavailable:
            # Nothing can be told any more in an answer that has begun. Whoever comes again hears the reason.
            return
        for each in found:
            name, told = news(each.told)
            yield ServerSentEvent(data=told, event=name, id=str(each.position))
        if not more:
            with suppress(TimeoutError):
                await asyncio.wait_for(rung.wait(), _LOOK_AGAIN_SECONDS)
