"""Proposals and the decisions on them as they are stored. Each change of a state is declared by the caller."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Row, Select, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from models.drafting import DraftKind
from models.principals import PrincipalKind, Speaker
from models.procedures import Approval, Origin, Procedure, ProcedureContent, Trial, Who
from models.proposals import (
    WAITING,
    Choice,
    Decision,
    DecisionResult,
    DecisionState,
    Ground,
    Proposal,
    ProposalState,
)
from store import procedures as playbooks
from store.procedures import DRAFTERS
from store.sql import among
from store.tables import lineage, procedures, proposals
from store.tables import proposal_decisions as decisions
from store.unit_of_work import UnitOfWork

_GROUNDS: TypeAdapter[tuple[Ground, ...]] = TypeAdapter(tuple[Ground, ...])
_WAITING = sorted(state.value for state in WAITING)


async def add(work: UnitOfWork, new: Proposal) -> bool:
    """Store a proposal; False where it is there, or one of the same finding waits."""
    row = {"tenant_id": work.tenant_id, "id": new.id, "procedure_id": new.procedure_id, **_columns(new)}
    fixed = {
        "origin": new.origin.value,
        "finding": new.finding,
        "event_id": new.event_id,
        "recorded_at": new.recorded_at,
    }
    return await work.run(upsert(proposals).values(**row, **fixed).on_conflict_do_nothing()) == 1


async def change(work: UnitOfWork, there: Proposal) -> None:
    """Write what can change of a proposal, which is held."""
    mine = (proposals.c.tenant_id == work.tenant_id) & (proposals.c.id == there.id)
    await work.run(update(proposals).where(mine).values(**_columns(there)))


def _columns(there: Proposal) -> dict[str, Any]:
    return {
        "base": there.base,
        "content": there.content.model_dump(mode="json"),
        "drafters": DRAFTERS.dump_python(there.drafters, mode="json"),
        "because": there.because,
        "grounds": _GROUNDS.dump_python(there.grounds, mode="json"),
        "episodes": list(there.episodes),
        "state": there.state.value,
        "reason": there.reason,
        "revision": there.revision,
        "remind_at": there.remind_at,
        "escalate_at": there.escalate_at,
        "lapses_at": there.lapses_at,
        "version_id": there.version_id,
    }


async def get(work: UnitOfWork, identity: UUID) -> Proposal | None:
    """One proposal, or None."""
    row = await work.row(_proposals(work).where(proposals.c.id == identity))
    return None if row is None else _proposal(row)


class Held(NamedTuple):
    """A proposal with its procedure, held until the transaction ends so that nothing of either changes meanwhile."""

    proposal: Proposal
    procedure: Procedure


async def hold(work: UnitOfWork, identity: UUID) -> Held | None:
    """A proposal and its procedure, held in the order in which everybody holds them; None where there is none."""
    found = await get(work, identity)
    if found is None:
        return None
    procedure = await playbooks.hold(work, found.procedure_id)
    row = await work.row(_proposals(work).where(proposals.c.id == identity).with_for_update())
    assert procedure is not None
    assert row is not None
    return Held(_proposal(row), procedure)


async def waiting_for(work: UnitOfWork, procedure_id: UUID) -> list[Proposal]:
    """What waits for a procedure, the oldest first."""
    query = (
        _proposals(work)
        .where(proposals.c.procedure_id == procedure_id, proposals.c.state.in_(_WAITING))
        .order_by(proposals.c.recorded_at, proposals.c.id)
    )
    return [_proposal(row) for row in await work.rows(query)]


async def of_finding(work: UnitOfWork, procedure_id: UUID, finding: UUID) -> list[Proposal]:
    """All that was ever proposed to a procedure for a finding, the latest first."""
    query = (
        _proposals(work)
        .where(proposals.c.procedure_id == procedure_id, proposals.c.finding == finding)
        .order_by(proposals.c.recorded_at.desc(), proposals.c.id.desc())
    )
    return [_proposal(row) for row in await work.rows(query)]


async def reflected(work: UnitOfWork, procedure_id: UUID) -> list[Proposal]:
    """All that experience has ever proposed for a procedure, the latest first."""
    query = (
        _proposals(work)
        .where(proposals.c.procedure_id == procedure_id, proposals.c.origin == Origin.REFLECTED.value)
        .order_by(proposals.c.recorded_at.desc(), proposals.c.id.desc())
    )
    return [_proposal(row) for row in await work.rows(query)]


async def as_drafted(work: UnitOfWork, most: int) -> list[Proposal]:
    """Up to `most` proposals of a lesson that wait as the template has written them, the latest first."""
    query = (
        _proposals(work)
        .where(
            proposals.c.origin == Origin.REFLECTED.value,
            proposals.c.state == ProposalState.OPEN.value,
            proposals.c.reason == DraftKind.TAUGHT.value,
            proposals.c.revision == 1,
        )
        .order_by(proposals.c.recorded_at.desc(), proposals.c.id.desc())
        .limit(most)
    )
    return [_proposal(row) for row in await work.rows(query)]


async def resting_on(work: UnitOfWork, episode_ids: Sequence[UUID]) -> list[Proposal]:
    """What waits and rests on any of these episodes, held until the transaction ends."""
    made_of = (
        select(lineage.c.child_id)
        .where(
            lineage.c.tenant_id == work.tenant_id,
            lineage.c.parent_id == among(episode_ids),
            lineage.c.child_kind == "proposal",
        )
        .distinct()
    )
    query = (
        _proposals(work)
        .where(proposals.c.id.in_(made_of), proposals.c.state.in_(_WAITING))
        .order_by(proposals.c.procedure_id, proposals.c.id)
        .with_for_update()
    )
    return [_proposal(row) for row in await work.rows(query)]


class Listed(NamedTuple):
    """A proposal with the procedure that it is for."""

    proposal: Proposal
    procedure: Procedure


async def page(
    work: UnitOfWork,
    classes: Collection[str],
    dimensions: Mapping[str, str],
    states: Collection[ProposalState],
    after: UUID | None,
    most: int,
) -> list[Listed]:
    """Up to `most` proposals for procedures of these classes in scopes of these dimensions, the oldest first."""
    query = (
        _proposals(work)
        .join(
            procedures,
            (procedures.c.tenant_id == proposals.c.tenant_id) & (procedures.c.id == proposals.c.procedure_id),
        )
        .where(
            procedures.c["class"].in_(sorted(classes)),
            proposals.c.state.in_(sorted(state.value for state in states)),
        )
    )
    for dimension, value in dimensions.items():
        query = query.where(procedures.c.scope[dimension].astext == value)
    if after is not None:
        place = select(proposals.c.recorded_at, proposals.c.id).where(
            proposals.c.tenant_id == work.tenant_id, proposals.c.id == after
        )
        met = await work.row(place)
        if met is not None:
            later = (proposals.c.recorded_at > met.recorded_at) | (
                (proposals.c.recorded_at == met.recorded_at) & (proposals.c.id > met.id)
            )
            query = query.where(later)
    rows = await work.rows(query.order_by(proposals.c.recorded_at, proposals.c.id).limit(most))
    found = [_proposal(row) for row in rows]
    theirs = await playbooks.by_ids(work, {each.procedure_id for each in found})
    return [Listed(each, theirs[each.procedure_id]) for each in found]


def _proposals(work: UnitOfWork) -> Select[Any]:
    return select(proposals).where(proposals.c.tenant_id == work.tenant_id)


def _proposal(row: Row[Any]) -> Proposal:
    return Proposal(
        id=row.id,
        procedure_id=row.procedure_id,
        base=row.base,
        content=ProcedureContent.model_validate(row.content),
        origin=Origin(row.origin),
        drafters=DRAFTERS.validate_python(row.drafters),
        because=row.because,
        grounds=_GROUNDS.validate_python(row.grounds),
        episodes=tuple(row.episodes),
        finding=row.finding,
        state=ProposalState(row.state),
        reason=row.reason,
        revision=row.revision,
        event_id=row.event_id,
        recorded_at=row.recorded_at,
        remind_at=row.remind_at,
        escalate_at=row.escalate_at,
        lapses_at=row.lapses_at,
        version_id=row.version_id,
    )


async def decide(work: UnitOfWork, new: Decision) -> None:
    """Store what a reviewer has said; nothing is decided by that."""
    await work.run(
        insert(decisions).values(
            tenant_id=work.tenant_id,
            id=new.id,
            proposal_id=new.proposal_id,
            event_id=new.event_id,
            revision=new.revision,
            choice=new.choice.value,
            subject=new.by.subject,
            subject_kind=new.by.kind.value,
            roles=list(new.by.roles),
            content=None if new.content is None else new.content.model_dump(mode="json"),
            reason=new.reason,
            trial=None if new.trial is None else new.trial.model_dump(mode="json"),
        )
    )


async def settle(
    work: UnitOfWork,
    identity: UUID,
    outcome: DecisionResult,
    now: datetime,
    *,
    role: str | None = None,
    counts_for: int | None = None,
) -> None:
    """Say what a decision came to. `counts_for` is the revision that it counts for: an edit makes another one."""
    state = DecisionState.COUNTED if outcome.counts else DecisionState.REFUSED
    await work.run(
        update(decisions)
        .where(decisions.c.tenant_id == work.tenant_id, decisions.c.id == identity)
        .values(state=state.value, outcome=outcome.value, role=role, counts_for=counts_for, decided_at=now)
    )


async def decision(work: UnitOfWork, identity: UUID) -> Decision | None:
    """One decision, or None."""
    row = await work.row(_decisions(work).where(decisions.c.id == identity))
    return None if row is None else _decision(row)


async def decisions_on(work: UnitOfWork, proposal_id: UUID) -> list[Decision]:
    """What was decided on a proposal, the oldest first."""
    query = _decisions(work).where(decisions.c.proposal_id == proposal_id)
    rows = await work.rows(query.order_by(decisions.c.recorded_at, decisions.c.id))
    return [_decision(row) for row in rows]


async def approvals_of(
    work: UnitOfWork, proposal_id: UUID, revision: int, choice: Choice
) -> tuple[Approval, ...]:
    """Who has approved this revision of a proposal, or would try it, and in which role."""
    query = (
        _decisions(work)
        .where(
            decisions.c.proposal_id == proposal_id,
            decisions.c.counts_for == revision,
            decisions.c.choice == choice.value,
        )
        .order_by(decisions.c.decided_at, decisions.c.id)
    )
    return tuple(
        Approval(
            by=Who(subject=row.subject, kind=PrincipalKind(row.subject_kind)),
            role=row.role,
            at=row.decided_at,
        )
        for row in await work.rows(query)
    )


async def pending(work: UnitOfWork, proposal_ids: Sequence[UUID]) -> list[UUID]:
    """The decisions on these proposals that nobody has looked at, in the order in which they came."""
    query = (
        select(decisions.c.id)
        .where(
            decisions.c.tenant_id == work.tenant_id,
            decisions.c.proposal_id == among(proposal_ids),
            decisions.c.state == DecisionState.PENDING.value,
        )
        .order_by(decisions.c.recorded_at, decisions.c.id)
    )
    return [row.id for row in await work.rows(query)]


def _decisions(work: UnitOfWork) -> Select[Any]:
    return select(decisions).where(decisions.c.tenant_id == work.tenant_id)


def _decision(row: Row[Any]) -> Decision:
    return Decision(
        id=row.id,
        proposal_id=row.proposal_id,
        event_id=row.event_id,
        revision=row.revision,
        choice=Choice(row.choice),
        by=Speaker(subject=row.subject, kind=PrincipalKind(row.subject_kind), roles=tuple(row.roles)),
        content=None if row.content is None else ProcedureContent.model_validate(row.content),
        reason=row.reason,
        trial=None if row.trial is None else Trial.model_validate(row.trial),
        state=DecisionState(row.state),
        outcome=row.outcome,
        recorded_at=row.recorded_at,
        decided_at=row.decided_at,
    )
