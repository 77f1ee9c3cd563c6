"""What becomes of a proposal: by a reviewer's decision, by time, and by what has come into force meanwhile.

Each is one transaction in which the procedure is held, so that decisions of many reviewers come one after another.
"""

from datetime import datetime
from typing import NamedTuple

from capture.versions import (
    KEEPWELL,
    Matter,
    Why,
    end_trial,
    move,
    put_in_force,
    settled,
    take_out,
    waiting_from,
)
from models.policy import Policy
from models.procedure_changes import rebase
from models.procedure_rules import ProcedureClass
from models.procedures import IN_FORCE, Origin, ProcedureContent, Trial, Version, VersionStatus, Who
from models.proposals import (
    WAITING,
    Choice,
    Decision,
    DecisionResult,
    Proposal,
    ProposalState,
    outcome_of,
)
from models.scope import Scope
from store import procedures, proposals
from store.procedures import InForce, NewVersion
from store.proposals import Held
from store.unit_of_work import UnitOfWork


class Decided(NamedTuple):
    """A decision that counts: in which role it was made, for which revision, and what is approved by it."""

    decision: Decision
    role: str
    revision: int
    content: ProcedureContent
    why: Why


async def count(
    work: UnitOfWork, policy: Policy, held: Held, decision: Decision, now: datetime
) -> DecisionResult:
    """Take a stored decision into account, or refuse it; what it comes to.

    A proposal follows what is in force first, so that nobody approves away what has been approved meanwhile.
    """
    proposal, procedure = held._replace(proposal=await look(work, policy, held, now))
    matter = Matter(policy, procedure)
    rules = matter.rules
    scope = Scope(procedure.scope)
    role = policy.permitted_approver(decision.by, procedure.class_name, scope)
    if rules is None or role is None:
        await proposals.settle(work, decision.id, DecisionResult.NOT_PERMITTED, now)
        return DecisionResult.NOT_PERMITTED
    approvals = await proposals.approvals_of(work, proposal.id, proposal.revision, decision.choice)
    outcome = outcome_of(proposal, decision, rules, role, approvals)
    if not outcome.counts:
        await proposals.settle(work, decision.id, outcome, now)
        return outcome
    edits = decision.content is not None and decision.content != proposal.content
    revision = proposal.revision + 1 if edits else proposal.revision
    await proposals.settle(work, decision.id, outcome, now, role=role, counts_for=revision)
    why = Why(decision.choice.value, outcome.value, decision.by.subject, role, decision.event_id, now)
    decided = Decided(decision, role, revision, decision.content or proposal.content, why)
    await _apply(work, matter, proposal, decided, outcome, rules)
    return outcome


async def _apply(
    work: UnitOfWork,
    matter: Matter,
    proposal: Proposal,
    decided: Decided,
    outcome: DecisionResult,
    rules: ProcedureClass,
) -> None:
    why = decided.why
    edited = proposal._replace(content=decided.content, revision=decided.revision)
    match outcome:
        case DecisionResult.CHANGES_ASKED:
            becomes = waiting_from(proposal, rules, why.at)._replace(
                state=ProposalState.CHANGES_ASKED, reason=outcome.value
            )
            await move(work, matter, proposal, becomes, why)
        case DecisionResult.REJECTED:
            await move(work, matter, proposal, settled(proposal, ProposalState.REJECTED, outcome.value), why)
            await _end_with(work, matter, proposal, why)
        case DecisionResult.ANOTHER_REVIEWER:
            becomes = waiting_from(edited, rules, why.at)._replace(
                state=proposal.state if proposal.state is ProposalState.ON_TRIAL else ProposalState.OPEN,
                reason=outcome.value,
            )
            await move(work, matter, proposal, becomes, why)
        case DecisionResult.TRIED:
            version = await _begin(
                work, matter, proposal, decided, VersionStatus.TRIAL, decided.decision.trial
            )
            becomes = waiting_from(edited, rules, why.at)._replace(
                state=ProposalState.ON_TRIAL, reason=outcome.value, version_id=version.id
            )
            await move(work, matter, proposal, becomes, why)
        case _:
            version = await _confirmed(work, matter, proposal, decided) or await _begin(
                work, matter, proposal, decided, VersionStatus.CURRENT, None
            )
            approved = settled(edited, ProposalState.APPROVED, outcome.value)._replace(version_id=version.id)
            await move(work, matter, proposal, approved, why)


async def _confirmed(
    work: UnitOfWork, matter: Matter, proposal: Proposal, decided: Decided
) -> Version | None:
    """The version that is approved as it stands in force, for some or for all, and may stay; None where none is."""
    version = None if proposal.version_id is None else await procedures.version(work, proposal.version_id)
    if version is None or version.status not in IN_FORCE or version.content != decided.content:
        return None
    if proposal.origin is Origin.EVIDENCE_LOST:
        await procedures.set_episodes(work, version.id, proposal.episodes, "confirmed")
    else:
        approved = await proposals.approvals_of(work, proposal.id, decided.revision, Choice.APPROVE)
        await end_trial(work, matter, version, approved, decided.why)
    return version


async def _begin(
    work: UnitOfWork,
    matter: Matter,
    proposal: Proposal,
    decided: Decided,
    status: VersionStatus,
    trial: Trial | None,
) -> Version:
    approved = await proposals.approvals_of(work, proposal.id, decided.revision, decided.decision.choice)
    by = Who(subject=decided.decision.by.subject, kind=decided.decision.by.kind)
    edits = decided.revision != proposal.revision
    new = NewVersion(
        content=decided.content,
        status=status,
        origin=proposal.origin,
        proposal_id=proposal.id,
        drafters=(*proposal.drafters, by) if edits else proposal.drafters,
        approved=approved,
        episodes=proposal.episodes,
        trial=trial,
        reason=decided.why.reason,
    )
    return await put_in_force(work, matter, new, decided.why)


async def _end_with(work: UnitOfWork, matter: Matter, proposal: Proposal, why: Why) -> None:
    """Take out of force what stood only as long as the proposal was open: its trial, or a version that was doubted."""
    if proposal.version_id is None:
        return
    version = await procedures.version(work, proposal.version_id)
    if version is None or version.status not in IN_FORCE:
        return
    doubted = proposal.origin is Origin.EVIDENCE_LOST
    status = VersionStatus.SUSPENDED if doubted else VersionStatus.DEPRECATED
    await take_out(work, matter, version, status, why)


async def look(work: UnitOfWork, policy: Policy, held: Held, now: datetime) -> Proposal:
    """Do what has come due of a proposal, and have it follow what is in force; the proposal as it is then."""
    proposal, procedure = held
    matter = Matter(policy, procedure)
    rules = matter.rules
    if proposal.state not in WAITING:
        return proposal
    if rules is None:
        # Nobody could decide any more.
        return await _withdrawn(work, matter, proposal, "class_not_declared", now)
    there = (await procedures.in_force(work, [procedure.id]))[procedure.id]
    proposal = await _followed(work, matter, proposal, there, rules, now)
    if proposal.state not in WAITING:
        return proposal
    assert proposal.lapses_at is not None
    if proposal.lapses_at <= now:
        return await _settle(work, matter, proposal, ProposalState.LAPSED, "nobody_decided", now)
    if proposal.escalate_at is not None and proposal.escalate_at <= now:
        calmer = proposal._replace(escalate_at=None)
        await move(work, matter, proposal, calmer, _by_time("escalate", "nobody_decided", now))
        proposal = calmer
    if proposal.remind_at is not None and proposal.remind_at <= now:
        reminded = proposal._replace(remind_at=now + rules.remind)
        await move(work, matter, proposal, reminded, _by_time("remind", "nobody_decided", now))
        proposal = reminded
    return proposal


async def _settle(
    work: UnitOfWork,
    matter: Matter,
    proposal: Proposal,
    state: ProposalState,
    reason: str,
    now: datetime,
) -> Proposal:
    why = _by_time("lapse" if state is ProposalState.LAPSED else "withdraw", reason, now)
    becomes = settled(proposal, state, reason)
    await move(work, matter, proposal, becomes, why)
    await _end_with(work, matter, proposal, why)
    return becomes


async def _withdrawn(
    work: UnitOfWork, matter: Matter, proposal: Proposal, reason: str, now: datetime
) -> Proposal:
    return await _settle(work, matter, proposal, ProposalState.WITHDRAWN, reason, now)


async def _followed(
    work: UnitOfWork,
    matter: Matter,
    proposal: Proposal,
    there: InForce,
    rules: ProcedureClass,
    now: datetime,
) -> Proposal:
    """A proposal after what has come into force since it was written.

    | what is in force | the proposal |
    | --- | --- |
    | is what it was written against | stays |
    | has changed in other places | is carried over to that, as another revision |
    | says the same already | is withdrawn |
    | has changed in the same places | is in conflict: a person says what holds |
    | is another version than the one of which it asks whether it may stay | is withdrawn |
    """
    current = there.current
    if proposal.origin is Origin.EVIDENCE_LOST:
        moot = current is not None and proposal.version_id not in {
            each.id for each in there if each is not None
        }
        return await _withdrawn(work, matter, proposal, "no_longer_in_force", now) if moot else proposal
    if proposal.base == (None if current is None else current.number):
        return proposal
    if current is None:
        moved = proposal._replace(base=None, revision=proposal.revision + 1, reason="nothing_in_force")
        await move(work, matter, proposal, moved, _by_time("rebase", moved.reason, now))
        return moved
    base = (
        None
        if proposal.base is None
        else await procedures.numbered(work, proposal.procedure_id, proposal.base)
    )
    carried = None if base is None else rebase(base.content, proposal.content, current.content).content
    if current.content in (proposal.content, carried):
        return await _withdrawn(work, matter, proposal, "in_force_already", now)
    moved = waiting_from(proposal, rules, now)._replace(
        base=current.number,
        content=carried or proposal.content,
        revision=proposal.revision + 1,
        state=_state_after(proposal, carried),
        reason="conflicts_with_version_in_force" if carried is None else "rebased",
        version_id=None,
    )
    why = _by_time("rebase", moved.reason, now)
    await move(work, matter, proposal, moved, why)
    await _end_with(work, matter, proposal, why)
    return moved


def _state_after(proposal: Proposal, carried: ProcedureContent | None) -> ProposalState:
    if carried is None:
        return ProposalState.CONFLICTED
    return (
        ProposalState.CHANGES_ASKED if proposal.state is ProposalState.CHANGES_ASKED else ProposalState.OPEN
    )


def _by_time(rule: str, reason: str, now: datetime) -> Why:
    return Why(rule, reason, KEEPWELL.subject, None, None, now)
