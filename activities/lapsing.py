"""The end of terms, written down: dates that have come, and memories that their class keeps no longer.

A fact ends at its instant whether or not anybody has written so; what is written is for histories and the stream.
"""

from datetime import datetime
from uuid import UUID

from activities.endings import Cause, declare_change
from models.facts import Fact, Status, status_at
from store import evidence, facts, lapses
from store.engine import Database
from store.unit_of_work import UnitOfWork

AT_ONCE = 200
_DATE = Cause("expire", "term_ran_out", "keepwell", None, None)
_CLASS = _DATE._replace(reason="retention_ran_out")


async def declare_lapses(database: Database, tenant_id: UUID, now: datetime) -> int:
    """Write the transition of all whose term has run out by `now`, some in each transaction; how many."""
    declared = 0
    after: UUID | None = None
    while True:
        async with database.transaction(tenant_id) as work:
            found = await lapses.undeclared(work, now, after, AT_ONCE)
            for identity in found:
                declared += await _declare(work, identity, now)
        if len(found) < AT_ONCE:
            return declared
        after = found[-1]


async def _declare(work: UnitOfWork, identity: UUID, now: datetime) -> bool:
    """Write that a fact has expired, unless it was said again, or somebody has written so, until its key was held."""
    fact = await facts.lock(work, identity)
    if fact is None or status_at(fact, now) is not Status.EXPIRED:
        return False
    said = await evidence.transitions_of(work, [identity])
    if any(transition.to_status == Status.EXPIRED for _, transition in said):
        return False
    assert fact.ends_at is not None
    await declare_change(work, fact, Status.EXPIRED.value, fact.ends_at, _cause(fact))
    return True


def _cause(fact: Fact) -> Cause:
    return _DATE if fact.ends_at == fact.terms.expires_at else _CLASS
