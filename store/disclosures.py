"""What the records of the index give away, and so which of them count in nobody's statistics but a reader's.

A fact gives away itself, a passage each fact that rests on one of its events and each candidate from them. The
database adds what is made of a passage's events once it is there. Whether a record may be told is never asked of this
table but of the records themselves.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import Integer, Text, Uuid

from models.reasons import ReasonCode
from store import persons
from store.readable import is_readable
from store.sql import IDS, sql
from store.unit_of_work import UnitOfWork

_ADD = sql(
    f"""
    INSERT INTO disclosures (tenant_id, scope_key, record_id, about_id, attribute, proposed, refused, length)
    SELECT :tenant, :scope_key, d.id, t.about_id, t.attribute, t.proposed, t.refused, d.length
    FROM unnest(:records, :lengths) AS d(id, length) CROSS JOIN LATERAL (
        SELECT f.id AS about_id, k.attribute, false AS proposed, false AS refused
        FROM facts f JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
        WHERE :kind = 'fact' AND f.tenant_id = :tenant AND f.id = d.id
        UNION ALL
        SELECT f.id, k.attribute, false, false FROM passages p
        JOIN evidence v ON v.tenant_id = p.tenant_id AND v.event_id = ANY(p.event_ids)
        JOIN facts f ON f.tenant_id = v.tenant_id AND f.id = v.record_id
        JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
        WHERE :kind = 'passage' AND p.tenant_id = :tenant AND p.id = d.id
        UNION ALL
        SELECT c.id, c.attribute, true, c.doubt IS NOT DISTINCT FROM '{ReasonCode.SWITCHED_OFF}' FROM passages p
        JOIN candidates c ON c.tenant_id = p.tenant_id AND c.event_id = ANY(p.event_ids)
        WHERE :kind = 'passage' AND p.tenant_id = :tenant AND p.id = d.id
    ) t
    ON CONFLICT DO NOTHING
    """,
    scope_key=Uuid,
    kind=Text,
    records=IDS,
    lengths=ARRAY(Integer),
)


async def add(
    work: UnitOfWork, kind: str, scope_key: UUID, records: Sequence[UUID], lengths: Sequence[int]
) -> None:
    """Note what these records of one sort and one cell give away; `lengths` has how many words each has."""
    values = {"kind": kind, "scope_key": scope_key, "records": list(records), "lengths": list(lengths)}
    await work.run(_ADD, values)


_ALONE = sql(
    "SELECT pg_advisory_xact_lock(hashtextextended('keepwell passages ' || CAST(:activity AS uuid), 0))",
    activity=Uuid,
)
_PASSAGES = sql(
    """
    SELECT p.id, p.scope_key, l.length FROM episodes s
    JOIN passages p ON p.tenant_id = s.tenant_id AND p.episode_id = s.id
    CROSS JOIN LATERAL (
        SELECT o.length FROM postings o WHERE o.tenant_id = p.tenant_id AND o.record_id = p.id LIMIT 1
    ) l
    WHERE s.tenant_id = :tenant AND s.activity_id = :activity
    """,
    activity=Uuid,
)


async def complete(work: UnitOfWork, activity_id: UUID) -> None:
    """Note what an activity's passages give away by what was made of its events while they were indexed.

    In a transaction of its own, after theirs: it waits for whoever is making something of the events, and those who
    begin later see the passages. Waiting while it holds anything else, it could wait for ever.
    """
    await work.row(_ALONE, {"activity": activity_id})
    found = await work.rows(_PASSAGES, {"activity": activity_id})
    if found:
        lengths = [row.length for row in found]
        await add(work, "passage", found[0].scope_key, [row.id for row in found], lengths)


UNSEEN = f"""
    facts_off AS (
        SELECT f.id FROM (
            SELECT DISTINCT d.about_id FROM disclosures d
            WHERE (SELECT anything FROM off) AND d.tenant_id = :tenant AND d.scope_key = ANY(:scope_keys)
                AND NOT d.proposed AND d.attribute IN ({persons.ATTRIBUTES_OFF})
        ) d JOIN facts f ON f.tenant_id = :tenant AND f.id = d.about_id
        WHERE {persons.switched_off("f", "anything FROM off")}
    ), unseen AS MATERIALIZED (
        SELECT DISTINCT d.record_id AS id, d.length FROM disclosures d
        WHERE (:hides OR (SELECT anything FROM off))
            AND d.tenant_id = :tenant AND d.scope_key = ANY(:scope_keys) AND (
                (:hides AND NOT d.proposed AND NOT {is_readable("d.attribute")})
                OR (:hides AND d.proposed AND d.attribute = ANY(:unreadable))
                OR ((SELECT anything FROM off) AND (d.refused OR d.about_id IN (SELECT id FROM facts_off)))
            )
    )
"""
"""`unseen` has the records of the authorised cells that give away what is hidden from the caller or switched off, with
their lengths. It takes `off` before it in the query; where nothing is hidden and nothing is off, nothing is read."""
