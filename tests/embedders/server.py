"""A server on loopback that speaks `/embeddings` of OpenAI's protocol and answers what a test tells it to."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, TypeVar

CANARY = "zebra-7731-canary"


class Reply(NamedTuple):
    """An answer as it goes over the wire."""

    status: int
    body: str


Script = Callable[[list[str]], Reply]


def vectors(*found: Sequence[float]) -> Reply:
    """These vectors, the last one first: their places are told by their numbers alone."""
    rows = [
        {"object": "embedding", "index": place, "embedding": list(each)} for place, each in enumerate(found)
    ]
    return Reply(200, json.dumps({"object": "list", "data": rows[::-1], "model": "local"}))


class EmbeddingServer:
    """What was asked so far, with the heads of the requests; `script` is called with the texts of each."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[dict[str, Any]] = []
        self.heads: list[str] = []
        self.script: Script = lambda texts: vectors(*([1.0, 0.0, 0.0] for _ in texts))
        self._open: set[asyncio.StreamWriter] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                [length] = [
                    line.split(":")[1]
                    for line in head.lower().split("\r\n")
                    if line.startswith("content-length")
                ]
                self.heads.append(head)
                self.asked.append(json.loads(await reader.readexactly(int(length))))
                reply = self.reply(self.asked[-1])
                body = reply.body.encode()
                writer.write(
                    f"HTTP/1.1 {reply.status} X\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body
                )
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            self._open.discard(writer)
            writer.close()

    def reply(self, asked: dict[str, Any]) -> Reply:
        """What to answer to a request."""
        return self.script(asked["input"])

    async def hang_up(self) -> None:
        """Close every connection."""
        for writer in list(self._open):
            writer.close()
            await writer.wait_closed()


S = TypeVar("S", bound=EmbeddingServer)


@asynccontextmanager
async def embedding_server() -> AsyncGenerator[EmbeddingServer]:
    """A server until the context ends."""
    async with served(EmbeddingServer()) as made:
        yield made


@asynccontextmanager
async def served(made: S) -> AsyncGenerator[S]:
    """`made`, which answers on loopback until the context ends."""
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield made
    finally:
        server.close()
        await made.hang_up()
        await server.wait_closed()
