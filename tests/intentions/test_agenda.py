"""Lists of intentions: the latest set first, a page at a time, of one's own or of a scope."""

from uuid import UUID, uuid4

import pytest

from models.errors import InvalidInput
from models.intentions import IntentionQuery
from models.principals import Principal
from tests.intentions.desk import Desk, far
from tests.world import STAGING


async def paged(desk: Desk, who: Principal, scope: dict[str, str] | None) -> list[UUID]:
    """All that somebody lists, two at a time."""
    found: list[UUID] = []
    before = None
    while True:
        query = IntentionQuery(scope=scope, before=before, limit=2)
        page = await desk.service.agenda.page(who, query)
        found += [each.intention.id for each in page.planned]
        assert len(page.planned) <= 2
        if page.next is None:
            return found
        before = page.next


async def test_pages_come_latest_first_and_leave_nothing_out(desk: Desk) -> None:
    mine = [await desk.intend(at=far()) for _ in range(5)]
    theirs = await desk.intend(desk.lead, at=far())
    assert await paged(desk, desk.agent, None) == mine[::-1]
    assert await paged(desk, desk.lead, STAGING) == [theirs, *mine[::-1]]


async def test_a_cursor_that_is_none_is_refused(desk: Desk) -> None:
    await desk.intend(at=far())
    with pytest.raises(InvalidInput, match="begin without it"):
        await desk.service.agenda.page(desk.agent, IntentionQuery(before=uuid4()))


async def test_a_rule_without_seconds_comes_at_the_whole_minute(desk: Desk) -> None:
    identity = await desk.intend(every={"rule": "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"})
    planned, _ = await desk.one(identity)
    assert {(at.hour, at.minute, at.second, at.microsecond) for at in planned.coming} == {(9, 0, 0, 0)}
