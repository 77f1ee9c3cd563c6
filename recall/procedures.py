"""Procedures and proposals as people read them: what is in force, what each version said, and what waits and why."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from models.errors import NotFound
from models.policy import Policy
from models.principals import Principal
from models.procedure_changes import Change, changes
from models.procedure_queries import ProcedureQuery, ProposalQuery
from models.procedure_reach import (
    UNKNOWN_PROCEDURE,
    UNKNOWN_PROPOSAL,
    may_know_of,
    may_look_at,
    require_looking_anywhere,
)
from models.procedures import Approval, Procedure, Version, VersionStatus
from models.proposals import Choice, Decision, Proposal
from models.readers import readable_by
from models.scope import parse_scope
from models.verbs import Verb
from store import episodes, procedures, proposals
from store.engine import Database
from store.episodes import Episode
from store.policies import Policies
from store.procedures import Listed
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork


class ProcedurePage(NamedTuple):
    """One page of procedures. `next` is the cursor of the following one, None on the last."""

    procedures: list[Listed]
    next: UUID | None


class ProcedureRead(NamedTuple):
    """A procedure with its versions, the first one first."""

    procedure: Procedure
    versions: list[Version]

    @property
    def listed(self) -> Listed:
        """The procedure, with what of it is in force."""
        by_status = {each.status: each for each in self.versions}
        return Listed(
            self.procedure, by_status.get(VersionStatus.CURRENT), by_status.get(VersionStatus.TRIAL)
        )


class ProposalPage(NamedTuple):
    """One page of proposals, the oldest first. `next` is the cursor of the following one, None on the last."""

    proposals: list[proposals.Listed]
    next: UUID | None


class ProposalRead(NamedTuple):
    """A proposal as a reviewer decides on it.

    `base` is the version that it changes, and `changes` how. `episodes` are those for and against it that the reader
    may see. `approvals` are those of this revision, of the `reviewers` that its class asks for.
    """

    proposal: Proposal
    procedure: Procedure
    base: Version | None
    changes: tuple[Change, ...]
    episodes: list[Episode]
    decisions: list[Decision]
    approvals: tuple[Approval, ...]
    reviewers: int

    @property
    def listed(self) -> proposals.Listed:
        """The proposal, with the procedure that it is for."""
        return proposals.Listed(self.proposal, self.procedure)


class Playbooks:
    """Reads procedures and proposals for any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies
        self._tenants = KnownTenants()

    async def page(self, principal: Principal, query: ProcedureQuery) -> ProcedurePage:
        """One page of procedures that the principal may read. Raises `NotPermitted` for who may read none anywhere.

        A scope that there cannot be is `InvalidInput`.
        """
        policy = await self._policies.of(principal.tenant_id)
        policy.require_anywhere(principal, Verb.READ)
        classes, scope = policy.readable_procedures(principal), parse_scope(query.scope, policy.dimensions)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            found = await procedures.page(work, classes, scope, query.after, query.limit + 1)
        shown = found[: query.limit]
        more = shown[-1].procedure.id if len(found) > query.limit else None
        return ProcedurePage([each for each in shown if may_know_of(policy, principal, each.procedure)], more)

    async def one(self, principal: Principal, procedure_id: UUID) -> ProcedureRead:
        """One procedure. Raises `NotFound`."""
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            procedure = await procedures.get(work, procedure_id)
            if procedure is None or not may_know_of(policy, principal, procedure):
                raise NotFound(UNKNOWN_PROCEDURE)
            return ProcedureRead(procedure, await procedures.every_version(work, procedure_id))

    async def proposals(self, principal: Principal, query: ProposalQuery) -> ProposalPage:
        """One page of proposals. Raises `NotPermitted` for who may neither propose nor review anywhere."""
        policy = await self._policies.of(principal.tenant_id)
        require_looking_anywhere(policy, principal)
        classes, scope = policy.readable_procedures(principal), parse_scope(query.scope, policy.dimensions)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            found = await proposals.page(work, classes, scope, query.states, query.after, query.limit + 1)
        shown = found[: query.limit]
        more = shown[-1].proposal.id if len(found) > query.limit else None
        return ProposalPage([each for each in shown if may_look_at(policy, principal, each.procedure)], more)

    async def proposal(self, principal: Principal, identity: UUID) -> ProposalRead:
        """One proposal with what speaks for and against it. Raises `NotFound`."""
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            proposal = await proposals.get(work, identity)
            procedure = None if proposal is None else await procedures.get(work, proposal.procedure_id)
            if proposal is None or procedure is None or not may_look_at(policy, principal, procedure):
                raise NotFound(UNKNOWN_PROPOSAL)
            base = (
                None
                if proposal.base is None
                else await procedures.numbered(work, procedure.id, proposal.base)
            )
            rules = policy.procedures.get(procedure.class_name)
            return ProposalRead(
                proposal,
                procedure,
                base,
                changes(None if base is None else base.content, proposal.content),
                await _seen(work, policy, principal, proposal),
                await proposals.decisions_on(work, identity),
                await proposals.approvals_of(work, identity, proposal.revision, Choice.APPROVE),
                1 if rules is None else rules.reviewers,
            )


async def _seen(work: UnitOfWork, policy: Policy, principal: Principal, proposal: Proposal) -> list[Episode]:
    """The episodes for and against a proposal that the principal may read, the earliest first."""
    told = [each for ground in proposal.grounds for each in (*ground.supporting, *ground.opposing)]
    ids: Sequence[UUID] = list(dict.fromkeys((*proposal.episodes, *told)))
    found = await episodes.seen_among(work, ids, readable_by(policy, principal))
    readable = [each for each in found if policy.may_know(principal, Verb.READ, each.scope)]
    return sorted(readable, key=lambda each: (each.started_at, each.id))
