"""A worker dies at any boundary, another takes over, and not a row is lost, doubled or different."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from temporalio.client import Client

from models.policy import Policy
from runtime.addresses import Addresses
from tests.kill.laboratory import Laboratory, ends_of
from tests.kill.points import CHAPTERS, FEW, Point, points_of
from tests.kill.snapshot import Dump, difference, lines_of
from tests.kill.story import BRANCHES, CLOSINGS, ENDINGS, STORY


@pytest.fixture(scope="session")
async def laboratory(
    addresses: Addresses, client: Client, policy: Policy, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Laboratory]:
    folder: Path = tmp_path_factory.mktemp("kill")
    made = Laboratory(addresses, client, policy, folder)
    await made.prepare()
    try:
        yield made
    finally:
        await made.close()


@pytest.fixture(scope="session")
async def undisturbed(laboratory: Laboratory) -> Dump:
    return await laboratory.end_of(None)


async def assert_killing_changes_nothing(
    laboratory: Laboratory, undisturbed: Dump, points: Sequence[Point]
) -> None:
    """Every point leads to the same rows; tells of all that do not."""
    expected = lines_of(undisturbed)
    complaints: list[str] = []
    for point, end in (await ends_of(laboratory, points)).items():
        if isinstance(end, BaseException):
            complaints.append(f"{point}: {type(end).__name__}: {end}")
        elif differs := difference(expected, lines_of(end)):
            complaints.append(f"{point}:\n{differs}")
    assert not complaints, "\n\n".join(complaints)


def test_every_chapter_is_in_the_matrix() -> None:
    assert tuple(chapter.__name__ for chapter in STORY) == CHAPTERS
    assert set(FEW) <= {point for chapter in CHAPTERS for point in points_of(chapter)}


def test_the_story_goes_through_every_branch(undisturbed: Dump) -> None:
    assert {(row["verdict"], row["reason"]) for row in undisturbed["decisions"]} >= BRANCHES
    assert {(row["state"], row["reason"]) for row in undisturbed["confirmations"]} == ENDINGS
    assert {row["reason"] for row in undisturbed["gates"]} == CLOSINGS
    assert max(row["revision"] for row in undisturbed["episodes"]) == 3
    assert {row["consolidated_seq"] for row in undisturbed["activities"]} == {0, 1, 2, 3}
    assert undisturbed["outbox"] == []


async def test_a_kill_changes_nothing(laboratory: Laboratory, undisturbed: Dump) -> None:
    await assert_killing_changes_nothing(laboratory, undisturbed, FEW)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("chapter", CHAPTERS)
async def test_no_kill_anywhere_changes_anything(
    laboratory: Laboratory, undisturbed: Dump, chapter: str
) -> None:
    await assert_killing_changes_nothing(laboratory, undisturbed, points_of(chapter))
