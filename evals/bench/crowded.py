"""Recall among many tenants, and in the largest: a million records in all, each with a vector.

Two stages stand side by side, one with two tenants and one with all of them, so that the same recall can be made on
both in turn and nothing else the machine does tells them apart.
"""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from uuid import uuid4

from evals.bench.corpus import Corpus, fill
from evals.bench.line import Bar, Line, Side
from evals.bench.recalling import (
    P50_BAR,
    P95_BAR,
    against_bare_sql,
    ask,
    recall_line,
    usual_requests,
    worst_requests,
)
from evals.bench.size import Size
from evals.bench.stage import Stage, opened_stage
from evals.bench.timing import Race, middle, race, seconds, tail
from evals.bench.vectors import SyntheticEmbedder, give_vectors
from evals.crowd import gather
from runtime.embedding import own_space

GROWTH_BAR = Bar(Side.AT_MOST, 1.3)
WORST_BAR = Bar(Side.AT_MOST, 3.0)


async def lines(size: Size) -> list[Line]:
    """A tenant of the usual size among two and among all, and the largest of them."""
    embedder = SyntheticEmbedder()
    async with AsyncExitStack() as opening:
        few, many = [await opening.enter_async_context(opened_stage(embedder)) for _ in range(2)]
        for stage in (few, many):
            await own_space(stage.database, embedder)
        usual = [await _tenant(stage, "bench-usual", size.records_of_usual) for stage in (few, many)]
        largest = await _tenant(many, "bench-largest", size.records_of_largest, workspaces=1)
        await _copied(few, usual[0], 1)
        await _copied(many, usual[1], size.tenants - 2)
        return [
            _grown(await _in_turn(few, many, usual, size), size, usual[0].records, largest.records),
            *await _against_floors(many, size, usual[1], largest),
        ]


async def _tenant(stage: Stage, name: str, records: int, **shape: int) -> Corpus:
    filled = await fill(stage, await stage.tenant(name), records, seed=1, **shape)
    await give_vectors(stage, filled.agent, SyntheticEmbedder())
    return filled


async def _copied(stage: Stage, filled: Corpus, times: int) -> None:
    async with stage.bare() as owner:
        await gather(
            owner, filled.agent.tenant_id, [(uuid4(), f"bench-copy-{number}") for number in range(times)]
        )


async def _in_turn(few: Stage, many: Stage, usual: Sequence[Corpus], size: Size) -> Race:
    requests = usual_requests(usual[0])

    async def among(stage: Stage, filled: Corpus, number: int) -> float:
        return await seconds(stage.service.recall(filled.agent, requests[number % len(requests)]))

    for number in range(len(requests)):
        await among(few, usual[0], number)
        await among(many, usual[1], number)
    return await race(
        lambda number: among(many, usual[1], number),
        lambda number: among(few, usual[0], number),
        rounds=size.rounds,
        each=size.recalls,
    )


def _grown(measured: Race, size: Size, each: int, largest: int) -> Line:
    title = f"recall, p95, among {size.tenants:,} tenants"
    note = f"{(size.tenants - 1) * each + largest:,} records with vectors in all, {each:,} in most tenants"
    return recall_line("crowd_p95", title, measured, tail, GROWTH_BAR, note)._replace(unit="x of 2")


async def _against_floors(stage: Stage, size: Size, usual: Corpus, largest: Corpus) -> list[Line]:
    asked = await ask(stage, usual, usual_requests(usual))
    among_all = await against_bare_sql(stage, size.rounds, size.recalls, usual, asked)
    asked = await ask(stage, largest, usual_requests(largest))
    worst = await ask(stage, largest, worst_requests(largest))
    mixed = await against_bare_sql(stage, size.rounds, size.recalls_of_largest, largest, asked)
    common = await against_bare_sql(stage, size.rounds, size.worst_recalls, largest, worst)
    note = f"{largest.records:,} records, all in one scope"
    return [
        recall_line("among_p50", "  over the bare statement, p50", among_all, middle, P50_BAR),
        recall_line("among_p95", "  over the bare statement, p95", among_all, tail, P95_BAR),
        recall_line("largest_p50", "recall in the largest tenant, p50", mixed, middle, P50_BAR, note),
        recall_line("largest_p95", "recall in the largest tenant, p95", mixed, tail, P95_BAR),
        Line(
            key="largest_worst",
            title="  of common words alone, p50",
            figure=common.ours().scaled(1 / mixed.ours(tail).value),
            unit="x usual p95",
            bar=WORST_BAR,
            ours=common.ours().scaled(1_000),
            floor=mixed.ours(tail).scaled(1_000),
            parts_unit="ms",
        ),
    ]
