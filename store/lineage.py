"""Walk lineage from one record: up to what it was made from, down to what was made from it."""

from typing import Literal, NamedTuple
from uuid import UUID

from sqlalchemy.types import Integer, Uuid

from models.readers import Readable
from models.scope import Scope
from store.readable import WORDS, episode_is_readable, is_readable, values_of
from store.sql import IDS, sql
from store.unit_of_work import UnitOfWork

# Each direction is a walk of its own: a sibling, made from the same event, is neither source nor product.
_WALK = sql(
    f"""
    WITH RECURSIVE up(id, kind, distance) AS (
        SELECT parent_id, parent_kind, -1 FROM lineage WHERE tenant_id = :tenant AND child_id = :id
        UNION
        SELECT l.parent_id, l.parent_kind, up.distance - 1
        FROM up JOIN lineage l ON l.tenant_id = :tenant AND l.child_id = up.id
        WHERE up.distance > -:deepest
    ), down(id, kind, distance) AS (
        SELECT child_id, child_kind, 1 FROM lineage WHERE tenant_id = :tenant AND parent_id = :id
        UNION
        SELECT l.child_id, l.child_kind, down.distance + 1
        FROM down JOIN lineage l ON l.tenant_id = :tenant AND l.parent_id = down.id
        WHERE down.distance < :deepest
    ), met AS (
        SELECT DISTINCT ON (id) id, kind, distance
        FROM (SELECT * FROM up UNION ALL SELECT * FROM down) AS both_ways
        WHERE id <> :id
        ORDER BY id, abs(distance)
    )
    SELECT m.id, m.kind, m.distance,
        COALESCE(e.scope, k.scope, (
            SELECT v.scope FROM events v
            WHERE v.tenant_id = :tenant AND v.activity_id = p.activity_id LIMIT 1
        )) AS scope
    FROM met m
    LEFT JOIN events e ON m.kind = 'event' AND e.tenant_id = :tenant AND e.id = m.id
    LEFT JOIN facts f ON m.kind = 'fact' AND f.tenant_id = :tenant AND f.id = m.id
    LEFT JOIN fact_keys k ON k.tenant_id = :tenant AND k.id = f.key_id
    LEFT JOIN episodes p ON m.kind = 'episode' AND p.tenant_id = :tenant AND p.id = m.id
    WHERE CASE m.kind
        WHEN 'fact' THEN {is_readable("k.attribute")}
        WHEN 'episode' THEN {episode_is_readable("m.id", "SELECT id FROM met WHERE kind = 'episode'")}
        ELSE m.kind = 'event'
    END
    ORDER BY abs(m.distance), m.id LIMIT :most
    """,
    id=Uuid,
    deepest=Integer,
    most=Integer,
    **WORDS,
)
_EDGES = sql(
    """
    SELECT child_id, parent_id FROM lineage
    WHERE tenant_id = :tenant AND child_id = ANY(:ids) AND parent_id = ANY(:ids)
    ORDER BY child_id, parent_id
    """,
    ids=IDS,
)
DEEPEST = 50
"""A chain of derivations is two or three long; this bounds a cycle."""


class Node(NamedTuple):
    """A record that was met on the way, `distance` steps up (below 0) or down (above 0)."""

    id: UUID
    kind: Literal["event", "episode", "fact"]
    distance: int
    scope: Scope


async def walk(work: UnitOfWork, record_id: UUID, readable: Readable, most: int) -> list[Node]:
    """Up to `most` records of a lineage that the reader may see, nearest first, without the record itself."""
    values = {"id": record_id, "deepest": DEEPEST, "most": most, **values_of(readable)}
    return [Node(row.id, row.kind, row.distance, Scope(row.scope)) for row in await work.rows(_WALK, values)]


async def edges_among(work: UnitOfWork, ids: list[UUID]) -> list[tuple[UUID, UUID]]:
    """Who was made from whom among these records: pairs of child and parent."""
    return [(row.child_id, row.parent_id) for row in await work.rows(_EDGES, {"ids": ids})]
