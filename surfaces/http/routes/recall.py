"""Recall: what should influence the next decision."""

from fastapi import APIRouter, Request

from models.recall import RecallRequest
from surfaces.http.answers import Recalled
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import read
from surfaces.http.document import problems, takes

router = APIRouter(tags=["recall"])


@router.post("/recall", summary="Recall", openapi_extra=takes(RecallRequest), responses=problems(404, 415))
async def recall(request: Request, who: Caller, api: TheApi) -> Recalled:
    """Bring back what applies, in order and within a budget. An empty answer is an answer."""
    answer = await api.service.recall(who, await read(request, RecallRequest))
    return Recalled.model_validate(answer)
