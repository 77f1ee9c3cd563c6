"""What the HTTP server holds in memory, before and after thousands of recalls: a leak shows as growth."""

import asyncio
from collections.abc import Sequence

import httpx2
import psutil

from evals.bench.corpus import Corpus
from evals.bench.line import Bar, Line, Side
from evals.bench.recalling import usual_requests
from evals.bench.served import posted, served
from evals.bench.size import Size
from evals.bench.stage import Stage
from evals.bench.timing import Spread

BAR = Bar(Side.AT_MOST, 1.05)
CLIENTS = 8
_MEGABYTE = 1_000_000


async def lines(stage: Stage, size: Size, filled: Corpus) -> list[Line]:
    """The server's resident memory after `size.recalls_held` recalls, over that after the first tenth of them."""
    bodies = [request.model_dump(mode="json", exclude_defaults=True) for request in usual_requests(filled)]
    async with served(stage, filled.agent) as server, server.caller() as caller:
        held: list[float] = []
        for _ in range(10):
            await _recall(caller, bodies, size.recalls_held // 10)
            held.append(psutil.Process(server.pid).memory_info().rss / _MEGABYTE)
    early, late = held[0], held[-1]
    return [
        Line(
            key="memory",
            title="memory of the server, after recalls",
            figure=Spread(late / early, min(held) / early, max(held) / early),
            unit="x early",
            bar=BAR,
            ours=Spread(late, late, late),
            floor=Spread(early, early, early),
            parts_unit="MB",
            note=f"after {size.recalls_held:,} recalls, over that after the first tenth of them",
        )
    ]


async def _recall(caller: httpx2.AsyncClient, bodies: Sequence[object], times: int) -> None:
    numbers = iter(range(times))

    async def one() -> None:
        for number in numbers:
            await posted(caller, "/v1/recall", bodies[number % len(bodies)])

    await asyncio.gather(*(one() for _ in range(CLIENTS)))
