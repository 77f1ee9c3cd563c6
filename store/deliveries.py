"""What is due at an endpoint, and what came of sending it. Held for no longer than it takes to read or to write."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import func, or_, select
from sqlalchemy.types import DateTime, Uuid

from models.intentions import Fate, Occurrence
from store.occurrences import occurrence_of
from store.sql import IDS, JSON, sql
from store.tables import occurrences
from store.unit_of_work import UnitOfWork


class Waiting(NamedTuple):
    """Something due at an endpoint, how often it was sent in vain, and when for the first time."""

    occurrence: Occurrence
    attempts: int
    first_sent_at: datetime | None


async def due(work: UnitOfWork, endpoint_id: UUID, now: datetime, most: int) -> list[Waiting]:
    """Up to `most` that are to be sent to an endpoint by now, the longest due first."""
    query = (
        select(occurrences)
        .where(
            occurrences.c.tenant_id == work.tenant_id,
            occurrences.c.endpoint_id == endpoint_id,
            occurrences.c.fate == Fate.DUE.value,
            occurrences.c.available_at <= now,
            or_(occurrences.c.expires_at.is_(None), occurrences.c.expires_at > now),
        )
        .order_by(occurrences.c.available_at, occurrences.c.id)
        .limit(most)
    )
    rows = await work.rows(query)
    return [Waiting(occurrence_of(row), row.attempts, row.first_sent_at) for row in rows]


async def next_at(work: UnitOfWork, endpoint_id: UUID, now: datetime) -> datetime | None:
    """When something is to be sent to an endpoint next, also in the past; None where nothing waits."""
    query = select(func.min(occurrences.c.available_at).label("at")).where(
        occurrences.c.tenant_id == work.tenant_id,
        occurrences.c.endpoint_id == endpoint_id,
        occurrences.c.fate == Fate.DUE.value,
        or_(occurrences.c.expires_at.is_(None), occurrences.c.expires_at > now),
    )
    row = await work.row(query)
    return None if row is None else row.at


class Attempted(NamedTuple):
    """What came of one attempt: what the occurrence is now, when that was, and when the next attempt is, if one is."""

    of: Occurrence
    fate: Fate
    at: datetime
    next_at: datetime | None


_RECORD = sql(
    """
    WITH held AS (
        SELECT id FROM occurrences WHERE tenant_id = :tenant AND id = ANY(:ids) ORDER BY id FOR UPDATE
    )
    UPDATE occurrences o SET fate = x.fate, attempts = o.attempts + 1,
        first_sent_at = COALESCE(o.first_sent_at, x.at),
        leases = o.leases + CASE WHEN x.fate = 'delivered' THEN 1 ELSE 0 END,
        available_at = COALESCE(x.next_at, o.available_at),
        settled_at = CASE WHEN x.fate = 'dead_lettered' THEN x.at END
    FROM jsonb_to_recordset(:rows) AS x(
        id uuid, was_at timestamptz, fate text, at timestamptz, next_at timestamptz
    ) JOIN held USING (id)
    WHERE o.tenant_id = :tenant AND o.id = x.id AND o.fate = 'due' AND o.available_at = x.was_at
    RETURNING o.id
    """,
    ids=IDS,
    rows=JSON,
)


async def record(work: UnitOfWork, attempted: Sequence[Attempted]) -> set[UUID]:
    """Write what came of attempts; the ids of those for which it counts.

    Whatever was cancelled, acknowledged or put off while it was sent stays as that has left it.
    """
    if not attempted:
        return set()
    rows = [
        {
            "id": str(each.of.id),
            "was_at": each.of.available_at.isoformat(),
            "fate": each.fate.value,
            "at": each.at.isoformat(),
            "next_at": None if each.next_at is None else each.next_at.isoformat(),
        }
        for each in attempted
    ]
    ids = [each.of.id for each in attempted]
    return {row.id for row in await work.rows(_RECORD, {"ids": ids, "rows": rows})}


_PUT_BACK = sql(
    """
    UPDATE occurrences SET fate = 'due', available_at = :at, attempts = 0, first_sent_at = NULL,
        leases = leases + CASE WHEN fate = 'due' THEN 1 ELSE 0 END
    WHERE tenant_id = :tenant AND id = :id AND settled_at IS NULL
    """,
    at=DateTime(timezone=True),
    id=Uuid,
)


async def put_back(work: UnitOfWork, identity: UUID, at: datetime) -> None:
    """Have an open occurrence sent again from `at` on, as another message.

    Whoever puts it off has it: one whose delivery is not written yet counts as delivered, or the next message would be
    dropped as the one that they have.
    """
    await work.run(_PUT_BACK, {"id": identity, "at": at})
