"""Proposals for procedures: made, seen, revised, taken back, and decided on by reviewers."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from models.procedure_queries import ProposalQuery
from models.proposals import NewDecision, NewProposal, Retreat, Revision
from surfaces.http import playing
from surfaces.http.answers import DecisionCounted, ProposalChanged, ProposalPage, ProposalRead
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import read, read_once
from surfaces.http.document import IDEMPOTENCY_KEY, problems, takes

router = APIRouter(tags=["procedures"])


@router.post(
    "/proposals",
    status_code=201,
    summary="Propose a procedure",
    openapi_extra=takes(NewProposal, IDEMPOTENCY_KEY),
    responses=problems(409, 415),
)
async def propose(request: Request, who: Caller, api: TheApi) -> ProposalChanged:
    """A new procedure, or other content for one. It waits for a reviewer, who is not the one who proposes it."""
    new = await read_once(request, NewProposal)
    return await playing.changed_by(api.service, who, await api.service.procedures.propose(who, new))


@router.post(
    "/proposals/query",
    summary="List proposals",
    openapi_extra=takes(ProposalQuery),
    responses=problems(415),
)
async def query(request: Request, who: Caller, api: TheApi) -> ProposalPage:
    """Proposals that wait for somebody, or in other states, the oldest first. A page can be shorter than `limit`."""
    return playing.proposals(await api.service.playbooks.proposals(who, await read(request, ProposalQuery)))


@router.get("/proposals/{proposal_id}", summary="Read a proposal", responses=problems(404))
async def one(proposal_id: UUID, who: Caller, api: TheApi) -> ProposalRead:
    """What a proposal changes of the version in force, with the evidence for and against beside each change."""
    return playing.read_proposal(await api.service.playbooks.proposal(who, proposal_id))


@router.post(
    "/proposals/{proposal_id}/revise",
    summary="Revise a proposal",
    openapi_extra=takes(Revision, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def revise(proposal_id: UUID, request: Request, who: Caller, api: TheApi) -> ProposalChanged:
    """Give it other content. Whoever revises is a drafter too."""
    said = await read_once(request, Revision)
    done = await api.service.procedures.revise(who, proposal_id, said)
    return await playing.changed_by(api.service, who, done)


@router.post(
    "/proposals/{proposal_id}/withdraw",
    summary="Take a proposal back",
    openapi_extra=takes(Retreat, IDEMPOTENCY_KEY),
    responses=problems(404, 409, 415),
)
async def withdraw(proposal_id: UUID, request: Request, who: Caller, api: TheApi) -> ProposalChanged:
    """By one of its drafters. Anybody else who is against it is a reviewer, and rejects it."""
    said = await read_once(request, Retreat)
    done = await api.service.procedures.withdraw(who, proposal_id, said)
    return await playing.changed_by(api.service, who, done)


@router.post(
    "/proposals/{proposal_id}/decisions",
    summary="Decide on a proposal",
    openapi_extra=takes(NewDecision, IDEMPOTENCY_KEY),
    responses={
        202: {"model": DecisionCounted, "description": "Stored, and not counted yet; it will be."},
        **problems(404, 409, 415),
    },
)
async def decide(
    proposal_id: UUID, request: Request, response: Response, who: Caller, api: TheApi
) -> DecisionCounted:
    """Approve the revision that was seen, as it is or as edited, try it, ask for changes, or reject it with a reason.

    Of several decisions one counts. A decision on an older revision, and one's own draft, are refused.
    """
    counted = await api.service.deciding.decide(who, proposal_id, await read_once(request, NewDecision))
    if counted.outcome is None:
        response.status_code = 202
    return await playing.decided(api.service, who, counted)
