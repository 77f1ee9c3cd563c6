"""What HTTP adds: the same publish and recall over the API and by the service below it, alone and by many."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from itertools import count
from typing import Any, NamedTuple
from uuid import UUID

from evals.bench.corpus import Corpus, event
from evals.bench.line import Bar, Line, Side
from evals.bench.recalling import usual_requests
from evals.bench.served import Served, posted, served
from evals.bench.size import Size
from evals.bench.stage import Stage
from evals.bench.timing import Race, Spread, race, seconds, tail
from evals.bench.wording import Wording
from models.recall import RecallRequest

ADDED_BAR = Bar(Side.AT_MOST, 5.0)
CLIENTS = 32

Publish = Callable[[dict[str, Any]], Awaitable[UUID]]
Recall = Callable[[RecallRequest], Awaitable[object]]


class _Crowd(NamedTuple):
    """What many clients at once have seen: seconds of each call, and the ids of acknowledged events."""

    published: list[float]
    recalled: list[float]
    acknowledged: list[UUID]


class _Work:
    """Events and requests, in an order that is the same for everybody."""

    def __init__(self, filled: Corpus) -> None:
        self._requests = usual_requests(filled)
        self._wording = Wording(11)
        self._numbers = count()

    def event(self) -> dict[str, Any]:
        number = next(self._numbers)
        return {**event(self._wording, number // 10, number % 10), "activity_id": f"http-{number // 10}"}

    def request(self, number: int) -> RecallRequest:
        return self._requests[number % len(self._requests)]


async def lines(stage: Stage, size: Size, filled: Corpus) -> list[Line]:
    """One client alone, then many at once for `size.load_seconds`."""
    work = _Work(filled)

    async def publish(raw: dict[str, Any]) -> UUID:
        return (await stage.service.publish(filled.agent, [raw]))[0].event_id

    async def recall(request: RecallRequest) -> object:
        return await stage.service.recall(filled.agent, request)

    async with served(stage, filled.agent) as server:
        async with server.caller() as caller:
            publishing = await race(
                lambda _: seconds(posted(caller, "/v1/events", work.event())),
                lambda _: seconds(publish(work.event())),
                rounds=size.rounds,
                each=size.singles,
            )
            recalling = await race(
                lambda number: seconds(posted(caller, "/v1/recall", _body(work.request(number)))),
                lambda number: seconds(recall(work.request(number))),
                rounds=size.rounds,
                each=size.recalls,
            )
        below = await _crowd([(publish, recall)] * CLIENTS, work, size.load_seconds / 6)
        above = await _crowd_over_http(server, work, size.load_seconds)
    await _require_stored(stage, filled, above.acknowledged)
    note = (
        f"{len(above.published):,} publishes and {len(above.recalled):,} recalls by {CLIENTS} clients in"
        f" {size.load_seconds:g} s, no error, each acknowledged event there once"
    )
    return [
        _added("http_publish", "publish over HTTP, beyond direct, p50", publishing),
        _added("http_recall", "recall over HTTP, beyond direct, p50", recalling),
        _under_load(
            "http_load_publish", "publish by 32 clients, p95", above.published, below.published, note
        ),
        _under_load("http_load_recall", "recall by 32 clients, p95", above.recalled, below.recalled, ""),
    ]


async def _crowd_over_http(server: Served, work: _Work, lasting: float) -> _Crowd:
    async with AsyncExitStack() as opening:
        callers = [await opening.enter_async_context(server.caller()) for _ in range(CLIENTS)]

        def doing(number: int) -> tuple[Publish, Recall]:
            async def publish(raw: dict[str, Any]) -> UUID:
                return UUID((await posted(callers[number], "/v1/events", raw))["event_id"])

            async def recall(request: RecallRequest) -> object:
                return await posted(callers[number], "/v1/recall", _body(request))

            return publish, recall

        return await _crowd([doing(number) for number in range(CLIENTS)], work, lasting)


async def _crowd(clients: list[tuple[Publish, Recall]], work: _Work, lasting: float) -> _Crowd:
    """All clients at once publish and recall in turn until the time is over."""
    seen = _Crowd([], [], [])
    until = time.perf_counter() + lasting

    async def one(number: int, publish: Publish, recall: Recall) -> None:
        while time.perf_counter() < until:
            began = time.perf_counter()
            seen.acknowledged.append(await publish(work.event()))
            seen.published.append(time.perf_counter() - began)
            seen.recalled.append(await seconds(recall(work.request(number))))
            number += CLIENTS

    await asyncio.gather(*(one(number, *doing) for number, doing in enumerate(clients)))
    return seen


async def _require_stored(stage: Stage, filled: Corpus, acknowledged: list[UUID]) -> None:
    """Raise unless each acknowledged event is in the log, once."""
    async with stage.bare() as owner:
        stored = await owner.fetchval(
            "SELECT count(*) FROM events WHERE tenant_id = $1 AND id = ANY($2)",
            filled.agent.tenant_id,
            acknowledged,
        )
    if stored != len(acknowledged) or len(set(acknowledged)) != len(acknowledged):
        raise RuntimeError(f"{len(acknowledged)} events were acknowledged and {stored} are stored")


def _body(request: RecallRequest) -> dict[str, Any]:
    return request.model_dump(mode="json", exclude_defaults=True)


def _added(key: str, title: str, measured: Race) -> Line:
    return Line(
        key=key,
        title=title,
        figure=measured.difference().scaled(1_000),
        unit="ms a call",
        bar=ADDED_BAR,
        ours=measured.ours().scaled(1_000),
        floor=measured.floor().scaled(1_000),
        parts_unit="ms",
    )


def _under_load(key: str, title: str, ours: list[float], floor: list[float], note: str) -> Line:
    ratio = tail(ours) / tail(floor)
    return Line(
        key=key,
        title=title,
        figure=Spread(ratio, ratio, ratio),
        unit="x direct",
        bar=None,
        ours=_whole(tail(ours)),
        floor=_whole(tail(floor)),
        parts_unit="ms",
        note=note,
    )


def _whole(value: float) -> Spread:
    return Spread(value, value, value).scaled(1_000)
