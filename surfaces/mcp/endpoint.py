"""The endpoint `/mcp`: who is calling is settled before the protocol is read, and each call stands by itself.

It speaks streamable HTTP without sessions: any process may answer any call, and one that is killed takes nothing
with it. Each answer is one JSON document, so that there is nothing to open with GET and nothing to end with DELETE.

It answers under any host name, as only the operator knows which one a proxy gives it. A page that rebinds a name
to this machine gains nothing by that: it has no credential, and pages of other machines are refused by their origin.
"""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from models.errors import NotPermitted, Unauthenticated, Unavailable
from surfaces.http.api import Api, caller
from surfaces.http.limits import MAX_BODY_BYTES
from surfaces.http.problems import problem
from surfaces.mcp.failures import sdk_without_content
from surfaces.mcp.server import MemoryServer

PATH = "/mcp"
METADATA_PATH = f"/.well-known/oauth-protected-resource{PATH}"

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_PLAIN_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d+)?|\[[0-9A-Fa-f:.]+\](:\d+)?")


class McpEndpoint:
    """The endpoint over the HTTP application's `Api`. `issuer` is that of OIDC tokens, None without a provider.

    It may be called for as long as `lifespan` lasts; before and after it answers 503.
    """

    def __init__(self, api: Api, issuer: str | None = None) -> None:
        self._api = api
        self._issuer = issuer
        self._server = MemoryServer(api.service).protocol()
        self._route = Route(PATH, self, methods=["POST"])
        self._sessions: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def lifespan(self, _: object) -> AsyncGenerator[None]:
        """Take calls. The SDK's sessions are good for one lifespan, so that each has its own."""
        sessions = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES
        )
        with sdk_without_content():
            async with sessions.run():
                self._sessions = sessions
                try:
                    yield
                finally:
                    self._sessions = None

    def routes(self) -> Sequence[Route]:
        """The routes of the endpoint: itself, and where its tokens come from."""
        if self._issuer is None:
            return [self._route]
        return [self._route, Route(METADATA_PATH, self._metadata, methods=["GET"])]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One call. The principal goes into its own scope, where the tools find it."""
        request = Request(scope)
        # The framework notes only routes of its own kind, and the log of requests reads it there.
        scope["route"] = self._route
        _refuse_pages(request)
        try:
            principal = await caller(request, None, self._api)
        except Unauthenticated as refused:
            await self._challenge(request, refused)(scope, receive, send)
            return
        if self._sessions is None:
            raise Unavailable("this process does not take calls yet, or no longer; try again")
        request.state.principal = principal.as_model()
        await self._sessions.handle_request(scope, receive, send)

    def _challenge(self, request: Request, refused: Unauthenticated) -> Response:
        """401, and for tokens of a provider where to read which one (RFC 9728)."""
        answer = problem(request.state.request_id, refused)
        if self._issuer is not None and (origin := _origin(request)) is not None:
            answer.headers["WWW-Authenticate"] = f'Bearer resource_metadata="{origin}{METADATA_PATH}"'
        return answer

    async def _metadata(self, request: Request) -> Response:
        return JSONResponse(
            {
                "resource": f"{_origin(request) or ''}{PATH}",
                "resource_name": "Keepwell",
                "authorization_servers": [self._issuer],
                "bearer_methods_supported": ["header"],
            }
        )


def _refuse_pages(request: Request) -> None:
    """Refuse web pages that do not come from this machine: only a browser tells an origin."""
    for origin in request.headers.getlist("origin"):
        try:
            host = urlsplit(origin).hostname
        except ValueError:
            host = None
        if host not in _LOOPBACK:
            raise NotPermitted("web pages of other machines may not call this; call it from a program")


def _origin(request: Request) -> str | None:
    """Scheme and host as the caller sees them, None where the host is none."""
    host = request.headers.get("host", "")
    return f"{request.url.scheme}://{host}" if _PLAIN_HOST.fullmatch(host) else None
