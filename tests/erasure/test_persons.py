"""Erasing all of a person, of a scope and of a class, with a plan that is looked at first, and what forbids it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from models.erasure.erasures import ErasureState, PlanConfirmation
from models.erasure.targets import PersonTarget
from models.errors import Conflict, InvalidInput, NotFound, NotPermitted
from models.intentions import NewIntention
from models.principals import Principal, PrincipalKind
from models.recall import RecallRequest
from store.erasure.log import faults
from tests.erasure.desk import Desk
from tests.world import STAGING, event

U27 = {"user": "u-27"}


@pytest.fixture
def person(desk: Desk) -> Principal:
    """Somebody of whom Keepwell remembers things."""
    return desk.world.principal("u-27", PrincipalKind.HUMAN, "user")


async def speaks(desk: Desk, who: Principal, text: str, **fields: Any) -> None:
    world = desk.world
    given = event(
        type="correction", text=text, scope={"user": who.subject}, activity_id=f"talk-{who.subject}", **fields
    )
    receipts = await world.publish(who, given)
    await world.digest(receipts)


async def test_all_of_a_person_goes_and_their_namesake_keeps_everything(
    desk: Desk, person: Principal
) -> None:
    other = desk.world.principal("u-271", PrincipalKind.HUMAN, "user")
    for who, canary in ((person, "capybara3141"), (other, "pangolin2718")):
        await speaks(desk, who, f"I always drink {canary} tea.")
        said = NewIntention.model_validate(
            {
                "scope": {"user": who.subject},
                "action": f"buy {canary}",
                "at": (datetime.now(UTC) + timedelta(days=3)).isoformat(),
            }
        )
        await desk.world.service.intentions.intend(who, said)
        await desk.world.service.recall(
            who, RecallRequest(scope={"user": who.subject}, query=f"{canary} tea")
        )
    await desk.world.service.export_of(person)
    kept = await desk.places_of("pangolin2718")
    assert "traces" in kept
    asked = await desk.ask({"kind": "person", "subject": "u-27"}, person)
    receipt = await desk.receipt(asked.id)
    assert await desk.places_of("capybara3141") == {}
    assert await desk.places_of("pangolin2718") == kept
    assert receipt.rows["intentions"] == 1
    assert receipt.rows["traces"] == 1
    assert receipt.departed == {"export": 1}
    assert receipt.target == "person"
    with pytest.raises(NotPermitted):
        await desk.ask({"kind": "person", "subject": "u-271"}, person)


async def test_a_plan_waits_for_a_second_person(desk: Desk) -> None:
    world = desk.world
    await world.say(world.lead, "The okapi4242 password is on the door.")
    asked = await desk.ask({"kind": "scope", "scope": STAGING})
    planned = await desk.until(asked.id, ErasureState.PLANNED)
    assert planned.plan is not None
    assert planned.digest is not None
    assert {line.kind for line in planned.plan.lines} >= {"event", "episode"}
    assert await desk.places_of("okapi4242"), "nothing is erased before somebody has confirmed"
    own = PlanConfirmation(digest=planned.digest.hex())
    with pytest.raises(NotPermitted):
        await world.service.erasures.confirm(desk.officer, asked.id, own)
    with pytest.raises(NotFound):
        await world.service.erasures.confirm(world.lead, asked.id, own)
    with pytest.raises(Conflict):
        await world.service.erasures.confirm(desk.second, asked.id, PlanConfirmation(digest="0" * 64))
    await world.service.erasures.confirm(desk.second, asked.id, own)
    receipt = await desk.receipt(asked.id)
    assert receipt.confirmed_by == ("paul",)
    assert await desk.places_of("okapi4242") == {}
    with pytest.raises(Conflict):
        await world.service.erasures.withdraw(desk.officer, asked.id)


async def test_a_dry_run_erases_nothing_and_can_be_withdrawn(desk: Desk) -> None:
    said = await desk.world.say(desk.world.lead, "The lemur1618 lights are green.")
    before = await desk.places_of("lemur1618")
    asked = await desk.ask({"kind": "event", "id": str(said.event_id)}, dry_run=True)
    planned = await desk.until(asked.id, ErasureState.PLANNED)
    assert planned.plan is not None
    assert await desk.places_of("lemur1618") == before
    await desk.world.service.erasures.withdraw(desk.officer, asked.id)
    await desk.until(asked.id, ErasureState.WITHDRAWN)
    assert planned.digest is not None
    again = await desk.ask({"kind": "event", "id": str(said.event_id)}, expected=planned.digest.hex())
    receipt = await desk.receipt(again.id)
    assert receipt.plan_digest == planned.digest.hex(), "the same plan goes on without another look"
    assert await desk.places_of("lemur1618") == {}


async def test_a_legal_hold_stops_an_erasure_until_it_is_released(desk: Desk, person: Principal) -> None:
    await speaks(desk, person, "I always drink wombat9090 tea.")
    held = PersonTarget(kind="person", subject="u-27")
    erasures = desk.world.service.erasures
    with pytest.raises(InvalidInput):
        await erasures.hold(desk.officer, held, "litigation", datetime.now(UTC))
    hold = await erasures.hold(desk.officer, held, "litigation", None)
    asked = await desk.ask({"kind": "person", "subject": "u-27"}, person)
    stopped = await desk.until(asked.id, ErasureState.HELD)
    assert stopped.plan is not None
    assert stopped.plan.holds == (hold,)
    assert await desk.places_of("wombat9090")
    with pytest.raises(NotFound):
        await erasures.release(person, hold)
    await erasures.release(desk.officer, hold)
    await desk.receipt(asked.id)
    assert await desk.places_of("wombat9090") == {}


async def test_the_log_of_receipts_holds_together(desk: Desk) -> None:
    for number in range(3):
        said = await desk.world.say(desk.world.lead, f"Light {number} is green.", activity_id=f"act-{number}")
        await desk.erase({"kind": "event", "id": str(said.event_id)})
    async with desk.world.database.transaction(desk.officer.tenant_id) as work:
        assert await faults(work) == []
