"""Mismatches: kept in the transaction of the recall that saw them, one row for each occasion."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import delete, insert
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import DateTime, Integer

from models.mismatches import MOST_TOLD, Before, Mismatch, Mismatches, asks, counts
from store.sql import IDS, among, sql
from store.tables import mismatches
from store.unit_of_work import UnitOfWork

# Two recalls at once count one after the other, so that the one that makes it enough asks, and no other.
_ONE_AFTER_THE_OTHER = sql(
    "SELECT pg_advisory_xact_lock(hashtextextended(fact::text, 0)) FROM unnest(:facts) AS fact", facts=IDS
)
_BEFORE = sql(
    """
    SELECT f.id, count(DISTINCT m.occasion) FILTER (WHERE m.occasion <> s.occasion) AS others,
        COALESCE(bool_or(m.occasion = s.occasion), false) AS again, COALESCE(bool_or(m.asks), false) AS asked
    FROM unnest(:facts, :occasions, :instants) AS s(fact_id, occasion, observed_at)
    JOIN facts f ON f.tenant_id = :tenant AND f.id = s.fact_id AND f.restated_at < s.observed_at
    LEFT JOIN mismatches m ON m.tenant_id = :tenant AND m.fact_id = f.id AND m.observed_at > f.restated_at
    GROUP BY f.id
    """,
    facts=IDS,
    occasions=IDS,
    instants=ARRAY(DateTime(timezone=True)),
)

TIMES = """(SELECT count(DISTINCT m.occasion) FROM mismatches m
    WHERE m.tenant_id = :tenant AND m.fact_id = f.id AND m.observed_at > f.restated_at)"""
"""How often fact `f` was contradicted since it was last stated: what was observed before that is answered by it."""

_OF_FACTS = sql(
    """
    SELECT f.id, count(DISTINCT m.occasion) AS times, min(m.observed_at) AS since, max(m.observed_at) AS latest,
        (array_agg(m.trace_id ORDER BY m.observed_at DESC, m.trace_id))[1 : :most] AS traces
    FROM facts f JOIN mismatches m ON m.tenant_id = f.tenant_id AND m.fact_id = f.id AND m.observed_at > f.restated_at
    WHERE f.tenant_id = :tenant AND f.id = ANY(:ids) GROUP BY f.id
    """,
    ids=IDS,
    most=Integer,
)


async def add(work: UnitOfWork, trace_id: UUID, found: Sequence[Mismatch], enough: int) -> None:
    """Keep the mismatches of one recall, in the order of their facts; the one that makes it `enough` asks a reviewer.

    What was observed before a fact was last stated contradicts nothing.
    """
    by_fact = {each.fact_id: each for each in found}
    values = {
        "facts": list(by_fact),
        "occasions": [each.occasion for each in by_fact.values()],
        "instants": [each.observed_at for each in by_fact.values()],
    }
    await work.run(_ONE_AFTER_THE_OTHER, {"facts": values["facts"]})
    rows = [
        (by_fact[row.id], Before(row.others, row.again, row.asked))
        for row in await work.rows(_BEFORE, values)
    ]
    kept = [
        {**each._asdict(), "tenant_id": work.tenant_id, "trace_id": trace_id, "asks": asks(before, enough)}
        for each, before in rows
        if counts(before)
    ]
    if kept:
        await work.run(insert(mismatches).values(kept))


async def of_facts(work: UnitOfWork, fact_ids: Sequence[UUID]) -> dict[UUID, Mismatches]:
    """How often each of these facts was contradicted since it was last stated; one that never was is left out."""
    rows = await work.rows(_OF_FACTS, {"ids": list(fact_ids), "most": MOST_TOLD}) if fact_ids else ()
    return {row.id: Mismatches(row.times, row.since, row.latest, tuple(row.traces)) for row in rows}


async def forget_records(work: UnitOfWork, record_ids: Sequence[UUID]) -> int:
    """Delete all mismatches of these records; how many there were."""
    mine = mismatches.c.tenant_id == work.tenant_id, mismatches.c.fact_id == among(record_ids)
    return await work.run(delete(mismatches).where(*mine))
