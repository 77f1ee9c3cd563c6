"""How a version comes into force and goes out of it, and how a proposal begins and changes, each with its transition.

Whoever calls holds the procedure. What follows for other proposals is handed over to the workflows of these.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from capture.notices import notify
from models.ids import derived_id
from models.notices import notice_of, told_of
from models.policy import Policy
from models.principals import PrincipalKind
from models.procedure_rules import ProcedureClass
from models.procedures import Approval, Origin, Procedure, Version, VersionStatus, Who
from models.proposals import Proposal, ProposalState, kept_of
from models.scope import Scope
from store import evidence, outbox, procedures, proposals
from store.procedures import NewVersion
from store.unit_of_work import UnitOfWork

KEEPWELL = Who(subject="keepwell", kind=PrincipalKind.SYSTEM)
"""Who drafts what experience proposes, and does what time does."""


class Why(NamedTuple):
    """Why something changes: the rule and its reason, who is behind it in which role, and the event that says so."""

    rule: str
    reason: str
    actor: str
    role: str | None
    event_id: UUID | None
    at: datetime


class Matter(NamedTuple):
    """A procedure that is held, and the policy by which somebody is told what becomes of it."""

    policy: Policy
    procedure: Procedure

    @property
    def rules(self) -> ProcedureClass | None:
        """The rules of its class; None for one that the policy declares no more."""
        return self.policy.procedures.get(self.procedure.class_name)


async def put_in_force(work: UnitOfWork, matter: Matter, new: NewVersion, why: Why) -> Version:
    """Make the next version of a procedure, in place of what is in force in the same way.

    What is made current ends a trial as well. Other proposals for the procedure are looked at again.
    """
    procedure = matter.procedure
    there = (await procedures.in_force(work, [procedure.id]))[procedure.id]
    gives_way = [there.trial] if new.status is VersionStatus.TRIAL else [there.trial, there.current]
    for each in gives_way:
        if each is not None:
            await take_out(work, matter, each, VersionStatus.DEPRECATED, why)
    version = await procedures.add_version(work, procedure, new)
    parents = [] if new.proposal_id is None else [new.proposal_id]
    await evidence.derive(work, evidence.Kind.PROCEDURE, version.id, evidence.Kind.PROPOSAL, parents)
    await evidence.derive(
        work, evidence.Kind.PROCEDURE, version.id, evidence.Kind.EPISODE, list(version.episodes)
    )
    events = [] if why.event_id is None else [why.event_id]
    await evidence.derive(work, evidence.Kind.PROCEDURE, version.id, evidence.Kind.EVENT, events)
    await _declare(work, matter, evidence.Kind.PROCEDURE, version.id, (None, new.status.value), why)
    await look_again(work, procedure.id, but=new.proposal_id)
    return version


async def end_trial(
    work: UnitOfWork, matter: Matter, tried: Version, approved: tuple[Approval, ...], why: Why
) -> None:
    """Have a version that is on trial hold for all, in place of the current one."""
    procedure = matter.procedure
    current = (await procedures.in_force(work, [procedure.id]))[procedure.id].current
    if current is not None:
        await take_out(work, matter, current, VersionStatus.DEPRECATED, why)
    await procedures.set_status(work, tried.id, VersionStatus.CURRENT, why.reason, approved)
    change = (tried.status.value, VersionStatus.CURRENT.value)
    await _declare(work, matter, evidence.Kind.PROCEDURE, tried.id, change, why)
    await look_again(work, procedure.id, but=tried.proposal_id)


async def take_out(
    work: UnitOfWork, matter: Matter, version: Version, status: VersionStatus, why: Why
) -> None:
    """Take a version out of force."""
    await procedures.set_status(work, version.id, status, why.reason)
    change = (version.status.value, status.value)
    await _declare(work, matter, evidence.Kind.PROCEDURE, version.id, change, why)


async def look_again(work: UnitOfWork, procedure_id: UUID, *, but: UUID | None = None) -> None:
    """Have what waits for a procedure looked at, as what is in force has changed."""
    waiting = [each.id for each in await proposals.waiting_for(work, procedure_id) if each.id != but]
    await outbox.put(work, outbox.Kind.PROMOTE, waiting)


async def open_proposal(
    work: UnitOfWork, matter: Matter, new: Proposal, parents: Sequence[UUID], why: Why
) -> bool:
    """Begin a proposal, made from the episodes behind it, its event and `parents`; False where it is there already."""
    if not await proposals.add(work, new):
        return False
    kind = evidence.Kind.PROPOSAL
    events = [] if why.event_id is None else [why.event_id]
    await evidence.derive(work, kind, new.id, evidence.Kind.EVENT, events)
    await evidence.derive(work, kind, new.id, evidence.Kind.EPISODE, list(new.episodes))
    await evidence.derive(work, kind, new.id, evidence.Kind.PROCEDURE, list(parents))
    await _declare(work, matter, kind, new.id, (None, new.state.value), why)
    await outbox.put(work, outbox.Kind.PROMOTE, [new.id])
    return True


async def add_evidence(work: UnitOfWork, waiting: Proposal, becomes: Proposal) -> None:
    """Have a proposal that waits rest on more episodes; what it says stays."""
    await proposals.change(work, becomes)
    new = sorted(set(becomes.episodes) - set(waiting.episodes))
    await evidence.derive(work, evidence.Kind.PROPOSAL, waiting.id, evidence.Kind.EPISODE, new)


async def move(work: UnitOfWork, matter: Matter, was: Proposal, becomes: Proposal, why: Why) -> None:
    """Write a proposal as it has become, and say so in the log, also where its state stays."""
    settled = becomes if becomes.lapses_at is not None else becomes._replace(remind_at=None, escalate_at=None)
    await proposals.change(work, settled)
    change = (was.state.value, becomes.state.value)
    await _declare(work, matter, evidence.Kind.PROPOSAL, was.id, change, why)


def settled(proposal: Proposal, state: ProposalState, reason: str) -> Proposal:
    """A proposal for which nobody waits any more."""
    return proposal._replace(state=state, reason=reason, remind_at=None, escalate_at=None, lapses_at=None)


def waiting_from(proposal: Proposal, rules: ProcedureClass, now: datetime) -> Proposal:
    """A proposal that waits for somebody from now on."""
    return proposal._replace(
        remind_at=now + rules.remind, escalate_at=now + rules.escalate, lapses_at=now + rules.lapse
    )


async def lose_evidence(work: UnitOfWork, policy: Policy, episode_ids: Sequence[UUID], why: Why) -> None:
    """See to what rests on episodes that are evidence no longer: versions, see `kept_of`, and proposals that wait.

    A version that is out of force loses them as well, so that nobody who brings its
    content back rests on what is gone.
    """
    for version in await procedures.resting_on(work, episode_ids):
        procedure = await procedures.get(work, version.procedure_id)
        assert procedure is not None
        matter = Matter(policy, procedure)
        least = 0 if matter.rules is None else matter.rules.recurrence.activities
        kept = kept_of(version.episodes, episode_ids, least)
        await procedures.set_episodes(work, version.id, kept.left)
        if version.status not in (VersionStatus.CURRENT, VersionStatus.TRIAL):
            continue
        if not kept.suffices:
            await take_out(work, matter, version, VersionStatus.SUSPENDED, why._replace(rule="suspend"))
            await look_again(work, procedure.id)
        if matter.rules is not None:
            await _ask_whether_it_stays(work, matter, matter.rules, version._replace(episodes=kept.left), why)
    await _lose_of_proposals(work, policy, episode_ids, why)


async def _ask_whether_it_stays(
    work: UnitOfWork, matter: Matter, rules: ProcedureClass, version: Version, why: Why
) -> None:
    """Open the review of a version, or have the one that waits say what is left by now."""
    procedure, left = matter.procedure, version.episodes
    finding = derived_id("evidence_lost", version.id)
    open_one = [each for each in await proposals.waiting_for(work, procedure.id) if each.finding == finding]
    if open_one:
        told = open_one[0]._replace(episodes=left, revision=open_one[0].revision + 1)
        await move(work, matter, open_one[0], told, why._replace(rule="lose_evidence"))
        await outbox.put(work, outbox.Kind.PROMOTE, [told.id])
        return
    before = len(await proposals.of_finding(work, procedure.id, finding))
    review = Proposal(
        id=derived_id("proposal", finding, before),
        procedure_id=procedure.id,
        base=version.number,
        content=version.content,
        origin=Origin.EVIDENCE_LOST,
        drafters=(KEEPWELL,),
        because=None,
        grounds=(),
        episodes=left,
        finding=finding,
        state=ProposalState.OPEN,
        reason=why.reason,
        revision=1,
        event_id=why.event_id,
        recorded_at=why.at,
        remind_at=None,
        escalate_at=None,
        lapses_at=None,
        version_id=version.id,
    )
    await open_proposal(
        work, matter, waiting_from(review, rules, why.at), [version.id], why._replace(rule="lose_evidence")
    )


async def _lose_of_proposals(work: UnitOfWork, policy: Policy, episode_ids: Sequence[UUID], why: Why) -> None:
    """Have what waits for a reviewer say what is left of the experience behind it."""
    lost = set(episode_ids)
    for there in await proposals.resting_on(work, episode_ids):
        left = tuple(each for each in there.episodes if each not in lost)
        grounds = tuple(
            ground.model_copy(
                update={
                    "supporting": tuple(each for each in ground.supporting if each not in lost),
                    "opposing": tuple(each for each in ground.opposing if each not in lost),
                }
            )
            for ground in there.grounds
        )
        told = there._replace(episodes=left, grounds=grounds, revision=there.revision + 1)
        if there.origin is Origin.REFLECTED and not left:
            told = settled(told, ProposalState.WITHDRAWN, "evidence_lost")
        procedure = await procedures.get(work, there.procedure_id)
        assert procedure is not None
        await move(work, Matter(policy, procedure), there, told, why._replace(rule="lose_evidence"))
        await outbox.put(work, outbox.Kind.PROMOTE, [there.id])


async def _declare(
    work: UnitOfWork,
    matter: Matter,
    kind: evidence.Kind,
    identity: UUID,
    change: tuple[str | None, str],
    why: Why,
) -> None:
    """Write a transition, and have those told of it whom the class names."""
    said = evidence.Transition(
        identity, *change, why.rule, why.reason, why.actor, why.role, why.event_id, why.at
    )
    await evidence.declare(work, kind, said)
    names = [] if matter.rules is None else told_of(matter.rules, why.rule)
    if names:
        procedure = matter.procedure
        notice = notice_of(kind.value, identity, procedure.id, change, why.rule)
        await notify(work, matter.policy, Scope(procedure.scope), names, notice)
