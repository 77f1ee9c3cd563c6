"""Oneself: what is held about the caller, all of it as one document, and what they have switched off."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from models.controls import SwitchState
from models.export import Export
from models.memories import MAX_PAGE
from models.principals import SubjectName
from surfaces.http import telling
from surfaces.http.answers import MemoryPage, Switches, SwitchTold
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import read
from surfaces.http.document import SwitchSetting, problems, takes

router = APIRouter(prefix="/me", tags=["me"])

Limit = Annotated[int, Query(ge=1, le=MAX_PAGE, description="How many memories a page has.")]
Cursor = Annotated[
    str | None, Query(max_length=500, description="The `next` of a page, for the one that follows.")
]
Whose = Annotated[
    SubjectName | None,
    Query(description="Of whom, for a role that administers the tenant; else of the caller."),
]


@router.get("/memories", summary="Memories about oneself", responses=problems(404))
async def memories(who: Caller, api: TheApi, limit: Limit = 50, cursor: Cursor = None) -> MemoryPage:
    """Facts about the caller, a person, of every status and in every scope, newest first, whatever their roles."""
    return telling.page(await api.service.own_memories(who, limit, cursor))


@router.get(
    "/export",
    summary="All that is held of a person",
    response_class=Response,
    responses={200: {"model": Export, "description": "The whole of it."}, **problems(404)},
)
async def export(who: Caller, api: TheApi, subject: Whose = None) -> Response:
    """One document, with provenance: memories of every status with their lives, events, episodes, and switches.

    One at a time for each caller: it is made as of one instant, and sent once it is whole.
    """
    with api.exports.taken(who):
        document = await api.service.export_of(who, subject)
    headers = {
        "cache-control": "no-store",
        "content-disposition": 'attachment; filename="keepwell-export.json"',
    }
    return Response(document, media_type="application/json", headers=headers)


@router.get("/switches", summary="What one has switched off", responses=problems(404))
async def switches(who: Caller, api: TheApi) -> Switches:
    """How the caller, a person, has each class of memory that a person may switch off for themselves."""
    told = await api.service.switches_of(who)
    return Switches(switches=[SwitchTold.model_validate(each) for each in told])


@router.put(
    "/switches/{class_name}",
    summary="Switch a class off or on",
    openapi_extra=takes(SwitchSetting),
    responses=problems(404, 415),
)
async def switch(class_name: str, request: Request, who: Caller, api: TheApi) -> SwitchTold:
    """Have no memories of a class about oneself, or have them again. It holds for every call that begins afterwards.

    While it is off, nothing of the class about the caller is remembered, and what is there is told to nobody but
    them; switched on, what is there is told as it stands.
    """
    wanted = (await read(request, SwitchSetting)).state
    turn = api.service.switch_off if wanted is SwitchState.OFF else api.service.switch_on
    return SwitchTold.model_validate(await turn(who, class_name))
