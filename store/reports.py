"""Reports on answers: appended, each record counted once for each recall, however often it is said."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import delete, insert, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import Boolean

from models.reports import Arm, NewReport
from store.sql import IDS, among, sql
from store.tables import exposures, record_uses, reports
from store.unit_of_work import UnitOfWork


class Exposure(NamedTuple):
    """A record that was visible after a recall, and whether somebody went by it."""

    trace_id: UUID
    record_id: UUID
    used: bool


class Uses(NamedTuple):
    """How often a record was seen, and of these used."""

    seen: int
    used: int


# The trace's row is held, so that what is there before does not change meanwhile. Counts are taken in one order, so
# that two of these cannot wait for each other.
_EXPOSE = sql(
    """
    WITH said AS (
        SELECT * FROM unnest(:traces, :records, :used) AS s(trace_id, record_id, used)
    ), before AS (
        SELECT x.trace_id, x.record_id, x.used FROM exposures x
        JOIN said s ON s.trace_id = x.trace_id AND s.record_id = x.record_id WHERE x.tenant_id = :tenant
    ), kept AS (
        INSERT INTO exposures (tenant_id, trace_id, record_id, used)
        SELECT :tenant, trace_id, record_id, used FROM said
        ON CONFLICT (tenant_id, trace_id, record_id) DO UPDATE SET used = true
            WHERE EXCLUDED.used AND NOT exposures.used
    ), gained AS (
        SELECT s.record_id, count(*) FILTER (WHERE b.record_id IS NULL) AS seen,
            count(*) FILTER (WHERE s.used AND NOT COALESCE(b.used, false)) AS used
        FROM said s LEFT JOIN before b ON b.trace_id = s.trace_id AND b.record_id = s.record_id
        GROUP BY s.record_id
    )
    INSERT INTO record_uses (tenant_id, record_id, seen, used)
    SELECT :tenant, record_id, seen, used FROM gained WHERE seen + used > 0 ORDER BY record_id
    ON CONFLICT (tenant_id, record_id)
        DO UPDATE SET seen = record_uses.seen + EXCLUDED.seen, used = record_uses.used + EXCLUDED.used
    """,
    traces=IDS,
    records=IDS,
    used=ARRAY(Boolean),
)


def uses_of(record: str) -> str:
    """A column `uses` for the record with this id in a query: how often it was used and seen, NULL for never."""
    return f"""(SELECT ARRAY[u.used, u.seen] FROM record_uses u
        WHERE u.tenant_id = :tenant AND u.record_id = {record}) AS uses"""


async def digest_of(work: UnitOfWork, trace_id: UUID, key: str) -> bytes | None:
    """What was said about a recall under this key; None where nothing was."""
    query = select(reports.c.digest).where(
        reports.c.tenant_id == work.tenant_id,
        reports.c.trace_id == trace_id,
        reports.c.idempotency_key == key,
    )
    row = await work.row(query)
    return None if row is None else bytes(row.digest)


async def pair_of(work: UnitOfWork, trace_id: UUID) -> tuple[str, Arm] | None:
    """The pair and the arm that a recall was said to belong to."""
    query = (
        select(reports.c.pair, reports.c.arm)
        .where(
            reports.c.tenant_id == work.tenant_id, reports.c.trace_id == trace_id, reports.c.pair.is_not(None)
        )
        .limit(1)
    )
    row = await work.row(query)
    return None if row is None else (row.pair, Arm(row.arm))


async def add(work: UnitOfWork, trace_id: UUID, report: NewReport) -> None:
    """Append a report on a recall whose trace is held, and count what it says was seen and used."""
    await work.run(
        insert(reports).values(
            tenant_id=work.tenant_id,
            trace_id=trace_id,
            idempotency_key=report.idempotency_key,
            digest=report.digest,
            outcome=report.outcome and report.outcome.value,
            pair=report.pair,
            arm=report.arm and report.arm.value,
        )
    )
    await expose(work, [Exposure(trace_id, each, each in report.used) for each in report.seen])


async def expose(work: UnitOfWork, found: Sequence[Exposure]) -> None:
    """Keep what was visible after recalls whose traces are held; a record is counted once for each of them."""
    once: dict[tuple[UUID, UUID], bool] = {}
    for trace_id, record_id, used in found:
        once[trace_id, record_id] = once.get((trace_id, record_id), False) or used
    if not once:
        return
    keys = sorted(once)
    values = {
        "traces": [trace for trace, _ in keys],
        "records": [record for _, record in keys],
        "used": [once[key] for key in keys],
    }
    await work.run(_EXPOSE, values)


async def uses(work: UnitOfWork, record_ids: Sequence[UUID]) -> dict[UUID, Uses]:
    """How often each of these records was seen and used; one that never was is left out."""
    query = select(record_uses).where(
        record_uses.c.tenant_id == work.tenant_id, record_uses.c.record_id == among(record_ids)
    )
    return {row.record_id: Uses(row.seen, row.used) for row in await work.rows(query)}


async def forget_records(work: UnitOfWork, record_ids: Sequence[UUID]) -> int:
    """Delete all that reports say of these records; how many rows there were."""
    gone = 0
    for table in (exposures, record_uses):
        gone += await work.run(
            delete(table).where(table.c.tenant_id == work.tenant_id, table.c.record_id == among(record_ids))
        )
    return gone
