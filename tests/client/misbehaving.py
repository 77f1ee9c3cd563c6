"""An HTTP server of a test's own: it answers what it is told to, late, wrongly, or not at all.

It speaks HTTP over a real socket, so that the client meets what a network does.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from keepwell import BufferLimits, Keepwell, Retry

KEY = "kw_acme_" + "a" * 32 + "_" + "5ec2e7" * 10 + "dead"
QUICK = Retry(attempts=5, deadline=20.0, first_pause=0.001, longest_pause=0.01)
NO_LINGER = BufferLimits(linger=0.0, closing=5.0)


class Sent(NamedTuple):
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


@dataclass(frozen=True)
class Reply:
    """What to answer. It is sent once `after` is set; with `cut` the connection ends in place of an answer.

    A `stream` is sent piece by piece; after the last one the connection ends.
    """

    status: int = 200
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)
    after: asyncio.Event | None = None
    cut: bool = False
    stream: "asyncio.Queue[bytes | None] | None" = None


CUT = Reply(cut=True)
HTML = b"<html><body>It works!</body></html>"


def html(status: int, **headers: str) -> Reply:
    """A page of something that stands between."""
    return Reply(status, HTML, {"content-type": "text/html", **headers})


def problem(
    status: int,
    code: str,
    *,
    retryable: bool = False,
    field: str | None = None,
    position: int | None = None,
    retry_after: str | None = None,
) -> Reply:
    """An error as the service tells it."""
    told = {
        "type": f"urn:keepwell:problem:{code}",
        "title": code,
        "status": status,
        "detail": "change it and send it again",
        "code": code,
        "retryable": retryable,
        "request_id": "request-1",
        "field": field,
        "position": position,
    }
    headers = {"content-type": "application/problem+json"}
    if retry_after is not None:
        headers["retry-after"] = retry_after
    return Reply(status, told, headers)


UNAVAILABLE = problem(503, "unavailable", retryable=True)


class Server:
    """Answers with what is in `script`, in order, and from then on with what `usual` says."""

    def __init__(self) -> None:
        self.script: deque[Reply] = deque()
        self.usual: Callable[[Sent], Reply] = lambda _: UNAVAILABLE
        self.sent: list[Sent] = []
        self.arrived = asyncio.Condition()
        self.port = 0
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[Any]] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Listen, at the port of before where there was one."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Be away, connections included."""
        assert self._server is not None
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()

    async def requests(self, number: int) -> list[Sent]:
        """The requests so far, once there are as many as that."""
        async with self.arrived:
            await self.arrived.wait_for(lambda: len(self.sent) >= number)
        return self.sent

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)
        }
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        sent = Sent(method, path, headers, raw)
        reply = self.script.popleft() if self.script else self.usual(sent)
        async with self.arrived:
            self.sent.append(sent)
            self.arrived.notify_all()
        if reply.after is not None:
            await reply.after.wait()
        if reply.cut:
            return False
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        if reply.status == 204:
            body = b""
        told = {"content-type": "application/json", **reply.headers}
        told |= {"connection": "close"} if reply.stream else {"content-length": str(len(body))}
        lines = [f"HTTP/1.1 {reply.status} Said", *(f"{name}: {value}" for name, value in told.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        if reply.stream is None:
            writer.write(body)
            await writer.drain()
            return True
        while (piece := await reply.stream.get()) is not None:
            writer.write(piece)
            await writer.drain()
        return False


@asynccontextmanager
async def listening() -> AsyncGenerator[Server]:
    """A server for the time of a test."""
    server = Server()
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


def client_of(
    server: Server, *, retry: Retry = QUICK, buffer: BufferLimits = NO_LINGER, timeout: float = 10.0
) -> Keepwell:
    """A client of that server, in a hurry."""
    return Keepwell(KEY, server.url, retry=retry, buffer=buffer, timeout=timeout)
