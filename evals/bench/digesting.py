"""From checkpoint to memory: how long one takes on an idle stack, and how many a second go through at load."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from evals.bench.corpus import BEGIN
from evals.bench.line import Bar, Line, Side
from evals.bench.size import Size
from evals.bench.stage import NAMESPACE, QUEUE, Stage
from evals.bench.timing import Spread, middle, tail
from models.principals import Principal, PrincipalKind
from runtime.temporal import connect
from runtime.worker import running_worker

IDLE_BAR = Bar(Side.AT_MOST, 1.0)
LOAD_BAR = Bar(Side.AT_LEAST, 15.0)
QUIET_SECONDS = 1.2
"""Above one second: Temporal may put a timer that is due sooner off by up to a second (its default)."""
QUIET_SECONDS_AT_LOAD = 0.2
_LOOK_SECONDS = 0.01
_PATIENCE_SECONDS = 120
_SCOPE = {"workspace": "bench"}
_GOVERNS = (
    "SELECT EXISTS (SELECT FROM facts WHERE tenant_id = $1 AND statement = $2 AND admission = 'admitted')"
)


async def lines(stage: Stage, size: Size) -> list[Line]:
    """Both figures, each with a worker in this process."""
    lead = Principal(tenant="bench-idle", subject="dana", kind=PrincipalKind.HUMAN, roles=("infra_lead",))
    await stage.service.add_tenant(lead)
    async with stage.bare() as owner:
        # The checkpoints of other measurements have waited for a dispatcher, and are not to be this one's work.
        await owner.execute("TRUNCATE outbox")
    async with _working(stage, QUIET_SECONDS):
        # The first workflow of a worker loads and compiles things.
        await _idle(stage, lead, range(-2, 0))
        idle = await _idle(stage, lead, range(size.idle_samples))
    async with _working(stage, QUIET_SECONDS_AT_LOAD):
        await _load(stage, "bench-warming", min(10, size.activities), fact=True)
        small = [
            await _load(stage, f"bench-load-{n}", size.activities, fact=False) for n in range(size.loads)
        ]
        taught = [
            await _load(stage, f"bench-taught-{n}", size.activities, fact=True) for n in range(size.loads)
        ]
    rounds = f"{size.idle_samples} samples; the quiet period of {QUIET_SECONDS:g} s is taken off"
    return [
        _idle_line("idle_p50", "checkpoint to fact, idle, p50", middle(idle), idle, None, rounds),
        _idle_line("idle_p95", "checkpoint to fact, idle, p95", tail(idle), idle, IDLE_BAR),
        _load_line(
            "load", "consolidation at load", small, LOAD_BAR, f"{size.activities} activities of 3 events"
        ),
        _load_line("load_with_facts", "  each teaching a fact", taught, None),
    ]


def _idle_line(
    key: str, title: str, value: float, idle: list[float], bar: Bar | None, note: str = ""
) -> Line:
    figure = Spread(value, min(idle), max(idle))
    whole = Spread(*(each + QUIET_SECONDS for each in figure))
    return Line(key, title, figure, "s", bar, whole, None, "s", note)


def _load_line(key: str, title: str, rates: list[float], bar: Bar | None, note: str = "") -> Line:
    figure = Spread(middle(rates), min(rates), max(rates))
    return Line(key, title, figure, "/s", bar, figure, None, "/s", note)


@asynccontextmanager
async def _working(stage: Stage, quiet_seconds: float) -> AsyncGenerator[None]:
    client = await connect(stage.temporal_address, NAMESPACE)
    async with running_worker(
        stage.database_url, client, stage.policy, task_queue=QUEUE, quiet_seconds=quiet_seconds
    ):
        yield


def _events(number: int, *, fact: bool) -> list[dict[str, Any]]:
    """A small activity: a note, a call, and a checkpoint that may teach a fact."""
    common = {
        "activity_id": f"activity-{number}",
        "scope": _SCOPE,
        "occurred_at": (BEGIN + timedelta(minutes=number)).isoformat(),
    }
    last: dict[str, Any] = {"type": "activity_completed", "text": f"Deployed release {number} to staging."}
    if fact:
        last = _taught(number)
    return [
        {**common, "type": "note", "text": f"Deploying release {number} to the staging cluster."},
        {
            **common,
            "type": "tool_call",
            "text": f"helm upgrade web --version {number}",
            "data": {"attempt": 1},
        },
        {**common, **last},
    ]


def _taught(number: int) -> dict[str, Any]:
    """A correction that states who owns a machine of its own."""
    said = f"team {number}"
    return {
        "type": "correction",
        "text": said,
        "data": {"candidates": [{"attribute": "owner", "entity": f"host:bench-{number}", "value": said}]},
    }


async def _idle(stage: Stage, lead: Principal, numbers: range) -> list[float]:
    """Seconds beyond the quiet period from the call that publishes a checkpoint until its fact governs."""
    took: list[float] = []
    async with stage.bare() as watching:
        governs = await watching.prepare(_GOVERNS)
        for number in numbers:
            raw = [{**_events(number, fact=True)[-1], "activity_id": f"idle-{number}"}]
            started = time.perf_counter()
            await stage.service.publish(lead, raw)
            async with asyncio.timeout(_PATIENCE_SECONDS):
                while not await governs.fetchval(lead.tenant_id, f"team {number}"):
                    await asyncio.sleep(_LOOK_SECONDS)
            took.append(time.perf_counter() - started - QUIET_SECONDS)
            # What follows the fact is to be over before the next sample.
            await asyncio.sleep(0.2)
    return took


async def _load(stage: Stage, tenant: str, activities: int, *, fact: bool) -> float:
    """Activities a second, from the one call that publishes all of them until everything is settled."""
    lead = Principal(tenant=tenant, subject="dana", kind=PrincipalKind.HUMAN, roles=("infra_lead",))
    await stage.service.add_tenant(lead)
    raw = [event for number in range(activities) for event in _events(number, fact=fact)]
    started = time.perf_counter()
    receipts = await stage.service.publish(lead, raw)
    async with asyncio.timeout(_PATIENCE_SECONDS):
        await stage.service.settle(lead, list({receipt.activity_id for receipt in receipts}))
    return activities / (time.perf_counter() - started)
