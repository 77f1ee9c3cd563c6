"""A server on loopback that speaks OpenAI's protocol and answers what a test tells it to, one answer a call."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

HANGS = "hangs"
"""In the place of an answer: none comes."""


class Refusal(NamedTuple):
    """An answer of the server's own, and not of a model."""

    status: int
    headers: Mapping[str, str] = {}
    body: str = '{"error": {"message": "zebra-7731-canary"}}'


Answer = str | Refusal
Script = Callable[[dict[str, Any]], Answer]


class ModelServer:
    """What was asked so far, and what is answered: the `script` is called with each request's body."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[dict[str, Any]] = []
        self.script: Script = lambda _: json.dumps({"candidates": []})
        self.tells_usage = True
        self._calls: set[asyncio.Task[None]] = set()

    def answers(self, *answers: Answer) -> None:
        """Answer so from now on, one after another; the last one for ever."""
        left = list(answers)
        self.script = lambda _: left.pop(0) if len(left) > 1 else left[0]

    def shown(self, call: int = -1) -> str:
        """Everything that the model was shown in one call."""
        return "\n".join(str(message["content"]) for message in self.asked[call]["messages"])

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._calls.add(task)
        try:
            await self._serve(reader, writer)
        except (asyncio.CancelledError, ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            self._calls.discard(task)
            writer.close()

    async def end(self) -> None:
        """Let go of the calls that hang."""
        for call in list(self._calls):
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        [length] = [line.split(":")[1] for line in head.split("\r\n") if line.startswith("content-length")]
        asked = json.loads(await reader.readexactly(int(length)))
        self.asked.append(asked)
        answer = self.script(asked)
        if answer == HANGS:
            await asyncio.Event().wait()
        refusal = answer if isinstance(answer, Refusal) else Refusal(200, {}, self._completion(str(answer)))
        body = refusal.body.encode()
        headers = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            "connection": "close",
            **refusal.headers,
        }
        lines = [f"HTTP/1.1 {refusal.status} X", *(f"{name}: {value}" for name, value in headers.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await writer.drain()

    def _completion(self, content: str) -> str:
        message = {"role": "assistant", "content": content}
        completion: dict[str, Any] = {
            "id": "completion-1",
            "object": "chat.completion",
            "created": 1,
            "model": "local",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        }
        if self.tells_usage:
            completion["usage"] = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        return json.dumps(completion)


@asynccontextmanager
async def model_server() -> AsyncGenerator[ModelServer]:
    """A server until the context ends."""
    made = ModelServer()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield made
    finally:
        server.close()
        await made.end()
        await server.wait_closed()


def candidates(*found: Mapping[str, Any]) -> str:
    """An answer with these candidates; what is not given of one is filled in."""
    filled = {
        "event": 1,
        "kind": "statement",
        "attribute": "lifecycle_policy",
        "mention": None,
        "value": None,
        "ends_when": None,
        "hedged": False,
    }
    return json.dumps({"candidates": [{**filled, **each} for each in found]})


def narrative(told: str) -> str:
    """An answer with this narrative."""
    return json.dumps({"narrative": told})
