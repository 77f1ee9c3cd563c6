"""What row-level security adds: the same statements by a role that it binds and by one that bypasses it.

Both roles have the same rights otherwise, and both run the statements by asyncpg's prepared statements.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from evals.bench import corpus
from evals.bench.corpus import Corpus
from evals.bench.line import Bar, Line, Side
from evals.bench.recalling import ask, usual_requests
from evals.bench.sent import Sent, main_statement, noted
from evals.bench.size import Size
from evals.bench.stage import BYPASSING, PLANNED_ONCE, Stage
from evals.bench.timing import Race, race, seconds
from evals.bench.wording import Wording
from store.engine import Role

BAR = Bar(Side.AT_MOST, 1.2)


async def lines(stage: Stage, size: Size, filled: Corpus) -> list[Line]:
    """Its share of recall and of publishing one event."""
    recalled = [asked.sent for asked in await ask(stage, filled, usual_requests(filled))]
    reading = await _with_and_without(stage, filled.agent.tenant_id, size, recalled)
    agent = await stage.tenant("bench-walls")
    with noted() as sent:
        await stage.service.publish(agent, [corpus.event(Wording(8), 0, 0)])
    writing = await _with_and_without(stage, agent.tenant_id, size, [main_statement(sent)])
    return [
        _line("walls_recall", "row-level security, recall", reading),
        _line("walls_publish", "row-level security, publish", writing),
    ]


def _line(key: str, title: str, measured: Race) -> Line:
    return Line(
        key=key,
        title=title,
        figure=measured.ratio(),
        unit="x without",
        bar=BAR,
        ours=measured.ours().scaled(1_000),
        floor=measured.floor().scaled(1_000),
        parts_unit="ms",
    )


async def _with_and_without(stage: Stage, tenant_id: UUID, size: Size, sent: Sequence[Sent]) -> Race:
    async with (
        stage.bare(Role.SERVICE, tenant_id, **PLANNED_ONCE) as bound,
        stage.bare(BYPASSING, tenant_id, **PLANNED_ONCE) as free,
    ):
        statements = [await each.prepare(sent[0].statement) for each in (bound, free)]

        async def run(statement: Any, number: int) -> float:
            return await seconds(statement.fetch(*sent[number % len(sent)].values))

        async def ours(number: int) -> float:
            return await run(statements[0], number)

        async def floor(number: int) -> float:
            return await run(statements[1], number)

        return await race(ours, floor, rounds=size.rounds, each=size.statements)
