"""Hand-over: rows written with the reason for them, taken by whoever relays their kind, gone once delivered.

The dispatcher relays to Temporal, and the embedding relay to the embedder.
"""

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import delete, insert
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import BigInteger

from store.sql import TEXTS, sql
from store.tables import outbox
from store.unit_of_work import UnitOfWork

CHANNEL = "keepwell_outbox"
RETRY_SECONDS_AT_MOST = 60


class Kind(StrEnum):
    """Who is to look: a workflow at an activity, a fact key, the gate of a fact, a tenant's intentions, an endpoint, a
    proposal, an erasure or a tenant's experience, or the embedder at a tenant.
    """

    CONSOLIDATE = "consolidate"
    RECONCILE = "reconcile"
    GATE = "gate"
    INTEND = "intend"
    DELIVER = "deliver"
    PROMOTE = "promote"
    REFLECT = "reflect"
    ERASE = "erase"
    EMBED = "embed"


class Parcel(NamedTuple):
    """One row that waits to be delivered."""

    id: int
    tenant_id: UUID
    kind: Kind
    subject_id: UUID


async def put(work: UnitOfWork, kind: Kind, subjects: Sequence[UUID]) -> None:
    """Have a workflow look at each of `subjects` once this transaction is committed."""
    rows = [{"tenant_id": work.tenant_id, "kind": kind.value, "subject_id": subject} for subject in subjects]
    if await work.run(insert(outbox), rows):
        work.announce(CHANNEL)


_TAKE = sql(
    """
    SELECT id, tenant_id, kind, subject_id FROM outbox
    WHERE available_at <= now() AND kind = ANY(:kinds)
    ORDER BY available_at, id LIMIT :most FOR UPDATE SKIP LOCKED
    """,
    kinds=TEXTS,
)
_PUT_LAST = sql(
    "UPDATE outbox SET available_at = clock_timestamp() WHERE id = ANY(:ids)", ids=ARRAY(BigInteger)
)
_PUT_OFF = sql(
    """
    UPDATE outbox SET attempts = attempts + 1,
        available_at = clock_timestamp() + LEAST(:at_most, 0.5 * 2 ^ LEAST(attempts, 10)) * interval '1 second'
    WHERE id = ANY(:ids)
    """,
    ids=ARRAY(BigInteger),
)


async def take(relay: UnitOfWork, kinds: Collection[Kind], most: int) -> list[Parcel]:
    """Lock up to `most` rows of these kinds that are due. They are free again when the transaction ends.

    Rows of a kind that this version does not know wait for a version that does.
    """
    return [
        Parcel(row.id, row.tenant_id, Kind(row.kind), row.subject_id)
        for row in await relay.rows(_TAKE, {"most": most, "kinds": [kind.value for kind in kinds]})
    ]


async def delivered(relay: UnitOfWork, ids: Sequence[int]) -> None:
    """Remove rows that whoever was to look has got."""
    if ids:
        await relay.run(delete(outbox).where(outbox.c.id.in_(ids)))


async def put_last(relay: UnitOfWork, ids: Sequence[int]) -> None:
    """Have rows taken again at once, but after all others that are due."""
    if ids:
        await relay.run(_PUT_LAST, {"ids": list(ids)})


async def put_off(relay: UnitOfWork, ids: Sequence[int]) -> None:
    """Try rows again later, each failure doubling the wait up to a minute."""
    if ids:
        await relay.run(_PUT_OFF, {"ids": list(ids), "at_most": RETRY_SECONDS_AT_MOST})
