"""Erasing what somebody has named: all that was made of it goes, and everything else stays."""

from typing import Any
from uuid import UUID

import pytest

from models.errors import NotFound, NotPermitted
from models.statements import Statement
from store.erasure import requests
from tests.erasure.desk import Desk
from tests.world import SERVER, STAGING, event

BENCH = "machine:bench-7"
OWNER = {"scope": STAGING, "entity": BENCH, "attribute": "owner"}


async def remembered(desk: Desk, value: str, **fields: Any) -> UUID:
    said = Statement.model_validate({**OWNER, "value": value, **fields})
    stated = await desk.world.service.remember(desk.world.lead, said)
    assert stated.decided is not None
    assert stated.decided.fact_id is not None
    return stated.decided.fact_id


async def owners(desk: Desk) -> list[str]:
    answer = await desk.world.recall(desk.world.lead, query="who is the owner", entities=(BENCH,))
    return sorted(fact.value for fact in answer.facts)


async def test_an_event_goes_with_all_that_was_made_of_it(desk: Desk) -> None:
    world = desk.world
    words = "Keep gpu-bench-01 running until the zebra7731 audit is over."
    said = await world.say(world.lead, words, entities=[SERVER])
    assert (await world.recall(entities=(SERVER["id"],))).required
    assert set(await desk.places_of("zebra7731")) >= {"events", "facts", "episodes", "passages", "candidates"}
    receipt = await desk.erase({"kind": "event", "id": str(said.event_id)})
    assert await desk.places_of("zebra7731") == {}
    assert await desk.places_of("gpu-bench-01") == {}
    answer = await world.recall(entities=(SERVER["id"],), query="zebra7731 audit")
    assert (answer.required, answer.facts, answer.passages) == ((), (), ())
    assert receipt.rows["events"] == 1
    assert len(receipt.without_holder) == 1


async def test_an_episode_is_told_anew_from_what_is_left(desk: Desk) -> None:
    world = desk.world
    receipts = await world.publish(
        world.lead,
        event(text="The quokka5521 key is under the mat."),
        event(0.1, text="The lights are green again."),
        event(0.2, type="activity_completed"),
    )
    await world.digest(receipts)
    await desk.erase({"kind": "event", "id": str(receipts[0].event_id)})
    assert await desk.places_of("quokka5521") == {}
    episode = await world.service.episode_of(world.agent, receipts[0].activity_id)
    assert episode is not None
    assert "lights are green" in episode.narrative
    assert len(episode.sources) == 2
    found = await world.recall(query="are the lights green")
    assert [passage.text for passage in found.passages]


async def test_a_fact_that_others_bear_out_stays_with_what_they_said(desk: Desk) -> None:
    world = desk.world
    first = await world.say(
        world.lead, "Keep gpu-bench-01 running until the walrus audit is over.", entities=[SERVER]
    )
    again = await world.say(
        world.lead,
        "Keep gpu-bench-01 running until the walrus audit is over.",
        entities=[SERVER],
        activity_id="act-2",
    )
    [before] = (await world.recall(entities=(SERVER["id"],))).required
    await desk.erase({"kind": "event", "id": str(first.event_id)})
    [after] = (await world.recall(entities=(SERVER["id"],))).required
    assert (after.id, after.value) == (before.id, before.value)
    await desk.erase({"kind": "event", "id": str(again.event_id)})
    assert (await world.recall(entities=(SERVER["id"],))).required == ()
    assert await desk.places_of("walrus") == {}


async def test_a_fact_goes_alone_and_its_siblings_stay(desk: Desk) -> None:
    ana = await remembered(desk, "Anastasia77")
    other = await remembered(desk, "Bob", entity="machine:bench-8")
    receipt = await desk.erase({"kind": "record", "id": str(ana)})
    assert await desk.places_of("anastasia77") == {}
    assert await owners(desk) == ["Bob"]
    answer = await desk.world.recall(desk.world.lead, query="owner", entities=("machine:bench-8",))
    assert [fact.id for fact in answer.facts] == [other]
    async with desk.world.database.transaction(desk.officer.tenant_id) as work:
        [stone] = await requests.tombstones_of(work, [ana])
    assert (stone.kind, stone.erasure_id) == ("fact", receipt.erasure_id)


async def test_what_was_superseded_goes_as_well_and_does_not_come_back(desk: Desk) -> None:
    await remembered(desk, "Ana")
    successor = await remembered(desk, "Boris9931")
    receipt = await desk.erase({"kind": "record", "id": str(successor)})
    assert await owners(desk) == [], "the one before it does not come back by itself"
    assert len(receipt.without_holder) == 1
    assert await desk.places_of("boris9931") == {}
    assert (await remembered(desk, "Ana")) is not None
    assert await owners(desk) == ["Ana"]
    receipt = await desk.erase({"kind": "entity", "entity": BENCH, "scope": STAGING})
    assert await desk.places_of("bench-7") == {}
    assert await owners(desk) == []


@pytest.mark.parametrize("who", ["agent", "developer"])
async def test_who_may_not_erase_is_refused(desk: Desk, who: str) -> None:
    said = await desk.world.say(desk.world.lead, "The lights are green.")
    with pytest.raises(NotPermitted):
        await desk.ask({"kind": "event", "id": str(said.event_id)}, getattr(desk.world, who))
    with pytest.raises(NotFound):
        await desk.ask({"kind": "event", "id": str(said.activity_id)})
