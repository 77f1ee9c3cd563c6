"""Vectors: the spaces that they lie in, what waits for one, and how they come and go with their records.

A record gets its row when it is indexed and its vector later, so that no write ever waits for an embedder.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import TextClause, select, update
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.types import DateTime, Text, Uuid

from store import outbox
from store.sql import IDS, TEXTS, sql
from store.tables import vector_spaces
from store.unit_of_work import UnitOfWork

CHANNEL = "keepwell_vectors"
"""Where it is told that vectors have come."""


class SpaceState(StrEnum):
    """Whether a space is compared with, is being filled, or is gone."""

    BUILDING = "building"
    SERVING = "serving"
    RETIRED = "retired"


class Space(NamedTuple):
    """Where the vectors of one model lie."""

    id: UUID
    model: str
    dimension: int
    state: SpaceState


class Waiting(NamedTuple):
    """A record without its vector. `text` is what to embed of a passage; a fact's is None, see `store.facts`."""

    record_id: UUID
    text: str | None


_IN_USE = (
    select(vector_spaces)
    .where(vector_spaces.c.state != SpaceState.RETIRED.value)
    .order_by(vector_spaces.c.state.desc(), vector_spaces.c.id)
)


async def spaces(work: UnitOfWork) -> list[Space]:
    """The spaces that serve or are built, the serving one first."""
    return [
        Space(row.id, row.model, row.dimension, SpaceState(row.state)) for row in await work.rows(_IN_USE)
    ]


async def serving(work: UnitOfWork) -> Space | None:
    """The space that recall compares with; None before there is one."""
    return next((space for space in await spaces(work) if space.state is SpaceState.SERVING), None)


async def begin_space(work: UnitOfWork, model: str, dimension: int, state: SpaceState) -> None:
    """Make a space for what is indexed from now on, unless there is one of this model, or another one that serves."""
    made = {"model": model, "dimension": dimension, "state": state.value}
    await work.run(insert(vector_spaces).values(made).on_conflict_do_nothing())


async def turn(work: UnitOfWork, space_id: UUID, state: SpaceState) -> None:
    """Have a space in another state."""
    await work.run(update(vector_spaces).where(vector_spaces.c.id == space_id).values(state=state.value))


_EXPECT = sql(
    """
    INSERT INTO vectors (tenant_id, space_id, scope_key, record_id, record_kind, since)
    SELECT :tenant, s.id, :scope_key, x.record_id, :kind, x.since
    FROM vector_spaces s, unnest(:records, :since) AS x(record_id, since)
    WHERE s.state <> 'retired'
    ON CONFLICT DO NOTHING
    """,
    scope_key=Uuid,
    kind=Text,
    records=IDS,
    since=ARRAY(DateTime(timezone=True)),
)
# What `store.search` indexes: every passage, and every fact that was admitted.
_EXPECT_ALL = sql(
    """
    INSERT INTO vectors (tenant_id, space_id, scope_key, record_id, record_kind, since)
    SELECT :tenant, :space_id, p.scope_key, p.id, 'passage', p.occurred_at FROM passages p
    WHERE p.tenant_id = :tenant
    UNION ALL
    SELECT :tenant, :space_id, f.scope_key, f.id, 'fact', f.valid_from FROM facts f
    WHERE f.tenant_id = :tenant AND f.admission = 'admitted'
    ON CONFLICT DO NOTHING
    """,
    space_id=Uuid,
)


# Whoever writes or drops records holds the first until its transaction ends, and whoever looks at all records the
# second: else it would not see what is just being written by somebody who does not see the new space, and would have
# what is just being dropped wait for ever.
_AMONG_OTHERS = sql("SELECT pg_advisory_xact_lock_shared(hashtextextended(:name, 0))", name=Text)
_ALONE = sql("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))", name=Text)


async def expect(
    work: UnitOfWork, kind: str, scope_key: UUID, records: Sequence[tuple[UUID, datetime]]
) -> None:
    """Have these records of one cell wait for a vector in every space, each from its instant on."""
    told = {
        "kind": kind,
        "scope_key": scope_key,
        "records": [record_id for record_id, _ in records],
        "since": [since for _, since in records],
    }
    if not records:
        return
    await _hold(work, _AMONG_OTHERS)
    if await work.run(_EXPECT, told):
        await outbox.put(work, outbox.Kind.EMBED, [work.tenant_id])


async def expect_all(work: UnitOfWork, space_id: UUID) -> int:
    """Have every record of the tenant that has no vector in this space wait for one; how many there were.

    Waits for whoever is just writing or dropping records. Once the space is begun, one call misses none: what is
    indexed later is entered by whoever indexes it.
    """
    await _hold(work, _ALONE)
    return await work.run(_EXPECT_ALL, {"space_id": space_id})


async def _hold(work: UnitOfWork, lock: TextClause) -> None:
    await work.row(lock, {"name": f"keepwell vectors {work.tenant_id}"})


_WAITING = sql(
    """
    SELECT v.record_id, p.text FROM vectors v
    LEFT JOIN passages p ON v.record_kind = 'passage' AND p.tenant_id = v.tenant_id AND p.id = v.record_id
    WHERE v.tenant_id = :tenant AND v.space_id = :space_id AND v.embedding IS NULL AND NOT v.refused
    ORDER BY v.record_id LIMIT :most
    """,
    space_id=Uuid,
)
_COUNT = sql(
    """
    SELECT space_id, count(*) AS records FROM vectors
    WHERE tenant_id = :tenant AND embedding IS NULL AND refused = :refused GROUP BY space_id
    """
)
_REFUSE = sql(
    """
    UPDATE vectors SET refused = true
    WHERE tenant_id = :tenant AND space_id = :space_id AND record_id = :record_id AND embedding IS NULL
    """,
    space_id=Uuid,
    record_id=Uuid,
)
_TRY_AGAIN = sql(
    """
    UPDATE vectors SET refused = false
    WHERE tenant_id = :tenant AND space_id = :space_id AND embedding IS NULL AND refused
    """,
    space_id=Uuid,
)
_FILL = sql(
    """
    UPDATE vectors v SET embedding = CAST(x.embedding AS halfvec)
    FROM unnest(:records, :embeddings) AS x(record_id, embedding)
    WHERE v.tenant_id = :tenant AND v.space_id = :space_id AND v.record_id = x.record_id AND v.embedding IS NULL
    """,
    space_id=Uuid,
    records=IDS,
    embeddings=TEXTS,
)
_DROP = sql("DELETE FROM vectors WHERE tenant_id = :tenant AND record_id = ANY(:ids)", ids=IDS)
_CLEAR = sql(
    """
    DELETE FROM vectors WHERE tenant_id = :tenant AND (space_id, record_id) IN (
        SELECT space_id, record_id FROM vectors
        WHERE tenant_id = :tenant AND space_id NOT IN (SELECT id FROM vector_spaces WHERE state <> 'retired')
        LIMIT :most
    )
    """
)


async def waiting(work: UnitOfWork, space_id: UUID, most: int) -> list[Waiting]:
    """Up to `most` records of the tenant that wait for a vector in this space."""
    rows = await work.rows(_WAITING, {"space_id": space_id, "most": most})
    return [Waiting(row.record_id, row.text) for row in rows]


async def count_waiting(work: UnitOfWork) -> dict[UUID, int]:
    """How many records of the tenant wait in each space; one in which none does is left out."""
    return await _counted(work, refused=False)


async def count_refused(work: UnitOfWork) -> dict[UUID, int]:
    """How many records of the tenant the embedder of each space does not take; a space that takes all is left out."""
    return await _counted(work, refused=True)


async def _counted(work: UnitOfWork, *, refused: bool) -> dict[UUID, int]:
    return {row.space_id: row.records for row in await work.rows(_COUNT, {"refused": refused})}


async def fill(work: UnitOfWork, space_id: UUID, found: Sequence[tuple[UUID, Sequence[float]]]) -> int:
    """Give records their vectors; how many took one. A record that is gone, or has one, takes none."""
    told = {
        "space_id": space_id,
        "records": [record_id for record_id, _ in found],
        "embeddings": [written(vector) for _, vector in found],
    }
    filled = await work.run(_FILL, told) if found else 0
    if filled:
        work.announce(CHANNEL)
    return filled


async def refuse(work: UnitOfWork, space_id: UUID, record_id: UUID) -> None:
    """Have a record wait in this space no longer: there is no vector for its text, and it is found by its words."""
    await work.run(_REFUSE, {"space_id": space_id, "record_id": record_id})
    work.announce(CHANNEL)


async def try_again(work: UnitOfWork, space_id: UUID) -> None:
    """Have the tenant's records that were refused in this space wait in it once more."""
    await work.run(_TRY_AGAIN, {"space_id": space_id})


async def drop(work: UnitOfWork, record_ids: Sequence[UUID]) -> None:
    """Take away the vectors of records, in every space."""
    if record_ids:
        await _hold(work, _AMONG_OTHERS)
        await work.run(_DROP, {"ids": list(record_ids)})


async def clear_retired(work: UnitOfWork, most: int) -> int:
    """Take away up to `most` of the tenant's vectors in spaces that are gone; how many there were."""
    return await work.run(_CLEAR, {"most": most})


async def serve(work: UnitOfWork, space_id: UUID | None) -> bool:
    """Have this space serve from now on and every other one gone; None to have none.

    False, and nothing is changed, where it is gone itself by now: what was indexed since has no vector in it.
    """
    # Whoever does the same at the same time waits here, and then finds gone what was retired meanwhile.
    there = [row.id for row in await work.rows(_IN_USE.with_for_update())]
    if space_id is not None and space_id not in there:
        return False
    for other in there:
        if other != space_id:
            await turn(work, other, SpaceState.RETIRED)
    if space_id is not None:
        await turn(work, space_id, SpaceState.SERVING)
    return True


def written(vector: Sequence[float]) -> str:
    """A vector as Postgres reads it, as the driver knows no such type. It keeps fewer digits than these."""
    return f"[{','.join(f'{part:.6g}' for part in vector)}]"
