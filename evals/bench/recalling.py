"""Recall against the bare statement under it, on a memory of many tenants."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from evals.bench.corpus import Corpus, fill
from evals.bench.line import Bar, Line, Side
from evals.bench.sent import Sent, main_statement, noted
from evals.bench.size import Size
from evals.bench.stage import PLANNED_ONCE, Stage
from evals.bench.timing import Race, Summary, middle, race, seconds, tail
from evals.bench.wording import host_id, host_name, workspace, worst_query
from models.recall import RecallRequest
from recall.inquiry import Inquiry, authorised_scope, instant_of
from recall.recall import consider
from store.engine import Role
from store.sql import Plain
from store.unit_of_work import UnitOfWork

P50_BAR = Bar(Side.AT_MOST, 2.0)
P95_BAR = Bar(Side.AT_MOST, 3.0)
SQLALCHEMY_BAR = Bar(Side.AT_MOST, 1.5)
QUERIES = 100


class Asked(NamedTuple):
    """A request with the statement that it leads to, and the number of rows that it brings up."""

    request: RecallRequest
    sent: Sent
    rows: int


async def corpus_to_search(stage: Stage, size: Size) -> Corpus:
    """The tenant to ask, among others, with the statistics and visibility that autovacuum gives in time."""
    for number in range(size.other_tenants):
        await fill(
            stage, await stage.tenant(f"bench-other-{number}"), size.records_of_others, seed=100 + number
        )
    filled = await fill(stage, await stage.tenant("bench-recall"), size.records, seed=1)
    async with stage.bare() as owner:
        await owner.execute("VACUUM (ANALYZE)")
    return filled


async def lines(stage: Stage, size: Size, filled: Corpus) -> list[Line]:
    """Usual queries, the worst one, and what SQLAlchemy adds."""
    usual = await ask(stage, filled, usual_requests(filled))
    worst = await ask(stage, filled, worst_requests(filled))
    mixed = await against_bare_sql(stage, size.rounds, size.recalls, filled, usual)
    planned = await against_bare_sql(stage, size.rounds, size.recalls, filled, usual, **PLANNED_ONCE)
    common = await against_bare_sql(stage, size.rounds, size.worst_recalls, filled, worst)
    driver = await _sqlalchemy(stage, size, filled, usual)
    worse = common.ours().scaled(1 / mixed.ours(tail).value)
    rows = sorted(each.rows for each in usual)
    brought = f"{filled.records:,} records; a query brings up {rows[len(rows) // 2]} rows at the median"
    return [
        recall_line("recall_p50", "recall, p50", mixed, middle, P50_BAR, brought),
        recall_line("recall_p95", "recall, p95", mixed, tail, P95_BAR),
        recall_line("recall_planned", "  over the statement planned once, p50", planned, middle, None),
        recall_line("recall_worst", "  of common words alone, p50", common, middle, P50_BAR),
        Line(
            key="recall_worst_over_usual",
            title="  over the usual query's p95",
            figure=worse,
            unit="x usual",
            bar=None,
            ours=common.ours().scaled(1_000),
            floor=mixed.ours(tail).scaled(1_000),
            parts_unit="ms",
        ),
        Line(
            key="sqlalchemy",
            title="its statement, beyond asyncpg alone",
            figure=driver.difference().scaled(1_000),
            unit="ms a call",
            bar=SQLALCHEMY_BAR,
            ours=driver.ours().scaled(1_000),
            floor=driver.floor().scaled(1_000),
            parts_unit="ms",
        ),
    ]


def recall_line(
    key: str, title: str, measured: Race, summary: Summary, bar: Bar | None, note: str = ""
) -> Line:
    """A line of one summary of both sides, in milliseconds."""
    return Line(
        key=key,
        title=title,
        figure=measured.ratio(summary),
        unit="x floor",
        bar=bar,
        ours=measured.ours(summary).scaled(1_000),
        floor=measured.floor(summary).scaled(1_000),
        parts_unit="ms",
        note=note,
    )


def usual_requests(filled: Corpus) -> list[RecallRequest]:
    """Half name a machine, by id or by name, with a few words beside; half are a few words alone."""
    wording = filled.wording
    made: list[RecallRequest] = []
    for number in range(QUERIES):
        host = wording.host()
        match number % 4:
            case 0:
                made.append(_request(filled, number, query=wording.usual_query(), entities=(host_id(host),)))
            case 1:
                made.append(_request(filled, number, query=f"{wording.usual_query()} {host_name(host)}"))
            case _:
                made.append(_request(filled, number, query=wording.usual_query()))
    return made


def worst_requests(filled: Corpus) -> list[RecallRequest]:
    """The one query of the most common words."""
    return [_request(filled, 0, query=worst_query())]


def _request(filled: Corpus, number: int, query: str, entities: tuple[str, ...] = ()) -> RecallRequest:
    scope = {"workspace": workspace(number % filled.workspaces)}
    return RecallRequest(scope=scope, query=query, entities=entities)


async def ask(stage: Stage, filled: Corpus, requests: Sequence[RecallRequest]) -> list[Asked]:
    """Recall each once, noting what was sent; this also fills every cache that recall has."""
    asked: list[Asked] = []
    for request in requests:
        with noted() as sent:
            answer = await stage.service.recall(filled.agent, request)
        rows = len(answer.facts) + len(answer.passages) + answer.left_out
        asked.append(Asked(request, main_statement(sent), rows))
    return asked


async def against_bare_sql(
    stage: Stage, rounds: int, each: int, filled: Corpus, asked: Sequence[Asked], **settings: str
) -> Race:
    """Recall, and its statement as asyncpg sends it, with no settings but the service's and these."""
    async with stage.bare(Role.SERVICE, filled.agent.tenant_id, **settings) as connection:
        statement = await connection.prepare(asked[0].sent.statement)

        async def ours(number: int) -> float:
            return await seconds(stage.service.recall(filled.agent, asked[number % len(asked)].request))

        async def floor(number: int) -> float:
            one = asked[number % len(asked)]
            started = time.perf_counter()
            rows = await statement.fetch(*one.sent.values)
            took = time.perf_counter() - started
            # What disagrees or is too little like the query is fetched, and counted in no answer.
            if len(rows) < one.rows:
                raise RuntimeError(f"the floor fetched {len(rows)} rows where recall found {one.rows}")
            return took

        return await race(ours, floor, rounds=rounds, each=each)


class _TimedWork(UnitOfWork):
    """Notes how long its main query takes, up to the rows in hand."""

    took = 0.0

    async def fetch(self, statement: Plain, values: Mapping[str, Any]) -> Sequence[Any]:
        started = time.perf_counter()
        found = await super().fetch(statement, values)
        self.took = time.perf_counter() - started
        return found


async def _sqlalchemy(stage: Stage, size: Size, filled: Corpus, asked: Sequence[Asked]) -> Race:
    """The recall statement alone, both in a transaction that is open already."""
    engine = create_async_engine(
        stage.database_url,
        connect_args={
            "server_settings": {"role": Role.SERVICE.value, "jit": "off", **PLANNED_ONCE},
            "max_cacheable_statement_size": 0,
        },
    )
    tenant_id = filled.agent.tenant_id
    try:
        async with (
            engine.begin() as through,
            stage.bare(Role.SERVICE, tenant_id, **PLANNED_ONCE) as connection,
        ):
            await through.execute(
                text("SELECT set_config('app.tenant', :tenant, true)"), {"tenant": str(tenant_id)}
            )
            work = _TimedWork(through, tenant_id)
            statement = await connection.prepare(asked[0].sent.statement)
            _, policy, present = await stage.policies.in_force(tenant_id)

            async def ours(number: int) -> float:
                request = asked[number % len(asked)].request
                scope = authorised_scope(policy, filled.agent, request)
                await consider(
                    work, Inquiry(policy, filled.agent, scope, request, instant_of(request), present)
                )
                return work.took

            async def floor(number: int) -> float:
                return await seconds(statement.fetch(*asked[number % len(asked)].sent.values))

            return await race(ours, floor, rounds=size.rounds, each=size.statements)
    finally:
        await engine.dispose()
