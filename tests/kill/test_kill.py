"""A worker dies at any boundary, another takes over, and not a row is lost, doubled or different."""

import asyncio
from collections.abc import Awaitable, Sequence

import pytest

from store.outbox import Kind
from tests.kill.laboratory import Laboratory, ends_of
from tests.kill.points import CHAPTERS, FEW, Moment, Point, points_of
from tests.kill.snapshot import Dump, difference, lines_of
from tests.kill.story import BRANCHES, CLOSINGS, ENDINGS, STILL_OPEN, STORY


async def assert_killing_changes_nothing(
    laboratory: Laboratory, undisturbed: Awaitable[Dump], points: Sequence[Point]
) -> None:
    """Every point leads to the same rows; tells of all that do not."""
    ends, expected = await asyncio.gather(ends_of(laboratory, points), undisturbed)
    complaints: list[str] = []
    for point, end in ends.items():
        if isinstance(end, BaseException):
            complaints.append(f"{point}: {type(end).__name__}: {end}")
        elif differs := difference(lines_of(expected), lines_of(end)):
            complaints.append(f"{point}:\n{differs}")
    assert not complaints, "\n\n".join(complaints)


async def test_a_kill_changes_nothing(laboratory: Laboratory, undisturbed_run: asyncio.Task[Dump]) -> None:
    await assert_killing_changes_nothing(laboratory, undisturbed_run, FEW)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("chapter", CHAPTERS)
async def test_no_kill_anywhere_changes_anything(
    laboratory: Laboratory, undisturbed_run: asyncio.Task[Dump], chapter: str
) -> None:
    await assert_killing_changes_nothing(laboratory, undisturbed_run, points_of(chapter))


def test_the_story_goes_through_every_branch(undisturbed: Dump) -> None:
    assert {(row["verdict"], row["reason"]) for row in undisturbed["decisions"]} >= BRANCHES
    assert {(row["state"], row["reason"]) for row in undisturbed["confirmations"]} == ENDINGS
    assert {row["reason"] for row in undisturbed["gates"]} == CLOSINGS | {STILL_OPEN}
    assert max(row["revision"] for row in undisturbed["episodes"]) == 3
    assert {row["consolidated_seq"] for row in undisturbed["activities"]} == {0, 1, 2, 3}
    assert {row["state"] for row in undisturbed["intentions"]} == {
        "proposed",
        "pending",
        "fired",
        "cancelled",
    }
    assert {row["fate"] for row in undisturbed["occurrences"]} == {"due", "delivered"}
    assert len(undisturbed["occurrences"]) == 5
    assert undisturbed["outbox"] == []


def test_every_chapter_is_in_the_matrix() -> None:
    assert tuple(chapter.__name__ for chapter in STORY) == CHAPTERS
    assert set(FEW) <= {point for chapter in CHAPTERS for point in points_of(chapter)}


@pytest.mark.long
async def test_a_hand_over_that_a_kill_can_lose_is_found(laboratory: Laboratory, undisturbed: Dump) -> None:
    """A dispatcher that removes rows before it has delivered them does well until it is killed."""
    point = Point("expiry", Kind.GATE.value, Moment.REMOVED)
    well, killed = await asyncio.gather(
        laboratory.end_of(None, careless=True), laboratory.end_of(point, careless=True)
    )
    assert difference(lines_of(undisturbed), lines_of(well)) == ""
    lost = difference(lines_of(undisturbed), lines_of(killed))
    assert '"to_status": "expired"' in lost
    assert '"state": "open"' in lost
