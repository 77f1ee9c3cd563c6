"""The tenant's policy: read it, change it, and see who changed it."""

from typing import Annotated

from fastapi import APIRouter, Query, Request

from models.policy_proposal import NewPolicy
from surfaces.http.answers import PolicyChangeTold, PolicyLog, PolicyTold
from surfaces.http.api import Caller, TheApi
from surfaces.http.bodies import read
from surfaces.http.document import problems, takes

router = APIRouter(tags=["policy"])

Version = Annotated[
    int | None,
    Query(ge=1, le=2**31 - 1, description="A version that was once applied; the one in force, unless given."),
]


@router.get("/policy", summary="Read the policy", responses=problems(404))
async def policy(who: Caller, api: TheApi, version: Version = None) -> PolicyTold:
    """The policy that is in force, to whoever may read anything; one of before, to administrators."""
    if version is None:
        return PolicyTold.model_validate(await api.service.policy_in_force(who))
    return PolicyTold.model_validate(await api.service.policy_of_version(who, version))


@router.post(
    "/policy",
    summary="Change the policy",
    openapi_extra=takes(NewPolicy),
    responses=problems(404, 409, 415),
)
async def apply(request: Request, who: Caller, api: TheApi) -> PolicyChangeTold:
    """Apply a policy, or see by a dry run which memories that would touch and what it takes from whom.

    Every process obeys it within a second. What is stored stays as it is.
    """
    return PolicyChangeTold.model_validate(
        await api.service.apply_policy(who, await read(request, NewPolicy))
    )


@router.get("/policy/log", summary="Who changed the policy", responses=problems())
async def log(who: Caller, api: TheApi) -> PolicyLog:
    """The latest changes, newest first, with who made them and why."""
    return PolicyLog.model_validate({"changes": await api.service.policy_log(who)})
