"""Procedures: what is in force, what each version said, how runs went, and the way back to an earlier version."""

from uuid import UUID

from fastapi import APIRouter, Request

from models.procedure_queries import ProcedureQuery
from models.procedure_runs import NewRun
from models.proposals import Rollback
from models.statements import Withdrawal
from surfaces.http import playing
from surfaces.http.answers import (
    EpisodeRetractedTold,
    ProcedurePage,
    ProcedureRead,
    ReflectionTold,
    RolledBackTold,
    RunKept,
    RunsTold,
)
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import read, read_once
from surfaces.http.document import IDEMPOTENCY_KEY, problems, takes

router = APIRouter(tags=["procedures"])


@router.post(
    "/procedures/query",
    summary="List procedures",
    openapi_extra=takes(ProcedureQuery),
    responses=problems(415),
)
async def query(request: Request, who: Caller, api: TheApi) -> ProcedurePage:
    """Procedures that the caller may read, each with what of it is in force. A page can be shorter than `limit`."""
    return playing.procedures(await api.service.playbooks.page(who, await read(request, ProcedureQuery)))


@router.get("/procedures/{procedure_id}", summary="Read a procedure", responses=problems(404))
async def one(procedure_id: UUID, who: Caller, api: TheApi) -> ProcedureRead:
    """A procedure with all its versions: what each says, who approved it and when, and the episodes behind it."""
    return playing.read(await api.service.playbooks.one(who, procedure_id))


@router.post(
    "/procedures/{procedure_id}/rollback",
    summary="Go back to an earlier version",
    openapi_extra=takes(Rollback, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def roll_back(procedure_id: UUID, request: Request, who: Caller, api: TheApi) -> RolledBackTold:
    """Have a procedure say again what it said in an earlier version, at once, as a version of its own.

    Takes the right to decide on procedures of its class. A version that was suspended takes a proposal instead.
    """
    said = await read_once(request, Rollback)
    done = await api.service.procedures.roll_back(who, procedure_id, said)
    return await playing.rolled_back(api.service, who, done)


@router.post(
    "/procedures/{procedure_id}/runs",
    status_code=201,
    summary="Report a run",
    openapi_extra=takes(NewRun, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def report(procedure_id: UUID, request: Request, who: Caller, api: TheApi) -> RunKept:
    """Say which steps were done, skipped or failed in an activity, and how it ended. The last word counts."""
    receipt = await api.service.procedure_runs.report(who, procedure_id, await read_once(request, NewRun))
    return RunKept.model_validate(receipt)


@router.get("/procedures/{procedure_id}/runs", summary="See how runs went", responses=problems(404))
async def runs(procedure_id: UUID, who: Caller, api: TheApi) -> RunsTold:
    """What was reported of runs with the version in force, and with the one on trial beside it."""
    return playing.runs(await api.service.run_reader.of(who, procedure_id))


@router.post("/reflections", summary="Look for what recurs", responses=problems())
async def reflect(who: Caller, api: TheApi) -> ReflectionTold:
    """Read what is new in experience, and propose what recurs, now. A schedule does the same now and then."""
    return ReflectionTold.model_validate(await api.service.deciding.reflect(who))


@router.post(
    "/episodes/{episode_id}/retract",
    summary="Retract an episode",
    openapi_extra=takes(Withdrawal, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def retract(episode_id: UUID, request: Request, who: Caller, api: TheApi) -> EpisodeRetractedTold:
    """What it tells is not to be relied on: nobody recalls it, and what rests on it is reviewed, or suspended."""
    said = await read_once(request, Withdrawal)
    done = await api.service.retractions.retract(who, episode_id, said)
    return EpisodeRetractedTold(
        episode_id=done.episode_id, event_id=done.receipt.event_id, duplicate=done.receipt.duplicate
    )
