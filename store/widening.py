"""What several scopes say of one thing: facts in force of an attribute and a thing, and the activities behind them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy.types import TIMESTAMP, Integer

from models.facts import Fact
from store import facts
from store.sql import IDS, TEXTS, sql
from store.unit_of_work import UnitOfWork

_IN_FORCE = """
    f.admission = 'admitted' AND f.valid_from <= :now AND (f.ended_at IS NULL OR f.ended_at > :now)
    AND (f.expires_at IS NULL OR f.expires_at > :now) AND (f.lapses_at IS NULL OR f.lapses_at > :now)
"""
_INSTANT = TIMESTAMP(timezone=True)

_IN_SEVERAL = sql(
    f"""
    WITH several AS (
        SELECT k.attribute, k.entity_id FROM facts f
        JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
        WHERE f.tenant_id = :tenant AND k.attribute = ANY(:attributes) AND {_IN_FORCE}
        GROUP BY k.attribute, k.entity_id HAVING count(DISTINCT k.scope_key) > 1
    )
    SELECT f.id, k.attribute, k.entity_id FROM facts f JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
    JOIN several s ON s.attribute = k.attribute AND s.entity_id IS NOT DISTINCT FROM k.entity_id
    WHERE f.tenant_id = :tenant AND {_IN_FORCE}
    ORDER BY k.attribute, k.entity_id, f.recorded_at DESC, f.id LIMIT :most
    """,
    attributes=TEXTS,
    now=_INSTANT,
    most=Integer,
)


async def in_several_scopes(
    work: UnitOfWork, attributes: Collection[str], now: datetime, most: int
) -> list[Fact]:
    """Up to `most` facts in force, by attribute and thing, of which more than one scope says something.

    All of an attribute and a thing are among them, or none: what is left out might say otherwise.
    """
    values = {"attributes": sorted(attributes), "now": now, "most": most}
    rows = await work.rows(_IN_SEVERAL, values)
    if len(rows) == most:
        cut = (rows[-1].attribute, rows[-1].entity_id)
        rows = [row for row in rows if (row.attribute, row.entity_id) != cut]
    found = {fact.id: fact for fact in await facts.by_ids(work, [row.id for row in rows])}
    return [found[row.id] for row in rows]


_SAID_IN = sql(
    """
    SELECT DISTINCT v.record_id, e.activity_id FROM evidence v
    JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
    WHERE v.tenant_id = :tenant AND v.record_id = ANY(:ids)
        AND v.supports = 'statement' AND v.authority_role IS NOT NULL
        AND NOT EXISTS (
            SELECT FROM episodes p
            WHERE p.tenant_id = e.tenant_id AND p.activity_id = e.activity_id AND p.retracted_at IS NOT NULL
        )
    """,
    ids=IDS,
)


async def said_in(work: UnitOfWork, fact_ids: Sequence[UUID]) -> dict[UUID, frozenset[UUID]]:
    """The activities in which somebody permitted has stated each of these facts, but for those that were retracted."""
    found: dict[UUID, set[UUID]] = {}
    for row in await work.rows(_SAID_IN, {"ids": list(fact_ids)}):
        found.setdefault(row.record_id, set()).add(row.activity_id)
    return {fact_id: frozenset(activities) for fact_id, activities in found.items()}
