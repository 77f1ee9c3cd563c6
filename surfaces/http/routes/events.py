"""Events: publish one or a batch, and ask what became of one."""

from collections.abc import Sequence
from uuid import UUID

from fastapi import APIRouter, Request

from capture.accept import Receipt
from models.errors import KeepwellError, NotFound
from models.events import NewEvent
from models.principals import Principal
from models.statements import Stage
from models.verbs import Verb
from runtime.service import Service
from surfaces.http.answers import Acknowledgement, Acknowledgements, EventVerdictTold
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import events_of, json_of, with_key, without_key
from surfaces.http.document import IDEMPOTENCY_KEY, EventBatch, problems, takes
from surfaces.http.limits import MAX_BODY_BYTES
from surfaces.http.telling import event_verdict

router = APIRouter(tags=["events"])


@router.post(
    "/events",
    status_code=201,
    summary="Publish an event",
    openapi_extra=takes(NewEvent, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def publish(request: Request, who: Caller, api: TheApi) -> Acknowledgement:
    """Store one event. When this is answered the event is durable; what becomes of it is decided later."""
    raw = with_key(request, await json_of(request))
    try:
        receipts = await api.service.publish(who, [raw])
    except KeepwellError as error:
        error.position = None  # There is one event, so that its place in a batch tells nothing.
        raise
    [acknowledged] = await _acknowledged(api.service, who, receipts)
    return acknowledged


@router.post(
    "/events/batch",
    status_code=201,
    summary="Publish a batch of events",
    openapi_extra=takes(EventBatch),
    responses=problems(404, 409, 415),
)
async def publish_batch(request: Request, who: Caller, api: TheApi) -> Acknowledgements:
    """Store events in order, all or none; a problem names the `position` of the one that is at fault, from 1.

    At most 8 MB in one call, and 2 MB in any other.
    """
    without_key(request)
    receipts = await api.service.publish(who, events_of(await json_of(request, MAX_BODY_BYTES)))
    return Acknowledgements(events=await _acknowledged(api.service, who, receipts))


@router.get("/events/{event_id}/verdict", summary="What became of an event", responses=problems(404))
async def verdict(event_id: UUID, who: Caller, api: TheApi) -> EventVerdictTold:
    """How far Keepwell has come with an event, and what was decided on what it proposed."""
    told = await api.service.verdicts_of(who, [event_id])
    if not told:
        raise NotFound("no such event within reach; check the id, the tenant and the roles")
    return event_verdict(told[0])


async def _acknowledged(
    service: Service, who: Principal, receipts: Sequence[Receipt]
) -> list[Acknowledgement]:
    """Receipts as they stand. A new event is never readable yet; one that was there before is looked up."""
    before = [receipt.event_id for receipt in receipts if receipt.duplicate]
    known = (
        {told.event_id: told for told in await service.verdicts_of(who, before, Verb.PUBLISH)}
        if before
        else {}
    )
    acknowledged: list[Acknowledgement] = []
    for receipt in receipts:
        told = known.get(receipt.event_id)
        acknowledged.append(
            Acknowledgement(
                event_id=receipt.event_id,
                activity=receipt.activity_id,
                seq=receipt.seq,
                duplicate=receipt.duplicate,
                erased=receipt.erased,
                readable=told is not None and told.episode_id is not None,
                verdict="decided" if told is not None and told.stage is Stage.SETTLED else "pending",
                masked=list(receipt.masked),
            )
        )
    return acknowledged
