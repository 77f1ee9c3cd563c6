"""Intentions that wait for a time: they come into the inbox once, then, and never again."""

import asyncio
from datetime import timedelta

import pytest

from models.errors import Conflict, InvalidInput
from models.firing import Firing
from models.ids import tenant_id
from models.intention_changes import Cancellation, HandOver, Rescheduling, Snooze
from models.intentions import Fate
from models.scope import Scope
from store import occurrences
from tests.intentions.desk import Desk, far, now, soon
from tests.world import STAGING


async def test_an_instant_comes_once(desk: Desk) -> None:
    identity = await desk.intend(at=soon(), data={"canary": 7})
    assert await desk.life(identity) == "pending"
    [due] = await desk.due()
    assert (due.intention.id, due.intention.data, due.intention.action) == (
        identity,
        {"canary": 7},
        "check the canary",
    )
    assert await desk.life(identity) == "delivered"
    await desk.acknowledge(due, text="looks good")
    planned, [occurrence] = await desk.one(identity)
    assert (planned.life, occurrence.outcome, planned.intention.fired) == ("acknowledged", "done", 1)
    assert await desk.listed() == []


async def test_a_delay_counts_from_now(desk: Desk) -> None:
    before = now()
    identity = await desk.intend(after="PT40M")
    [planned_at] = (await desk.one(identity))[0].coming
    assert timedelta(minutes=40) <= planned_at - before < timedelta(minutes=41)


async def test_the_earlier_one_comes_first_though_it_was_set_later(desk: Desk) -> None:
    late = await desk.intend(at=far())
    early = await desk.intend(at=soon())
    assert [due.intention.id for due in await desk.due()] == [early]
    assert await desk.life(late) == "pending"


async def test_a_recurrence_comes_again(desk: Desk) -> None:
    starts = now() + timedelta(seconds=1.5)
    identity = await desk.intend(every={"rule": "FREQ=MINUTELY", "starts": starts.isoformat()})
    [due] = await desk.due()
    await desk.acknowledge(due)
    planned, _ = await desk.one(identity)
    assert planned.life == "pending"
    gaps = {later - earlier for earlier, later in zip(planned.coming, planned.coming[1:], strict=False)}
    assert (planned.coming[0] - due.occurrence.due_at, gaps) == (timedelta(minutes=1), {timedelta(minutes=1)})


async def test_what_is_cancelled_never_comes(desk: Desk) -> None:
    given_up = await desk.intend(at=soon(0.5))
    kept = await desk.intend(at=soon(1.0))
    await desk.service.intentions.cancel(desk.agent, given_up, Cancellation(text="no need"))
    assert [due.intention.id for due in await desk.due()] == [kept]
    assert await desk.life(given_up) == "cancelled"
    with pytest.raises(Conflict, match="nothing comes of the intention"):
        await desk.service.intentions.cancel(desk.agent, given_up, Cancellation())


async def test_what_is_handed_out_is_taken_back_when_it_is_cancelled(desk: Desk) -> None:
    identity = await desk.intend(at=soon())
    [due] = await desk.due()
    await desk.service.intentions.cancel(desk.agent, identity, Cancellation())
    with pytest.raises(Conflict, match="settled already, as cancelled"):
        await desk.acknowledge(due)


async def test_what_has_come_to_its_deadline_is_neither_handed_out_nor_brought_up(desk: Desk) -> None:
    """The step that settles it as expired comes after the deadline, and may be late."""
    planned, _ = await desk.one(await desk.intend(at=far()))
    there, at = planned.intention, now()
    over = there.model_copy(update={"deadline": at})
    open_still = there.model_copy(update={"deadline": at + timedelta(hours=1)})
    async with desk.world.database.transaction(tenant_id(desk.world.tenant)) as work:
        fired = [
            (each, Firing(key, at, Fate.DUE)) for key, each in (("1", over), ("2", open_still), ("3", there))
        ]
        await occurrences.add(work, fired, at)
        wanted = {firing.id(there.id) for _, firing in fired[1:]}
        free = await occurrences.free(work, there.owner, [Scope(there.scope).key], 10)
        brought_up = await occurrences.open_in(work, there.owner, Scope(STAGING).sub_scope_keys(), 10)
        assert {each.id for each in free} == {each.due.id for each in brought_up} == wanted


async def test_another_time_is_the_time(desk: Desk) -> None:
    identity = await desk.intend(at=far())
    said = Rescheduling.model_validate({"at": soon()})
    await desk.service.intentions.reschedule(desk.agent, identity, said)
    assert [due.intention.id for due in await desk.due()] == [identity]


async def test_what_is_put_off_comes_again(desk: Desk) -> None:
    await desk.intend(at=soon())
    [due] = await desk.due()
    await desk.service.inbox.snooze(desk.agent, due.occurrence.id, Snooze.model_validate({"after": "PT0.2S"}))
    [again] = await desk.due()
    assert again.occurrence.id == due.occurrence.id
    with pytest.raises(Conflict, match="lease has run out"):
        await desk.acknowledge(due)
    await desk.acknowledge(again)


async def test_a_lease_that_runs_out_brings_it_again_and_at_last_it_is_dead(desk: Desk) -> None:
    identity = await desk.intend(at=soon())
    for _ in range(5):
        [due] = await desk.due(lease_seconds=1)
        assert due.intention.id == identity
    await asyncio.sleep(1.1)  # a lease cannot be awaited: it is time that ends it
    assert await desk.service.inbox.take(desk.agent, desk.everything()) == []
    assert await desk.life(identity) == "dead_lettered"


async def test_another_owner_gets_it(desk: Desk) -> None:
    identity = await desk.intend(desk.lead, owner={"subject": "ops-agent"}, at=far())
    other = desk.world.principal("second-agent", desk.agent.kind, "agent")
    said = HandOver.model_validate({"owner": {"subject": "second-agent"}})
    await desk.service.intentions.hand_over(desk.lead, identity, said)
    await desk.service.intentions.reschedule(desk.lead, identity, Rescheduling.model_validate({"at": soon()}))
    assert [due.intention.id for due in await desk.due(other)] == [identity]
    assert await desk.service.inbox.take(desk.agent, desk.everything()) == []


async def test_said_again_under_its_key_it_is_set_once(desk: Desk) -> None:
    said = {"after": "PT1H", "idempotency_key": "k-1"}
    assert await desk.intend(**said) == await desk.intend(**said)
    assert len(await desk.listed()) == 1
    with pytest.raises(Conflict):
        await desk.intend(after="PT2H", idempotency_key="k-1")


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"at": "2020-01-01T00:00:00Z"}, "at"),
        ({"at": "2020-01-01T00:00:00Z", "grace": "PT1H"}, "at"),
        ({"every": {"rule": "FREQ=SECONDLY"}}, "every.rule"),
        ({"every": {"rule": "FREQ=DAILY", "timezone": "Mars/Olympus"}}, "every.timezone"),
        ({"after": "PT1H", "deadline": "2020-01-01T00:00:00Z"}, "deadline"),
        ({"at": "2100-01-01T00:00:00Z", "deadline": "2100-01-01T00:00:00Z"}, "deadline"),
        ({"on": {"conditions": [{"field": "data.undeclared", "value": 1}]}}, "on.conditions.0.field"),
    ],
)
async def test_what_could_never_fire_is_refused(desk: Desk, said: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await desk.intend(**said)
    assert refused.value.field == field
    assert await desk.listed() == []


async def test_a_past_instant_that_its_grace_covers_comes_at_once(desk: Desk) -> None:
    at = now() - timedelta(hours=1)
    identity = await desk.intend(at=at.isoformat(), grace="PT2H")
    [due] = await desk.due()
    assert (due.intention.id, due.occurrence.due_at) == (identity, at)


async def test_it_applies_where_it_was_set_and_others_do_not_see_it(desk: Desk) -> None:
    identity = await desk.intend(at=far())
    other = desk.world.principal("second-agent", desk.agent.kind, "agent")
    assert await desk.listed(other) == []
    assert await desk.listed(desk.lead, scope=STAGING) == [identity]


async def test_what_lies_beyond_reach_hides_nothing(desk: Desk) -> None:
    elsewhere = {"workspace": "elsewhere"}
    for _ in range(3):
        await desk.intend(at=now().isoformat(), grace="PT1H")
    wanted = await desk.intend(at=soon(), scope=elsewhere)
    await desk.until(wanted, "due")
    narrowed = desk.agent.model_copy(update={"within": elsewhere})
    assert [due.intention.id for due in await desk.due(narrowed, limit=1)] == [wanted]
    assert {due.occurrence.leases for due in await desk.due(limit=10)} == {1}
