"""Evidence, lineage and transitions: the three logs that say why a record is what it is. Insert only."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import insert as plain_insert
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from models.authority import Authority
from store.news import CHANNEL
from store.sql import among
from store.tables import evidence, lineage, transitions
from store.unit_of_work import UnitOfWork


class Kind(StrEnum):
    """Sorts of records that are derived from others."""

    EVENT = "event"
    EPISODE = "episode"
    FACT = "fact"
    INTENTION = "intention"
    PROCEDURE = "procedure"
    PROPOSAL = "proposal"


class Evidence(NamedTuple):
    """One cited event of a record: what it supports, and who spoke with what authority and when.

    `authority_role` is the role that permitted the statement, None where no role did.
    """

    event_id: UUID
    supports: str
    authority: Authority
    authority_role: str | None
    subject: str
    occurred_at: datetime


class Transition(NamedTuple):
    """A declared change of status. `from_status` is None for a record that begins."""

    record_id: UUID
    from_status: str | None
    to_status: str
    rule: str
    reason: str
    actor: str
    actor_role: str | None
    event_id: UUID | None
    effective_at: datetime


async def cite(work: UnitOfWork, kind: Kind, record_id: UUID, cited: Iterable[Evidence]) -> None:
    """Add evidence to a record, and the lineage that goes with it. What is cited already stays as it is."""
    rows = [each._asdict() for each in cited]
    if not rows:
        return
    common = {"tenant_id": work.tenant_id, "record_id": record_id, "record_kind": kind.value}
    await work.run(
        insert(evidence).on_conflict_do_nothing(),
        [{**common, **row, "authority": int(row["authority"])} for row in rows],
    )
    await derive(work, kind, record_id, Kind.EVENT, [row["event_id"] for row in rows])


async def derive(
    work: UnitOfWork, kind: Kind, child: UUID, parent_kind: Kind, parents: Sequence[UUID]
) -> None:
    """Note that `child` was made from `parents`."""
    rows = [
        {
            "tenant_id": work.tenant_id,
            "child_id": child,
            "child_kind": kind.value,
            "parent_id": parent,
            "parent_kind": parent_kind.value,
        }
        for parent in parents
    ]
    await work.run(insert(lineage).on_conflict_do_nothing(), rows)


async def parents_of(work: UnitOfWork, child: UUID, kind: Kind) -> list[UUID]:
    """The records of one sort from which `child` was made."""
    query = (
        select(lineage.c.parent_id)
        .where(
            lineage.c.tenant_id == work.tenant_id,
            lineage.c.child_id == child,
            lineage.c.parent_kind == kind.value,
        )
        .order_by(lineage.c.parent_id)
    )
    return [row.parent_id for row in await work.rows(query)]


async def children_of(work: UnitOfWork, parent: UUID, kind: Kind) -> list[UUID]:
    """The records of one sort that were made from `parent`."""
    query = (
        select(lineage.c.child_id)
        .where(
            lineage.c.tenant_id == work.tenant_id,
            lineage.c.parent_id == parent,
            lineage.c.child_kind == kind.value,
        )
        .order_by(lineage.c.child_id)
    )
    return [row.child_id for row in await work.rows(query)]


async def of_record(work: UnitOfWork, record_id: UUID) -> list[Evidence]:
    """The evidence of a record, oldest first."""
    return (await of_records(work, [record_id])).get(record_id, [])


async def of_records(work: UnitOfWork, record_ids: Sequence[UUID]) -> dict[UUID, list[Evidence]]:
    """The evidence of each of these records, oldest first; a record without any is left out."""
    query = (
        select(evidence)
        .where(evidence.c.tenant_id == work.tenant_id, evidence.c.record_id == among(record_ids))
        .order_by(evidence.c.occurred_at, evidence.c.event_id)
    )
    found: dict[UUID, list[Evidence]] = {}
    for row in await work.rows(query):
        authority = Authority(row.authority)
        cited = Evidence(
            row.event_id, row.supports, authority, row.authority_role, row.subject, row.occurred_at
        )
        found.setdefault(row.record_id, []).append(cited)
    return found


async def declare(work: UnitOfWork, kind: Kind, transition: Transition) -> None:
    """Write a transition. The database refuses a change of a fact's status without one."""
    await declare_all(work, kind, [transition])


async def declare_all(work: UnitOfWork, kind: Kind, declared: Sequence[Transition]) -> None:
    """Write transitions of records of one sort."""
    rows = [
        {"tenant_id": work.tenant_id, "record_kind": kind.value, **transition._asdict()}
        for transition in declared
    ]
    if rows:
        await work.run(plain_insert(transitions), rows)
        work.announce(CHANNEL)


class Recorded(NamedTuple):
    """A declared change of a record's status, as it is looked at again later."""

    record_id: UUID
    to_status: str
    effective_at: datetime
    recorded_at: datetime


async def transition(work: UnitOfWork, identity: UUID) -> Recorded | None:
    """One transition by its own id, or None."""
    t = transitions.c
    query = select(t.record_id, t.to_status, t.effective_at, t.recorded_at).where(
        t.tenant_id == work.tenant_id, t.id == identity
    )
    row = await work.row(query)
    return None if row is None else Recorded(*row)


async def transitions_of(work: UnitOfWork, record_ids: Sequence[UUID]) -> list[tuple[datetime, Transition]]:
    """Transitions of these records with the instant at which each was recorded, oldest first."""
    query = (
        select(transitions)
        .where(transitions.c.tenant_id == work.tenant_id, transitions.c.record_id == among(record_ids))
        .order_by(transitions.c.recorded_at, transitions.c.id)
    )
    return [
        (
            row.recorded_at,
            Transition(
                row.record_id,
                row.from_status,
                row.to_status,
                row.rule,
                row.reason,
                row.actor,
                row.actor_role,
                row.event_id,
                row.effective_at,
            ),
        )
        for row in await work.rows(query)
    ]
