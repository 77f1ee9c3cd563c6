"""Memories: state a fact, list and read, correct, retract, promote and confirm, and ask where one comes from."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from models.conditions import ConfirmationState
from models.memories import MemoryQuery
from models.recall import RecallRequest
from models.statements import Correction, EvidenceGiven, Promotion, Statement, Withdrawal
from surfaces.http import answers, telling
from surfaces.http.answers import ConfirmationTold, StatementOutcome
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import read, read_once
from surfaces.http.document import IDEMPOTENCY_KEY, HistoryRequest, problems, takes
from surfaces.http.instants import AsOf
from surfaces.http.stating import PENDING, outcome

router = APIRouter(tags=["memories"])


@router.post(
    "/memories",
    summary="Remember a fact",
    openapi_extra=takes(Statement, IDEMPOTENCY_KEY),
    responses={**PENDING, **problems(404, 409, 415)},
)
async def remember(request: Request, response: Response, who: Caller, api: TheApi) -> StatementOutcome:
    """State a fact, and learn what was decided: it governs, or the verdict says why it does not."""
    statement = await read_once(request, Statement)
    return outcome(response, await api.service.remember(who, statement))


@router.post(
    "/memories/query",
    summary="List memories",
    openapi_extra=takes(MemoryQuery),
    responses=problems(404, 415),
)
async def query(request: Request, who: Caller, api: TheApi) -> answers.MemoryPage:
    """Memories that apply in a scope and pass a filter, newest first, a page at a time.

    Send the `next` of a page as `cursor`, with the same query, for the page that follows.
    """
    return telling.page(await api.service.memories(who, await read(request, MemoryQuery)))


@router.get("/memories/{memory_id}", summary="Read a memory", responses=problems(404))
async def memory(memory_id: UUID, who: Caller, api: TheApi, as_of: AsOf = None) -> answers.Memory:
    """One fact or episode, told apart by its `kind`."""
    return telling.memory(await api.service.memory(who, memory_id, as_of))


@router.post(
    "/memories/{memory_id}/correct",
    summary="Correct a fact",
    openapi_extra=takes(Correction, IDEMPOTENCY_KEY),
    responses={**PENDING, **problems(404, 409, 415)},
)
async def correct(
    memory_id: UUID, request: Request, response: Response, who: Caller, api: TheApi
) -> StatementOutcome:
    """State other terms for a fact in force: the same scope, entity and attribute."""
    correction = await read_once(request, Correction)
    return outcome(response, await api.service.correct(who, memory_id, correction))


@router.post(
    "/memories/{memory_id}/retract",
    summary="Retract a fact",
    openapi_extra=takes(Withdrawal, IDEMPOTENCY_KEY),
    responses={**PENDING, **problems(404, 409, 415)},
)
async def retract(
    memory_id: UUID, request: Request, response: Response, who: Caller, api: TheApi
) -> StatementOutcome:
    """Take back a fact in force. It stays in the history; nothing that it replaced comes back."""
    withdrawal = await read_once(request, Withdrawal)
    return outcome(response, await api.service.retract(who, memory_id, withdrawal))


@router.post(
    "/memories/{memory_id}/promote",
    summary="Promote a fact to a wider scope",
    openapi_extra=takes(Promotion, IDEMPOTENCY_KEY),
    responses={**PENDING, **problems(404, 409, 415)},
)
async def promote(
    memory_id: UUID, request: Request, response: Response, who: Caller, api: TheApi
) -> StatementOutcome:
    """Let a fact in force hold in a wider scope as well, once it is validated. The fact itself stays as it is."""
    promotion = await read_once(request, Promotion)
    return outcome(response, await api.service.promote(who, memory_id, promotion))


@router.post(
    "/memories/{memory_id}/confirm",
    summary="Confirm the end of a fact",
    openapi_extra=takes(EvidenceGiven),
    responses={
        202: {"model": ConfirmationTold, "description": "Stored, and not decided yet; it will be."},
        **problems(404, 415),
    },
)
async def confirm(
    memory_id: UUID, request: Request, response: Response, who: Caller, api: TheApi
) -> ConfirmationTold:
    """Say that the condition which ends a fact is met, shown by a published event."""
    given = await read(request, EvidenceGiven)
    confirmed = await api.service.confirm(who, memory_id, given.evidence)
    if confirmed.state is ConfirmationState.PENDING:
        response.status_code = 202
    return ConfirmationTold(state=confirmed.state, reason=confirmed.reason)


@router.get("/memories/{memory_id}/history", summary="The life of a fact", responses=problems(404))
async def history(memory_id: UUID, who: Caller, api: TheApi, as_of: AsOf = None) -> answers.HistoryTold:
    """The fact and all others of its scope, entity and attribute, in order of validity."""
    return telling.history(await api.service.history_of_fact(who, memory_id, as_of))


@router.get("/memories/{memory_id}/lineage", summary="Where a memory comes from", responses=problems(404))
async def lineage(memory_id: UUID, who: Caller, api: TheApi) -> answers.LineageTold:
    """What a memory was made from, and what was made from it."""
    return telling.lineage(await api.service.lineage(who, memory_id))


@router.post(
    "/memories/{memory_id}/explain",
    summary="Why, and why not",
    openapi_extra=takes(RecallRequest),
    responses=problems(404, 415),
)
async def explain(memory_id: UUID, request: Request, who: Caller, api: TheApi) -> answers.ExplanationTold:
    """The exact step of the read path that kept a memory in an answer, or dropped it."""
    asked = await read(request, RecallRequest)
    return answers.ExplanationTold.model_validate(await api.service.explain(who, memory_id, asked))


@router.post(
    "/history",
    summary="The lives of all facts about a thing",
    openapi_extra=takes(HistoryRequest),
    responses=problems(404, 415),
)
async def history_of(request: Request, who: Caller, api: TheApi) -> answers.HistoryTold:
    """All facts about an entity that apply in a scope, in order of validity."""
    asked = await read(request, HistoryRequest)
    return telling.history(await api.service.history_of_entity(who, asked.scope, asked.entity, asked.as_of))
