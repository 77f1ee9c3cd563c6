"""The log of receipts, legal holds, and what has left Keepwell."""

from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Row, func, insert, or_, select, update

from models.erasure.receipts import GENESIS, Broken, Logged, Receipt, faults_in
from models.erasure.targets import Target
from store.sql import sql
from store.tables import departures, erasure_log, legal_holds
from store.unit_of_work import UnitOfWork

AT_ONCE = 500
_TARGET: TypeAdapter[Target] = TypeAdapter(Target)
# Receipts of a tenant are written one after the other, so that each knows the one before it.
_ALONE = sql(
    "SELECT pg_advisory_xact_lock(hashtextextended('keepwell receipts ' || CAST(:tenant AS text), 0))"
)


class Place(NamedTuple):
    """Where the next receipt of a tenant goes."""

    number: int
    previous: bytes


async def next_place(work: UnitOfWork) -> Place:
    """Where the next receipt goes; nobody else writes one until the transaction ends."""
    await work.rows(_ALONE)
    c = erasure_log.c
    last = await work.row(
        select(c.number, c.digest).where(c.tenant_id == work.tenant_id).order_by(c.number.desc()).limit(1)
    )
    return Place(1, GENESIS) if last is None else Place(last.number + 1, last.digest)


async def append(
    work: UnitOfWork,
    place: Place,
    receipt: Receipt,
    digest: bytes,
    signed: tuple[str, bytes] | None,
) -> None:
    """Write a receipt in its place, with the key's id and the signature where it is signed."""
    key_id, signature = signed or (None, None)
    await work.run(
        insert(erasure_log).values(
            tenant_id=work.tenant_id,
            number=place.number,
            erasure_id=receipt.erasure_id,
            receipt=receipt.model_dump(mode="json"),
            previous=place.previous,
            digest=digest,
            key_id=key_id,
            signature=signature,
        )
    )


async def of_erasure(work: UnitOfWork, erasure_id: UUID) -> Logged | None:
    """The receipt of one erasure; None before there is one."""
    query = select(erasure_log).where(
        erasure_log.c.tenant_id == work.tenant_id, erasure_log.c.erasure_id == erasure_id
    )
    row = await work.row(query)
    return None if row is None else _logged(row)


async def whole(work: UnitOfWork) -> AsyncGenerator[Logged]:
    """All receipts of the tenant in order, some at a time."""
    last = 0
    while True:
        query = (
            select(erasure_log)
            .where(erasure_log.c.tenant_id == work.tenant_id, erasure_log.c.number > last)
            .order_by(erasure_log.c.number)
            .limit(AT_ONCE)
        )
        rows = await work.rows(query)
        for row in rows:
            yield _logged(row)
        if len(rows) < AT_ONCE:
            return
        last = rows[-1].number


async def faults(work: UnitOfWork) -> list[Broken]:
    """Where the tenant's log does not hold together; nothing where it does."""
    return list(faults_in([each async for each in whole(work)]))


def _logged(row: Row[Any]) -> Logged:
    return Logged(
        row.number,
        Receipt.model_validate(row.receipt),
        row.previous,
        row.digest,
        row.key_id,
        row.signature,
        row.recorded_at,
    )


class Hold(NamedTuple):
    """A legal hold: what it keeps from being erased, whose it is and until when."""

    id: UUID
    target: Target
    reason: str
    owner: str
    until: datetime | None
    released_at: datetime | None
    released_by: str | None
    recorded_at: datetime


async def add_hold(work: UnitOfWork, target: Target, reason: str, owner: str, until: datetime | None) -> UUID:
    """Store a hold; its id."""
    row = await work.row(
        insert(legal_holds)
        .values(
            tenant_id=work.tenant_id,
            target=_TARGET.dump_python(target, mode="json"),
            reason=reason,
            owner=owner,
            until=until,
        )
        .returning(legal_holds.c.id)
    )
    assert row is not None
    return row.id


async def is_held(work: UnitOfWork, identity: UUID) -> bool:
    """Whether there is a hold of this id that nobody has released."""
    c = legal_holds.c
    query = select(c.id).where(c.tenant_id == work.tenant_id, c.id == identity, c.released_at.is_(None))
    return await work.row(query) is not None


async def release_hold(work: UnitOfWork, identity: UUID, by: str) -> bool:
    """End a hold; False where there is none in force."""
    c = legal_holds.c
    ended = (
        update(legal_holds)
        .where(c.tenant_id == work.tenant_id, c.id == identity, c.released_at.is_(None))
        .values(released_at=func.now(), released_by=by)
    )
    return await work.run(ended) > 0


async def holds(work: UnitOfWork, *, in_force: bool) -> list[Hold]:
    """The holds of the tenant, oldest first; those that are `in_force` alone, or all."""
    c = legal_holds.c
    query = select(legal_holds).where(c.tenant_id == work.tenant_id)
    if in_force:
        query = query.where(c.released_at.is_(None), or_(c.until.is_(None), c.until > func.now()))
    return [
        Hold(
            row.id,
            _TARGET.validate_python(row.target),
            row.reason,
            row.owner,
            row.until,
            row.released_at,
            row.released_by,
            row.recorded_at,
        )
        for row in await work.rows(query.order_by(c.recorded_at, c.id))
    ]


async def depart(work: UnitOfWork, kind: str, records: int) -> None:
    """Note that so many records have left Keepwell."""
    if records:
        await work.run(insert(departures).values(tenant_id=work.tenant_id, kind=kind, records=records))


_DEPARTED = sql(
    "SELECT kind, sum(records)::bigint AS records FROM departures WHERE tenant_id = :tenant GROUP BY kind ORDER BY kind"
)


async def departed(work: UnitOfWork) -> dict[str, int]:
    """How many records of the tenant have ever left Keepwell, by the way in which they did."""
    return {row.kind: row.records for row in await work.rows(_DEPARTED)}
