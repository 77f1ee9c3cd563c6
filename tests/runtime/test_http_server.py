"""The HTTP server seen from outside: which port it gets, how it is called, and what it says of its state."""

import asyncio
import json
import os
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import keepwell.client
import pytest

from models.errors import KeepwellError, Unavailable
from runtime.embedded.errors import PortTaken
from runtime.embedded.processes import free_port
from runtime.http_server import DEFAULT_URL, choose_port, is_alive, listens, require_ready, url_of
from runtime.settings import DEFAULT_HTTP_PORT

DRAWN = 50_123
BEFORE = 43_210


@pytest.mark.parametrize(
    ("configured", "remembered", "free", "chosen"),
    [
        (9_000, None, {9_000, DEFAULT_HTTP_PORT}, 9_000),
        (9_000, BEFORE, {9_000, BEFORE}, 9_000),
        (None, None, {9_000, DEFAULT_HTTP_PORT}, DEFAULT_HTTP_PORT),
        (None, None, {9_000}, DRAWN),
        (None, BEFORE, {BEFORE, DEFAULT_HTTP_PORT}, BEFORE),
        (None, BEFORE, {DEFAULT_HTTP_PORT}, DEFAULT_HTTP_PORT),
        (None, BEFORE, {9_000}, DRAWN),
        (None, DEFAULT_HTTP_PORT, {9_000}, DRAWN),
    ],
)
def test_the_port_is_the_configured_one_else_that_of_before_else_the_default_else_a_free_one(
    configured: int | None, remembered: int | None, free: set[int], chosen: int
) -> None:
    assert choose_port(configured, remembered, free.__contains__, lambda: DRAWN) == chosen


def test_a_configured_port_is_never_replaced() -> None:
    with pytest.raises(PortTaken, match=r"port 9000 \(setting KEEPWELL_HTTP_PORT\) is taken"):
        choose_port(9_000, BEFORE, {BEFORE, DEFAULT_HTTP_PORT}.__contains__, lambda: DRAWN)


def test_clients_look_at_the_default_port() -> None:
    assert url_of("127.0.0.1", DEFAULT_HTTP_PORT) == DEFAULT_URL == keepwell.client.DEFAULT_URL


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:7420"),
        ("0.0.0.0", "http://127.0.0.1:7420"),
        ("memory.example.org", "http://memory.example.org:7420"),
        ("::", "http://[::1]:7420"),
        ("fd00::7", "http://[fd00::7]:7420"),
    ],
)
def test_a_server_is_asked_where_it_listens(host: str, url: str) -> None:
    assert url_of(host, 7420) == url


def test_a_port_belongs_to_the_process_that_listens_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        assert listens(os.getpid(), port)
        assert not listens(os.getppid(), port)
    assert not listens(os.getpid(), port)


# --- what it says of its state ---------------------------------------------------------------------------


@asynccontextmanager
async def answering(status: int, body: str) -> AsyncGenerator[str]:
    """The URL of a server that answers everything in this way."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status} X\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield url_of("127.0.0.1", server.sockets[0].getsockname()[1])


def lack(name: str, *, required: bool) -> dict[str, Any]:
    return {"name": name, "detail": f"{name} is away", "required": required}


async def test_a_ready_server_is_well_and_one_that_lacks_something_says_what() -> None:
    async with answering(200, "{}") as url:
        await require_ready(url)
        assert await is_alive(url)
    lacks = [lack("postgres", required=True), lack("worker", required=False), lack("process", required=True)]
    async with answering(503, json.dumps({"ready": False, "missing": lacks})) as url:
        assert not await is_alive(url)
        with pytest.raises(Unavailable) as unready:
            await require_ready(url)
    told = f"answers at {url} and takes no calls; postgres: postgres is away; process: process is away"
    assert str(unready.value) == told


async def test_a_server_that_is_away_is_said_to_be_with_what_to_do() -> None:
    url = url_of("127.0.0.1", free_port())
    assert not await is_alive(url)
    with pytest.raises(Unavailable, match=f"none answers at {url}; .* python -m surfaces.http"):
        await require_ready(url)


@pytest.mark.parametrize("body", ["<html>", "[]", '{"missing": 1}', '{"missing": [{}]}', "{}"])
async def test_somebody_else_is_not_taken_for_the_server(body: str) -> None:
    async with answering(404, body) as url:
        with pytest.raises(KeepwellError, match=f"something else than Keepwell answers at {url}"):
            await require_ready(url)
