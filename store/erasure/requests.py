"""Requests to erase, who has confirmed their plans, and the tombstones that they leave."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.types import Uuid

from models.erasure.erasures import Erasure, ErasureBasis, ErasureState
from models.erasure.plan import Plan
from models.principals import Principal
from store.erasure.rows import Rows, changed
from store.sql import among, sql
from store.tables import erasure_confirmations, erasures, tombstones
from store.unit_of_work import UnitOfWork


class Asked(NamedTuple):
    """A request as it comes in. `confirmers` is how many people have to confirm it beside who asks."""

    target: str
    basis: ErasureBasis
    confirmers: int
    goes_on: bool
    expected: bytes | None
    lapses_at: datetime


async def add(work: UnitOfWork, principal: Principal, asked: Asked) -> UUID:
    """Store a request; its id."""
    row = await work.row(
        insert(erasures)
        .values(
            tenant_id=work.tenant_id,
            asked_by=principal.subject,
            asked_by_kind=principal.kind.value,
            state=ErasureState.PLANNING.value,
            **{**asked._asdict(), "basis": asked.basis.value},
        )
        .returning(erasures.c.id)
    )
    assert row is not None
    return row.id


async def get(work: UnitOfWork, identity: UUID, *, held: bool = False) -> Erasure | None:
    """One erasure; `held` alone until the transaction ends. None where there is none."""
    query = select(erasures).where(erasures.c.tenant_id == work.tenant_id, erasures.c.id == identity)
    row = await work.row(query.with_for_update() if held else query)
    return None if row is None else _erasure(row)


async def page(work: UnitOfWork, after: UUID | None, most: int) -> list[Erasure]:
    """Erasures of the tenant, the newest first, older than `after`."""
    query = select(erasures).where(erasures.c.tenant_id == work.tenant_id)
    if after is not None:
        query = query.where(erasures.c.id < after)
    return [_erasure(row) for row in await work.rows(query.order_by(erasures.c.id.desc()).limit(most))]


async def unfinished(work: UnitOfWork) -> list[UUID]:
    """The erasures that are not over yet."""
    over = [state.value for state in (ErasureState.DONE, ErasureState.WITHDRAWN, ErasureState.LAPSED)]
    query = select(erasures.c.id).where(erasures.c.tenant_id == work.tenant_id, erasures.c.state.not_in(over))
    return [row.id for row in await work.rows(query.order_by(erasures.c.id))]


async def change(work: UnitOfWork, identity: UUID, **columns: Any) -> None:
    """Set columns of an erasure."""
    mine = (erasures.c.tenant_id == work.tenant_id) & (erasures.c.id == identity)
    await work.run(update(erasures).where(mine).values(**columns))


async def confirm(work: UnitOfWork, identity: UUID, principal: Principal, digest: bytes) -> None:
    """Note that somebody has confirmed a plan. Their word on an earlier plan gives way."""
    row = upsert(erasure_confirmations).values(
        tenant_id=work.tenant_id,
        erasure_id=identity,
        subject=principal.subject,
        subject_kind=principal.kind.value,
        digest=digest,
    )
    await work.run(
        row.on_conflict_do_update(
            index_elements=["tenant_id", "erasure_id", "subject", "subject_kind"],
            set_={"digest": row.excluded.digest, "recorded_at": func.now()},
        )
    )


async def confirmed_by(work: UnitOfWork, identity: UUID, digest: bytes | None) -> list[str]:
    """Who has confirmed this plan of an erasure."""
    c = erasure_confirmations.c
    query = (
        select(c.subject)
        .where(c.tenant_id == work.tenant_id, c.erasure_id == identity, c.digest == digest)
        .order_by(c.recorded_at, c.subject)
    )
    return [row.subject for row in await work.rows(query)]


class Tombstone(NamedTuple):
    """What is left of something that was erased."""

    id: UUID
    kind: str
    disposition: str
    erasure_id: UUID
    recorded_at: datetime


async def tombstones_of(work: UnitOfWork, ids: Sequence[UUID]) -> list[Tombstone]:
    """The tombstones of those of these records that were erased."""
    t = tombstones.c
    query = select(t.id, t.kind, t.disposition, t.erasure_id, t.recorded_at).where(
        t.tenant_id == work.tenant_id, t.id == among(ids)
    )
    return [Tombstone(*row) for row in await work.rows(query)]


class Progress(NamedTuple):
    """What was done so far: rows by table, and runs of workflows."""

    rows: dict[str, int]
    runs: int


async def progress(work: UnitOfWork, identity: UUID) -> Progress:
    """What an erasure has done so far."""
    told = await _told(work, identity)
    return Progress(dict(told.get("rows", {})), told.get("runs", 0))


async def add_rows(work: UnitOfWork, identity: UUID, rows: Rows) -> None:
    """Count rows that an erasure has changed or removed by this transaction."""
    if not rows:
        return
    told = await _told(work, identity)
    total = dict(told.get("rows", {}))
    for table, number in rows.items():
        changed(total, table, number)
    await change(work, identity, progress={**told, "rows": total})


async def add_runs(work: UnitOfWork, identity: UUID, runs: int) -> None:
    """Keep how many runs were there to delete at most."""
    told = await _told(work, identity)
    await change(work, identity, progress={**told, "runs": max(told.get("runs", 0), runs)})


_MARK = sql(
    """
    UPDATE erasures SET progress = progress || jsonb_build_object('written_by', pg_current_xact_id()::text)
    WHERE tenant_id = :tenant AND id = :id
    """,
    id=Uuid,
)
_OTHERS_RUN = sql(
    """
    SELECT pg_snapshot_xmin(pg_current_snapshot()) <= CAST(progress ->> 'written_by' AS xid8) AS others
    FROM erasures WHERE tenant_id = :tenant AND id = :id
    """,
    id=Uuid,
)


async def mark_erased(work: UnitOfWork, identity: UUID) -> None:
    """Note by which transaction all was erased."""
    await work.run(_MARK, {"id": identity})


async def others_run(work: UnitOfWork, identity: UUID) -> bool:
    """Whether anybody is still writing who began before all was erased, and so may have read it."""
    row = await work.row(_OTHERS_RUN, {"id": identity})
    return row is not None and bool(row.others)


async def sealed(work: UnitOfWork, identity: UUID) -> bytes | None:
    """The sealed words of an erasure."""
    query = select(erasures.c.sealed).where(erasures.c.tenant_id == work.tenant_id, erasures.c.id == identity)
    row = await work.row(query)
    return None if row is None else row.sealed


async def _told(work: UnitOfWork, identity: UUID) -> dict[str, Any]:
    query = select(erasures.c.progress).where(
        erasures.c.tenant_id == work.tenant_id, erasures.c.id == identity
    )
    row = await work.row(query.with_for_update())
    return {} if row is None else dict(row.progress)


def _erasure(row: Row[Any]) -> Erasure:
    return Erasure(
        id=row.id,
        target=row.target,
        basis=ErasureBasis(row.basis),
        asked_by=row.asked_by,
        asked_by_kind=row.asked_by_kind,
        confirmers=row.confirmers,
        goes_on=row.goes_on,
        expected=row.expected,
        state=ErasureState(row.state),
        plan=None if row.plan is None else Plan.model_validate(row.plan),
        digest=row.digest,
        residue=row.residue,
        lapses_at=row.lapses_at,
        accepted_at=row.accepted_at,
        done_at=row.done_at,
        recorded_at=row.recorded_at,
    )
