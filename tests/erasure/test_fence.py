"""The fence: what was erased comes in again by no way, and nothing is made of it any more."""

import asyncio
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from models.errors import Conflict
from models.statements import Statement
from store import evidence
from store.unit_of_work import SourceErased
from tests.erasure.desk import Desk
from tests.world import SERVER, STAGING, event


async def test_a_key_of_an_erased_event_stands_for_it_for_ever(desk: Desk) -> None:
    world = desk.world
    sent = event(text="The axolotl6174 word is in the safe.", idempotency_key="import-1")
    [first] = await world.publish(world.lead, sent)
    await desk.erase({"kind": "event", "id": str(first.event_id)})
    other = event(0.1, text="Something else.", idempotency_key="import-2")
    again, new = await world.publish(world.lead, sent, other)
    assert (again.event_id, again.duplicate, again.erased) == (first.event_id, True, True)
    assert (new.duplicate, new.erased) == (False, False)
    assert await desk.places_of("axolotl6174") == {}
    [by_another] = await world.publish(world.developer, sent)
    assert not by_another.duplicate, "under the same key somebody else says something else"


async def test_a_statement_under_an_erased_key_is_refused(desk: Desk) -> None:
    said = Statement.model_validate(
        {
            "scope": STAGING,
            "entity": "machine:bench-9",
            "attribute": "owner",
            "value": "Nadia8128",
            "idempotency_key": "said-1",
        }
    )
    stated = await desk.world.service.remember(desk.world.lead, said)
    await desk.erase({"kind": "event", "id": str(stated.event_id)})
    with pytest.raises(Conflict, match="is erased"):
        await desk.world.service.remember(desk.world.lead, said)
    assert await desk.places_of("nadia8128") == {}


async def test_the_database_lets_nothing_be_made_of_it(desk: Desk) -> None:
    world = desk.world
    said = await world.say(world.lead, "The lights are green.")
    await desk.erase({"kind": "event", "id": str(said.event_id)})

    async def derived() -> None:
        async with world.database.transaction(desk.officer.tenant_id) as work:
            await evidence.derive(work, evidence.Kind.FACT, uuid4(), evidence.Kind.EVENT, [said.event_id])

    with pytest.raises(SourceErased):
        await derived()


async def test_who_is_making_something_of_it_is_waited_for_and_found(desk: Desk) -> None:
    """A derivation that is not committed yet holds its source: the erasure waits, and then sees what was made."""
    world = desk.world
    words = "Keep gpu-bench-01 running until the ibex2584 audit is over."
    said = await world.say(world.lead, words, entities=[SERVER])
    [fact] = (await world.recall(entities=(SERVER["id"],))).required
    child = uuid4()
    async with world.database.transaction(desk.officer.tenant_id) as work:
        await evidence.derive(work, evidence.Kind.INTENTION, child, evidence.Kind.FACT, [fact.id])
        await work.rows(
            text("SELECT id FROM facts WHERE tenant_id = :tenant AND id = :id FOR KEY SHARE"), {"id": fact.id}
        )
        asked = await desk.ask({"kind": "event", "id": str(said.event_id)})
        await _until_it_waits(desk)
    await desk.receipt(asked.id)
    async with world.database.transaction(desk.officer.tenant_id) as work:
        assert await evidence.parents_of(work, child, evidence.Kind.FACT) == []
    assert await desk.places_of("ibex2584") == {}


async def _until_it_waits(desk: Desk) -> None:
    """Return once somebody waits for a lock in this tenant's rows."""
    waiting = text("SELECT count(*) AS n FROM pg_locks WHERE NOT granted")
    async with asyncio.timeout(30):
        while True:
            async with desk.world.database.transaction(desk.officer.tenant_id) as work:
                row = await work.row(waiting)
            if row is not None and row.n:
                return
            await asyncio.sleep(0.05)


async def test_a_late_event_brings_nothing_back(desk: Desk) -> None:
    world = desk.world
    receipts = await world.publish(
        world.lead,
        event(text="The narwhal3691 key is under the mat."),
        event(0.1, text="The lights are green again."),
        event(0.2, type="activity_completed"),
    )
    await world.digest(receipts)
    await desk.erase({"kind": "event", "id": str(receipts[0].event_id)})
    late = await world.publish(world.lead, event(0.3, type="correction", text="They were blue."))
    await world.digest(late)
    episode = await world.service.episode_of(world.agent, receipts[0].activity_id)
    assert episode is not None
    assert "They were blue." in episode.narrative
    assert await desk.places_of("narwhal3691") == {}


async def test_an_activity_that_was_erased_can_go_on_by_its_name(desk: Desk) -> None:
    world = desk.world
    told = event(type="correction", text="The dugong4096 word.")
    receipts = await world.publish(world.lead, told, event(0.1, text="Done."))
    await world.digest(receipts)
    await desk.erase({"kind": "activity", "activity_id": "act-1", "scope": STAGING})
    assert await desk.places_of("dugong4096") == {}
    again = await world.publish(world.lead, event(0.2, type="correction", text="It goes on."))
    await world.digest(again)
    assert again[0].activity_id != receipts[0].activity_id
    assert await world.service.episode_of(world.agent, again[0].activity_id) is not None


async def test_the_service_itself_cannot_take_back_what_was_written(desk: Desk) -> None:
    said = await desk.world.say(desk.world.lead, "The lights are green.")
    for statement in ("DELETE FROM facts", "DELETE FROM tombstones", "UPDATE events SET text = NULL"):
        with pytest.raises(DBAPIError, match="permission denied"):
            async with desk.world.database.transaction(desk.officer.tenant_id) as work:
                await work.run(text(statement))
    assert isinstance(said.event_id, UUID)
