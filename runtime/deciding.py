"""Decisions on proposals, stored and counted: what a reviewer hears in answer."""

from typing import NamedTuple
from uuid import UUID

from capture.accept import Receipt
from capture.procedures import Procedures
from models.errors import Unavailable
from models.messages import DecisionRef, Reflected
from models.principals import Principal
from models.procedure_reach import require_looking_anywhere
from models.proposals import DecisionResult, NewDecision
from runtime.commands import Commands
from store import proposals
from store.engine import Database
from store.policies import Policies


class Counted(NamedTuple):
    """What a decision came to; `outcome` is None where nobody has counted it in time: it stays stored, and will be."""

    decision_id: UUID
    proposal_id: UUID
    outcome: DecisionResult | None
    receipt: Receipt


class Deciding:
    """Takes reviewers' decisions and asks for reflections, and waits until they are done."""

    def __init__(
        self, database: Database, policies: Policies, procedures: Procedures, commands: Commands
    ) -> None:
        self._database = database
        self._policies = policies
        self._procedures = procedures
        self._commands = commands

    async def decide(self, principal: Principal, proposal_id: UUID, new: NewDecision) -> Counted:
        """Decide on a proposal. Said again under its key it answers the same.

        Raises as `capture.procedures.Procedures.decide` does.
        """
        stored = await self._procedures.decide(principal, proposal_id, new)
        outcome = await self._outcome(principal.tenant_id, stored.decision_id)
        if outcome is None:
            asked = DecisionRef(
                tenant_id=principal.tenant_id,
                proposal_id=proposal_id,
                decision_id=stored.decision_id,
                revision=stored.revision,
                by_drafter=stored.by_drafter,
            )
            try:
                outcome = await self._commands.count_decision(principal.tenant_id, asked)
            except Unavailable:
                # The answer got lost; what was decided is a row all the same.
                outcome = await self._outcome(principal.tenant_id, stored.decision_id)
        return Counted(stored.decision_id, proposal_id, outcome, stored.receipt)

    async def reflect(self, principal: Principal) -> Reflected:
        """Look for what recurs in the tenant's experience, now, and propose it.

        Raises `NotPermitted` for who may neither propose nor review anywhere, and `Unavailable` where nobody has done
        it in time: it is done all the same.
        """
        policy = await self._policies.of(principal.tenant_id)
        require_looking_anywhere(policy, principal)
        return await self._commands.reflect(principal.tenant_id)

    async def _outcome(self, tenant_id: UUID, decision_id: UUID) -> DecisionResult | None:
        async with self._database.transaction(tenant_id) as work:
            decision = await proposals.decision(work, decision_id)
        return None if decision is None or decision.outcome is None else DecisionResult(decision.outcome)
