"""Whether the process lives, and whether it can take calls. Nobody has to say who they are."""

from importlib.metadata import version

from fastapi import APIRouter, Response

from surfaces.http.answers import Health, Lack, Readiness
from surfaces.http.api import TheApi

router = APIRouter(tags=["health"])
VERSION = version("keepwell-server")


@router.get("/healthz", summary="Is the process alive")
async def healthz() -> Health:
    """The process answers."""
    return Health(version=VERSION)


@router.get(
    "/readyz",
    summary="Can the service take calls",
    responses={503: {"model": Readiness, "description": "It cannot; `missing` says why."}},
)
async def readyz(response: Response, api: TheApi) -> Readiness:
    """Whether everything that calls need is there, and what is not."""
    missing = [Lack(**lack._asdict()) for lack in await api.readiness.missing()]
    if api.draining.is_set():
        detail = "it is about to end; call another one"
        missing.append(Lack(name="process", detail=detail, required=True))
    ready = not any(lack.required for lack in missing)
    if not ready:
        response.status_code = 503
    return Readiness(ready=ready, missing=missing)
