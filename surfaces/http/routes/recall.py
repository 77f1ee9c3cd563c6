"""Recall: what should influence the next decision, by itself or as the context of a model call."""

from fastapi import APIRouter, Request

from models.context import ContextRequest
from models.recall import RecallRequest
from surfaces.http.answers import ContextTold, Recalled
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import read
from surfaces.http.document import problems, takes

router = APIRouter(tags=["recall"])


@router.post("/recall", summary="Recall", openapi_extra=takes(RecallRequest), responses=problems(404, 415))
async def recall(request: Request, who: Caller, api: TheApi) -> Recalled:
    """Bring back what applies, in order and within a budget. An empty answer is an answer."""
    answer = await api.service.recall(who, await read(request, RecallRequest))
    return Recalled.model_validate(answer)


@router.post(
    "/context", summary="Working memory", openapi_extra=takes(ContextRequest), responses=problems(404, 415)
)
async def context(request: Request, who: Caller, api: TheApi) -> ContextTold:
    """Put the context of one model call together: what applies, what was just said and seen, within a budget."""
    answer = await api.service.context(who, await read(request, ContextRequest))
    return ContextTold.model_validate(answer)
