"""Procedures and their versions as they are stored. Each change of a status is declared by the caller's transition."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Row, Select, and_, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from models.ids import derived_id
from models.procedures import (
    IN_FORCE,
    Approval,
    Origin,
    Procedure,
    ProcedureContent,
    Trial,
    Version,
    VersionStatus,
    Who,
)
from models.scope import Scope
from store.sql import among
from store.tables import lineage, procedures
from store.tables import procedure_versions as versions
from store.unit_of_work import UnitOfWork

DRAFTERS: TypeAdapter[tuple[Who, ...]] = TypeAdapter(tuple[Who, ...])
_APPROVALS: TypeAdapter[tuple[Approval, ...]] = TypeAdapter(tuple[Approval, ...])


async def named(work: UnitOfWork, scope: Scope, name: str, class_name: str) -> Procedure:
    """The procedure of this name in a scope, made where there is none, and held until the transaction ends."""
    await work.run(
        upsert(procedures)
        .values(
            tenant_id=work.tenant_id,
            scope_key=scope.key,
            scope=dict(scope),
            name=name,
            **{"class": class_name},
        )
        .on_conflict_do_nothing(constraint="procedures_by_name")
    )
    found = await work.row(
        _procedures(work)
        .where(procedures.c.scope_key == scope.key, procedures.c.name == name)
        .with_for_update()
    )
    assert found is not None
    return _procedure(found)


async def find(work: UnitOfWork, scope: Scope, name: str) -> Procedure | None:
    """The procedure of this name in a scope, or None."""
    row = await work.row(
        _procedures(work).where(procedures.c.scope_key == scope.key, procedures.c.name == name)
    )
    return None if row is None else _procedure(row)


async def get(work: UnitOfWork, identity: UUID) -> Procedure | None:
    """One procedure, or None."""
    row = await work.row(_procedures(work).where(procedures.c.id == identity))
    return None if row is None else _procedure(row)


async def hold(work: UnitOfWork, identity: UUID) -> Procedure | None:
    """One procedure, held until the transaction ends so that nothing of it changes meanwhile; None without one."""
    row = await work.row(_procedures(work).where(procedures.c.id == identity).with_for_update())
    return None if row is None else _procedure(row)


async def by_ids(work: UnitOfWork, ids: Collection[UUID]) -> dict[UUID, Procedure]:
    """Procedures by id; an id that does not exist in the tenant is left out."""
    rows = await work.rows(_procedures(work).where(procedures.c.id == among(sorted(ids))))
    return {row.id: _procedure(row) for row in rows}


def _procedures(work: UnitOfWork) -> Select[Any]:
    return select(procedures).where(procedures.c.tenant_id == work.tenant_id)


def _procedure(row: Row[Any]) -> Procedure:
    return Procedure(row.id, row.scope, row.name, getattr(row, "class"), row.versions)


class NewVersion(NamedTuple):
    """A version that begins: what it says, where it comes from, and who answers for it."""

    content: ProcedureContent
    status: VersionStatus
    origin: Origin
    proposal_id: UUID | None
    drafters: tuple[Who, ...]
    approved: tuple[Approval, ...]
    episodes: tuple[UUID, ...]
    trial: Trial | None
    reason: str


async def add_version(work: UnitOfWork, procedure: Procedure, new: NewVersion) -> Version:
    """Store the next version of a procedure, which is held."""
    number = procedure.versions + 1
    identity = version_id(procedure.id, number)
    await work.run(
        update(procedures)
        .where(procedures.c.tenant_id == work.tenant_id, procedures.c.id == procedure.id)
        .values(versions=number)
    )
    await work.run(
        insert(versions).values(
            tenant_id=work.tenant_id,
            id=identity,
            procedure_id=procedure.id,
            number=number,
            content=new.content.model_dump(mode="json"),
            digest=new.content.digest,
            status=new.status.value,
            origin=new.origin.value,
            proposal_id=new.proposal_id,
            drafters=DRAFTERS.dump_python(new.drafters, mode="json"),
            approved=_APPROVALS.dump_python(new.approved, mode="json"),
            episodes=list(new.episodes),
            trial=None if new.trial is None else new.trial.model_dump(mode="json"),
            reason=new.reason,
        )
    )
    stored = await version(work, identity)
    assert stored is not None
    return stored


def version_id(procedure_id: UUID, number: int) -> UUID:
    """The id of a version of a procedure."""
    return derived_id("procedure_version", procedure_id, number)


async def set_status(
    work: UnitOfWork,
    identity: UUID,
    status: VersionStatus,
    reason: str,
    approved: tuple[Approval, ...] | None = None,
) -> None:
    """Change the status of a version, and by whose approval it stands where that is new; the caller declares it."""
    told = {} if approved is None else {"approved": _APPROVALS.dump_python(approved, mode="json")}
    await work.run(_one(work, identity).values(status=status.value, reason=reason, **told))


async def set_episodes(
    work: UnitOfWork, identity: UUID, episodes: Sequence[UUID], reason: str | None = None
) -> None:
    """Say which episodes a version rests on by now."""
    told = {} if reason is None else {"reason": reason}
    await work.run(_one(work, identity).values(episodes=list(episodes), **told))


def _one(work: UnitOfWork, identity: UUID) -> Any:
    return update(versions).where(versions.c.tenant_id == work.tenant_id, versions.c.id == identity)


async def version(work: UnitOfWork, identity: UUID) -> Version | None:
    """One version, or None."""
    row = await work.row(_versions(work).where(versions.c.id == identity))
    return None if row is None else _version(row)


async def numbered(work: UnitOfWork, procedure_id: UUID, number: int) -> Version | None:
    """The version of this number, or None."""
    return await version(work, version_id(procedure_id, number))


async def every_version(work: UnitOfWork, procedure_id: UUID) -> list[Version]:
    """The versions of a procedure, the first one first."""
    query = _versions(work).where(versions.c.procedure_id == procedure_id).order_by(versions.c.number)
    return [_version(row) for row in await work.rows(query)]


class InForce(NamedTuple):
    """What of a procedure is in force: for all, and on trial."""

    current: Version | None
    trial: Version | None


async def in_force(work: UnitOfWork, procedure_ids: Collection[UUID]) -> dict[UUID, InForce]:
    """What of each of these procedures is in force."""
    rows = await work.rows(
        _versions(work).where(
            versions.c.procedure_id == among(sorted(procedure_ids)),
            versions.c.status.in_(sorted(IN_FORCE)),
        )
    )
    found: dict[UUID, InForce] = dict.fromkeys(procedure_ids, InForce(None, None))
    for row in rows:
        there, name = found[row.procedure_id], row.status
        found[row.procedure_id] = there._replace(**{name: _version(row)})
    return found


async def resting_on(work: UnitOfWork, episode_ids: Sequence[UUID]) -> list[Version]:
    """The versions that rest on any of these episodes, with their procedures held in the order of their ids."""
    made_of = (
        select(lineage.c.child_id)
        .where(
            lineage.c.tenant_id == work.tenant_id,
            lineage.c.parent_id == among(episode_ids),
            lineage.c.child_kind == "procedure",
        )
        .distinct()
    )
    query = (
        _versions(work).where(versions.c.id.in_(made_of)).order_by(versions.c.procedure_id, versions.c.number)
    )
    touched = sorted({row.procedure_id for row in await work.rows(query)})
    if not touched:
        return []
    await work.rows(
        _procedures(work).where(procedures.c.id == among(touched)).order_by(procedures.c.id).with_for_update()
    )
    lost = set(episode_ids)
    found = [_version(row) for row in await work.rows(query)]
    return [each for each in found if not lost.isdisjoint(each.episodes)]


class Listed(NamedTuple):
    """A procedure with what of it is in force, None where nothing is."""

    procedure: Procedure
    current: Version | None
    trial: Version | None


async def page(
    work: UnitOfWork,
    classes: Collection[str],
    dimensions: Mapping[str, str],
    after: UUID | None,
    most: int,
) -> list[Listed]:
    """Up to `most` procedures of these classes in scopes that have these dimensions, in the order of their ids."""
    query = _procedures(work).where(procedures.c["class"].in_(sorted(classes)))
    for dimension, value in dimensions.items():
        query = query.where(procedures.c.scope[dimension].astext == value)
    if after is not None:
        query = query.where(procedures.c.id > after)
    found = [_procedure(row) for row in await work.rows(query.order_by(procedures.c.id).limit(most))]
    force = await in_force(work, [each.id for each in found])
    return [Listed(each, *force[each.id]) for each in found]


async def applying(
    work: UnitOfWork, classes: Collection[str], scope_keys: Sequence[UUID], most: int
) -> list[Listed]:
    """The procedures of these classes in these scopes of which a version is in force, up to `most` versions of them."""
    theirs = and_(versions.c.tenant_id == procedures.c.tenant_id, versions.c.procedure_id == procedures.c.id)
    of_procedure = [
        procedures.c.id.label("of_id"),
        procedures.c.scope,
        procedures.c.name,
        procedures.c["class"],
        procedures.c.versions,
    ]
    query = (
        select(*of_procedure, *versions.c)
        .join(versions, theirs)
        .where(
            procedures.c.tenant_id == work.tenant_id,
            procedures.c.scope_key == among(scope_keys),
            procedures.c["class"].in_(sorted(classes)),
            versions.c.status.in_(sorted(IN_FORCE)),
        )
        .order_by(procedures.c.id, versions.c.number)
        .limit(most)
    )
    found: dict[UUID, Listed] = {}
    for row in await work.rows(query):
        procedure = Procedure(row.of_id, row.scope, row.name, getattr(row, "class"), row.versions)
        there = found.get(procedure.id, Listed(procedure, None, None))
        found[procedure.id] = there._replace(**{row.status: _version(row)})
    return list(found.values())


def _versions(work: UnitOfWork) -> Select[Any]:
    return select(versions).where(versions.c.tenant_id == work.tenant_id)


def _version(row: Row[Any]) -> Version:
    recorded_at: datetime = row.recorded_at
    return Version(
        id=row.id,
        procedure_id=row.procedure_id,
        number=row.number,
        content=ProcedureContent.model_validate(row.content),
        status=VersionStatus(row.status),
        origin=Origin(row.origin),
        proposal_id=row.proposal_id,
        drafters=DRAFTERS.validate_python(row.drafters),
        approved=_APPROVALS.validate_python(row.approved),
        episodes=tuple(row.episodes),
        trial=None if row.trial is None else Trial.model_validate(row.trial),
        reason=row.reason,
        recorded_at=recorded_at,
    )
