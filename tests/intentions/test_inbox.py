"""A look into an inbox holds what it hands out and settles, and nothing else, however much lies there."""

import asyncio
from typing import Any

from sqlalchemy import text

from models.intention_changes import MOST_LEASES, Take
from models.intentions import Owner
from models.scope import Scope
from store import occurrences
from tests.intentions.desk import Desk, soon
from tests.world import STAGING

MANY = 250
ELSEWHERE = {"workspace": "elsewhere"}
_MORE = """
    INSERT INTO occurrences (
        tenant_id, id, intention_id, key, owner, owner_kind, due_at, fired_at, fate, available_at, leases
    )
    SELECT tenant_id, gen_random_uuid(), intention_id, key || n, owner, owner_kind, due_at, fired_at, fate,
        available_at - interval '1 minute', :leases
    FROM occurrences, generate_series(1, :many) n WHERE tenant_id = :tenant
"""
# A row has the number of the transaction that held it, also when that is over.
_HELD_IN_VAIN = (
    "SELECT count(*) AS n FROM occurrences WHERE tenant_id = :tenant AND fate = 'due' AND xmax::text <> '0'"
)
_DEAD = "SELECT count(*) AS n FROM occurrences WHERE tenant_id = :tenant AND fate = 'dead_lettered'"


async def ask(desk: Desk, statement: str, **values: Any) -> int:
    async with desk.world.database.transaction(desk.agent.tenant_id) as work:
        return (await work.rows(text(statement), values))[0].n


async def lying(desk: Desk, leases: int = 0) -> None:
    """An inbox with one thing due, and many before it."""
    await desk.until(await desk.intend(at=soon(), grace="PT1H"), "due")
    async with desk.world.database.transaction(desk.agent.tenant_id) as work:
        await work.run(text(_MORE), {"leases": leases, "many": MANY})


async def test_what_lies_beyond_reach_is_not_held(desk: Desk) -> None:
    await lying(desk)
    wanted = await desk.intend(at=soon(), scope=ELSEWHERE)
    await desk.until(wanted, "due")
    narrowed = desk.agent.model_copy(update={"within": ELSEWHERE})
    [due] = await desk.service.inbox.take(narrowed, desk.everything())
    assert due.intention.id == wanted
    assert await desk.service.inbox.take(narrowed, desk.everything()) == []
    assert await ask(desk, _HELD_IN_VAIN) == 0


async def test_what_is_spent_is_settled_some_at_a_time_and_hides_nothing(desk: Desk) -> None:
    await lying(desk, leases=MOST_LEASES)
    came: list[tuple[int, int, int]] = []
    for _ in range(4):
        taken = await desk.service.inbox.take(desk.agent, Take(limit=1))
        came.append((len(taken), await ask(desk, _DEAD), await ask(desk, _HELD_IN_VAIN)))
    assert came == [(1, 100, 0), (0, 200, 0), (0, MANY, 0), (0, MANY, 0)]


async def test_readers_of_one_inbox_share_it(desk: Desk) -> None:
    await lying(desk)
    owner, within = Owner(subject=desk.agent.subject), [Scope(STAGING).key]
    transaction = desk.world.database.transaction
    async with transaction(desk.agent.tenant_id) as one, transaction(desk.agent.tenant_id) as other:
        first = await occurrences.free(one, owner, within, 100)
        second = await asyncio.wait_for(occurrences.free(other, owner, within, 100), 10)
    assert len({each.id for each in (*first, *second)}) == 200
