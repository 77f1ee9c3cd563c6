"""What a name means, who may say so, and that no restriction is missed because a thing was learned by another name."""

from typing import Any

import pytest

from models.recall import RecallRequest
from tests.world import SERVER, STAGING, World, event

KEEP = "Keep gpu-bench-01 running until the audit is over."
RESERVE = "Keep gpu-bench-01 reserved until the benchmark is done."
BY_ID = {"id": SERVER["id"]}


async def tell(world: World, who: Any, *entities: dict[str, str], **fields: Any) -> None:
    """An event that declares entities, digested."""
    told = event(type="milestone", entities=list(entities), **{"activity_id": "list", **fields})
    await world.digest(await world.publish(who, told))


async def required(world: World, *entities: str) -> list[str]:
    return [fact.value for fact in (await world.recall(entities=entities)).required]


async def test_an_ambiguous_name_is_held_and_not_guessed(world: World) -> None:
    await world.publish(
        world.agent,
        event(activity_id="list", entities=[{"id": "vm:1", "name": "db-main-1"}]),
        event(activity_id="list", entities=[{"id": "vm:2", "name": "db-main-1"}], type="milestone"),
    )
    await world.digest(await world.publish(world.agent, event(activity_id="list", type="milestone")))
    said = await world.say(world.lead, "Keep db-main-1 running until the audit is over.")
    [decided] = await world.service.became_of(world.lead, [said.event_id])
    assert (decided.verdict, decided.reason, decided.fact_id) == ("hold_unverified", "ambiguous_entity", None)


@pytest.mark.parametrize("first", ["nothing", "the id alone", "the id with its name"])
@pytest.mark.parametrize("who", ["agent", "lead"])
async def test_a_restriction_is_found_in_whatever_order_its_thing_was_learned(
    world: World, first: str, who: str
) -> None:
    declares = {"agent": world.agent, "lead": world.lead}[who]
    if first != "nothing":
        await tell(world, declares, SERVER if first == "the id with its name" else BY_ID)
    await world.say(world.lead, KEEP)
    await tell(world, declares, SERVER, activity_id="list-2")
    assert await required(world, SERVER["id"]) == ["keep running"]
    assert await required(world, "gpu-bench-01") == ["keep running"]
    said = await world.say(world.lead, RESERVE, occurred_at=event(1)["occurred_at"])
    assert await world.verdicts(said.event_id) == ["supersede"], "the name goes on meaning the same thing"
    assert await required(world, SERVER["id"]) == ["keep reserved"]


@pytest.mark.parametrize("first", [BY_ID, None])
async def test_a_thing_known_by_name_takes_on_the_id_that_a_person_states(
    world: World, first: dict[str, str] | None
) -> None:
    if first is not None:
        await tell(world, world.agent, first)
    await world.say(world.lead, KEEP)
    await tell(world, world.lead, SERVER, activity_id="list-2")
    [fact] = (await world.recall(entities=(SERVER["id"],))).required
    assert (fact.canonical, fact.entity) == (SERVER["id"], "gpu-bench-01")


async def test_an_agent_cannot_rename_what_a_person_spoke_of(world: World) -> None:
    await world.say(world.lead, KEEP)
    await tell(world, world.agent, {"id": "evil:x", "name": "gpu-bench-01"})
    await tell(world, world.agent, SERVER, activity_id="list-2")
    [fact] = (await world.recall(entities=(SERVER["id"],))).required
    assert fact.canonical != "evil:x"
    said = await world.say(world.lead, RESERVE, occurred_at=event(1)["occurred_at"])
    assert await world.verdicts(said.event_id) == ["supersede"]


async def test_a_restriction_of_a_wide_scope_reaches_a_thing_named_in_a_narrow_one(world: World) -> None:
    await world.say(world.lead, KEEP)
    narrow = {**STAGING, "project": "p"}
    await tell(world, world.agent, SERVER, scope=narrow)
    answer = await world.service.recall(world.lead, RecallRequest(scope=narrow, entities=(SERVER["id"],)))
    assert [fact.value for fact in answer.required] == ["keep running"]


async def test_a_name_of_a_narrow_scope_does_not_clash_with_the_same_name_of_a_wide_one(world: World) -> None:
    narrow = {**STAGING, "project": "p"}
    await world.say(world.lead, "Keep box-7 running until May ends.", scope=narrow)
    await world.say(world.lead, "Keep box-7 reserved until the audit is over.", activity_id="act-2")
    again = await world.say(
        world.lead,
        "Keep box-7 online.",
        scope=narrow,
        activity_id="act-3",
        occurred_at=event(1)["occurred_at"],
    )
    assert await world.verdicts(again.event_id) != ["hold_unverified"]


async def test_a_name_given_in_one_scope_is_shown_and_found_in_no_other(world: World) -> None:
    secret = {"id": "project:p-77", "name": "Operation Nightfall"}
    await tell(world, world.lead, secret, scope={"workspace": "secret"})
    await world.say(
        world.lead,
        "so it is",
        data={"candidates": [{"attribute": "owner", "entity": "project:p-77", "value": "Sam"}]},
    )
    answer = await world.recall(entities=("project:p-77",))
    assert [(fact.entity, fact.value) for fact in answer.facts] == [("project:p-77", "Sam")]
    assert (await world.recall(query="Nightfall")).facts == ()
    lives = await world.service.history_of_entity(world.lead, STAGING, "project:p-77")
    assert "Nightfall" not in repr(lives)


async def test_ids_are_looked_up_as_they_are_written(world: World) -> None:
    await world.say(
        world.lead,
        "keep it",
        data={"candidates": [{"attribute": "change_policy", "entity": "jira:OPS-123", "value": "keep it"}]},
    )
    answer = await world.recall(query="Please close jira:OPS-123, will you?")
    assert [fact.value for fact in answer.required] == ["keep it"]
