"""Endpoints: where what is due is delivered other than into an inbox. For administrators."""

from fastapi import APIRouter, Request

from models.endpoints import EndpointNamed, NewEndpoint
from surfaces.http import intending
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
    return intending.endpoint_made(
        await api.service.endpoints.register(who, await read(request, NewEndpoint))
    )


@router.get("", summary="List endpoints", responses=problems())
async def every(who: Caller, api: TheApi) -> EndpointList:
    """All endpoints of the tenant, without their secrets."""
    return EndpointList(
        endpoints=[intending.endpoint(each) for each in await api.service.endpoints.list(who)]
    )


@router.post(
    "/rotate",
    summary="Replace the secret of a webhook",
    openapi_extra=takes(EndpointNamed),
    responses=problems(404, 409, 415),
)
async def rotate(request: Request, who: Caller, api: TheApi) -> EndpointMade:
    """The secret before signs as well, until there is another."""
    return intending.endpoint_made(
        await api.service.endpoints.rotate(who, (await read(request, EndpointNamed)).name)
    )


@router.post(
    "/disable",
    summary="Switch an endpoint off",
    openapi_extra=takes(EndpointNamed),
    responses=problems(404, 415),
)
async def disable(request: Request, who: Caller, api: TheApi) -> EndpointTold:
    """What is due for it waits, until it is switched on again or its deadline passes."""
    return intending.endpoint(
        await api.service.endpoints.disable(who, (await read(request, EndpointNamed)).name)
    )


@router.post(
    "/enable",
    summary="Switch an endpoint on",
    openapi_extra=takes(EndpointNamed),
    responses=problems(404, 415),
)
async def enable(request: Request, who: Caller, api: TheApi) -> EndpointTold:
    """What has waited for it is delivered."""
    return intending.endpoint(
        await api.service.endpoints.enable(who, (await read(request, EndpointNamed)).name)
    )
