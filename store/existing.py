"""The memories that a change of policy may touch, some at a time: all of some attributes that have not ended."""

from collections.abc import AsyncGenerator, Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row
from sqlalchemy.types import DateTime, Integer, Uuid

from models.authority import Authority, Standing
from models.facts import Admission
from models.policy_change import Existing
from models.scope import Scope
from store.sql import TEXTS, sql
from store.unit_of_work import UnitOfWork

_AT_ONCE = 2_000
_PORTION = sql(
    """
    SELECT f.id, k.attribute, k.scope, f.value, f.admission, f.ends_when IS NOT NULL AS waits, f.authority,
        f.authority_role, f.standing, f.stated_at, f.restated_at, f.recorded_at,
        (SELECT e.timezone FROM evidence v JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
            WHERE v.tenant_id = f.tenant_id AND v.record_id = f.id
            ORDER BY v.occurred_at, v.event_id LIMIT 1) AS zone
    FROM facts f JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
    WHERE f.tenant_id = :tenant AND f.id > :after AND k.attribute = ANY(:attributes)
        AND (f.ended_at IS NULL OR f.ended_at > :now) AND (f.expires_at IS NULL OR f.expires_at > :now)
        AND (f.lapses_at IS NULL OR f.lapses_at > :now)
    ORDER BY f.id LIMIT :most
    """,
    after=Uuid,
    attributes=TEXTS,
    now=DateTime(timezone=True),
    most=Integer,
)


async def portions(
    work: UnitOfWork, attributes: Collection[str], now: datetime
) -> AsyncGenerator[list[Existing]]:
    """All memories of these attributes that have not ended by `now`, in the order of their ids, each once."""
    after = UUID(int=0)
    while attributes:
        values = {"attributes": sorted(attributes), "now": now, "after": after, "most": _AT_ONCE}
        rows = await work.rows(_PORTION, values)
        yield [_existing(row) for row in rows]
        if len(rows) < _AT_ONCE:
            return
        after = rows[-1].id


def _existing(row: Row[Any]) -> Existing:
    return Existing(
        id=row.id,
        attribute=row.attribute,
        scope=Scope(row.scope),
        value=row.value,
        held=Admission(row.admission) is not Admission.ADMITTED,
        waits=row.waits,
        authority=Authority(row.authority),
        authority_role=row.authority_role,
        standing=Standing(row.standing),
        zone=row.zone,
        stated_at=row.stated_at,
        restated_at=row.restated_at,
        recorded_at=row.recorded_at,
    )
