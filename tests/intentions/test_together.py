"""What people and steps do at the same time to the same intentions: nobody waits for ever, and nothing is missed."""

import asyncio
from datetime import timedelta
from uuid import uuid4

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from models.errors import Conflict
from models.ids import tenant_id
from models.intention_changes import AcknowledgementGiven, Cancellation, Rescheduling, Snooze
from models.intentions import NewIntention
from models.statements import Statement, Withdrawal
from runtime.addresses import Addresses
from tests.intentions.desk import Desk, far, now, soon
from tests.world import STAGING

ABOUT = {"scope": STAGING, "entity": "cloud-instance:i-7", "attribute": "lifecycle_policy"}
MIGRATED = {"conditions": [{"field": "data.job", "value": "migration"}]}


async def state(desk: Desk, value: str = "keep running", **said: object) -> object:
    """A fact of the lead's."""
    statement = Statement.model_validate({**ABOUT, "value": value, **said})
    stated = await desk.service.remember(desk.lead, statement)
    assert stated.decided is not None
    return stated.decided.fact_id


async def test_words_within_one_activity_do_not_wait_for_each_other_for_ever(desk: Desk) -> None:
    within = {"activity_id": f"act-{uuid4()}"}
    there = [await desk.intend(at=far()) for _ in range(12)]

    async def change(number: int) -> None:
        word = (Cancellation, Rescheduling)[number % 2]
        said = word.model_validate({**within, **({"at": far()} if word is Rescheduling else {})})
        act = desk.service.intentions.cancel if word is Cancellation else desk.service.intentions.reschedule
        await act(desk.agent, there[number], said)

    async def set_another() -> None:
        new = {"action": "check", "scope": STAGING, "at": soon(), "grace": "PT1H", **within}
        await desk.service.intentions.intend(desk.agent, NewIntention.model_validate(new))

    async with asyncio.timeout(30), asyncio.TaskGroup() as together:
        for number in range(12):
            together.create_task(change(number))
            together.create_task(set_another())
    planned = [(await desk.one(identity))[0].life.value for identity in there]
    assert planned == ["cancelled", "pending"] * 6


async def test_acknowledging_and_cancelling_do_not_wait_for_each_other_for_ever(desk: Desk) -> None:
    within = {"activity_id": f"act-{uuid4()}"}
    there = [await desk.intend(at=soon(), grace="PT1H") for _ in range(8)]
    taken = []
    while len(taken) < len(there):
        taken += await desk.due()

    async def acknowledge(number: int) -> None:
        due = taken[number]
        said = AcknowledgementGiven.model_validate({"lease": due.lease, **within})
        await desk.service.inbox.acknowledge(desk.agent, due.occurrence.id, said)

    async def cancel(number: int) -> None:
        said = Cancellation.model_validate(within)
        await desk.service.intentions.cancel(desk.agent, taken[number].intention.id, said)

    words = (word(number) for number in range(8) for word in (acknowledge, cancel))
    async with asyncio.timeout(30):
        came = await asyncio.gather(*words, return_exceptions=True)
    refused = [error for error in came if error is not None]
    assert {type(error) for error in refused} <= {Conflict}, "the later of two words finds it settled"
    assert len(refused) == 8
    assert {await desk.life(identity) for identity in there} <= {"acknowledged", "cancelled"}


async def test_what_comes_again_still_rests_on_its_premise_once_one_of_it_is_acknowledged(desk: Desk) -> None:
    fact_id = await state(desk)
    identity = await desk.intend(on={**MIGRATED, "repeats": True}, premises=[str(fact_id)])
    await desk.world.publish(desk.lead, _migrated())
    [due] = await desk.due()
    await desk.acknowledge(due)
    withdrawal = Withdrawal.model_validate({"text": "no longer"})
    await desk.service.retract(desk.lead, fact_id, withdrawal)  # type: ignore[arg-type]
    await desk.until(identity, "cancelled")


def _migrated() -> dict[str, object]:
    return {
        "activity_id": "act-migrated",
        "type": "observation",
        "scope": STAGING,
        "occurred_at": now().isoformat(),
        "data": {"job": "migration"},
    }


async def test_a_reminder_is_put_off_as_often_as_somebody_says_so(desk: Desk) -> None:
    identity = await desk.intend(at=soon(), grace="PT1H")
    for _ in range(7):
        [due] = await desk.due()
        assert due.occurrence.leases == 1
        said = Snooze.model_validate({"lease": due.lease, "after": "PT0.01S"})
        await desk.service.inbox.snooze(desk.agent, due.occurrence.id, said)
    [due] = await desk.due()
    await desk.acknowledge(due)
    assert await desk.life(identity) == "acknowledged"


async def test_a_fact_that_is_decided_as_somebody_begins_to_wait_for_it_is_not_missed(
    desk: Desk, addresses: Addresses
) -> None:
    wanted = {"attribute": "lifecycle_policy", "entity": "cloud-instance:i-7", "becomes": ["established"]}
    owner = create_async_engine(str(addresses.admin_database_url), poolclass=NullPool)
    async with (
        owner.connect() as holding,
        owner.execution_options(isolation_level="AUTOCOMMIT").connect() as looking,
        asyncio.timeout(30),
        asyncio.TaskGroup() as together,
    ):
        # The decision has written its transition, and cannot commit.
        await holding.execute(text("LOCK TABLE decisions IN SHARE MODE"))
        together.create_task(state(desk))
        await _until_waiting(looking, 1)
        setting = together.create_task(desk.intend(change=wanted))
        await _until_waiting(looking, 2)
        await holding.rollback()
    [due] = await desk.due()
    assert due.intention.id == setting.result()
    await owner.dispose()


async def _until_waiting(looking: AsyncConnection, count: int) -> None:
    """Return once so many transactions wait for a lock."""
    query = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    while (await looking.execute(query)).scalar_one() < count:
        await asyncio.sleep(0.02)


async def test_a_fact_that_is_to_hold_later_fires_when_it_does(desk: Desk) -> None:
    begins = now() + timedelta(seconds=2)
    await state(desk, valid_from=begins.isoformat())
    wanted = {"attribute": "lifecycle_policy", "entity": "cloud-instance:i-7", "becomes": ["established"]}
    identity = await desk.intend(change=wanted)
    assert await desk.life(identity) == "pending"
    [due] = await desk.due()
    assert (due.intention.id, due.occurrence.due_at >= begins - timedelta(milliseconds=1)) == (identity, True)


async def test_what_nobody_can_read_holds_up_nothing_else(desk: Desk) -> None:
    poisoned = await desk.intend(every={"rule": "FREQ=DAILY", "timezone": "Europe/Berlin"})
    async with desk.world.database.transaction(tenant_id(desk.world.tenant)) as work:
        await work.run(
            text(
                "UPDATE intentions SET next_at = now(),"
                " trigger = jsonb_set(trigger, '{recurrence,timezone}', '\"Mars/Olympus\"')"
                " WHERE tenant_id = :tenant AND id = :id"
            ),
            {"id": poisoned},
        )
    identity = await desk.intend(at=soon())
    [due] = await desk.due()
    assert due.intention.id == identity
