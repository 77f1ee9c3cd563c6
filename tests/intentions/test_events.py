"""Intentions that wait for something to happen: an event that says just that, or a change of a fact."""

from typing import Any
from uuid import UUID

import pytest

from models.news import IntentionTold
from models.principals import Principal
from models.statements import Statement, Withdrawal
from tests.intentions.desk import Desk, far, now, soon
from tests.world import SERVER, STAGING, event

MIGRATED: dict[str, Any] = {
    "conditions": [{"field": "type", "value": "milestone"}, {"field": "data.job", "value": "migration"}]
}


async def happens(desk: Desk, **fields: Any) -> None:
    """Somebody publishes an event of this moment."""
    whole = {"occurred_at": now().isoformat(), "type": "milestone", "data": {"job": "migration"}, **fields}
    await desk.world.publish(desk.lead, event(**whole))


async def test_the_event_that_is_waited_for_fires_it_once(desk: Desk) -> None:
    identity = await desk.intend(on=MIGRATED)
    await happens(desk)
    await happens(desk)
    [due] = await desk.due()
    assert (due.intention.id, due.occurrence.cause_id is not None) == (identity, True)
    assert await desk.life(identity) == "delivered"


@pytest.mark.parametrize(
    "near_miss",
    [
        {"type": "note"},
        {"data": {"job": "Migration"}},
        {"data": {"job": "migration2"}},
        {"data": {"task": "migration"}},
        {"data": {"job": ["migration"]}},
        {"data": {}, "text": "the migration job has completed"},
        {"scope": {"workspace": "production"}},
    ],
)
async def test_a_near_miss_is_silent(desk: Desk, near_miss: dict[str, Any]) -> None:
    missed = await desk.intend(on=MIGRATED)
    witness = await desk.intend(on={"conditions": [{"field": "data.job", "value": "witness"}]})
    await happens(desk, **near_miss)
    await happens(desk, data={"job": "witness"})
    assert [due.intention.id for due in await desk.due()] == [witness]
    assert await desk.life(missed) == "pending"


async def test_another_thing_is_a_near_miss(desk: Desk) -> None:
    missed = await desk.intend(on={**MIGRATED, "entity": SERVER["id"]})
    met = await desk.intend(on={**MIGRATED, "entity": "cloud-instance:i-2"})
    await happens(desk, entities=[{"id": "cloud-instance:i-2"}])
    assert [due.intention.id for due in await desk.due()] == [met]
    assert await desk.life(missed) == "pending"


async def test_a_field_of_any_name_hinders_nothing(desk: Desk) -> None:
    identity = await desk.intend(on=MIGRATED)
    set_by_it = {"set": {"action": "wire the money"}, "id": str(identity)}
    await happens(desk, data={"job": "migration", "intention": set_by_it})
    assert [due.intention.id for due in await desk.due()] == [identity]


async def test_a_word_on_an_intention_is_a_cue_for_none(desk: Desk) -> None:
    missed = await desk.intend(on={"conditions": [{"field": "subject", "value": desk.agent.subject}]})
    witness = await desk.intend(on={"conditions": [{"field": "subject", "value": desk.lead.subject}]})
    await happens(desk)
    assert [due.intention.id for due in await desk.due()] == [witness]
    assert await desk.life(missed) == "pending"


async def test_any_of_several_is_enough(desk: Desk) -> None:
    conditions = [{"field": "data.job", "value": "migration"}, {"field": "data.state", "value": "done"}]
    identity = await desk.intend(on={"match": "any", "conditions": conditions})
    await happens(desk, data={"state": "done"})
    assert [due.intention.id for due in await desk.due()] == [identity]


async def test_one_that_repeats_fires_each_time(desk: Desk) -> None:
    identity = await desk.intend(on={**MIGRATED, "repeats": True})
    for _ in range(2):
        await happens(desk)
        [due] = await desk.due()
        assert due.intention.id == identity
        await desk.acknowledge(due)
    assert (await desk.one(identity))[0].intention.fired == 2
    assert await desk.life(identity) == "pending"


async def test_too_early_is_silent_and_a_deadline_expires_it(desk: Desk) -> None:
    early = await desk.intend(on=MIGRATED, not_before=far())
    witness = await desk.intend(on=MIGRATED)
    await happens(desk)
    assert [due.intention.id for due in await desk.due()] == [witness]
    assert await desk.life(early) == "pending"


async def test_a_deadline_that_passes_expires_it(desk: Desk) -> None:
    identity = await desk.intend(on=MIGRATED, deadline=soon(0.5))
    await desk.until(identity, "expired")
    await happens(desk)
    assert await desk.service.inbox.take(desk.agent, desk.everything()) == []


async def _freeze(desk: Desk, value: str = "frozen", **fields: Any) -> Any:
    said = {"scope": STAGING, "attribute": "change_policy", "entity": SERVER["id"], "value": value, **fields}
    stated = await desk.service.remember(desk.lead, Statement.model_validate(said))
    assert stated.decided is not None
    return stated.decided.fact_id


async def test_a_fact_that_ends_fires_it(desk: Desk) -> None:
    fact_id = await _freeze(desk)
    identity = await desk.intend(change={"fact_id": str(fact_id), "becomes": ["retracted", "retired"]})
    superseded = await desk.intend(change={"fact_id": str(fact_id), "becomes": ["superseded"]})
    await desk.service.retract(desk.lead, fact_id, Withdrawal(text="the freeze lifts"))
    assert [due.intention.id for due in await desk.due()] == [identity]
    assert await desk.life(superseded) == "pending"


async def test_a_fact_that_is_established_with_a_value_fires_it(desk: Desk) -> None:
    wanted = {"attribute": "change_policy", "entity": SERVER["id"], "becomes": ["established"]}
    open_again = await desk.intend(change={**wanted, "value": "Open"})
    anything = await desk.intend(change=wanted)
    await _freeze(desk)
    assert [due.intention.id for due in await desk.due()] == [anything]
    await _freeze(desk, "open")
    assert [due.intention.id for due in await desk.due()] == [open_again]


async def test_a_fact_whose_term_runs_out_fires_it(desk: Desk) -> None:
    fact_id = await _freeze(desk, expires_at=soon(1.5))
    identity = await desk.intend(change={"fact_id": str(fact_id), "becomes": ["expired"]})
    [due] = await desk.due()
    assert due.intention.id == identity


async def test_an_intention_whose_premise_ends_is_cancelled(desk: Desk) -> None:
    fact_id = await _freeze(desk)
    waiting = await desk.intend(at=far(), premises=[str(fact_id)])
    handed_out = await desk.intend(at=now().isoformat(), grace="PT1H", premises=[str(fact_id)])
    assert [due.intention.id for due in await desk.due()] == [handed_out]
    await desk.service.retract(desk.lead, fact_id, Withdrawal(text="the freeze lifts"))
    await desk.until(waiting, "cancelled")
    await desk.until(handed_out, "cancelled")
    assert (await desk.one(waiting))[0].intention.reason == "premise_retracted"


async def test_whoever_owns_or_has_set_it_is_told_what_becomes_of_it(desk: Desk) -> None:
    fact_id = await _freeze(desk)
    identity = await desk.intend(desk.lead, owner={"subject": "ops-agent"}, at=far(), premises=[str(fact_id)])
    bystander = desk.world.principal("second-agent", desk.agent.kind, "agent")
    start = {
        who.subject: await desk.service.news_begin(who, None) for who in (desk.agent, desk.lead, bystander)
    }
    await desk.service.retract(desk.lead, fact_id, Withdrawal(text="the freeze lifts"))
    await desk.until(identity, "cancelled")

    async def told(who: Principal) -> list[tuple[UUID, str, str]]:
        found, _, _ = await desk.service.news(who, start[who.subject])
        heard = [each.told for each in found if isinstance(each.told, IntentionTold)]
        return [(each.intention_id, each.to_status, each.reason) for each in heard]

    for who in (desk.agent, desk.lead):
        assert await told(who) == [(identity, "cancelled", "premise_retracted")]
    assert await told(bystander) == []
