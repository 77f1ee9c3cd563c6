"""Intentions by the thousand: a herd that is due at one instant, a minute of timers, the same with outages, a million
cues that wait, and the timer of a tenant against one workflow each.

A run stops unless each has fired, once. Seconds are from when it was due until a reader had it in hand.
"""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import psutil

from evals.bench import corpus
from evals.bench.line import Bar, Line, Side
from evals.bench.lone_timers import seconds_to_wake
from evals.bench.outages import Outage, Workshop, crash_postgres, stack_of, working
from evals.bench.prospects import Plan, Taken, plan, reading, require_once
from evals.bench.size import Size
from evals.bench.stage import Stage, opened_stage
from evals.bench.timing import Race, Spread, race, seconds
from evals.bench.wording import Wording
from models.principals import Principal

HERD_BAR = Bar(Side.AT_MOST, 60.0)
UNDISTURBED_BAR = Bar(Side.AT_MOST, 5.0)
OUTAGE_BAR = Bar(Side.AT_MOST, 20.0)
CUES_BAR = Bar(Side.AT_LEAST, 0.9)
BATCH = 100
LEASE_IN_OUTAGES = 10.0
"""What was handed out by a transaction whose answer was lost comes again after so many seconds."""
_MEGABYTE = 1_000_000

_CUES = """
    INSERT INTO cues (tenant_id, key, intention_id)
    SELECT tenant_id, md5('cue' || id::text)::uuid, id FROM intentions WHERE tenant_id = $1 AND state = 'pending'
"""


async def lines(size: Size) -> list[Line]:
    """Every figure, on servers of its own, as one of them crashes."""
    async with AsyncExitStack() as opening:
        stage = await opening.enter_async_context(opened_stage())
        workshop = await opening.enter_async_context(working(stage))
        await _herd(stage, "bench-warming", 10)
        lone = await _against_lone_timers(stage, size)
        herd = await _herd(stage, "bench-herd", size.herd)
        minute = await _minute(stage, size)
        disturbed = await _disturbed(stage, workshop, opening, size) if size.outages else []
    return [*_herd_lines(herd, size), lone, *minute, *disturbed, *await _among_cues(size)]


def _soon(some: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=some)


async def _herd(stage: Stage, tenant: str, number: int) -> list[Taken]:
    # Writing them takes a while, and none may be due before all are there.
    due = _soon(max(3.0, number / 500 + 3.0))
    lead = await plan(stage, tenant, Plan(number, due))
    async with reading(stage, lead) as readers:
        taken = await readers.all(number)
    await require_once(stage, lead, number, taken)
    return taken


def _herd_lines(herd: Sequence[Taken], size: Size) -> list[Line]:
    note = f"{size.herd:,} intentions of five owners, all due at one instant, each taken once"
    fired, late = max(each.fired_late for each in herd), max(each.late for each in herd)
    return [
        _absolute("herd_fired", "due at one instant, until the last fired", fired, None, note),
        _absolute("herd_taken", "  until the last was taken", late, HERD_BAR),
    ]


def _absolute(key: str, title: str, value: float, bar: Bar | None, note: str = "", unit: str = "s") -> Line:
    figure = Spread(value, value, value)
    return Line(key, title, figure, unit, bar, figure, None, unit, note)


async def _against_lone_timers(stage: Stage, size: Size) -> Line:
    """Both wake as many at one instant; a lone timer's step does nothing, ours writes what fired."""
    rounds = [
        (
            max(each.late for each in await _herd(stage, f"bench-few-{number}", size.lone_timers)),
            await seconds_to_wake(stage, size.lone_timers),
        )
        for number in range(size.lone_rounds)
    ]
    ratios = sorted(ours / floor for ours, floor in rounds)
    middle = ratios[len(ratios) // 2]
    ours, floor = ([each[side] for each in rounds] for side in (0, 1))
    return Line(
        "one_timer",
        f"  {size.lone_timers} by the tenant's one timer",
        Spread(middle, ratios[0], ratios[-1]),
        "x lone",
        None,
        _spread(ours),
        _spread(floor),
        "s",
        f"{size.lone_timers} due at one instant; the floor is a workflow for each, whose step does nothing",
    )


def _spread(values: Sequence[float]) -> Spread:
    ordered = sorted(values)
    return Spread(ordered[len(ordered) // 2], ordered[0], ordered[-1])


async def _planned_minute(stage: Stage, tenant: str, size: Size) -> tuple[Principal, datetime]:
    first = _soon(size.pending / 1_000 + 4.0)
    apart = timedelta(seconds=size.minute_seconds / size.due_in_minute)
    waiting = size.pending - size.due_in_minute
    lead = await plan(
        stage,
        tenant,
        Plan(size.due_in_minute, first, apart),
        Plan(waiting + 1, first + timedelta(days=1), timedelta(seconds=1)),
    )
    return lead, first


def _p99(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]


async def _minute(stage: Stage, size: Size) -> list[Line]:
    lead, _ = await _planned_minute(stage, "bench-minute", size)
    async with reading(stage, lead) as readers:
        taken = await readers.all(size.due_in_minute)
    await require_once(stage, lead, size.due_in_minute, taken)
    note = f"{size.pending:,} pending, {size.due_in_minute} of them due over {size.minute_seconds:g} s"
    held = psutil.Process(stack_of(stage).temporal_pid).memory_info().rss / _MEGABYTE
    return [
        _absolute(
            "minute_fired",
            "timers over a minute, p99 late",
            _p99([each.fired_late for each in taken]),
            None,
            note,
        ),
        _absolute("minute_taken", "  until taken, p99", _p99([each.late for each in taken]), UNDISTURBED_BAR),
        _absolute("temporal_memory", "  memory of Temporal's server", held, None, unit="MB"),
    ]


async def _disturbed(stage: Stage, workshop: Workshop, opening: AsyncExitStack, size: Size) -> list[Line]:
    """The worker is killed when a quarter of the minute is over, and Postgres crashes when the half is."""
    lead, first = await _planned_minute(stage, "bench-outages", size)
    async with reading(stage, lead, LEASE_IN_OUTAGES) as readers:
        await _until(first + timedelta(seconds=size.minute_seconds / 4))
        killed = await workshop.kill()
        await _until(first + timedelta(seconds=size.minute_seconds / 2))
        crashed = await crash_postgres(stage, opening)
        taken = await readers.all(size.due_in_minute)
    await require_once(stage, lead, size.due_in_minute)
    beyond = [each.late - _away(each.due_at, (killed, crashed)) for each in taken]
    spans = [(each.until - each.since).total_seconds() for each in (killed, crashed)]
    note = (
        f"the worker killed, and away for {spans[0]:.1f} s; Postgres crashed, and away for {spans[1]:.1f} s"
    )
    return [
        _absolute("outages_late", "  with two outages, latest", max(each.late for each in taken), None, note),
        _absolute("outages_beyond", "  beyond the outage, latest", max(beyond), OUTAGE_BAR),
    ]


async def _until(at: datetime) -> None:
    await asyncio.sleep(max(0.0, (at - datetime.now(UTC)).total_seconds()))


def _away(due_at: datetime, outages: Sequence[Outage]) -> float:
    """How much of an outage was still to come when it was due."""
    return max(
        ((each.until - due_at).total_seconds() for each in outages if each.since <= due_at <= each.until),
        default=0.0,
    )


async def _among_cues(size: Size) -> list[Line]:
    """Publishing beside cues that wait, against publishing where none does, in turn on two databases."""
    async with AsyncExitStack() as opening:
        none, many = [await opening.enter_async_context(opened_stage()) for _ in range(2)]
        sources = [_Source(await plan(stage, "bench-cues", Plan(1, _soon(86_400)))) for stage in (none, many)]
        await _wait_for_cues(many, sources[1].lead, size.cues)

        async def publish(stage: Stage, source: _Source, number: int) -> float:
            return await seconds(stage.service.publish(source.lead, source.next(number)))

        async def racing(number: int, rounds: int) -> Race:
            return await race(
                lambda _: publish(many, sources[1], number),
                lambda _: publish(none, sources[0], number),
                rounds=size.rounds,
                each=rounds,
            )

        one = await racing(1, size.singles)
        batch = await racing(BATCH, size.batches)
    note = f"{size.cues:,} pending intentions that wait for an event, in the tenant that publishes"
    return [
        _cues_line("cues_one", "publish among waiting cues", one, note),
        _cues_line("cues_batch", f"  {BATCH} at once", batch, ""),
    ]


def _cues_line(key: str, title: str, measured: Race, note: str) -> Line:
    parts = measured.ours().scaled(1_000), measured.floor().scaled(1_000)
    return Line(key, title, measured.throughput(), "x none/s", CUES_BAR, *parts, "ms", note)


class _Source:
    """Events that say things which a cue could ask for; none asks for these."""

    def __init__(self, lead: Principal) -> None:
        self.lead = lead
        self._wording = Wording(11)
        self._numbers = count()

    def next(self, many: int) -> list[dict[str, Any]]:
        return [self._one(next(self._numbers)) for _ in range(many)]

    def _one(self, number: int) -> dict[str, Any]:
        made = corpus.event(self._wording, number // corpus.EVENTS_OF_ACTIVITY, number % 10)
        return {**made, "data": {"job": f"job-{number}", "status": "done", "ticket": f"T-{number}"}}


async def _wait_for_cues(stage: Stage, lead: Principal, number: int) -> None:
    template = """
        INSERT INTO intentions (
            tenant_id, id, scope_key, scope, event_id, set_by, set_by_kind, set_by_roles, owner, owner_kind, action,
            data, trigger, grace, timezone, premises, state
        )
        SELECT tenant_id, md5('cued' || n)::uuid, scope_key, scope, event_id, set_by, set_by_kind, set_by_roles, owner,
            owner_kind, action, data, jsonb_build_object('kind', 'cue', 'conditions', jsonb_build_array(
                jsonb_build_object('field', 'data.ticket', 'value', 'W-' || n))),
            grace, timezone, premises, 'pending'
        FROM intentions, generate_series(1, $2::integer) AS n WHERE tenant_id = $1
    """
    async with stage.bare() as owner:
        async with owner.transaction():
            await owner.execute("SET LOCAL session_replication_role = replica")
            await owner.execute(template, lead.tenant_id, number)
            await owner.execute(_CUES, lead.tenant_id)
        await owner.execute("VACUUM (ANALYZE)")
        await owner.execute("CHECKPOINT")
