"""Recurrences over three months around each change of the clocks, in three zones, under Temporal's time skipping.

The workflow sleeps until each instant and Temporal's clock skips the sleep; what is in Postgres in the end is compared
with the instants of a library of another make. A server of its own, as time is skipped by the server's leave alone.
"""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest
from temporalio.testing import TimeSkipper, TimeSkippingConfig

from models.intentions import Fate
from models.policy import Policy
from runtime.addresses import of_stack
from runtime.embedded.stack import EmbeddedStack
from runtime.service import Service
from runtime.temporal import connect
from runtime.up import DYNAMIC_CONFIG, SEARCH_ATTRIBUTES
from runtime.worker import running_worker
from store import occurrences
from store.engine import Database
from store.migrate import migrate
from store.policies import Policies
from tests.intentions.desk import Desk, now
from tests.world import MASKER, QUIET_SECONDS, World

SKIPPING = {
    "frontend.WorkflowTimeSkippingEnabled": True,
    # In one run: what was skipped counts double in the run after the next, as was seen twice; skipping is experimental.
    "limit.historyCount.suggestContinueAsNew": 40_000,
}
RULES = {
    "America/New_York": "FREQ=WEEKLY;BYDAY=SU;BYHOUR=1,2;BYMINUTE=30",
    "Europe/Berlin": "FREQ=WEEKLY;BYDAY=SA,SU,MO;BYHOUR=2;BYMINUTE=30",
    "Australia/Lord_Howe": "FREQ=WEEKLY;BYDAY=SU;BYHOUR=1,2;BYMINUTE=15,45",
}
"""In each zone at the hour that is left out in spring, and told twice in autumn."""
MONTHS = ((2, 15), (9, 1))
"""From when on: one change of each zone lies in the three months after either."""
THREE_MONTHS = timedelta(days=91)
PATIENCE_SECONDS = 240
MOST_SKIPS = 10_000
"""The server stops skipping after a number of its own unless it is told another."""


class Season(NamedTuple):
    """A recurrence in a zone, over three months."""

    zone: str
    starts: datetime
    ends: datetime

    @property
    def rule(self) -> str:
        return f"{RULES[self.zone]};UNTIL={self.ends.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def seasons() -> Iterator[Season]:
    """Those of the next year."""
    for zone in RULES:
        for month, day in MONTHS:
            starts = datetime(now().year + 1, month, day, 2, 30, tzinfo=ZoneInfo(zone))
            yield Season(zone, starts, starts + THREE_MONTHS)


def by_the_other_library(season: Season) -> list[datetime]:
    library = pytest.importorskip(
        "rrule",
        reason="the other library has wheels for Python up to 3.12 on Linux alone, and is not installed",
    )
    theirs = library.build_rruleset(season.starts, [f"RRULE:{season.rule}"])
    utc = ZoneInfo("UTC")
    found = theirs.between(
        season.starts.astimezone(utc) - timedelta(seconds=1), season.ends.astimezone(utc), 10_000
    )
    return sorted({at.astimezone(UTC) for at in found})


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_three_months_over_every_change_of_the_clocks(tmp_path: Path, policy: Policy) -> None:
    expected = {season: by_the_other_library(season) for season in seasons()}
    for season, instants in expected.items():
        assert len({offset(season, at) for at in instants}) == 2, f"no change of the clocks for {season}"
    stack = EmbeddedStack(
        tmp_path,
        durable=False,
        search_attributes=SEARCH_ATTRIBUTES,
        dynamic_config={**DYNAMIC_CONFIG, **SKIPPING},
    )
    async with stack:
        where = of_stack(stack.info)
        await migrate(str(where.admin_database_url), where.database_url)
        skipping = TimeSkippingConfig(max_session_skip_count=MOST_SKIPS)
        client = TimeSkipper(await connect(where.temporal_address, "default"), config=skipping).client
        queue = f"months-{uuid4().hex[:8]}"
        async with Database(where.database_url) as database:
            service = Service(database, Policies(database, policy), client, masker=MASKER, task_queue=queue)
            world = World(service, database, "months")
            await service.add_tenant(world.agent)
            desk = Desk(world)
            # All are set before anything works, as the clock skips whatever the workflow sleeps.
            set_as = {
                await desk.intend(
                    every={
                        "rule": season.rule,
                        "timezone": season.zone,
                        "starts": season.starts.astimezone(UTC).isoformat(),
                    }
                ): season
                for season in expected
            }
            async with running_worker(
                where.database_url, client, policy, task_queue=queue, quiet_seconds=QUIET_SECONDS
            ):
                await _until_all_are_over(desk, list(set_as))
                came = {season: await _came(desk, identity) for identity, season in set_as.items()}
    assert came == expected


def offset(season: Season, at: datetime) -> timedelta | None:
    return at.astimezone(ZoneInfo(season.zone)).utcoffset()


async def _until_all_are_over(desk: Desk, identities: list[UUID]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        for identity in identities:
            while (await desk.one(identity))[0].intention.next_at is not None:
                await asyncio.sleep(0.5)


async def _came(desk: Desk, identity: UUID) -> list[datetime]:
    """The instants at which it came, each on time by the clock of the workflow."""
    async with desk.world.database.transaction(desk.agent.tenant_id) as work:
        found = await occurrences.of_intentions(work, [identity], 1_000)
    assert {each.fate for each in found} == {Fate.DUE}
    assert all(timedelta(0) <= each.fired_at - each.due_at < timedelta(seconds=30) for each in found)
    return sorted(each.due_at for each in found)
