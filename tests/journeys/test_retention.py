"""What a class keeps for a while: said again it lasts longer, and its key goes on being decided whatever was said."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from models.statements import Statement
from tests.policies import otherwise
from tests.world import STAGING, World

NOW = datetime.now(UTC)


async def outcome(world: World, value: str, **fields: Any) -> str:
    """The verdict on a test's outcome, a fact that its class keeps for a year."""
    said = {"scope": STAGING, "entity": "job-1", "attribute": "outcome", "value": value, **fields}
    stated = await world.service.remember(world.lead, Statement.model_validate(said))
    assert stated.decided is not None, "nobody decides on the key any more"
    return stated.decided.verdict


def at(days: float) -> str:
    return (NOW + timedelta(days=days)).isoformat()


async def test_what_is_said_again_makes_way_for_what_is_to_come(world: World) -> None:
    assert await outcome(world, "passed", occurred_at=at(-350)) == "establish"
    assert await outcome(world, "failed", valid_from=at(30)) == "establish"
    assert await outcome(world, "passed") == "restate"
    assert await outcome(world, "flaky") == "supersede"


async def test_what_has_lapsed_does_not_come_back(world: World) -> None:
    assert await outcome(world, "passed", occurred_at=at(-800)) == "establish"
    assert await outcome(world, "failed", occurred_at=at(-100)) == "establish"
    assert await outcome(world, "passed", valid_from=at(-790)) == "restate"
    assert await outcome(world, "flaky") == "supersede"


async def test_the_calendar_ends_nothing(world: World) -> None:
    assert await outcome(world, "passed", valid_from="9999-06-01T00:00:00Z") == "establish"
    assert await outcome(world, "failed") == "supersede"


def test_no_class_keeps_anything_for_longer_than_there_are_dates() -> None:
    def change(document: dict[str, Any]) -> None:
        document["classes"]["verified_outcome"]["retention"]["held"] = "P9000Y"

    with pytest.raises(ValueError, match="1,000 years"):
        otherwise(change)
