"""Facts and claims that have come to the end of their term, and of which no transition says so yet."""

from datetime import datetime
from uuid import UUID

from sqlalchemy.types import TIMESTAMP, Integer, Uuid

from store.sql import sql
from store.unit_of_work import UnitOfWork

_UNDECLARED = sql(
    """
    SELECT f.id FROM facts f
    WHERE f.tenant_id = :tenant AND (CAST(:after AS uuid) IS NULL OR f.id > :after)
        AND LEAST(f.expires_at, f.lapses_at) <= :now
        AND (f.ended_at IS NULL OR f.ended_at > LEAST(f.expires_at, f.lapses_at))
        AND NOT EXISTS (SELECT FROM gates g WHERE g.tenant_id = f.tenant_id AND g.fact_id = f.id)
        AND NOT EXISTS (
            SELECT FROM transitions t WHERE t.tenant_id = f.tenant_id AND t.record_id = f.id AND t.to_status = 'expired'
        )
    ORDER BY f.id LIMIT :most
    """,
    after=Uuid,
    now=TIMESTAMP(timezone=True),
    most=Integer,
)


async def undeclared(work: UnitOfWork, now: datetime, after: UUID | None, most: int) -> list[UUID]:
    """Up to `most` facts and claims, by id after `after`, whose term ran out; a gate sees to its own."""
    rows = await work.rows(_UNDECLARED, {"now": now, "after": after, "most": most})
    return [row.id for row in rows]
