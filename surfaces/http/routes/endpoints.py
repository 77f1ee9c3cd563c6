"""Endpoints: where what is due is delivered other than into an inbox. For administrators."""

from datetime import UTC, datetime

from fastapi import APIRouter, Request

from capture.endpoints import Registered
from models.circuit import state_of
from models.endpoints import Endpoint, EndpointNamed, NewEndpoint
from surfaces.http.answers import EndpointList, EndpointMade, EndpointTold
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import read
from surfaces.http.document import problems, takes

router = APIRouter(prefix="/endpoints", tags=["endpoints"])


@router.post(
    "",
    status_code=201,
    summary="Register an endpoint",
    openapi_extra=takes(NewEndpoint),
    responses=problems(409, 415),
)
async def register(request: Request, who: Caller, api: TheApi) -> EndpointMade:
    """A webhook by its address, or a workflow by `WORKFLOW_ID#SIGNAL`. Intentions name it in `deliver_to`."""
    return _made(await api.service.endpoints.register(who, await read(request, NewEndpoint)))


@router.get("", summary="List endpoints", responses=problems())
async def every(who: Caller, api: TheApi) -> EndpointList:
    """All endpoints of the tenant, without their secrets."""
    return EndpointList(endpoints=[_told(each) for each in await api.service.endpoints.list(who)])


@router.post(
    "/rotate",
    summary="Replace the secret of a webhook",
    openapi_extra=takes(EndpointNamed),
    responses=problems(404, 409, 415),
)
async def rotate(request: Request, who: Caller, api: TheApi) -> EndpointMade:
    """The secret before signs as well, until there is another."""
    return _made(await api.service.endpoints.rotate(who, (await read(request, EndpointNamed)).name))


@router.post(
    "/disable",
    summary="Switch an endpoint off",
    openapi_extra=takes(EndpointNamed),
    responses=problems(404, 415),
)
async def disable(request: Request, who: Caller, api: TheApi) -> EndpointTold:
    """What is due for it waits, until it is switched on again or its deadline passes."""
    return _told(await api.service.endpoints.disable(who, (await read(request, EndpointNamed)).name))


@router.post(
    "/enable",
    summary="Switch an endpoint on",
    openapi_extra=takes(EndpointNamed),
    responses=problems(404, 415),
)
async def enable(request: Request, who: Caller, api: TheApi) -> EndpointTold:
    """What has waited for it is delivered."""
    return _told(await api.service.endpoints.enable(who, (await read(request, EndpointNamed)).name))


def _made(made: Registered) -> EndpointMade:
    return EndpointMade(endpoint=_told(made.endpoint), secret=made.secret)


def _told(each: Endpoint) -> EndpointTold:
    return EndpointTold(
        id=each.id,
        name=each.name,
        kind=each.kind,
        address=each.address,
        signed_by=each.signed_by,
        made_by=each.made_by,
        circuit=state_of(each.circuit, datetime.now(UTC)),
        failures=each.circuit.failures,
        disabled_at=each.disabled_at,
        reason=each.reason,
        made_at=each.recorded_at,
    )
