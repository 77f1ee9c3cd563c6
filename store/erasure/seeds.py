"""What a target names: the records from which the walk of an erasure, or the look at a legal hold, begins."""

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import TextClause
from sqlalchemy.types import TIMESTAMP, Text, Uuid

from store.persons import LIKELY
from store.sql import IDS, JSON, TEXTS, sql
from store.unit_of_work import UnitOfWork


def _seeds(found: str, **types: Any) -> TextClause:
    """Insert what `found` selects, ids and kinds, as named records of `:erasure`."""
    return sql(
        f"""
        INSERT INTO erasure_nodes (tenant_id, erasure_id, id, kind, root, depth)
        SELECT DISTINCT :tenant, :erasure, found.id, found.kind, true, 0 FROM ({found}) AS found
        ON CONFLICT DO NOTHING
        """,
        erasure=Uuid,
        **types,
    )


_EVENTS = _seeds(
    "SELECT id, 'event' AS kind FROM events WHERE tenant_id = :tenant AND id = ANY(:ids) AND erased_at IS NULL",
    ids=IDS,
)
_ACTIVITIES = _seeds(
    """
    SELECT id, 'event' AS kind FROM events
    WHERE tenant_id = :tenant AND activity_id = ANY(:ids) AND erased_at IS NULL
    """,
    ids=IDS,
)
# The words of Keepwell's own log on these records go with them: see `store.erasure.walk`.
_RECORDS = _seeds(
    """
    SELECT id, 'fact' AS kind FROM facts WHERE tenant_id = :tenant AND id = ANY(:ids)
    UNION ALL
    SELECT e.id, 'event' FROM episodes s JOIN events e ON e.tenant_id = s.tenant_id AND e.activity_id = s.activity_id
    WHERE s.tenant_id = :tenant AND s.id = ANY(:ids) AND e.erased_at IS NULL
    UNION ALL
    SELECT id, 'intention' FROM intentions WHERE tenant_id = :tenant AND id = ANY(:ids)
    UNION ALL
    SELECT id, 'proposal' FROM proposals WHERE tenant_id = :tenant AND (id = ANY(:ids) OR procedure_id = ANY(:ids))
    UNION ALL
    SELECT id, 'procedure' FROM procedure_versions
    WHERE tenant_id = :tenant AND (id = ANY(:ids) OR procedure_id = ANY(:ids))
    """,
    ids=IDS,
)
_PERSON = _seeds(
    f"""
    SELECT e.id, 'event' AS kind FROM events e
    WHERE e.tenant_id = :tenant AND e.subject = :person AND e.subject_kind = 'human' AND e.erased_at IS NULL
    UNION ALL
    SELECT e.id, 'event' FROM events e
    WHERE e.tenant_id = :tenant AND e.person = :person AND e.erased_at IS NULL
    UNION ALL
    SELECT f.id, 'fact' FROM ({LIKELY}) AS likely JOIN facts f ON f.tenant_id = :tenant AND f.id = likely.id
    WHERE subject_of(:tenant, f.id, f.key_id, :personal) = :person
    UNION ALL
    SELECT i.id, 'intention' FROM intentions i WHERE i.tenant_id = :tenant AND (
        i.person = :person OR (i.owner_kind = 'human' AND i.owner = :person)
        OR (i.set_by_kind = 'human' AND i.set_by = :person)
    )
    UNION ALL
    SELECT t.id, 'trace' FROM traces t
    WHERE t.tenant_id = :tenant AND t.subject = :person AND t.subject_kind = 'human'
    UNION ALL
    SELECT v.id, 'procedure' FROM procedures p
    JOIN procedure_versions v ON v.tenant_id = p.tenant_id AND v.procedure_id = p.id
    WHERE p.tenant_id = :tenant AND p.person = :person
    UNION ALL
    SELECT o.id, 'proposal' FROM procedures p JOIN proposals o ON o.tenant_id = p.tenant_id AND o.procedure_id = p.id
    WHERE p.tenant_id = :tenant AND p.person = :person
    """,
    person=Text,
    personal=TEXTS,
)
_SCOPE = _seeds(
    """
    SELECT id, 'event' AS kind FROM events WHERE tenant_id = :tenant AND scope @> :scope AND erased_at IS NULL
    UNION ALL
    SELECT f.id, 'fact' FROM fact_keys k JOIN facts f ON f.tenant_id = k.tenant_id AND f.key_id = k.id
    WHERE k.tenant_id = :tenant AND k.scope @> :scope
    UNION ALL
    SELECT id, 'intention' FROM intentions WHERE tenant_id = :tenant AND scope @> :scope
    UNION ALL
    SELECT v.id, 'procedure' FROM procedures p
    JOIN procedure_versions v ON v.tenant_id = p.tenant_id AND v.procedure_id = p.id
    WHERE p.tenant_id = :tenant AND p.scope @> :scope
    UNION ALL
    SELECT o.id, 'proposal' FROM procedures p JOIN proposals o ON o.tenant_id = p.tenant_id AND o.procedure_id = p.id
    WHERE p.tenant_id = :tenant AND p.scope @> :scope
    """,
    scope=JSON,
)
_ENTITY = _seeds(
    """
    SELECT f.id, 'fact' AS kind FROM fact_keys k JOIN facts f ON f.tenant_id = k.tenant_id AND f.key_id = k.id
    WHERE k.tenant_id = :tenant AND k.entity_id = ANY(:entities) AND k.scope @> :scope
    UNION ALL
    SELECT v.event_id, 'event' FROM fact_keys k
    JOIN facts f ON f.tenant_id = k.tenant_id AND f.key_id = k.id
    JOIN evidence v ON v.tenant_id = f.tenant_id AND v.record_id = f.id
    JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id AND e.erased_at IS NULL
    WHERE k.tenant_id = :tenant AND k.entity_id = ANY(:entities) AND k.scope @> :scope
    UNION ALL
    SELECT e.id, 'event' FROM events e
    WHERE e.tenant_id = :tenant AND e.scope @> :scope AND e.erased_at IS NULL AND (
        EXISTS (
            SELECT FROM jsonb_array_elements(e.entities) AS named
            WHERE lower(named ->> 'id') = ANY(:names) OR lower(named ->> 'name') = ANY(:names)
        ) OR e.text ~* :pattern OR e.data::text ~* :pattern
    )
    """,
    entities=IDS,
    names=TEXTS,
    pattern=Text,
    scope=JSON,
)
_CLASS = _seeds(
    """
    SELECT f.id, 'fact' AS kind FROM fact_keys k JOIN facts f ON f.tenant_id = k.tenant_id AND f.key_id = k.id
    WHERE k.tenant_id = :tenant AND k.attribute = ANY(:attributes) AND f.restated_at < :before
    """,
    attributes=TEXTS,
    before=TIMESTAMP(timezone=True),
)


def _whole_words(names: Sequence[str]) -> str:
    """The pattern of any of these names as a whole word or several, as Postgres reads patterns."""
    return rf"(?<!\w)(?:{'|'.join(re.escape(name) for name in names)})(?!\w)"


class Seeds:
    """Enters what a target names as the named records of one erasure, or hold; each method tells how many."""

    def __init__(self, work: UnitOfWork, erasure_id: UUID) -> None:
        self._work = work
        self._erasure_id = erasure_id

    async def events(self, ids: Sequence[UUID]) -> int:
        """These events."""
        return await self._enter(_EVENTS, ids=list(ids))

    async def activities(self, ids: Sequence[UUID]) -> int:
        """All events of these activities."""
        return await self._enter(_ACTIVITIES, ids=list(ids))

    async def records(self, ids: Sequence[UUID]) -> int:
        """These facts, intentions, proposals and versions, those of these procedures, and events of these episodes."""
        return await self._enter(_RECORDS, ids=list(ids))

    async def person(self, subject: str, personal: Collection[str]) -> int:
        """All of a person: what they said, what names them in its scope, and what is about them."""
        return await self._enter(_PERSON, person=subject, personal=sorted(personal))

    async def scope(self, dimensions: dict[str, str]) -> int:
        """All in scopes that have these dimensions; of `{}`, all that there is."""
        return await self._enter(_SCOPE, scope=dimensions)

    async def entity(self, ids: Sequence[UUID], names: Collection[str], dimensions: dict[str, str]) -> int:
        """All that is about these entities, or uses one of these names, in such scopes."""
        told = sorted({name.lower() for name in names})
        return await self._enter(
            _ENTITY, entities=list(ids), names=told, pattern=_whole_words(told), scope=dimensions
        )

    async def facts_of(self, attributes: Collection[str], before: datetime) -> int:
        """Facts and claims of these attributes that were last stated before an instant."""
        return await self._enter(_CLASS, attributes=sorted(attributes), before=before)

    async def _enter(self, statement: TextClause, **values: Any) -> int:
        return await self._work.run(statement, {"erasure": self._erasure_id, **values})
