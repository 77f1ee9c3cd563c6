"""The event log: append and read. Events, their numbers and their outbox rows go in by one statement."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row, select
from sqlalchemy.types import Text

from models.authority import Authority
from models.events import EntityMention, EventType, StoredEvent
from models.principals import PrincipalKind, Speaker
from models.scope import Scope
from store.outbox import CHANNEL
from store.sql import JSON, TEXTS, sql
from store.tables import events
from store.unit_of_work import UnitOfWork


class EventRow(NamedTuple):
    """An event that is ready to be written. `content` holds the columns that come from the publisher.

    `cues` are the keys by which intentions that may wait for it are found.
    """

    scope: Scope
    activity: str
    is_checkpoint: bool
    content: dict[str, Any]
    cues: Sequence[UUID] = ()


class Appended(NamedTuple):
    """Where an event went: its id, its activity's internal id and its number there."""

    id: UUID
    activity_id: UUID
    seq: int


class Known(NamedTuple):
    """An event that an idempotency key already stands for. Of one that was erased there is no digest any more."""

    id: UUID
    activity_id: UUID
    seq: int
    digest: bytes | None


# Each activity row is locked by its upsert until the commit, which makes the numbers gapless; rows are
# taken in one order, so that two batches over the same activities cannot deadlock. An event of an activity
# that has been consolidated is itself a reason to look again. What some cue asks for is looked at; however many wait,
# that is one look into an index.
_APPEND = sql(
    """
    WITH wanted AS (
        SELECT * FROM jsonb_to_recordset(:activities)
            AS x(scope_key uuid, activity text, n integer, checkpoint boolean)
    ), said AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(:events) AS x(
            activity text, behind integer, type text, subject text, subject_kind text, roles text[],
            authority smallint, scope_key uuid, scope jsonb, occurred_at timestamptz, timezone text,
            text text, entities jsonb, evidence_ref text, data jsonb, idempotency_key text, digest text,
            directive boolean, cues uuid[]
        )
    ), numbered AS (
        INSERT INTO activities (tenant_id, scope_key, external_id, last_seq)
        SELECT :tenant, scope_key, activity, n FROM wanted ORDER BY scope_key, activity
        ON CONFLICT (tenant_id, scope_key, external_id)
            DO UPDATE SET last_seq = activities.last_seq + EXCLUDED.last_seq
        RETURNING id, scope_key, external_id, last_seq, consolidated_seq
    ), handed_over AS (
        INSERT INTO outbox (tenant_id, kind, subject_id)
        SELECT :tenant, 'consolidate', a.id
        FROM numbered a JOIN wanted w ON w.scope_key = a.scope_key AND w.activity = a.external_id
        WHERE w.checkpoint OR a.consolidated_seq > 0
        RETURNING subject_id
    ), written AS (
        INSERT INTO events (
            tenant_id, activity_id, seq, type, subject, subject_kind, roles, authority, scope_key, scope,
            occurred_at, timezone, text, entities, evidence_ref, data, idempotency_key, digest, directive
        )
        SELECT :tenant, a.id, a.last_seq - x.behind, x.type, x.subject, x.subject_kind, x.roles, x.authority,
            x.scope_key, x.scope, x.occurred_at, x.timezone, x.text, x.entities, x.evidence_ref, x.data,
            x.idempotency_key, decode(x.digest, 'hex'), x.directive
        FROM said x JOIN numbered a ON a.scope_key = x.scope_key AND a.external_id = x.activity
        RETURNING id, activity_id, seq
    ), stirring AS (
        INSERT INTO stimuli (tenant_id, kind, subject_id, at)
        SELECT :tenant, 'event', w.id, now()
        FROM said x JOIN numbered a ON a.scope_key = x.scope_key AND a.external_id = x.activity
        JOIN written w ON w.activity_id = a.id AND w.seq = a.last_seq - x.behind
        WHERE EXISTS (SELECT FROM cues c WHERE c.tenant_id = :tenant AND c.key = ANY(x.cues))
        RETURNING id
    ), stirred AS (
        INSERT INTO outbox (tenant_id, kind, subject_id)
        SELECT :tenant, 'intend', :tenant WHERE EXISTS (SELECT FROM stirring)
        RETURNING subject_id
    )
    SELECT e.id, e.activity_id, e.seq, a.last_seq, a.scope_key, a.external_id,
        EXISTS (SELECT FROM handed_over) OR EXISTS (SELECT FROM stirred) AS handed_over
    FROM written e JOIN numbered a ON a.id = e.activity_id
    """,
    activities=JSON,
    events=JSON,
)

_KNOWN = sql(
    """
    SELECT idempotency_key, id, activity_id, seq, digest FROM events
    WHERE tenant_id = :tenant AND subject_kind = :kind AND subject = :subject AND idempotency_key = ANY(:keys)
    UNION ALL
    SELECT k.key, e.event_id, e.activity_id, e.seq, NULL FROM unnest(:keys) AS k(key)
    JOIN erased_keys e ON e.tenant_id = :tenant
        AND e.digest = sha256(convert_to(jsonb_build_array(:kind, :subject, k.key)::text, 'UTF8'))
    """,
    keys=TEXTS,
    kind=Text,
    subject=Text,
)


async def known(work: UnitOfWork, speaker: Speaker, keys: Sequence[str]) -> dict[str, Known]:
    """The events of `speaker` that these idempotency keys stand for, those that were erased among them."""
    if not keys:
        return {}
    found = await work.rows(
        _KNOWN, {"kind": speaker.kind.value, "subject": speaker.subject, "keys": list(keys)}
    )
    return {row.idempotency_key: Known(row.id, row.activity_id, row.seq, row.digest) for row in found}


async def append(work: UnitOfWork, rows: Sequence[EventRow]) -> list[Appended]:
    """Write events in the order given; where each went.

    Raises SQLAlchemy's `IntegrityError` on the constraint `events_once` when another transaction has just
    used one of the idempotency keys.
    """
    groups: dict[tuple[UUID, str], list[int]] = {}
    for index, row in enumerate(rows):
        groups.setdefault((row.scope.key, row.activity), []).append(index)
    activities = [
        {
            "scope_key": str(scope_key),
            "activity": activity,
            "n": len(members),
            "checkpoint": any(rows[index].is_checkpoint for index in members),
        }
        for (scope_key, activity), members in groups.items()
    ]
    behind = {
        index: len(members) - 1 - place for members in groups.values() for place, index in enumerate(members)
    }
    content = [
        {
            **row.content,
            "scope_key": str(row.scope.key),
            "activity": row.activity,
            "behind": behind[index],
            "cues": [str(key) for key in row.cues],
        }
        for index, row in enumerate(rows)
    ]
    written = await work.rows(_APPEND, {"activities": activities, "events": content})
    places = {(row.scope_key, row.external_id, row.last_seq - row.seq): row for row in written}
    appended: list[Appended] = []
    for index, row in enumerate(rows):
        place = places[(row.scope.key, row.activity, behind[index])]
        appended.append(Appended(place.id, place.activity_id, place.seq))
    if any(row.handed_over for row in written):
        work.announce(CHANNEL)
    return appended


async def of_activity(
    work: UnitOfWork, activity_id: UUID, through_seq: int | None = None
) -> list[StoredEvent]:
    """The events of an activity by number, up to `through_seq` where given; those that were erased among them."""
    query = select(events).where(events.c.tenant_id == work.tenant_id, events.c.activity_id == activity_id)
    if through_seq is not None:
        query = query.where(events.c.seq <= through_seq)
    return [stored(row) for row in await work.rows(query.order_by(events.c.seq))]


async def by_ids(work: UnitOfWork, ids: Sequence[UUID]) -> dict[UUID, StoredEvent]:
    """Events by id; an id that does not exist in the tenant is left out."""
    query = select(events).where(events.c.tenant_id == work.tenant_id, events.c.id.in_(ids))
    return {row.id: stored(row) for row in await work.rows(query)}


def stored(row: Row[Any]) -> StoredEvent:
    """A row of the log as the rules know it."""
    occurred_at: datetime = row.occurred_at
    return StoredEvent(
        id=row.id,
        activity_id=row.activity_id,
        seq=row.seq,
        type=EventType(row.type),
        speaker=Speaker(subject=row.subject, kind=PrincipalKind(row.subject_kind), roles=tuple(row.roles)),
        authority=Authority(row.authority),
        scope=row.scope,
        occurred_at=occurred_at,
        recorded_at=row.recorded_at,
        timezone=row.timezone,
        text=row.text,
        entities=tuple(EntityMention.model_validate(mention) for mention in row.entities),
        evidence_ref=row.evidence_ref,
        data=row.data,
        directive=row.directive,
        erased=row.erased_at is not None,
    )
