"""One fact at any instant: whatever is corrected, called off or promised for later, the key goes on being decided."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from models.statements import Correction, Stated, Statement, Withdrawal
from tests.world import STAGING, World

NOW = datetime.now(UTC)


def at(days: float) -> str:
    return (NOW + timedelta(days=days)).isoformat()


class Key:
    """The owner of a thing of its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.entity = f"machine:{uuid4().hex}"

    async def says(self, value: str, **fields: Any) -> UUID:
        said = {"scope": STAGING, "entity": self.entity, "attribute": "owner", "value": value, **fields}
        stated = await self.world.service.remember(self.world.lead, Statement.model_validate(said))
        assert stated.decided is not None
        assert stated.decided.fact_id is not None
        return stated.decided.fact_id

    async def corrects(self, fact_id: UUID, value: str, **fields: Any) -> tuple[str, str]:
        correction = Correction.model_validate({"value": value, **fields})
        return verdict(await self.world.service.correct(self.world.lead, fact_id, correction))

    async def goes_on(self) -> bool:
        """Whether another statement is decided, and just one fact holds then."""
        await self.says(f"Zoe {uuid4().hex}")
        lives = await self.world.service.history_of_entity(self.world.lead, STAGING, self.entity)
        return [life.status for life in lives].count("active") == 1


def verdict(stated: Stated) -> tuple[str, str]:
    assert stated.decided is not None, "nobody decides on the key any more"
    return stated.decided.verdict, stated.decided.reason


@pytest.fixture
def key(world: World) -> Key:
    return Key(world)


async def test_a_correction_goes_no_further_than_what_follows(key: Key) -> None:
    first = await key.says("Ana", expires_at=at(5))
    await key.says("Bo", valid_from=at(8))
    assert await key.corrects(first, "Cy") == ("supersede", "permitted_other_terms")
    assert await key.goes_on()


async def test_a_correction_for_a_time_in_which_another_one_holds_is_none(key: Key) -> None:
    first = await key.says("Ana")
    await key.says("Bo", valid_from=at(5))
    assert await key.corrects(first, "Cy", valid_from=at(10)) == ("discard", "over_before_it_begins")
    assert await key.goes_on()


async def test_a_correction_that_is_over_before_its_fact_begins_is_none(key: Key) -> None:
    later = await key.says("Ana", valid_from=at(10))
    assert await key.corrects(later, "Cy", expires_at=at(5)) == ("discard", "over_before_it_begins")
    assert await key.goes_on()


async def test_what_goes_on_again_ends_where_another_one_begins(key: Key) -> None:
    await key.says("Ana")
    called_off = await key.says("Bo", valid_from=at(5), expires_at=at(8))
    await key.says("Cy", valid_from=at(10))
    taken_back = Withdrawal(text="Bo does not.")
    gone = await key.world.service.retract(key.world.lead, called_off, taken_back)
    assert verdict(gone) == ("retract", "permitted_withdrawal")
    assert await key.goes_on()
