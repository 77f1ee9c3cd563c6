"""Units of agent work: how many events they have, and how far consolidation has come."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.types import Integer

from store.sql import IDS, sql
from store.tables import activities
from store.unit_of_work import UnitOfWork

_ADVANCE = sql(
    """
    UPDATE activities SET consolidated_seq = GREATEST(consolidated_seq, :through_seq)
    WHERE tenant_id = :tenant AND id = :activity_id
    RETURNING last_seq > :through_seq AS more
    """,
    through_seq=Integer,
)


async def advance(work: UnitOfWork, activity_id: UUID, through_seq: int) -> bool:
    """Note that consolidation has seen the events up to `through_seq`; whether there are more by now.

    Takes the same row lock as publishing, so an event is either counted here or finds the mark and hands
    the activity over again.
    """
    row = await work.row(_ADVANCE, {"activity_id": activity_id, "through_seq": through_seq})
    return row is not None and row.more


async def consolidated(work: UnitOfWork, activity_id: UUID) -> int:
    """The number of the last event that consolidation has seen, 0 before it has seen any."""
    query = select(activities.c.consolidated_seq).where(
        activities.c.tenant_id == work.tenant_id, activities.c.id == activity_id
    )
    row = await work.row(query)
    return 0 if row is None else row.consolidated_seq


async def last_seq(work: UnitOfWork, activity_id: UUID) -> int:
    """The number of the last event of an activity."""
    query = select(activities.c.last_seq).where(
        activities.c.tenant_id == work.tenant_id, activities.c.id == activity_id
    )
    row = await work.row(query)
    return 0 if row is None else row.last_seq


_UNSETTLED = sql(
    """
    SELECT 1 FROM activities
    WHERE tenant_id = :tenant AND id = ANY(:ids) AND consolidated_seq < last_seq
    UNION ALL
    SELECT 1 FROM events e
    JOIN candidates c ON c.tenant_id = e.tenant_id AND c.event_id = e.id
    LEFT JOIN decisions d ON d.tenant_id = c.tenant_id AND d.candidate_id = c.id
    WHERE e.tenant_id = :tenant AND e.activity_id = ANY(:ids) AND d.candidate_id IS NULL
    LIMIT 1
    """,
    ids=IDS,
)


async def are_settled(work: UnitOfWork, activity_ids: Sequence[UUID]) -> bool:
    """Whether consolidation has seen all events of these activities and every candidate is decided."""
    return await work.row(_UNSETTLED, {"ids": list(activity_ids)}) is None
