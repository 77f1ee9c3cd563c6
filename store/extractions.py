"""Extractions: what a model was asked, and what it proposed for as long as that waits to be applied."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from sqlalchemy import Row, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.types import Boolean, DateTime, Uuid

from models.extractions import Extraction, Fault, Purpose, State, Usage
from models.ids import derived_id
from store.sql import sql
from store.tables import extractions
from store.unit_of_work import UnitOfWork


class About(NamedTuple):
    """What a question is about: events of an activity by number, for a purpose.

    `redo_id` is None in a pass. What rules propose of the same events in a redo is a record of its own.
    """

    activity_id: UUID
    purpose: Purpose
    first_seq: int
    last_seq: int
    redo_id: UUID | None = None
    of: Literal["model", "rules"] = "model"

    @property
    def id(self) -> UUID:
        """One id for each question, however often it is asked."""
        return derived_id("extraction", *(part or "" for part in self))


class Asked(NamedTuple):
    """Who is asked with what; `model` and `prompt` are None where rules propose."""

    extractor: str
    model: str | None = None
    prompt: str | None = None
    input_digest: bytes | None = None


class Stored(NamedTuple):
    """A record with what was proposed, as JSON, while that waits; None before and afterwards."""

    extraction: Extraction
    proposed: Any


async def find(work: UnitOfWork, identity: UUID) -> Stored | None:
    """One record by id."""
    query = select(extractions).where(extractions.c.tenant_id == work.tenant_id, extractions.c.id == identity)
    row = await work.row(query)
    return None if row is None else _stored(row)


async def ask(work: UnitOfWork, about: About, asked: Asked, most: int) -> int | None:
    """Note that the question is asked once more; how often it has been by now.

    None where it has been settled meanwhile, or was asked `most` times already.
    """
    columns = extractions.c
    statement = upsert(extractions).values(**_new(work, about, asked, State.ASKED), attempts=1)
    statement = statement.on_conflict_do_update(
        index_elements=[columns.tenant_id, columns.id],
        set_={**asked._asdict(), "attempts": columns.attempts + 1},
        where=(columns.state == State.ASKED.value) & (columns.attempts < most),
    ).returning(columns.attempts)
    row = await work.row(statement)
    return None if row is None else row.attempts


async def hold(work: UnitOfWork, about: About, asked: Asked, proposed: Any) -> None:
    """Hold what rules propose until somebody applies it."""
    await work.run(insert(extractions).values(**_new(work, about, asked, State.PROPOSED), proposed=proposed))


def _new(work: UnitOfWork, about: About, asked: Asked, state: State) -> dict[str, Any]:
    return {
        "tenant_id": work.tenant_id,
        "id": about.id,
        "activity_id": about.activity_id,
        "redo_id": about.redo_id,
        "purpose": about.purpose.value,
        "first_seq": about.first_seq,
        "last_seq": about.last_seq,
        **asked._asdict(),
        "state": state.value,
    }


async def settle(
    work: UnitOfWork,
    identity: UUID,
    state: State,
    usage: Usage,
    *,
    proposed: Any = None,
    reason: Fault | None = None,
) -> bool:
    """Say how a question that is being asked stands now; False where another try has settled it.

    What it took is added to what earlier tries took.
    """
    columns = extractions.c
    statement = (
        update(extractions)
        .where(
            columns.tenant_id == work.tenant_id, columns.id == identity, columns.state == State.ASKED.value
        )
        .values(
            state=state.value,
            reason=None if reason is None else reason.value,
            requests=columns.requests + usage.requests,
            input_tokens=columns.input_tokens + usage.input_tokens,
            output_tokens=columns.output_tokens + usage.output_tokens,
            proposed=proposed,
        )
    )
    return await work.run(statement) == 1


async def close(work: UnitOfWork, identities: Sequence[UUID], state: State) -> None:
    """What was proposed is held no longer: it was applied, refused, or something else took its place."""
    statement = (
        update(extractions)
        .where(
            extractions.c.tenant_id == work.tenant_id,
            extractions.c.id.in_(identities),
            extractions.c.state == State.PROPOSED.value,
        )
        .values(state=state.value, proposed=None)
    )
    await work.run(statement)


async def every(work: UnitOfWork, state: State | None, most: int) -> list[Extraction]:
    """The newest records, newest first, in one state or in any."""
    query = select(extractions).where(extractions.c.tenant_id == work.tenant_id)
    if state is not None:
        query = query.where(extractions.c.state == state.value)
    ordered = query.order_by(extractions.c.recorded_at.desc(), extractions.c.id.desc()).limit(most)
    return [_stored(row).extraction for row in await work.rows(ordered)]


async def of_redo(work: UnitOfWork, redo_id: UUID, activity_id: UUID | None = None) -> list[Stored]:
    """The records of one redo, or of one activity in it, by number, locked until the transaction ends."""
    query = select(extractions).where(
        extractions.c.tenant_id == work.tenant_id, extractions.c.redo_id == redo_id
    )
    if activity_id is not None:
        query = query.where(extractions.c.activity_id == activity_id)
    ordered = query.order_by(extractions.c.activity_id, extractions.c.first_seq, extractions.c.id)
    return [_stored(row) for row in await work.rows(ordered.with_for_update())]


_SPANS = sql(
    """
    SELECT e.activity_id, array_agg(e.seq ORDER BY e.seq) AS seqs
    FROM events e JOIN activities a ON a.tenant_id = e.tenant_id AND a.id = e.activity_id
    WHERE e.tenant_id = :tenant AND e.recorded_at >= :since AND e.recorded_at < :until
        AND e.seq <= a.consolidated_seq
        AND (CAST(:activity_id AS uuid) IS NULL OR e.activity_id = :activity_id)
        AND (NOT :fell_back_only OR EXISTS (
            SELECT FROM extractions x
            WHERE x.tenant_id = e.tenant_id AND x.activity_id = e.activity_id AND x.purpose = 'extract'
                AND x.state = 'fell_back' AND x.redo_id IS NULL
                AND e.seq BETWEEN x.first_seq AND x.last_seq
        ))
    GROUP BY e.activity_id ORDER BY min(e.recorded_at), e.activity_id
    """,
    since=DateTime(timezone=True),
    until=DateTime(timezone=True),
    activity_id=Uuid,
    fell_back_only=Boolean,
)


async def to_redo(
    work: UnitOfWork,
    since: datetime,
    until: datetime,
    activity_id: UUID | None = None,
    *,
    fell_back_only: bool = False,
) -> dict[UUID, list[int]]:
    """Numbers of the events, by activity, that were recorded in the range and that a pass has seen.

    With `fell_back_only` those alone of which rules had to read what a model was asked about.
    """
    values = {
        "since": since,
        "until": until,
        "activity_id": activity_id,
        "fell_back_only": fell_back_only,
    }
    return {row.activity_id: list(row.seqs) for row in await work.rows(_SPANS, values)}


async def forget_redos(work: UnitOfWork, activity_id: UUID) -> None:
    """What redos of an activity propose and nobody has applied is held no longer."""
    statement = (
        update(extractions)
        .where(
            extractions.c.tenant_id == work.tenant_id,
            extractions.c.activity_id == activity_id,
            extractions.c.redo_id.is_not(None),
            extractions.c.state == State.PROPOSED.value,
        )
        .values(state=State.SUPERSEDED.value, proposed=None)
    )
    await work.run(statement)


_SUPERSEDE = sql(
    """
    UPDATE extractions x SET state = 'superseded'
    WHERE x.tenant_id = :tenant AND x.activity_id = :activity_id AND x.purpose = 'extract'
        AND x.redo_id IS NULL AND x.state = 'fell_back'
        AND NOT EXISTS (
            SELECT FROM generate_series(x.first_seq, x.last_seq) AS seq
            WHERE NOT EXISTS (
                SELECT FROM extractions y
                WHERE y.tenant_id = x.tenant_id AND y.redo_id = :redo_id AND y.activity_id = x.activity_id
                    AND y.model IS NOT NULL AND y.state = 'applied' AND seq BETWEEN y.first_seq AND y.last_seq
            )
        )
    """,
    activity_id=Uuid,
    redo_id=Uuid,
)


async def supersede(work: UnitOfWork, activity_id: UUID, redo_id: UUID) -> None:
    """What fell back gives way to an applied redo in which a model has read all its events."""
    await work.run(_SUPERSEDE, {"activity_id": activity_id, "redo_id": redo_id})


def _stored(row: Row[Any]) -> Stored:
    extraction = Extraction(
        id=row.id,
        activity_id=row.activity_id,
        redo_id=row.redo_id,
        purpose=Purpose(row.purpose),
        first_seq=row.first_seq,
        last_seq=row.last_seq,
        extractor=row.extractor,
        model=row.model,
        prompt=row.prompt,
        input_digest=row.input_digest,
        state=State(row.state),
        reason=None if row.reason is None else Fault(row.reason),
        attempts=row.attempts,
        usage=Usage(row.requests, row.input_tokens, row.output_tokens),
        recorded_at=row.recorded_at,
    )
    return Stored(extraction, row.proposed)
