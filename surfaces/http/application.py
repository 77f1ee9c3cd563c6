"""The application: routes, limits and problems put together. Wiring only."""

from fastapi import APIRouter, Depends, FastAPI
from starlette.types import Lifespan

from surfaces.http.api import Api, refuse_unknown_parameters
from surfaces.http.document import document_of
from surfaces.http.problems import Requests, install
from surfaces.http.routes import (
    endpoints,
    erasures,
    events,
    health,
    inbox,
    intentions,
    keys,
    me,
    memories,
    policy,
    procedures,
    proposals,
    recall,
    reviews,
    stream,
    traces,
)
from surfaces.mcp.endpoint import McpEndpoint

DESCRIPTION = """
Durable memory for AI agents: what may outlive a run, on whose authority, where it applies, and what ends it.

Every call but `/healthz` and `/readyz` takes `Authorization: Bearer …`, which says who is calling; nothing in a
body does. Errors are problems (RFC 9457) with a stable `code`. Instants are ISO 8601 with an offset.
"""


def build(api: Api, issuer: str | None = None) -> FastAPI:
    """The application over a service. `issuer` is that of OIDC tokens; `/mcp` takes calls within its lifespan."""
    mcp = McpEndpoint(api, issuer)
    app = described(mcp.lifespan)
    app.state.api = api
    app.router.routes.extend(mcp.routes())
    return app


def described(lifespan: Lifespan[FastAPI] | None = None) -> FastAPI:
    """The application with nothing behind it, as its document needs no service."""
    app = FastAPI(
        title="Keepwell",
        version=health.VERSION,
        description=DESCRIPTION.strip(),
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    install(app)
    app.add_middleware(Requests)
    versioned = APIRouter(prefix="/v1", dependencies=[Depends(refuse_unknown_parameters)])
    for room in (
        events,
        recall,
        traces,
        memories,
        reviews,
        intentions,
        inbox,
        procedures,
        proposals,
        erasures,
        me,
        stream,
        keys,
        endpoints,
        policy,
    ):
        versioned.include_router(room.router)
    app.include_router(health.router)
    app.include_router(versioned)
    app.openapi = lambda: document_of(app)
    return app
