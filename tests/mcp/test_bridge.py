"""`keepwell-mcp` as a process of its own: what it says when it cannot work, and that it lives on when it can."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from keepwell.mcp_pump import AgreedVersion, Asked
from mcp import MCPError
from mcp_types import ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from surfaces.http.api import Api
from surfaces.http.application import build
from tests.http.conftest import Asking
from tests.mcp.serving import BRIDGE, WAYS, Way, connected, environment, serving
from tests.mcp.test_story import IN_PLAY, restricted, told

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}
WITHOUT_THE_SDK = "import sys; sys.modules['mcp'] = None; from keepwell.mcp_bridge import main; main()"


@asynccontextmanager
async def bridge(*command: str, **environ: str) -> AsyncGenerator[asyncio.subprocess.Process]:
    """A bridge with pipes, which is gone in the end."""
    process = await asyncio.create_subprocess_exec(
        *(command or (BRIDGE,)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environ,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def ended(process: asyncio.subprocess.Process, given: bytes = b"") -> tuple[int | None, str, str]:
    """The exit code and what was written, once the input has ended."""
    out, err = await asyncio.wait_for(process.communicate(given), 60)
    return process.returncode, out.decode(), err.decode()


def nowhere() -> str:
    """An address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


@pytest.mark.parametrize(
    ("command", "environ", "line"),
    [
        ((sys.executable, "-c", WITHOUT_THE_SDK), environment("x", "x"), "pip install 'keepwell[mcp]'"),
        ((), environment(nowhere(), None), "set KEEPWELL_API_KEY"),
        ((), environment(nowhere(), "kw_x"), "no answer from http://127.0.0.1:"),
        ((), environment("nonsense", "kw_x"), "set KEEPWELL_URL"),
    ],
    ids=["no SDK", "no key", "nobody there", "no address"],
)
async def test_what_keeps_it_from_working_is_one_line(
    command: tuple[str, ...], environ: dict[str, str], line: str
) -> None:
    async with bridge(*command, **environ) as process:
        code, out, err = await ended(process)
    assert (code, out) == (1, "")
    assert err.startswith("keepwell-mcp: ")
    assert err.count("\n") == 1
    assert line in err


async def test_a_refused_key_is_one_line_that_does_not_show_it(url: str) -> None:
    key = f"kw_nobody_{'0' * 32}_{'5' * 64}"
    async with bridge(**environment(url, key)) as process:
        code, out, err = await ended(process)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "unauthenticated" in err
    assert "5" * 64 not in err


async def test_it_ends_when_its_input_ends(asking: Asking, url: str) -> None:
    async with bridge(**environment(url, await asking.token_of(asking.world.agent))) as process:
        assert await ended(process) == (0, "", "")


async def test_what_was_asked_is_answered_before_it_ends(asking: Asking, url: str) -> None:
    """A host that writes and closes gets its answers, and standard output carries nothing but the protocol."""
    lines = b"\n".join([b"nonsense", json.dumps(HELLO).encode(), b""])
    async with bridge(**environment(url, await asking.token_of(asking.world.agent))) as process:
        code, out, err = await ended(process, lines)
    assert (code, err) == (0, "")
    unread, hello = sorted(map(json.loads, out.splitlines()), key=lambda answer: answer["id"] or 0)
    assert (unread["id"], unread["error"]["code"]) == (None, -32700)
    assert (hello["id"], hello["result"]["protocolVersion"]) == (1, "2025-06-18")
    assert hello["result"]["serverInfo"]["name"] == "keepwell"


async def test_it_ends_as_soon_as_all_is_answered(asking: Asking, url: str) -> None:
    """The first id of the common SDKs is 0; it is waited for as any other, and no longer."""
    async with bridge(**environment(url, await asking.token_of(asking.world.agent))) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(HELLO | {"id": 0}).encode() + b"\n")
        async with asyncio.timeout(60):
            assert json.loads(await process.stdout.readline())["id"] == 0
        began = asyncio.get_running_loop().time()
        assert await ended(process) == (0, "", "")
        assert asyncio.get_running_loop().time() - began < 4


def test_what_is_waited_for() -> None:
    asked = Asked()
    for number in (0, 1, "1", "two", 3):
        asked.sent(JSONRPCRequest(jsonrpc="2.0", id=number, method="tools/list"))
    asked.sent(JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized"))
    assert asked.waiting == {0, 1, "1", "two", 3}
    asked.answered(JSONRPCResponse(jsonrpc="2.0", id=0, result={}))
    asked.answered(JSONRPCError(jsonrpc="2.0", id="two", error=ErrorData(code=1, message="no")))
    asked.answered(JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=1, message="no")))
    for params in (None, {}, {"requestId": [1]}, {"requestId": "1"}, {"requestId": 9}):
        asked.sent(JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params))
    assert asked.waiting == {1, 3}


@pytest.mark.parametrize("way", WAYS[2:], ids="-".join)
async def test_a_service_that_goes_and_comes_back(asking: Asking, api: Api, way: Way) -> None:
    """While nobody answers a call fails and says so; the session goes on with whichever server there is next."""
    await restricted(asking)
    token = await asking.token_of(asking.world.agent)
    async with AsyncExitStack() as stack:
        async with serving(build(api)) as address:
            client = await stack.enter_async_context(connected(address, token, way))
        with pytest.raises(MCPError, match="no answer from the service"):
            await client.call_tool("recall", IN_PLAY)
        async with serving(build(api), int(address.rpartition(":")[2])):
            assert len((await told(client, "recall", IN_PLAY))[1]["facts"]) == 1


async def test_a_key_that_is_revoked_on_the_way_is_told(asking: Asking, url: str) -> None:
    new = {"name": "short-lived", "subject": "ops-agent", "kind": "agent", "roles": ["agent"]}
    made = await asking.post(asking.admin, "/v1/keys", new)
    async with connected(url, made["token"], WAYS[3]) as client:
        await told(client, "recall", IN_PLAY)
        await asking.ask(asking.admin, "DELETE", f"/v1/keys/{made['key']['id']}")
        with pytest.raises(MCPError, match="unauthenticated: "):
            await client.call_tool("recall", IN_PLAY)


def request(method: str, **params: Any) -> JSONRPCRequest:
    return JSONRPCRequest(jsonrpc="2.0", id=1, method=method, params=params)


def test_headers_say_what_a_message_says_of_itself() -> None:
    agreed = AgreedVersion()
    assert agreed.headers_beside(request("initialize")) == {}
    agreed.learn(JSONRPCResponse(jsonrpc="2.0", id=1, result={"protocolVersion": "2025-06-18"}))
    assert agreed.headers_beside(request("tools/list")) == {"mcp-protocol-version": "2025-06-18"}
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    assert agreed.headers_beside(request("tools/call", name="zurück", _meta=meta)) == {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "=?base64?enVyw7xjaw==?=",
    }
    assert agreed.headers_beside(request("tools/list", _meta=[])) == {"mcp-protocol-version": "2025-06-18"}
