"""Procedures as people and agents propose them: each word is an event, stored with what it does by one transaction.

Nothing here puts a version in force but a rollback, which is the word of somebody who may approve, on what was approved
before. Everything else waits for a reviewer; see `capture.promoting`.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from capture.accept import OF_A_PROCEDURE, Receipt, in_one_transaction
from capture.directives import Directive, hear
from capture.masking import Masker
from capture.versions import Matter, Why, move, open_proposal, put_in_force, settled, waiting_from
from models.errors import Conflict, NotFound, NotPermitted
from models.events import StoredEvent
from models.ids import derived_id
from models.policy import Policy
from models.principals import Principal
from models.procedure_reach import (
    UNKNOWN_PROCEDURE,
    UNKNOWN_PROPOSAL,
    may_know_of,
    require_approver,
    require_drafter,
    rules_of,
)
from models.procedures import Approval, Origin, Procedure, Version, VersionStatus, Who
from models.proposals import (
    MEANINGS,
    WAITING,
    Decision,
    DecisionResult,
    DecisionState,
    NewDecision,
    NewProposal,
    Proposal,
    ProposalState,
    Retreat,
    Revision,
    Rollback,
)
from models.scope import Scope, parse_scope
from models.statements import Spoken
from models.verbs import Verb
from store import evidence, outbox, procedures, proposals
from store.engine import Database
from store.policies import Policies
from store.procedures import NewVersion
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork


class Proposed(NamedTuple):
    """What came of a word on a proposal: the proposal, and the event that holds the word."""

    proposal_id: UUID
    receipt: Receipt


class Stored(NamedTuple):
    """A reviewer's decision that is stored and waits to be counted."""

    decision_id: UUID
    proposal_id: UUID
    revision: int
    by_drafter: bool
    receipt: Receipt


class RolledBack(NamedTuple):
    """A procedure that says again what it said before: by which version, and the event that says why."""

    procedure_id: UUID
    number: int
    receipt: Receipt


class Procedures:
    """Takes proposals, decisions and rollbacks from any principal."""

    def __init__(self, database: Database, policies: Policies, masker: Masker) -> None:
        self._database = database
        self._policies = policies
        self._masker = masker
        self._tenants = KnownTenants()

    async def propose(self, principal: Principal, new: NewProposal) -> Proposed:
        """Propose a procedure, or other content for one.

        | the proposal | raises |
        | --- | --- |
        | is for a class that the policy does not declare, or a scope at none of its levels | `InvalidInput` |
        | is by who may not propose in the scope, or has no role that drafts in the class | `NotPermitted` |
        | is for a procedure that has another class | `Conflict` |
        | was written against another version than the one in force, or says what that says | `Conflict` |
        """
        new = self._masker.statement(principal.tenant_id, new)
        policy = await self._policies.of(principal.tenant_id)
        scope = parse_scope(new.scope, policy.dimensions)
        policy.require(principal, Verb.PROPOSE, scope)
        rules = rules_of(policy, new.class_name, scope)
        require_drafter(policy, principal, new.class_name, scope)
        told = {OF_A_PROCEDURE: {"propose": _told(new), "name": new.procedure}}

        async def store(work: UnitOfWork) -> Proposed:
            await self._tenants.require(work, principal.tenant)
            heard = await hear(work, principal, policy, Directive(Verb.PROPOSE, scope, new, told))
            identity = derived_id("proposal", heard.receipt.event_id)
            if heard.event is None:
                if await proposals.get(work, identity) is None:
                    raise Conflict(
                        "stands for an event that proposes nothing; use a key of its own",
                        field="idempotency_key",
                    )
                return Proposed(identity, heard.receipt)
            procedure = await procedures.named(work, scope, new.procedure, new.class_name)
            await _require_fits(work, procedure, new)
            now = _now()
            proposal = waiting_from(_proposal(identity, procedure, principal, new, heard.event), rules, now)
            await open_proposal(
                work,
                Matter(policy, procedure),
                proposal,
                [],
                _why("propose", "proposed", principal, None, heard.event, now),
            )
            return Proposed(identity, heard.receipt)

        return await in_one_transaction(self._database, principal.tenant_id, store)

    async def revise(self, principal: Principal, identity: UUID, said: Revision) -> Proposed:
        """Give a proposal that waits other content. Whoever revises is a drafter too, and so does not decide on it.

        Raises `NotFound`, `NotPermitted`, and `Conflict` for one that is settled, on trial, or at another revision.
        """

        async def apply(work: UnitOfWork, matter: Matter, there: Proposal, event: StoredEvent) -> None:
            if there.state is ProposalState.ON_TRIAL:
                raise Conflict("is on trial; propose what is to follow it on its own")
            if there.origin is Origin.EVIDENCE_LOST:
                raise Conflict("asks whether a version may stay; propose other content on its own")
            if there.revision != said.revision:
                raise Conflict("has another revision by now; read it, and revise that one", field="revision")
            who, now = _who(principal), _now()
            drafters = there.drafters if who in there.drafters else (*there.drafters, who)
            assert matter.rules is not None
            becomes = waiting_from(there, matter.rules, now)._replace(
                content=said.content,
                because=said.because or there.because,
                drafters=drafters,
                revision=there.revision + 1,
                state=ProposalState.OPEN,
                reason="revised",
            )
            await move(work, matter, there, becomes, _why("revise", "revised", principal, None, event, now))

        return await self._about(principal, identity, said, "revise", apply)

    async def withdraw(self, principal: Principal, identity: UUID, said: Retreat) -> Proposed:
        """Take a proposal back, by one of its drafters. Raises `NotFound`, `NotPermitted` and `Conflict`."""

        async def apply(work: UnitOfWork, matter: Matter, there: Proposal, event: StoredEvent) -> None:
            if _who(principal) not in there.drafters:
                raise NotPermitted("only who has drafted it takes it back; a reviewer rejects it")
            if there.state is ProposalState.ON_TRIAL:
                raise Conflict("is on trial; a reviewer ends that, by rejecting it or approving it for all")
            becomes = settled(there, ProposalState.WITHDRAWN, "taken_back")
            await move(
                work, matter, there, becomes, _why("withdraw", "taken_back", principal, None, event, _now())
            )

        return await self._about(principal, identity, said, "withdraw", apply)

    async def _about(
        self,
        principal: Principal,
        identity: UUID,
        said: Revision | Retreat,
        word: str,
        apply: Callable[[UnitOfWork, Matter, Proposal, StoredEvent], Awaitable[None]],
    ) -> Proposed:
        said = self._masker.statement(principal.tenant_id, said)
        policy = await self._policies.of(principal.tenant_id)

        async def store(work: UnitOfWork) -> Proposed:
            await self._tenants.require(work, principal.tenant)
            there = await _reached(work, policy, principal, identity, Verb.PROPOSE)
            scope, class_name = Scope(there.procedure.scope), there.procedure.class_name
            rules_of(policy, class_name, scope)
            require_drafter(policy, principal, class_name, scope)
            told = {OF_A_PROCEDURE: {word: _told(said), "proposal": str(identity)}}
            directive = Directive(Verb.PROPOSE, scope, said, told, f"{word} {identity}")
            heard = await hear(work, principal, policy, directive)
            if heard.event is not None:
                held = await proposals.hold(work, identity)
                assert held is not None
                _require_waiting(held.proposal)
                await apply(work, Matter(policy, held.procedure), held.proposal, heard.event)
                await _add_source(work, identity, heard.event)
                await outbox.put(work, outbox.Kind.PROMOTE, [identity])
            return Proposed(identity, heard.receipt)

        return await in_one_transaction(self._database, principal.tenant_id, store)

    async def decide(self, principal: Principal, identity: UUID, new: NewDecision) -> Stored:
        """Store a reviewer's decision; whether it counts is decided in its turn.

        Raises `NotFound` for a proposal beyond reach, and `NotPermitted` for who may not decide on procedures of its
        class there, or is an agent.
        """
        new = self._masker.statement(principal.tenant_id, new)
        policy = await self._policies.of(principal.tenant_id)

        async def store(work: UnitOfWork) -> Stored:
            await self._tenants.require(work, principal.tenant)
            proposal, procedure = await _reached(work, policy, principal, identity, Verb.REVIEW)
            scope = Scope(procedure.scope)
            require_approver(policy, principal, procedure.class_name, scope)
            if proposal.state not in WAITING and new.idempotency_key is None:
                raise Conflict(MEANINGS[DecisionResult.TOO_LATE])
            told = {OF_A_PROCEDURE: {"decide": _told(new), "proposal": str(identity)}}
            directive = Directive(Verb.REVIEW, scope, new, told, f"decide {identity}")
            heard = await hear(work, principal, policy, directive)
            decision_id = derived_id("decision", heard.receipt.event_id)
            if heard.event is not None:
                said = Decision(
                    id=decision_id,
                    proposal_id=identity,
                    event_id=heard.event.id,
                    revision=new.revision,
                    choice=new.choice,
                    by=heard.event.speaker,
                    content=new.content,
                    reason=new.reason,
                    trial=new.trial,
                    state=DecisionState.PENDING,
                    outcome=None,
                    recorded_at=heard.event.recorded_at,
                    decided_at=None,
                )
                await proposals.decide(work, said)
                await _add_source(work, identity, heard.event)
                await outbox.put(work, outbox.Kind.PROMOTE, [identity])
            by_drafter = _who(principal) in proposal.drafters
            return Stored(decision_id, identity, new.revision, by_drafter, heard.receipt)

        return await in_one_transaction(self._database, principal.tenant_id, store)

    async def roll_back(self, principal: Principal, procedure_id: UUID, said: Rollback) -> RolledBack:
        """Have a procedure say again what it said in an earlier version, at once, as a version of its own.

        Raises `NotFound` for a procedure or version that is not there, `NotPermitted` for who may not approve it, and
        `Conflict` where the version is in force, or was suspended: that takes a proposal, and a reviewer.
        """
        said = self._masker.statement(principal.tenant_id, said)
        policy = await self._policies.of(principal.tenant_id)

        async def store(work: UnitOfWork) -> RolledBack:
            await self._tenants.require(work, principal.tenant)
            procedure = await procedures.get(work, procedure_id)
            if procedure is None or not may_know_of(policy, principal, procedure):
                raise NotFound(UNKNOWN_PROCEDURE)
            scope = Scope(procedure.scope)
            policy.require(principal, Verb.REVIEW, scope)
            role = require_approver(policy, principal, procedure.class_name, scope)
            told = {OF_A_PROCEDURE: {"roll_back": _told(said), "id": str(procedure_id)}}
            directive = Directive(Verb.REVIEW, scope, said, told, f"roll_back {procedure_id}")
            heard = await hear(work, principal, policy, directive)
            if heard.event is None:
                made = await evidence.children_of(work, heard.receipt.event_id, evidence.Kind.PROCEDURE)
                version = await procedures.version(work, made[0]) if made else None
                if version is None:
                    raise Conflict(
                        "stands for an event that rolls nothing back; use a key of its own",
                        field="idempotency_key",
                    )
                return RolledBack(procedure_id, version.number, heard.receipt)
            held = await procedures.hold(work, procedure_id)
            assert held is not None
            old = await _to_roll_back_to(work, held, said.to)
            now = _now()
            new = NewVersion(
                content=old.content,
                status=VersionStatus.CURRENT,
                origin=Origin.ROLLBACK,
                proposal_id=None,
                drafters=old.drafters,
                approved=(Approval(by=_who(principal), role=role, at=now),),
                episodes=old.episodes,
                trial=None,
                reason="rolled_back",
            )
            why = _why("roll_back", "rolled_back", principal, role, heard.event, now)
            version = await put_in_force(work, Matter(policy, held), new, why)
            return RolledBack(procedure_id, version.number, heard.receipt)

        return await in_one_transaction(self._database, principal.tenant_id, store)


_OF_THE_EVENT = set(Spoken.model_fields)


async def _reached(
    work: UnitOfWork, policy: Policy, principal: Principal, identity: UUID, verb: Verb
) -> proposals.Listed:
    """A proposal and its procedure, if the principal may do `verb` there."""
    proposal = await proposals.get(work, identity)
    procedure = None if proposal is None else await procedures.get(work, proposal.procedure_id)
    if proposal is None or procedure is None or not may_know_of(policy, principal, procedure):
        raise NotFound(UNKNOWN_PROPOSAL)
    policy.require(principal, verb, Scope(procedure.scope))
    return proposals.Listed(proposal, procedure)


def _require_waiting(proposal: Proposal) -> None:
    if proposal.state not in WAITING:
        raise Conflict(f"is settled, as {proposal.state.value}; propose it anew")


async def _require_fits(work: UnitOfWork, procedure: Procedure, new: NewProposal) -> None:
    if procedure.class_name != new.class_name:
        raise Conflict("the procedure has another class; name that one", field="class_name")
    current = (await procedures.in_force(work, [procedure.id]))[procedure.id].current
    base = None if current is None else current.number
    if base != new.base:
        stands = "nothing of it is in force" if base is None else f"version {base} is in force"
        raise Conflict(f"{stands}; write the proposal against that, and say so", field="base")
    if current is not None and current.content == new.content:
        raise Conflict("is what the version in force says; there is nothing to propose", field="content")


async def _to_roll_back_to(work: UnitOfWork, procedure: Procedure, number: int) -> Version:
    old = await procedures.numbered(work, procedure.id, number)
    if old is None:
        raise NotFound("no such version; read the procedure for those that there are", field="to")
    if old.status is VersionStatus.CURRENT:
        raise Conflict("is in force already", field="to")
    if old.status is VersionStatus.SUSPENDED:
        raise Conflict("was suspended; propose its content, so that a reviewer decides on it", field="to")
    return old


def _proposal(
    identity: UUID, procedure: Procedure, principal: Principal, new: NewProposal, event: StoredEvent
) -> Proposal:
    return Proposal(
        id=identity,
        procedure_id=procedure.id,
        base=new.base,
        content=new.content,
        origin=Origin.WRITTEN,
        drafters=(_who(principal),),
        because=new.because,
        grounds=(),
        episodes=(),
        finding=None,
        state=ProposalState.OPEN,
        reason="proposed",
        revision=1,
        event_id=event.id,
        recorded_at=event.recorded_at,
        remind_at=None,
        escalate_at=None,
        lapses_at=None,
        version_id=None,
    )


async def _add_source(work: UnitOfWork, identity: UUID, event: StoredEvent) -> None:
    """Note that a proposal is made from somebody's word as well: what is erased takes it along."""
    await evidence.derive(work, evidence.Kind.PROPOSAL, identity, evidence.Kind.EVENT, [event.id])


def _told(said: Spoken) -> dict[str, Any]:
    return said.model_dump(mode="json", exclude_none=True, exclude_defaults=True, exclude=_OF_THE_EVENT)


def _who(principal: Principal) -> Who:
    return Who(subject=principal.subject, kind=principal.kind)


def _why(
    rule: str, reason: str, principal: Principal, role: str | None, event: StoredEvent, now: datetime
) -> Why:
    return Why(rule, reason, principal.subject, role, event.id, now)


def _now() -> datetime:
    return datetime.now(UTC)
