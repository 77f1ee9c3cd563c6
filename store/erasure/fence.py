"""The fence: from here on nothing is made of what is erased, and nothing comes in again under its keys.

Each record is held alone before its tombstone is set, so that whoever is making something of it has either committed,
and is found when the walk looks once more, or waits, and is refused by the tombstone.
"""

from uuid import UUID

from sqlalchemy.types import Integer, Text, Uuid

from models.erasure.plan import LEAVES_A_TOMBSTONE, NodeKind, disposition_of
from store.sql import IDS, sql
from store.unit_of_work import UnitOfWork

_TABLES = {
    NodeKind.TRACE: "traces",
    NodeKind.EVENT: "events",
    NodeKind.FACT: "facts",
    NodeKind.EPISODE: "episodes",
    NodeKind.INTENTION: "intentions",
    NodeKind.PROPOSAL: "proposals",
    NodeKind.PROCEDURE: "procedure_versions",
}
_NEXT = sql(
    """
    SELECT id, kind, root, survives FROM erasure_nodes
    WHERE tenant_id = :tenant AND erasure_id = :erasure AND NOT fenced ORDER BY id LIMIT :most
    """,
    erasure=Uuid,
    most=Integer,
)
_HOLD = {
    kind: sql(
        f"SELECT id FROM {table} WHERE tenant_id = :tenant AND id = ANY(:ids) ORDER BY id FOR UPDATE", ids=IDS
    )
    for kind, table in _TABLES.items()
}
_BURY = sql(
    """
    INSERT INTO tombstones (tenant_id, id, kind, disposition, erasure_id)
    SELECT :tenant, t.id, :kind, :disposition, :erasure FROM unnest(:ids) AS t(id)
    ON CONFLICT DO NOTHING
    """,
    ids=IDS,
    kind=Text,
    disposition=Text,
    erasure=Uuid,
)
# Who sent it under which key, as the log keeps keys apart; see `store.events.known`.
_CLOSE_KEYS = sql(
    """
    INSERT INTO erased_keys (tenant_id, digest, event_id, activity_id, seq)
    SELECT tenant_id, sha256(convert_to(jsonb_build_array(subject_kind, subject, idempotency_key)::text, 'UTF8')),
        id, activity_id, seq
    FROM events WHERE tenant_id = :tenant AND id = ANY(:ids) AND idempotency_key IS NOT NULL
    ON CONFLICT DO NOTHING
    """,
    ids=IDS,
)
_FENCED = sql(
    "UPDATE erasure_nodes SET fenced = true WHERE tenant_id = :tenant AND erasure_id = :erasure AND id = ANY(:ids)",
    erasure=Uuid,
    ids=IDS,
)


async def fence(work: UnitOfWork, erasure_id: UUID, most: int) -> int:
    """Fence up to `most` records; how many. One call is one transaction."""
    rows = await work.rows(_NEXT, {"erasure": erasure_id, "most": most})
    for kind in NodeKind:
        mine = [row for row in rows if row.kind == kind]
        if not mine:
            continue
        ids = [row.id for row in mine]
        await work.rows(_HOLD[kind], {"ids": ids})
        for disposition in LEAVES_A_TOMBSTONE:
            buried = [
                row.id
                for row in mine
                if disposition_of(kind, root=row.root, survives=row.survives) is disposition
            ]
            told = {
                "ids": buried,
                "kind": kind.value,
                "disposition": disposition.value,
                "erasure": erasure_id,
            }
            if buried:
                await work.run(_BURY, told)
            if buried and kind is NodeKind.EVENT:
                await work.run(_CLOSE_KEYS, {"ids": buried})
    await work.run(_FENCED, {"erasure": erasure_id, "ids": [row.id for row in rows]})
    return len(rows)
