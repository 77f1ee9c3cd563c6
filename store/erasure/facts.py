"""How facts go, and what is left of one that something else bears out."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.types import TIMESTAMP, SmallInteger, Text, Uuid

from models.authority import Authority, Standing
from models.candidates import Terms
from store import outbox, search
from store.erasure.rows import Rows, changed
from store.news import CHANNEL
from store.sql import IDS, sql
from store.unit_of_work import UnitOfWork

# The log says that it is gone, and stirs whatever has waited for a change of it.
_DECLARE = sql(
    """
    INSERT INTO transitions (
        tenant_id, record_kind, record_id, from_status, to_status, rule, reason, actor, effective_at
    )
    SELECT tenant_id, 'fact', id,
        CASE WHEN admission = 'unverified' THEN 'quarantined' WHEN admission = 'disputed' THEN 'disputed'
            ELSE COALESCE(ending, 'active') END,
        'erased', 'erase', 'erased', 'keepwell', now()
    FROM facts WHERE tenant_id = :tenant AND id = ANY(:ids)
    """,
    ids=IDS,
)
# A key under which something was erased has an ending: older evidence does not begin anything there.
_END_KEYS = sql(
    """
    INSERT INTO tombstones (tenant_id, id, kind, disposition, erasure_id)
    SELECT DISTINCT tenant_id, key_id, 'fact_key', 'delete', :erasure FROM facts
    WHERE tenant_id = :tenant AND id = ANY(:ids)
    ON CONFLICT (tenant_id, id) DO UPDATE SET erasure_id = EXCLUDED.erasure_id, recorded_at = now()
    """,
    erasure=Uuid,
    ids=IDS,
)
_UNDISCLOSE = sql(
    """
    DELETE FROM disclosures d USING evidence v
    JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
    JOIN episodes s ON s.tenant_id = e.tenant_id AND s.activity_id = e.activity_id
    JOIN passages p ON p.tenant_id = s.tenant_id AND p.episode_id = s.id AND e.id = ANY(p.event_ids)
    WHERE v.tenant_id = :tenant AND v.record_id = ANY(:ids)
        AND d.tenant_id = p.tenant_id AND d.scope_key = p.scope_key AND d.record_id = p.id AND d.about_id = v.record_id
    """,
    ids=IDS,
)
_BLANK = """key_id = NULL, attribute = 'erased', mention = NULL, value = NULL, ends_when = NULL, expires_at = NULL,
    stated_from = NULL, quote = '', about_id = NULL, promotes_id = NULL, reviews_id = NULL"""
_BLANK_CANDIDATES = sql(
    f"""
    UPDATE candidates c SET {_BLANK} FROM decisions d
    WHERE d.tenant_id = c.tenant_id AND d.candidate_id = c.id AND c.tenant_id = :tenant AND d.fact_id = ANY(:ids)
    """,
    ids=IDS,
)
_STEPS = {
    "gates": sql("DELETE FROM gates WHERE tenant_id = :tenant AND fact_id = ANY(:ids)", ids=IDS),
    "confirmations": sql(
        "DELETE FROM confirmations WHERE tenant_id = :tenant AND fact_id = ANY(:ids)", ids=IDS
    ),
    "mismatches": sql("DELETE FROM mismatches WHERE tenant_id = :tenant AND fact_id = ANY(:ids)", ids=IDS),
    "record_uses": sql(
        "DELETE FROM record_uses WHERE tenant_id = :tenant AND record_id = ANY(:ids)", ids=IDS
    ),
    "disclosures": _UNDISCLOSE,
    "candidates": _BLANK_CANDIDATES,
    "decisions": sql(
        """
        UPDATE decisions SET fact_id = CASE WHEN fact_id = ANY(:ids) THEN NULL ELSE fact_id END,
            target_id = CASE WHEN target_id = ANY(:ids) THEN NULL ELSE target_id END
        WHERE tenant_id = :tenant AND (fact_id = ANY(:ids) OR target_id = ANY(:ids))
        """,
        ids=IDS,
    ),
    "lineage": sql(
        """
        DELETE FROM lineage WHERE tenant_id = :tenant AND (child_id = ANY(:ids) OR parent_id = ANY(:ids))
        """,
        ids=IDS,
    ),
    "evidence": sql("DELETE FROM evidence WHERE tenant_id = :tenant AND record_id = ANY(:ids)", ids=IDS),
}
_LET_GO = [
    sql(
        """
        UPDATE candidates SET about_id = CASE WHEN about_id = ANY(:ids) THEN NULL ELSE about_id END,
            promotes_id = CASE WHEN promotes_id = ANY(:ids) THEN NULL ELSE promotes_id END,
            reviews_id = CASE WHEN reviews_id = ANY(:ids) THEN NULL ELSE reviews_id END
        WHERE tenant_id = :tenant
            AND (about_id = ANY(:ids) OR promotes_id = ANY(:ids) OR reviews_id = ANY(:ids))
        """,
        ids=IDS,
    ),
    sql(
        "UPDATE facts SET challenges = NULL WHERE tenant_id = :tenant AND challenges = ANY(:ids)",
        ids=IDS,
    ),
]
_DELETE = sql("DELETE FROM facts WHERE tenant_id = :tenant AND id = ANY(:ids)", ids=IDS)
_GATES = sql("SELECT fact_id FROM gates WHERE tenant_id = :tenant AND fact_id = ANY(:ids)", ids=IDS)
_LOCK_KEYS = sql(
    """
    SELECT k.id FROM fact_keys k WHERE k.tenant_id = :tenant AND k.id IN (
        SELECT f.key_id FROM facts f WHERE f.tenant_id = :tenant AND f.id = ANY(:ids)
    ) ORDER BY k.id FOR NO KEY UPDATE
    """,
    ids=IDS,
)


async def delete(work: UnitOfWork, erasure_id: UUID, ids: Sequence[UUID]) -> Rows:
    """Remove facts and claims with all that hangs on them. What had ended stays ended: nothing comes back."""
    told = {"ids": list(ids)}
    rows: Rows = {}
    await work.rows(_LOCK_KEYS, told)
    await work.run(_DECLARE, told)
    work.announce(CHANNEL)
    await work.run(_END_KEYS, {**told, "erasure": erasure_id})
    gates = [row.fact_id for row in await work.rows(_GATES, told)]
    for table, statement in _STEPS.items():
        changed(rows, table, await work.run(statement, told))
    for statement in _LET_GO:
        await work.run(statement, told)
    await search.drop(work, ids)
    changed(rows, "facts", await work.run(_DELETE, told))
    await outbox.put(work, outbox.Kind.GATE, gates)
    return rows


class Remains(NamedTuple):
    """What a fact is once a part of what it rested on is gone."""

    id: UUID
    scope_key: UUID
    terms: Terms
    canonical: str
    statement: str
    valid_from: datetime
    stated_at: datetime
    restated_at: datetime
    lapses_at: datetime | None
    authority: Authority
    authority_role: str | None
    standing: Standing


_RECOMPUTE = sql(
    """
    UPDATE facts SET value = :value, canonical_value = :canonical, statement = :said, valid_from = :valid_from,
        stated_at = :stated_at, restated_at = :restated_at, lapses_at = :lapses_at, authority = :authority,
        authority_role = :authority_role, standing = :standing, recomputed_at = clock_timestamp()
    WHERE tenant_id = :tenant AND id = :id
    """,
    id=Uuid,
    value=Text,
    canonical=Text,
    said=Text,
    valid_from=TIMESTAMP(timezone=True),
    stated_at=TIMESTAMP(timezone=True),
    restated_at=TIMESTAMP(timezone=True),
    lapses_at=TIMESTAMP(timezone=True),
    authority=SmallInteger,
    authority_role=Text,
    standing=Text,
)


async def recompute(work: UnitOfWork, left: Remains) -> None:
    """Have a fact be what is left of it. Whoever calls holds its key, and indexes it anew where it was indexed."""
    told = {
        "id": left.id,
        "value": left.terms.value,
        "canonical": left.canonical,
        "said": left.statement,
        "valid_from": left.valid_from,
        "stated_at": left.stated_at,
        "restated_at": left.restated_at,
        "lapses_at": left.lapses_at,
        "authority": int(left.authority),
        "authority_role": left.authority_role,
        "standing": left.standing.value,
    }
    await work.run(_RECOMPUTE, told)


_EMPTY_KEYS = sql(
    """
    DELETE FROM fact_keys k WHERE k.tenant_id = :tenant
        AND k.id IN (
            SELECT id FROM tombstones WHERE tenant_id = :tenant AND erasure_id = :erasure AND kind = 'fact_key'
        )
        AND NOT EXISTS (SELECT FROM facts f WHERE f.tenant_id = k.tenant_id AND f.key_id = k.id)
        AND NOT EXISTS (SELECT FROM candidates c WHERE c.tenant_id = k.tenant_id AND c.key_id = k.id)
    """,
    erasure=Uuid,
)
_WITHOUT_HOLDER = sql(
    """
    SELECT t.id FROM tombstones t
    WHERE t.tenant_id = :tenant AND t.erasure_id = :erasure AND t.kind = 'fact_key' AND NOT EXISTS (
        SELECT FROM facts f WHERE f.tenant_id = t.tenant_id AND f.key_id = t.id AND f.admission = 'admitted'
            AND (f.ended_at IS NULL OR f.ended_at > now()) AND (f.expires_at IS NULL OR f.expires_at > now())
            AND (f.lapses_at IS NULL OR f.lapses_at > now())
    )
    ORDER BY t.id
    """,
    erasure=Uuid,
)


async def drop_empty_keys(work: UnitOfWork, erasure_id: UUID) -> int:
    """Remove the keys of erased facts under which nothing is left; their endings stay."""
    return await work.run(_EMPTY_KEYS, {"erasure": erasure_id})


async def without_holder(work: UnitOfWork, erasure_id: UUID) -> list[UUID]:
    """The keys of erased facts under which nothing governs any more."""
    return [row.id for row in await work.rows(_WITHOUT_HOLDER, {"erasure": erasure_id})]


_LAST_ENDING = sql(
    "SELECT recorded_at FROM tombstones WHERE tenant_id = :tenant AND id = :key AND kind = 'fact_key'",
    key=Uuid,
)


async def erased_under(work: UnitOfWork, key_id: UUID) -> datetime | None:
    """When something of a key was last erased; None where nothing ever was."""
    row = await work.row(_LAST_ENDING, {"key": key_id})
    return None if row is None else row.recorded_at
