"""A server on loopback that takes webhooks, and does to them what a test tells it to: also what no server should do."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple


class Received(NamedTuple):
    """A request as it came; the names of its heads are in lower case."""

    path: str
    heads: dict[str, str]
    body: bytes


class Wire(NamedTuple):
    """The connection that a request came over."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def say(self, text: str) -> None:
        self.writer.write(text.encode())
        await self.writer.drain()

    async def is_given_up(self) -> None:
        """Wait until the other side closes."""
        await self.reader.read()


Reaction = Callable[[Wire], Awaitable[None]]


def answers(status: int, body: str = "", **heads: str) -> Reaction:
    """An answer as it should be."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in heads.items()]
    head = "\r\n".join([f"HTTP/1.1 {status} X", f"content-length: {len(body)}", *lines])
    return lambda wire: wire.say(f"{head}\r\n\r\n{body}")


async def hangs(wire: Wire) -> None:
    """No answer, for as long as the other side waits."""
    await wire.is_given_up()


def breaks_off(said: str) -> Reaction:
    """These words, and the connection is closed."""

    async def react(wire: Wire) -> None:
        await wire.say(said)
        wire.writer.close()

    return react


def stalls(said: str) -> Reaction:
    """These words, and no more for as long as the other side waits."""

    async def react(wire: Wire) -> None:
        await wire.say(said)
        await wire.is_given_up()

    return react


class Receiver:
    """What came so far. `reaction` is what is done about the next request."""

    def __init__(self) -> None:
        self.port = 0
        self.received: list[Received] = []
        self.connections = 0
        self.reaction: Reaction = answers(204)
        self._open: set[asyncio.StreamWriter] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open.add(writer)
        try:
            while not writer.is_closing():
                first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().rstrip().split("\r\n")
                heads = {
                    name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)
                }
                body = await reader.readexactly(int(heads["content-length"]))
                self.received.append(Received(first.split(" ")[1], heads, body))
                await self.reaction(Wire(reader, writer))
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            return
        finally:
            self._open.discard(writer)
            writer.close()

    async def hang_up(self) -> None:
        """Close every connection."""
        for writer in list(self._open):
            writer.close()
            await asyncio.gather(writer.wait_closed(), return_exceptions=True)


@asynccontextmanager
async def receiving(tls: ssl.SSLContext | None = None) -> AsyncGenerator[Receiver]:
    """A receiver on loopback until the context ends."""
    made = Receiver()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0, ssl=tls)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        await made.hang_up()
        await server.wait_closed()
