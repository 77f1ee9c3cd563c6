"""Publishing against the bare insert of the same rows, with the same durability."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import count
from typing import Any
from uuid import UUID

from capture.accept import Receipt
from evals.bench import corpus
from evals.bench.bare_events import BareTable, Rows, bare_table, make_table
from evals.bench.line import Bar, Line, Side
from evals.bench.size import Size
from evals.bench.stage import Stage
from evals.bench.timing import Race, race, seconds
from evals.bench.wording import Wording
from models.principals import Principal

ONE_BAR = Bar(Side.AT_LEAST, 0.5)
BATCH_BAR = Bar(Side.AT_LEAST, 0.6)
BATCH = 100
CLIENTS = 8


async def lines(stage: Stage, size: Size) -> list[Line]:
    """One event at a time, in four ways, and batches."""
    await make_table(stage)
    source = _Source(await stage.tenant("bench-publish"))
    async with bare_table(stage) as table:
        plain = await _one_by_one(stage, size, source, table, key=False)
        keyed = await _one_by_one(stage, size, source, table, key=True)
        checkpoints = await _one_by_one(stage, size, source, table, key=False, type="milestone")
        batches = await _in_batches(stage, size, source, table)
        fastest = table.fastest
    crowd = await _by_many_clients(stage, size, source)
    return [
        _line("publish_one", "publish one event", plain, ONE_BAR),
        _line("publish_one_keyed", "  with an idempotency key", keyed, ONE_BAR),
        _line("publish_checkpoint", "  that wakes the dispatcher", checkpoints, None),
        _line("publish_one_of_8", f"  by {CLIENTS} clients at once", crowd, ONE_BAR),
        _line("publish_batch", f"publish {BATCH} at once", batches, BATCH_BAR, f"the floor uses {fastest}"),
    ]


def _line(key: str, title: str, measured: Race, bar: Bar | None, note: str = "") -> Line:
    return Line(
        key=key,
        title=title,
        figure=measured.throughput(),
        unit="x floor/s",
        bar=bar,
        ours=measured.ours().scaled(1_000),
        floor=measured.floor().scaled(1_000),
        parts_unit="ms",
        note=note,
    )


class _Source:
    """Events that differ, of activities of ten events each."""

    def __init__(self, agent: Principal) -> None:
        self.agent = agent
        self._wording = Wording(7)
        self._numbers = count()

    def next(self, *, key: bool = False, **fields: Any) -> dict[str, Any]:
        number = next(self._numbers)
        made = corpus.event(self._wording, number // corpus.EVENTS_OF_ACTIVITY, number % 10)
        return {**made, **fields, **({"idempotency_key": f"key-{number}"} if key else {})}


def _ids(receipts: Sequence[Receipt]) -> list[UUID]:
    return [receipt.event_id for receipt in receipts]


async def _one_by_one(
    stage: Stage, size: Size, source: _Source, table: BareTable, *, key: bool, **fields: Any
) -> Race:
    stored: Rows = []

    async def ours(_: int) -> float:
        nonlocal stored
        raw = [source.next(key=key, **fields)]
        started = time.perf_counter()
        receipts = await stage.service.publish(source.agent, raw)
        took = time.perf_counter() - started
        stored = await table.rows_of(_ids(receipts))
        return took

    async def floor(_: int) -> float:
        return await seconds(table.insert_one(stored[0]))

    return await race(ours, floor, rounds=size.rounds, each=size.singles)


async def _in_batches(stage: Stage, size: Size, source: _Source, table: BareTable) -> Race:
    stored: Rows = []

    async def ours(_: int) -> float:
        nonlocal stored
        raw = [source.next(key=True) for _ in range(BATCH)]
        started = time.perf_counter()
        receipts = await stage.service.publish(source.agent, raw)
        took = time.perf_counter() - started
        stored = await table.rows_of(_ids(receipts))
        return took

    async def floor(_: int) -> float:
        return await seconds(table.insert_many(stored))

    await ours(0)
    await table.find_fastest(stored)
    return await race(ours, floor, rounds=size.rounds, each=size.batches)


async def _by_many_clients(stage: Stage, size: Size, source: _Source) -> Race:
    """Each piece of work is that of all clients together; the seconds are for one event."""
    each = size.of_each_client
    stored: list[Rows] = [[] for _ in range(CLIENTS)]
    async with AsyncExitStack() as opening:
        tables = [await opening.enter_async_context(bare_table(stage)) for _ in range(CLIENTS)]

        async def publish_all(raw: Sequence[dict[str, Any]]) -> list[Receipt]:
            return [(await stage.service.publish(source.agent, [one]))[0] for one in raw]

        async def insert_all(table: BareTable, rows: Rows) -> None:
            for row in rows:
                await table.insert_one(row)

        async def ours(number: int) -> float:
            raw = [
                [source.next(activity_id=f"client-{client}-{number}") for _ in range(each)]
                for client in range(CLIENTS)
            ]
            started = time.perf_counter()
            receipts = await asyncio.gather(*(publish_all(mine) for mine in raw))
            took = time.perf_counter() - started
            for client, mine in enumerate(receipts):
                stored[client] = await tables[client].rows_of(_ids(mine))
            return took / (each * CLIENTS)

        async def floor(_: int) -> float:
            pairs = zip(tables, stored, strict=True)
            took = await seconds(asyncio.gather(*(insert_all(table, rows) for table, rows in pairs)))
            return took / (each * CLIENTS)

        return await race(ours, floor, rounds=size.rounds, each=min(3, size.of_each_client))
