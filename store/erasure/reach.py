"""Where the records that somebody names are: in which scopes, so that the policy can be asked."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy.types import Text, Uuid

from store.sql import IDS, sql
from store.unit_of_work import UnitOfWork

_SCOPES_OF_RECORD = sql(
    """
    SELECT k.scope FROM facts f JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
    WHERE f.tenant_id = :tenant AND f.id = :id
    UNION ALL
    (SELECT e.scope FROM episodes s JOIN events e ON e.tenant_id = s.tenant_id AND e.activity_id = s.activity_id
    WHERE s.tenant_id = :tenant AND s.id = :id LIMIT 1)
    UNION ALL
    SELECT scope FROM intentions WHERE tenant_id = :tenant AND id = :id
    UNION ALL
    SELECT p.scope FROM procedures p WHERE p.tenant_id = :tenant AND (
        p.id = :id
        OR EXISTS (SELECT FROM proposals o WHERE o.tenant_id = p.tenant_id AND o.procedure_id = p.id AND o.id = :id)
        OR EXISTS (
            SELECT FROM procedure_versions v WHERE v.tenant_id = p.tenant_id AND v.procedure_id = p.id AND v.id = :id
        )
    )
    """,
    id=Uuid,
)
_SCOPE_OF_EVENT = sql(
    """
    SELECT scope FROM events WHERE tenant_id = :tenant AND id = :id AND erased_at IS NULL
    """,
    id=Uuid,
)
_ACTIVITY = sql(
    "SELECT id FROM activities WHERE tenant_id = :tenant AND scope_key = :scope_key AND external_id = :name",
    scope_key=Uuid,
    name=Text,
)
_NAMES = sql(
    """
    SELECT canonical AS name FROM entities WHERE tenant_id = :tenant AND (id = ANY(:ids) OR same_as = ANY(:ids))
    UNION
    SELECT name FROM aliases WHERE tenant_id = :tenant AND entity_id = ANY(:ids)
    """,
    ids=IDS,
)


async def scope_of_record(work: UnitOfWork, identity: UUID) -> Mapping[str, str] | None:
    """The scope of a fact, episode, intention, procedure, proposal or version; None where there is no such record."""
    rows = await work.rows(_SCOPES_OF_RECORD, {"id": identity})
    return rows[0].scope if rows else None


async def scope_of_event(work: UnitOfWork, identity: UUID) -> Mapping[str, str] | None:
    """The scope of an event; None where there is none, or none any more."""
    row = await work.row(_SCOPE_OF_EVENT, {"id": identity})
    return None if row is None else row.scope


async def activity(work: UnitOfWork, scope_key: UUID, name: str) -> UUID | None:
    """The activity that goes by this name in a scope."""
    row = await work.row(_ACTIVITY, {"scope_key": scope_key, "name": name})
    return None if row is None else row.id


async def names_of(work: UnitOfWork, entity_ids: Sequence[UUID]) -> list[str]:
    """All names that entities go by."""
    return [row.name for row in await work.rows(_NAMES, {"ids": list(entity_ids)})]
