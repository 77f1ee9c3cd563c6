"""Names that nobody uses any more once an erasure is through: of entities that were spoken of in what it took."""

from uuid import UUID

from sqlalchemy.types import Uuid

from store.erasure.rows import Rows, changed
from store.sql import sql
from store.unit_of_work import UnitOfWork

_COLLECT = sql(
    """
    INSERT INTO erasure_nodes (tenant_id, erasure_id, id, kind, root, depth, expanded, fenced, erased)
    SELECT :tenant, :erasure, met.id, 'entity', false, 0, true, true, true FROM (
        SELECT k.entity_id AS id FROM erasure_nodes n
        JOIN facts f ON f.tenant_id = n.tenant_id AND f.id = n.id
        JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id AND k.entity_id IS NOT NULL
        WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'fact'
        UNION
        SELECT x.entity_id FROM erasure_nodes n
        JOIN episode_entities x ON x.tenant_id = n.tenant_id AND x.episode_id = n.id
        WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'episode'
        UNION
        SELECT k.entity_id FROM erasure_nodes n
        JOIN candidates c ON c.tenant_id = n.tenant_id AND c.event_id = n.id
        JOIN fact_keys k ON k.tenant_id = c.tenant_id AND k.id = c.key_id AND k.entity_id IS NOT NULL
        WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'event'
        UNION
        SELECT x.id FROM erasure_nodes n
        JOIN events e ON e.tenant_id = n.tenant_id AND e.id = n.id
        CROSS JOIN LATERAL jsonb_array_elements(e.entities) AS named
        JOIN entities x ON x.tenant_id = e.tenant_id AND x.canonical IN (named ->> 'id', lower(named ->> 'id'))
        WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'event'
        UNION
        SELECT a.entity_id FROM erasure_nodes n
        JOIN events e ON e.tenant_id = n.tenant_id AND e.id = n.id
        CROSS JOIN LATERAL jsonb_array_elements(e.entities) AS named
        JOIN aliases a ON a.tenant_id = e.tenant_id AND a.scope_key = e.scope_key AND a.name = named ->> 'name'
        WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'event'
    ) AS met
    ON CONFLICT DO NOTHING
    """,
    erasure=Uuid,
)
_MET = "n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'entity'"
_DROP_NAMES = sql(
    f"""
    DELETE FROM aliases a USING erasure_nodes n
    WHERE {_MET} AND a.tenant_id = n.tenant_id AND a.entity_id = n.id AND NOT EXISTS (
        SELECT FROM activities t JOIN events e ON e.tenant_id = t.tenant_id AND e.activity_id = t.id
        WHERE t.tenant_id = a.tenant_id AND t.scope_key = a.scope_key AND e.erased_at IS NULL
            AND strpos(lower(concat_ws(' ', e.text, e.entities, e.data)), lower(a.name)) > 0
    )
    """,
    erasure=Uuid,
)
_DROP_ENTITIES = sql(
    f"""
    DELETE FROM entities x USING erasure_nodes n
    WHERE {_MET} AND x.tenant_id = n.tenant_id AND x.id = n.id
        AND NOT EXISTS (SELECT FROM aliases a WHERE a.tenant_id = x.tenant_id AND a.entity_id = x.id)
        AND NOT EXISTS (SELECT FROM fact_keys k WHERE k.tenant_id = x.tenant_id AND k.entity_id = x.id)
        AND NOT EXISTS (SELECT FROM episode_entities s WHERE s.tenant_id = x.tenant_id AND s.entity_id = x.id)
        AND NOT EXISTS (SELECT FROM entities o WHERE o.tenant_id = x.tenant_id AND o.same_as = x.id)
        AND NOT EXISTS (
            SELECT FROM events e WHERE e.tenant_id = x.tenant_id AND e.erased_at IS NULL
                AND strpos(lower(concat_ws(' ', e.text, e.entities, e.data)), lower(x.canonical)) > 0
        )
    """,
    erasure=Uuid,
)


async def collect(work: UnitOfWork, erasure_id: UUID) -> None:
    """Note which entities are spoken of in what an erasure reaches, while it is there."""
    await work.run(_COLLECT, {"erasure": erasure_id})


async def drop_unused(work: UnitOfWork, erasure_id: UUID) -> Rows:
    """Remove the names that no living event uses any more, and entities of which nothing is left."""
    told = {"erasure": erasure_id}
    rows: Rows = {}
    changed(rows, "aliases", await work.run(_DROP_NAMES, told))
    changed(rows, "entities", await work.run(_DROP_ENTITIES, told))
    return rows
