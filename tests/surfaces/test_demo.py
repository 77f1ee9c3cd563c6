"""The demo: what it claims is what came out, and a claim that does not hold makes it fail."""

import asyncio
import io
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.console import Console

from runtime.embedded.layout import layout_of
from runtime.embedded.orphans import find_orphans
from surfaces.demo.expectations import Ledger
from surfaces.demo.story import calendar
from tests.surfaces.terminal import KEEPWELL, Terminal, living, tree_of

DEMO_SECONDS = 170

PLANTED = """
import sys
import surfaces.cli
import surfaces.demo.play
surfaces.demo.play.REBUILT = "completed, goal unknown, 5 sources"
sys.argv = ["keepwell", "demo"]
surfaces.cli.main()
"""


def shown(ledger: Ledger) -> str:
    page = io.StringIO()
    Console(file=page, width=200).print(ledger.table())
    return page.getvalue()


def test_a_line_that_differs_is_marked_and_spoils_the_whole() -> None:
    ledger = Ledger()
    assert not ledger.all_met
    ledger.hold("Monday", "facts", 1, 1)
    ledger.hold("Monday", "decided", "establish", "establish")
    assert ledger.all_met
    assert "differs" not in shown(ledger)
    ledger.hold("Friday", "kept", "gpu-bench-01", "gpu-bench-01 ")
    assert not ledger.all_met
    ledger.hold("Friday", "source", "[1]", "[1]")
    assert not ledger.all_met
    lines = [line for line in shown(ledger).splitlines() if "day" in line]
    assert [("✓" in line, "differs" in line) for line in lines] == [
        (True, False),
        (True, False),
        (False, True),
        (True, False),
    ]
    assert lines[-1].count("[1]") == 2


def test_the_story_begins_on_a_friday_and_has_ended_before_now() -> None:
    start = datetime(2026, 2, 23, 0, 0, tzinfo=UTC)
    for hour in range(0, 24 * 14, 5):
        now = start + timedelta(hours=hour)
        days = calendar(now)
        assert (days.friday.weekday(), days.friday.hour) == (4, 9)
        assert (
            timedelta(weeks=5) - timedelta(days=1)
            < now - days.friday
            < timedelta(weeks=6) + timedelta(days=1)
        )
        assert days.at(27, 1) < now
        assert days.at(3, 0.5) == days.friday + timedelta(days=3, minutes=30)


# --- played ----------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.timeout(DEMO_SECONDS + 30)
@pytest.mark.parametrize(
    ("argv", "code"), [([KEEPWELL, "demo"], 0), ([sys.executable, "-c", PLANTED], 1)], ids=["true", "planted"]
)
async def test_the_demo_ends_with_what_came_out_and_leaves_nothing_running(
    tmp_path: Path, argv: list[str], code: int
) -> None:
    async with Terminal(tmp_path).started(argv) as process, asyncio.timeout(DEMO_SECONDS):
        assert process.stdout is not None
        said: list[str] = []
        tree = tree_of(process.pid)
        while line := (await process.stdout.readline()).decode():
            said.append(line)
            tree += tree_of(process.pid)
        assert await process.wait() == code
    table = "".join(said)
    assert "Expected and actual" in table
    assert ("differs" in table) == (code == 1)
    assert living(tree) == []
    assert find_orphans(layout_of(tmp_path / ".keepwell" / "demo")) == []


@pytest.mark.long
@pytest.mark.timeout(DEMO_SECONDS + 30)
async def test_a_demo_that_is_kept_runs_until_it_is_asked_to_end(tmp_path: Path) -> None:
    async with (
        Terminal(tmp_path, KEEP="1").started([KEEPWELL, "demo"]) as process,
        asyncio.timeout(DEMO_SECONDS),
    ):
        assert process.stdout is not None
        while "Left running: http://127.0.0.1:" not in (line := (await process.stdout.readline()).decode()):
            assert line
        tree = tree_of(process.pid)
        assert len(living(tree)) > 3
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0
    assert living(tree) == []
