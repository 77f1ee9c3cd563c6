"""Each time that an intention fired: written once, handed out under a lease, settled once."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row, func, or_, select, update
from sqlalchemy.types import DateTime, Interval, Uuid

from models.due import DueIntention, action_told
from models.firing import Firing
from models.intention_changes import MOST_LEASES
from models.intentions import OPEN, Fate, Intention, Occurrence, Owner
from models.scope import Scope
from store.sql import IDS, JSON, among, sql
from store.tables import intentions, occurrences
from store.unit_of_work import UnitOfWork

CHANNEL = "keepwell_inbox"

_ADD = sql(
    """
    INSERT INTO occurrences (
        tenant_id, id, intention_id, key, owner, owner_kind, endpoint_id, cause_id, due_at, fired_at, expires_at, fate,
        skipped, available_at, settled_at
    )
    SELECT :tenant, x.id, x.intention_id, x.key, x.owner, x.owner_kind, x.endpoint_id, x.cause_id, x.due_at, x.fired_at,
        x.expires_at, x.fate, x.skipped, x.fired_at, CASE WHEN x.fate <> 'due' THEN x.fired_at END
    FROM jsonb_to_recordset(:rows) AS x(
        id uuid, intention_id uuid, key text, owner text, owner_kind text, endpoint_id uuid, cause_id uuid,
        due_at timestamptz, fired_at timestamptz, expires_at timestamptz, fate text, skipped integer
    )
    ON CONFLICT ON CONSTRAINT occurrences_come_once DO NOTHING
    RETURNING id
    """,
    rows=JSON,
)


async def add(work: UnitOfWork, fired: Sequence[tuple[Intention, Firing]], now: datetime) -> set[UUID]:
    """Write occurrences; the ids of those that were not there before."""
    rows = [
        {
            "id": str(firing.id(intention.id)),
            "intention_id": str(intention.id),
            "key": firing.key,
            "owner": intention.owner.subject,
            "owner_kind": intention.owner.kind.value,
            "endpoint_id": None if intention.endpoint_id is None else str(intention.endpoint_id),
            "cause_id": None if firing.cause_id is None else str(firing.cause_id),
            "due_at": firing.due_at.isoformat(),
            "fired_at": now.isoformat(),
            "expires_at": None if intention.deadline is None else intention.deadline.isoformat(),
            "fate": firing.fate.value,
            "skipped": firing.skipped,
        }
        for intention, firing in fired
    ]
    if not rows:
        return set()
    added = {row.id for row in await work.rows(_ADD, {"rows": rows})}
    if added:
        work.announce(CHANNEL)
    return added


async def of_intentions(work: UnitOfWork, ids: Sequence[UUID], most: int) -> list[Occurrence]:
    """Up to `most` occurrences of these intentions, the latest first."""
    query = (
        select(occurrences)
        .where(occurrences.c.tenant_id == work.tenant_id, occurrences.c.intention_id == among(ids))
        .order_by(occurrences.c.due_at.desc(), occurrences.c.id.desc())
        .limit(most)
    )
    return [occurrence_of(row) for row in await work.rows(query)]


async def get(work: UnitOfWork, identity: UUID) -> Occurrence | None:
    """One occurrence, or None."""
    query = select(occurrences).where(occurrences.c.tenant_id == work.tenant_id, occurrences.c.id == identity)
    row = await work.row(query)
    return None if row is None else occurrence_of(row)


class Open(NamedTuple):
    """What is open of somebody's intentions, and the scope of the intention."""

    due: DueIntention
    scope: dict[str, str]


_OPEN_IN = sql(
    """
    SELECT o.id, o.intention_id, o.due_at, o.fate, i.action, i.scope
    FROM (
        SELECT id, intention_id, due_at, fate FROM occurrences
        WHERE tenant_id = :tenant AND owner_kind = :kind AND owner = :owner AND settled_at IS NULL
            AND (expires_at IS NULL OR expires_at > clock_timestamp())
        ORDER BY due_at LIMIT :looked_at
    ) o
    JOIN intentions i ON i.tenant_id = :tenant AND i.id = o.intention_id AND i.scope_key = ANY(:scope_keys)
    ORDER BY o.due_at, o.id LIMIT :most
    """,
    scope_keys=IDS,
)
_LOOKED_AT = 1_000
"""Open occurrences of one inbox that a recall looks through, the oldest first, for those of its scopes."""


async def open_in(work: UnitOfWork, owner: Owner, scope_keys: Sequence[UUID], most: int) -> list[Open]:
    """Up to `most` open occurrences of somebody's intentions of these scopes before their deadline, oldest first."""
    asked = {
        "kind": owner.kind.value,
        "owner": owner.subject,
        "scope_keys": list(scope_keys),
        "looked_at": _LOOKED_AT,
        "most": most,
    }
    return [
        Open(
            DueIntention(
                id=row.id,
                intention_id=row.intention_id,
                action=action_told(row.action),
                due_at=row.due_at,
                fate=row.fate,
            ),
            row.scope,
        )
        for row in await work.rows(_OPEN_IN, asked)
    ]


class Held(NamedTuple):
    """An occurrence that is held until the transaction ends, whose it is, and under which lease it is handed out."""

    occurrence: Occurrence
    owner: Owner
    lease: UUID | None


async def hold(work: UnitOfWork, identity: UUID) -> Held | None:
    """One occurrence, held until the transaction ends; None where there is none."""
    query = (
        select(occurrences)
        .where(occurrences.c.tenant_id == work.tenant_id, occurrences.c.id == identity)
        .with_for_update()
    )
    row = await work.row(query)
    if row is None:
        return None
    return Held(occurrence_of(row), Owner(subject=row.owner, kind=row.owner_kind), row.lease)


_SCOPES_IN = sql(
    """
    SELECT any_value(i.scope) AS scope FROM occurrences o
    JOIN intentions i ON i.tenant_id = o.tenant_id AND i.id = o.intention_id
    WHERE o.tenant_id = :tenant AND o.owner_kind = :kind AND o.owner = :owner AND o.endpoint_id IS NULL
        AND o.settled_at IS NULL AND o.available_at <= clock_timestamp()
    GROUP BY i.scope_key
    """
)


async def scopes_in(work: UnitOfWork, owner: Owner) -> list[Scope]:
    """The scopes in which something may be handed out of an inbox, each once. Nothing is held."""
    found = await work.rows(_SCOPES_IN, {"kind": owner.kind.value, "owner": owner.subject})
    return [Scope(row.scope) for row in found]


async def free(
    work: UnitOfWork, owner: Owner, scope_keys: Sequence[UUID], most: int, *, spent: bool = False
) -> list[Occurrence]:
    """Up to `most` that can be handed out of an inbox, the oldest first, held until the transaction ends.

    Those of these scopes alone, and of them those that were handed out as often as may be, `spent`, or the others:
    nothing else is held. What somebody else takes at the same time is passed over, so that two readers of one inbox
    share it. What has come to its deadline is not: it waits to be settled as expired.
    """
    o, i = occurrences.c, intentions.c
    # Looked up for each that is met, as a tenant may have a million intentions in one scope.
    its_scope = (
        select(i.scope_key).where(i.tenant_id == o.tenant_id, i.id == o.intention_id).scalar_subquery()
    )
    query = (
        select(occurrences)
        .where(
            o.tenant_id == work.tenant_id,
            o.owner_kind == owner.kind.value,
            o.owner == owner.subject,
            o.endpoint_id.is_(None),
            o.settled_at.is_(None),
            o.available_at <= func.clock_timestamp(),
            or_(o.expires_at.is_(None), o.expires_at > func.clock_timestamp()),
        )
        .where(its_scope == among(scope_keys), o.leases >= MOST_LEASES if spent else o.leases < MOST_LEASES)
        .order_by(o.available_at, o.id)
        .limit(most)
        .with_for_update(skip_locked=True)
    )
    return [occurrence_of(row) for row in await work.rows(query)]


async def count_leased(work: UnitOfWork, owner: Owner) -> int:
    """How many of an inbox are handed out at the moment."""
    o = occurrences.c
    query = select(func.count().label("n")).where(
        o.tenant_id == work.tenant_id,
        o.owner_kind == owner.kind.value,
        o.owner == owner.subject,
        o.endpoint_id.is_(None),
        o.settled_at.is_(None),
        o.lease.is_not(None),
        o.available_at > func.clock_timestamp(),
    )
    row = await work.row(query)
    return 0 if row is None else row.n


class Terms(NamedTuple):
    """On which terms something is handed out: under which lease, and for how long."""

    lease: UUID
    term: timedelta


_HAND_OUT = sql(
    """
    UPDATE occurrences SET fate = 'delivered', leases = leases + 1, lease = :lease,
        available_at = clock_timestamp() + :term
    WHERE tenant_id = :tenant AND id = ANY(:ids)
    RETURNING *
    """,
    ids=IDS,
    lease=Uuid,
    term=Interval,
)


async def hand_out(work: UnitOfWork, ids: Sequence[UUID], terms: Terms) -> list[Occurrence]:
    """Hand out occurrences that are held: they come again when the term is over, unless they are acknowledged."""
    if not ids:
        return []
    rows = await work.rows(_HAND_OUT, {"ids": list(ids), **terms._asdict()})
    return sorted((occurrence_of(row) for row in rows), key=lambda each: (each.due_at, each.id))


async def put_back(work: UnitOfWork, identity: UUID, at: datetime) -> None:
    """Have an open occurrence come again from `at` on, as if it had never been handed out."""
    values = {"available_at": at, "fate": Fate.DUE.value, "lease": None, "leases": 0}
    await work.run(_open(work, [identity]).values(**values))
    work.announce(CHANNEL)


async def move(work: UnitOfWork, intention_id: UUID, owner: Owner, at: datetime) -> None:
    """Have what is open of an intention come into another inbox; what an endpoint has or gets is theirs from now on."""
    open_of_it = update(occurrences).where(
        occurrences.c.tenant_id == work.tenant_id,
        occurrences.c.intention_id == intention_id,
        occurrences.c.settled_at.is_(None),
    )
    theirs = {"owner": owner.subject, "owner_kind": owner.kind.value}
    anew = {"fate": Fate.DUE.value, "lease": None, "leases": 0, "available_at": at}
    await work.run(open_of_it.where(occurrences.c.endpoint_id.is_not(None)).values(**theirs))
    if await work.run(open_of_it.where(occurrences.c.endpoint_id.is_(None)).values(**theirs, **anew)):
        work.announce(CHANNEL)


async def settle(
    work: UnitOfWork,
    ids: Sequence[UUID],
    fate: Fate,
    at: datetime,
    outcome: str | None = None,
    event_id: UUID | None = None,
) -> int:
    """Write what became of open occurrences; how many there were."""
    assert fate not in OPEN
    values = {"fate": fate.value, "settled_at": at, "lease": None, "outcome": outcome, "event_id": event_id}
    return await work.run(_open(work, ids).values(**values))


def _open(work: UnitOfWork, ids: Sequence[UUID]) -> Any:
    return update(occurrences).where(
        occurrences.c.tenant_id == work.tenant_id,
        occurrences.c.id == among(ids),
        occurrences.c.settled_at.is_(None),
    )


async def open_of(work: UnitOfWork, intention_ids: Sequence[UUID]) -> list[Occurrence]:
    """What is open of these intentions, held until the transaction ends."""
    query = (
        select(occurrences)
        .where(
            occurrences.c.tenant_id == work.tenant_id,
            occurrences.c.intention_id == among(intention_ids),
            occurrences.c.settled_at.is_(None),
        )
        .order_by(occurrences.c.id)
        .with_for_update()
    )
    return [occurrence_of(row) for row in await work.rows(query)]


_EXPIRED = sql(
    """
    UPDATE occurrences SET fate = 'expired', settled_at = :now, lease = NULL
    WHERE tenant_id = :tenant AND id IN (
        SELECT id FROM occurrences
        WHERE tenant_id = :tenant AND settled_at IS NULL AND expires_at <= :now
        ORDER BY expires_at, id LIMIT :most FOR UPDATE
    )
    RETURNING *
    """,
    now=DateTime(timezone=True),
)


async def expire(work: UnitOfWork, now: datetime, most: int) -> list[Occurrence]:
    """Settle up to `most` open occurrences whose deadline has passed."""
    return [occurrence_of(row) for row in await work.rows(_EXPIRED, {"now": now, "most": most})]


def occurrence_of(row: Row[Any]) -> Occurrence:
    """An occurrence as its row has it."""
    return Occurrence(
        id=row.id,
        intention_id=row.intention_id,
        due_at=row.due_at,
        fired_at=row.fired_at,
        cause_id=row.cause_id,
        fate=Fate(row.fate),
        skipped=row.skipped,
        leases=row.leases,
        available_at=row.available_at,
        settled_at=row.settled_at,
        outcome=row.outcome,
        event_id=row.event_id,
    )
