"""The application behind a real server on a free loopback port, in the loop of the tests."""

import asyncio
import select
import signal
import socket
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from urllib.parse import urlsplit

import uvicorn

from surfaces.http.api import Api
from surfaces.http.application import build
from surfaces.http.protocol import Protocol
from surfaces.http.serving import Server


class QuietServer(Server):
    """A server that leaves the signals of the test's process alone."""

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        return nullcontext()

    def end(self) -> None:
        """What SIGTERM does."""
        self.handle_exit(signal.SIGTERM, None)


@asynccontextmanager
async def live(api: Api) -> AsyncGenerator[tuple[str, QuietServer]]:
    """The address of a server over `api`, and the server, for as long as the context lasts."""
    with socket.create_server(("127.0.0.1", 0), backlog=200) as listening:
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        config = uvicorn.Config(
            build(api),
            http=Protocol,
            lifespan="on",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=5,
        )
        server = QuietServer(config, api)
        serving = asyncio.create_task(server.serve(sockets=[listening]), name="live server")
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}", server
        finally:
            server.end()
            await serving


async def exchange(url: str, sent: bytes) -> tuple[int, dict[str, str], bytes]:
    """The answer to bytes as they are: status, headers and body. No more is sent once the server answers."""
    answer = await asyncio.to_thread(_exchange, url, sent)
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(first.split()[1]), headers, body


def _exchange(url: str, sent: bytes) -> bytes:
    where = urlsplit(url)
    answer = b""
    with socket.create_connection((where.hostname, where.port), timeout=30) as connection:
        with suppress(ConnectionError):
            for at in range(0, len(sent), 65_536):
                connection.sendall(sent[at : at + 65_536])
                if select.select([connection], [], [], 0)[0]:
                    break
        with suppress(ConnectionError):
            while part := connection.recv(65_536):
                answer += part
    return answer
