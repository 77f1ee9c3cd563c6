"""The application behind a real uvicorn on a loopback port, and the SDK's own client of it over each transport."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx2
import uvicorn
from fastapi import FastAPI
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

BRIDGE = str(Path(sys.executable).with_name("keepwell-mcp"))
ACCEPT = {"accept": "application/json, text/event-stream"}


class _Server(uvicorn.Server):
    """Says when it listens, and leaves the signals of the test run alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(app: FastAPI, port: int = 0) -> AsyncGenerator[str]:
    """The base URL of `app`, with its lifespan, for as long as the context lasts."""
    with socket.create_server(("127.0.0.1", port)) as listening:
        config = uvicorn.Config(app, lifespan="on", log_config=None, access_log=False)
        server = _Server(config)
        task = asyncio.create_task(server.serve(sockets=[listening]))
        await asyncio.wait_for(server.listening.wait(), 30)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.handle_exit(signal.SIGTERM, None)
            await asyncio.wait_for(task, 30)


class Way(NamedTuple):
    """A transport, and the era of the protocol that the client speaks."""

    transport: str
    mode: str


WAYS = [
    Way("http", "auto"),
    Way("http", "legacy"),
    Way("stdio", "auto"),
    Way("stdio", "legacy"),
]


@asynccontextmanager
async def connected(url: str, token: str, way: Way = WAYS[0]) -> AsyncGenerator[Client]:
    """The SDK's client, with a key, over streamable HTTP or over the bridge as a process of its own."""
    if way.transport == "stdio":
        parameters = StdioServerParameters(command=BRIDGE, env=environment(url, token))
        async with Client(stdio_client(parameters), mode=way.mode, cache=None) as client:
            yield client
        return
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=30) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=way.mode, cache=None) as client,
    ):
        yield client


def environment(url: str, token: str | None) -> dict[str, str]:
    """What a host gives to the bridge that it starts."""
    given = {"KEEPWELL_URL": url, "PATH": os.environ.get("PATH", os.defpath), "NO_PROXY": "127.0.0.1"}
    return given if token is None else {**given, "KEEPWELL_API_KEY": token}
