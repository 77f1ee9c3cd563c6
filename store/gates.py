"""Gates and confirmations: who waits for which condition, and who has said that it is met."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from models.conditions import ConfirmationState, GateState
from models.principals import PrincipalKind, Speaker
from store.sql import among
from store.tables import confirmations, gates
from store.unit_of_work import UnitOfWork


class Gate(NamedTuple):
    """A gate as it stands."""

    fact_id: UUID
    state: GateState
    reason: str | None


class Confirmation(NamedTuple):
    """One confirmation: who said it, by which event, and what became of it."""

    id: UUID
    fact_id: UUID
    event_id: UUID
    speaker: Speaker
    state: ConfirmationState
    reason: str | None
    recorded_at: datetime


async def open_for(work: UnitOfWork, fact_id: UUID) -> None:
    """Begin to wait for the end of a fact."""
    await work.run(
        insert(gates).values(tenant_id=work.tenant_id, fact_id=fact_id, state=GateState.OPEN.value)
    )


async def close(work: UnitOfWork, fact_id: UUID, reason: str, at: datetime) -> bool:
    """Stop waiting; False where there is no open gate."""
    statement = (
        update(gates)
        .where(
            gates.c.tenant_id == work.tenant_id,
            gates.c.fact_id == fact_id,
            gates.c.state == GateState.OPEN.value,
        )
        .values(state=GateState.CLOSED.value, reason=reason, closed_at=at)
    )
    return await work.run(statement) == 1


async def get(work: UnitOfWork, fact_id: UUID) -> Gate | None:
    """The gate of a fact, or None for a fact that waits for no condition."""
    return (await of_facts(work, [fact_id])).get(fact_id)


async def of_facts(work: UnitOfWork, fact_ids: Sequence[UUID]) -> dict[UUID, Gate]:
    """The gates of those of these facts that wait, or have waited, for a condition."""
    query = select(gates.c.fact_id, gates.c.state, gates.c.reason).where(
        gates.c.tenant_id == work.tenant_id, gates.c.fact_id == among(fact_ids)
    )
    return {
        row.fact_id: Gate(row.fact_id, GateState(row.state), row.reason) for row in await work.rows(query)
    }


async def add_confirmation(
    work: UnitOfWork, identity: UUID, fact_id: UUID, event_id: UUID, speaker: Speaker
) -> bool:
    """Store a confirmation before anybody decides on it; False where it is stored already."""
    statement = (
        upsert(confirmations)
        .values(
            tenant_id=work.tenant_id,
            id=identity,
            fact_id=fact_id,
            event_id=event_id,
            subject=speaker.subject,
            subject_kind=speaker.kind.value,
            roles=list(speaker.roles),
            state=ConfirmationState.PENDING.value,
        )
        .on_conflict_do_nothing()
    )
    return await work.run(statement) == 1


async def confirmations_of(work: UnitOfWork, fact_id: UUID) -> list[Confirmation]:
    """All confirmations of a fact's end, in the order in which they came."""
    return (await confirmations_of_facts(work, [fact_id])).get(fact_id, [])


async def confirmations_of_facts(
    work: UnitOfWork, fact_ids: Sequence[UUID]
) -> dict[UUID, list[Confirmation]]:
    """All confirmations of the end of each of these facts, in the order in which they came."""
    query = (
        select(confirmations)
        .where(confirmations.c.tenant_id == work.tenant_id, confirmations.c.fact_id == among(fact_ids))
        .order_by(confirmations.c.recorded_at, confirmations.c.id)
    )
    found: dict[UUID, list[Confirmation]] = {}
    for row in await work.rows(query):
        speaker = Speaker(subject=row.subject, kind=PrincipalKind(row.subject_kind), roles=tuple(row.roles))
        state = ConfirmationState(row.state)
        said = Confirmation(row.id, row.fact_id, row.event_id, speaker, state, row.reason, row.recorded_at)
        found.setdefault(row.fact_id, []).append(said)
    return found


async def decide_confirmation(
    work: UnitOfWork, identity: UUID, state: ConfirmationState, reason: str, at: datetime
) -> None:
    """Record what became of a confirmation."""
    statement = (
        update(confirmations)
        .where(confirmations.c.tenant_id == work.tenant_id, confirmations.c.id == identity)
        .values(state=state.value, reason=reason, decided_at=at)
    )
    await work.run(statement)
