"""What somebody may not see changes nothing in what they see: no score, no rank and no count."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from models.principals import Principal
from models.recall import RecallRequest
from tests.household import Household
from tests.policies import applied, read_by
from tests.world import MONDAY, STAGING, World, event

KEEP = "Keep gpu-bench-01 running until the audit is over and the kiln, the tariff and the backup are as they were."
HARMLESS = (
    "The audit uses a dashboard.",
    "The backup of the kiln took longer than the audit, which nobody had expected of it at all.",
    "A kiln is no tariff, and a tariff is no kiln.",
)
QUERY = "what about the audit, the kiln and the backup"
Act = Callable[[World], Awaitable[object]]


async def _seen(world: World, who: Principal, **asked: Any) -> Any:
    """All that an answer and its trace tell, but for ids and the instant of the recall."""
    asked = {"scope": STAGING, "query": QUERY, "limit": 20, "as_of": MONDAY + timedelta(days=30), **asked}
    answer = await world.service.recall(who, RecallRequest(**asked))
    assert answer.trace_id is not None
    assert answer.facts or answer.passages
    own = await world.service.trace(who, answer.trace_id)
    told = [
        *((fact.value, fact.score, fact.terms) for fact in answer.facts),
        *((passage.text, passage.score, passage.terms) for passage in answer.passages),
    ]
    entries = [(entry.rank, entry.score, entry.reasons, entry.fate) for entry in own.entries]
    return told, entries, own.decisions, answer.left_out, answer.tokens, answer.advice


async def _harmless(world: World) -> None:
    for number, words in enumerate(HARMLESS):
        await world.say(world.developer, words, activity_id=f"act-{number}")


async def _in_its_own_activity(world: World) -> None:
    await world.say(world.lead, KEEP, activity_id="act-secret")


async def _again_and_again(world: World) -> None:
    """The episode is rebuilt each time, and its passages with it."""
    for days in range(3):
        occurred_at = (MONDAY + timedelta(days=days)).isoformat()
        await world.say(world.lead, KEEP, activity_id="act-secret", occurred_at=occurred_at)


async def _too_late(world: World) -> None:
    """Of words that came too late no memory is made."""
    await _in_its_own_activity(world)
    late = (MONDAY - timedelta(days=1)).isoformat()
    await world.say(
        world.lead,
        KEEP.replace("running", "reserved"),
        activity_id="act-late",
        occurred_at=late,
    )


async def _with_another_memory(world: World) -> None:
    """One event leads to two memories that are hidden, one passage speaks of both and counts once."""
    said = [
        {"attribute": "lifecycle_policy", "entity": "gpu-bench-01", "value": "both"},
        {"attribute": "lifecycle_policy", "entity": "gpu-bench-02", "value": "both"},
    ]
    await world.say(world.lead, KEEP, activity_id="act-both", data={"candidates": said})


@pytest.mark.parametrize("secret", [_in_its_own_activity, _again_and_again, _too_late, _with_another_memory])
async def test_of_two_tenants_that_differ_in_what_is_hidden_one_sees_the_same(
    world: World, secret: Act
) -> None:
    other = World(world.service, world.database, f"{world.tenant}-x")
    await other.service.add_tenant(other.agent)
    for each in (world, other):
        await _harmless(each)
    await secret(other)
    unlike = await _seen(other, other.agent)
    for each in (world, other):
        await applied(each, read_by("operational_restriction", "infra_lead"))
    assert await _seen(world, world.agent) == await _seen(other, other.agent)
    # To whoever reads it, it counts: the comparison can fail.
    assert await _seen(other, other.lead) == unlike != await _seen(world, world.lead)


async def test_of_two_tenants_that_differ_in_what_is_switched_off_one_sees_the_same(world: World) -> None:
    ours = Household(world)
    theirs = Household(World(world.service, world.database, f"{world.tenant}-x"))
    await theirs.service.add_tenant(theirs.world.agent)
    mine = {"user": "ana"}
    for each in (ours, theirs):
        said = event(type="feedback", activity_id="a", text="Tea was cold, coffee was not.", scope=mine)
        await each.world.digest(await each.world.publish(each.operator, said))
        await each.remembered(
            each.operator, "commitment", "tea for all on Monday", occurred_at=MONDAY.isoformat()
        )
        await each.service.switch_off(each.ana, "user_preference")
        await each.service.switch_on(each.ana, "user_preference")
    words = "Ana prefers tea to any coffee that she was ever given."
    told = event(type="correction", activity_id="b", text=words, scope=mine)
    for value, said in (("tea", {}), ("milk", {"text": words})):
        await theirs.remembered(theirs.operator, "preference", value, **said)
    await theirs.world.digest(
        await theirs.world.publish(
            theirs.operator,
            told | {"data": {"candidates": [{"attribute": "preference", "value": "tea"}]}},
            event(type="activity_completed", activity_id="b", scope=mine),
        )
    )
    asked = {"scope": mine, "query": "tea coffee", "as_of": None}
    before = await _seen(theirs.world, theirs.operator, **asked)
    for each in (ours, theirs):
        await each.service.switch_off(each.ana, "user_preference")
    # What is refused for being switched off says as much.
    await theirs.state(theirs.operator, "preference", "coffee", text="Ana prefers coffee after all.")
    here, there = [await _seen(each.world, each.operator, **asked) for each in (ours, theirs)]
    assert here[0] == there[0]
    assert before[0] != there[0]
