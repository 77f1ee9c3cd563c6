"""Calls as they go over the wire, for what no well-behaved client would send."""

import json
from typing import Any

import httpx2

from tests.mcp.serving import ACCEPT

MODERN = "2026-07-28"
ERAS = ["modern", "legacy"]


def message(era: str, method: str, params: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """A request of an era as JSON in ASCII, and the headers beside it."""
    if era == "legacy":
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), {}
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    headers = {"mcp-protocol-version": MODERN, "mcp-method": method}
    name = params.get("name") or params.get("uri")
    if isinstance(name, str) and name.isascii():
        headers["mcp-name"] = name
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    return json.dumps(body), headers


async def post(
    url: str, token: str | None, content: str | bytes, headers: dict[str, str] | None = None
) -> httpx2.Response:
    """One POST, with a token or without one."""
    own = {"content-type": "application/json", **ACCEPT, **(headers or {})}
    if token is not None:
        own["authorization"] = f"Bearer {token}"
    async with httpx2.AsyncClient(trust_env=False, timeout=30) as caller:
        return await caller.post(f"{url}/mcp", content=content, headers=own)


async def call(url: str, token: str | None, era: str, tool: str, **arguments: Any) -> httpx2.Response:
    """One call of a tool."""
    content, headers = message(era, "tools/call", {"name": tool, "arguments": arguments})
    return await post(url, token, content, headers)
