"""MCP messages between a host on stdin and stdout and the service's `/mcp`, passed on as they are.

It takes the MCP SDK, of the extra `keepwell[mcp]`, and its transports: what is done here is to write beside each
message the headers that HTTP takes, and to tell a host of a failure of HTTP in words of the protocol.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from keepwell.version import __version__

_TIMEOUT = httpx2.Timeout(30.0, read=120.0)
_LAST_ANSWERS_SECONDS = 5.0
"""How long answers may still come once the input has ended."""


async def pump(url: str, api_key: str) -> None:
    """Pass messages on in both directions until the input has ended and what was asked is answered."""
    headers = {"Authorization": f"Bearer {api_key}", "User-Agent": f"keepwell-mcp/{__version__}"}
    agreed = AgreedVersion()
    asked = Asked()
    input_ended = False
    async with (
        _Answering(headers=headers, timeout=_TIMEOUT) as http,
        streamable_http_client(url, http_client=http) as (from_service, to_service),
        stdio_server() as (from_host, to_host),
        to_host,
        anyio.create_task_group() as tasks,
    ):

        async def answers() -> None:
            async for arrived in from_service:
                if not isinstance(arrived, SessionMessage):
                    continue
                await to_host.send(arrived)
                agreed.learn(arrived.message)
                asked.answered(arrived.message)
                if input_ended and not asked.waiting:
                    tasks.cancel_scope.cancel()

        tasks.start_soon(answers)
        async for arrived in from_host:
            if not isinstance(arrived, SessionMessage):
                unread = ErrorData(code=PARSE_ERROR, message="not a JSON-RPC message")
                await to_host.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=unread)))
                continue
            asked.sent(arrived.message)
            metadata = ClientMessageMetadata(headers=agreed.headers_beside(arrived.message))
            await to_service.send(SessionMessage(arrived.message, metadata))
        input_ended = True
        if asked.waiting:
            await anyio.sleep(_LAST_ANSWERS_SECONDS)
        tasks.cancel_scope.cancel()


class Asked:
    """What the host has asked and still waits for: `waiting` holds the ids, of which 0 is one as good as any."""

    def __init__(self) -> None:
        self.waiting: set[str | int] = set()

    def sent(self, message: JSONRPCMessage) -> None:
        """Note a message of the host: a request, or that it waits for one no longer."""
        if isinstance(message, JSONRPCRequest):
            self.waiting.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            cancelled = _mapping(message.params).get("requestId")
            if isinstance(cancelled, str | int):
                self.waiting.discard(cancelled)

    def answered(self, message: JSONRPCMessage) -> None:
        """Note a message of the service."""
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self.waiting.discard(message.id)


class AgreedVersion:
    """The version of the protocol, which HTTP takes beside each message: its own, or what was agreed at the start."""

    def __init__(self) -> None:
        self._agreed: str | None = None

    def learn(self, message: JSONRPCMessage) -> None:
        """Note what an answer to `initialize` names."""
        version = message.result.get("protocolVersion") if isinstance(message, JSONRPCResponse) else None
        if isinstance(version, str):
            self._agreed = version

    def headers_beside(self, message: JSONRPCMessage) -> dict[str, str]:
        """The headers for a message of the host."""
        method: str | None = getattr(message, "method", None)
        params = cast("Mapping[str, Any]", getattr(message, "params", None) or {})
        version = _mapping(params.get("_meta")).get(PROTOCOL_VERSION_META_KEY)
        if method is None or not isinstance(version, str):
            return {} if self._agreed is None else {MCP_PROTOCOL_VERSION_HEADER: self._agreed}
        headers = {MCP_PROTOCOL_VERSION_HEADER: version, MCP_METHOD_HEADER: method}
        name = params.get(NAME_BEARING_METHODS.get(method, ""))
        if isinstance(name, str):
            headers[MCP_NAME_HEADER] = encode_header_value(name)
        return headers


class _Answering(httpx2.AsyncClient):
    """HTTP in which whatever goes wrong is an answer of the protocol: the host learns it, and the bridge lives on."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send as ever; a lost connection and a problem of the service become errors of JSON-RPC."""
        try:
            response = await super().send(request, **options)
            if not response.headers.get("content-type", "").startswith("application/problem+json"):
                return response
            await response.aread()
            await response.aclose()
        except httpx2.RequestError as lost:
            return _failed(request, 503, f"no answer from the service ({type(lost).__name__}); try again")
        return _failed(request, response.status_code, _told(response))


def _told(response: httpx2.Response) -> str:
    problem: Mapping[str, Any] = {}
    with suppress(ValueError):
        problem = _mapping(response.json())
    code, detail = problem.get("code", response.status_code), problem.get("detail", "the service refused it")
    return f"{code}: {detail}"


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _failed(request: httpx2.Request, status: int, message: str) -> httpx2.Response:
    error = {"code": INTERNAL_ERROR, "message": message}
    return httpx2.Response(status, json={"jsonrpc": "2.0", "id": None, "error": error}, request=request)
