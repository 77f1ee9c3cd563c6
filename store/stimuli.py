"""What has happened that an intention may have waited for, and for when a tenant's timer is set."""

from collections.abc import Collection, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import delete, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from store import outbox
from store.sql import IDS, among, sql
from store.tables import stimuli, timers
from store.unit_of_work import UnitOfWork


class Kind(StrEnum):
    """An event that says what some cue asks for, a transition of a fact that is watched, or the end of its term."""

    EVENT = "event"
    TRANSITION = "transition"
    TERM = "term"


class Stimulus(NamedTuple):
    """One of them. `after` is the last intention that was looked at for it, None where none was."""

    id: UUID
    kind: Kind
    subject_id: UUID
    after: UUID | None


async def await_terms(work: UnitOfWork, terms: Sequence[tuple[UUID, datetime]]) -> None:
    """Have facts looked at when their terms run out."""
    rows = [
        {"tenant_id": work.tenant_id, "kind": Kind.TERM.value, "subject_id": fact_id, "at": at}
        for fact_id, at in terms
    ]
    if rows:
        await work.run(insert(stimuli), rows)


_AWAIT_WHAT_COMES = sql(
    """
    INSERT INTO stimuli (tenant_id, kind, subject_id, at)
    SELECT :tenant, 'transition', t.id, t.effective_at FROM facts f
    JOIN transitions t ON t.tenant_id = f.tenant_id AND t.record_id = f.id AND t.record_kind = 'fact'
    WHERE f.tenant_id = :tenant AND f.key_id = ANY(:keys)
        AND (
            t.effective_at > now()
            OR NOT pg_visible_in_snapshot(t.written_by, CAST(CAST(:seen AS text) AS pg_snapshot))
        )
    UNION ALL
    SELECT :tenant, 'term', f.id, LEAST(f.expires_at, f.lapses_at) FROM facts f
    WHERE f.tenant_id = :tenant AND f.key_id = ANY(:keys) AND LEAST(f.expires_at, f.lapses_at) > now()
        AND (f.ended_at IS NULL OR f.ended_at > LEAST(f.expires_at, f.lapses_at))
    RETURNING at
    """,
    keys=IDS,
)


_SEEN = sql("SELECT CAST(pg_current_snapshot() AS text) AS seen")


async def seen_now(work: UnitOfWork) -> str:
    """Which transactions are seen by now: to be asked before anybody is waited for."""
    return (await work.rows(_SEEN))[0].seen


async def await_what_comes(work: UnitOfWork, key_ids: Collection[UUID], seen: str) -> datetime | None:
    """Have the facts of keys, which are held, looked at when what is known of their future comes; the first instant.

    That is changes that were written before and take effect later, ends of terms, and what has changed since `seen`,
    while the keys were waited for: nobody else stirs those who watch it since.
    """
    if not key_ids:
        return None
    rows = await work.rows(_AWAIT_WHAT_COMES, {"keys": sorted(key_ids), "seen": seen})
    return min((row.at for row in rows), default=None)


async def first(work: UnitOfWork, now: datetime) -> Stimulus | None:
    """The first whose time has come, or None."""
    query = (
        select(stimuli)
        .where(stimuli.c.tenant_id == work.tenant_id, stimuli.c.at <= now)
        .order_by(stimuli.c.at, stimuli.c.id)
        .limit(1)
    )
    row = await work.row(query)
    return None if row is None else Stimulus(row.id, Kind(row.kind), row.subject_id, row.after)


async def seen(work: UnitOfWork, ids: Sequence[UUID]) -> None:
    """These have been looked at by all."""
    await work.run(delete(stimuli).where(stimuli.c.tenant_id == work.tenant_id, stimuli.c.id == among(ids)))


async def seen_up_to(work: UnitOfWork, identity: UUID, intention_id: UUID) -> None:
    """All up to this intention have looked at it."""
    await work.run(
        update(stimuli)
        .where(stimuli.c.tenant_id == work.tenant_id, stimuli.c.id == identity)
        .values(after=intention_id)
    )


_NEXT = sql(
    """
    SELECT LEAST(
        (SELECT next_at FROM intentions
            WHERE tenant_id = :tenant AND next_at IS NOT NULL ORDER BY next_at LIMIT 1),
        (SELECT at FROM stimuli WHERE tenant_id = :tenant ORDER BY at LIMIT 1),
        (SELECT expires_at FROM occurrences
            WHERE tenant_id = :tenant AND settled_at IS NULL AND expires_at IS NOT NULL ORDER BY expires_at LIMIT 1)
    ) AS at
    """
)


async def hold_timer(work: UnitOfWork) -> datetime | None:
    """For when the tenant's timer is set, held until the transaction ends; None where nothing is awaited."""
    held = (
        select(timers.c.wakes_at).where(timers.c.tenant_id == work.tenant_id).with_for_update(key_share=True)
    )
    row = await work.row(held)
    if row is None:
        await work.run(upsert(timers).values(tenant_id=work.tenant_id).on_conflict_do_nothing())
        row = await work.row(held)
    return None if row is None else row.wakes_at


async def set_timer(work: UnitOfWork) -> datetime | None:
    """Set the timer, which is held, for the next thing that comes by itself; when that is, None where nothing does."""
    row = await work.row(_NEXT)
    at = None if row is None else row.at
    await work.run(update(timers).where(timers.c.tenant_id == work.tenant_id).values(wakes_at=at))
    return at


async def wake_by(work: UnitOfWork, at: datetime | None) -> None:
    """See to it that the tenant's timer goes off by `at`.

    The timer's row is held first: whoever sets it at the same time either sees what this transaction has written, or is
    seen here. Only a timer that is set for later, or for nothing, is told of it.
    """
    if at is None:
        return
    wakes_at = await hold_timer(work)
    if wakes_at is not None and wakes_at <= at:
        return
    await work.run(update(timers).where(timers.c.tenant_id == work.tenant_id).values(wakes_at=at))
    await outbox.put(work, outbox.Kind.INTEND, [work.tenant_id])
