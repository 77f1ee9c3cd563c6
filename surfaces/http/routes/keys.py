"""API keys and the caller's own identity."""

from uuid import UUID

from fastapi import APIRouter, Request

from models.api_keys import NewApiKey
from surfaces.http.answers import KeyMade, Keys, KeyTold, PrincipalTold
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import read
from surfaces.http.document import problems, takes

router = APIRouter(tags=["keys"])


@router.post(
    "/keys",
    status_code=201,
    summary="Make an API key",
    openapi_extra=takes(NewApiKey),
    responses=problems(404, 409, 415),
)
async def make(request: Request, who: Caller, api: TheApi) -> KeyMade:
    """Make a key for the caller's tenant. Its text is in this answer and nowhere else."""
    made, token = await api.keys.make(who, await read(request, NewApiKey))
    return KeyMade(key=KeyTold.model_validate(made), token=token)


@router.get("/keys", summary="List API keys", responses=problems())
async def every(who: Caller, api: TheApi) -> Keys:
    """All keys of the tenant, oldest first, without their secrets."""
    return Keys(keys=[KeyTold.model_validate(each) for each in await api.keys.every(who)])


@router.delete("/keys/{key_id}", status_code=204, summary="Revoke an API key", responses=problems(404))
async def revoke(key_id: UUID, who: Caller, api: TheApi) -> None:
    """End a key. Other processes of the service refuse it within five seconds."""
    await api.keys.revoke(who, key_id)


@router.get("/principal", summary="Who is calling", responses=problems())
async def principal(who: Caller) -> PrincipalTold:
    """The caller, as the credential tells."""
    return PrincipalTold.model_validate(who)
