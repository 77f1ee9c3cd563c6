"""The events and episodes behind a fact of an answer: those that the asker may read, and no ids of others."""

from typing import Any
from uuid import UUID

import pytest

from models.principals import Principal, PrincipalKind
from models.recall import RecalledFact, RecallRequest
from models.statements import Promotion, Statement
from tests.household import Household
from tests.policies import applied, read_by
from tests.world import STAGING, World, event

CART = {**STAGING, "project": "cart"}
MACHINE = "machine:bench-1"


async def _recalled(
    world: World, who: Principal, scope: dict[str, str], attribute: str, **asked: Any
) -> RecalledFact:
    request = RecallRequest(scope=scope, limit=50, **asked)
    answer = await world.service.recall(who, request)
    [fact] = [fact for fact in (*answer.facts, *answer.unverified) if fact.attribute == attribute]
    return fact


async def _consolidated(world: World, who: Principal, activity_id: str, scope: dict[str, str]) -> UUID:
    over = event(type="activity_completed", activity_id=activity_id, scope=scope)
    receipts = await world.publish(who, over)
    await world.digest(receipts)
    episode = await world.service.episode_of(who, receipts[0].activity_id)
    assert episode is not None
    return episode.id


async def test_what_was_said_in_a_narrower_scope_is_told_there_alone(world: World) -> None:
    kim = world.principal("kim", PrincipalKind.HUMAN, "infra_lead")
    said = {"scope": CART, "entity": MACHINE, "attribute": "owner", "value": "Ana", "activity_id": "act-cart"}
    stated = [await world.service.remember(who, Statement.model_validate(said)) for who in (world.lead, kim)]
    assert stated[0].decided is not None
    assert stated[0].decided.fact_id is not None
    episode_id = await _consolidated(world, world.lead, "act-cart", CART)
    promoted = await world.service.promote(
        world.lead, stated[0].decided.fact_id, Promotion(scope=STAGING, activity_id="act-wide")
    )
    assert promoted.governs
    wide = await _consolidated(world, world.lead, "act-wide", STAGING)
    told = await _recalled(world, world.agent, STAGING, "owner", entities=(MACHINE,))
    assert (told.sources, told.episodes) == ((promoted.event_id,), (wide,))
    request = RecallRequest(scope=CART, entities=(MACHINE,))
    both = (await world.service.recall(world.agent, request)).facts
    [whole] = [fact for fact in both if fact.id == told.id]
    assert set(whole.sources) == {promoted.event_id, *(each.event_id for each in stated)}
    assert set(whole.episodes) == {wide, episode_id}


@pytest.mark.parametrize("who", ["lead", "developer"])
async def test_an_episode_that_speaks_of_what_is_hidden_is_not_told(world: World, who: str) -> None:
    """That of a claim neither. The event is: the fact itself says that somebody said it."""
    said = [
        {"attribute": attribute, "entity": MACHINE, "value": "ana"}
        for attribute in ("owner", "lifecycle_policy")
    ]
    speaker = getattr(world, who)
    receipt = await world.say(speaker, "It is ana.", data={"candidates": said})
    episode = await world.service.episode_of(world.lead, receipt.activity_id)
    assert episode is not None
    asked = {"entities": (MACHINE,), "unverified": True}
    before = await _recalled(world, world.agent, STAGING, "owner", **asked)
    assert (before.sources, before.episodes) == ((receipt.event_id,), (episode.id,))
    await applied(world, read_by("operational_restriction", "infra_lead"))
    hidden = await _recalled(world, world.agent, STAGING, "owner", **asked)
    assert (hidden.sources, hidden.episodes) == ((receipt.event_id,), ())
    seen = await _recalled(world, world.lead, STAGING, "owner", **asked)
    assert seen.episodes == (episode.id,)


async def test_an_episode_that_speaks_of_what_is_switched_off_is_not_told(world: World) -> None:
    household, mine = Household(world), {"user": "ana"}
    for attribute, value in (("preference", "tea"), ("commitment", "tea on Monday")):
        await household.remembered(household.operator, attribute, value, activity_id="a")
    episode_id = await _consolidated(world, household.operator, "a", mine)
    asked = {"query": "tea on Monday"}
    before = await _recalled(world, household.operator, mine, "commitment", **asked)
    assert before.episodes == (episode_id,)
    await household.service.switch_off(household.ana, "user_preference")
    after = await _recalled(world, household.operator, mine, "commitment", **asked)
    assert (after.sources, after.episodes) == (before.sources, ())
