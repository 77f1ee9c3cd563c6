"""A tenant whose people write playbooks and decide on them."""

import asyncio
from typing import Any
from uuid import UUID

from models.principals import Principal
from models.procedures import ProcedureContent
from models.proposals import DecisionResult, NewDecision, NewProposal, Proposal, ProposalState
from models.scope import Scope
from runtime.deciding import Counted
from store import procedures
from tests.world import STAGING, World

NAME = "cleanup_idle_compute"
PATIENCE_SECONDS = 30


def content(*steps: str, **changed: Any) -> ProcedureContent:
    """A content with steps by their ids; `check!` is the step `check` in other words."""
    told = {
        "trigger": {"intent": "Clean up idle compute", "task_class": NAME},
        "applies_to": ["cloud-instance"],
        "steps": [
            {"id": step.rstrip("!"), "do": f"Do {step}", "verify": f"{step} is seen"} for step in steps
        ],
        **changed,
    }
    return ProcedureContent.model_validate(told)


class Bench:
    """Proposes and decides as anybody. Sam, a developer, drafts; Dana, a lead, decides, and so does Kim."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.service = world.service
        self.sam = world.developer
        self.dana = world.lead
        self.kim = world.principal("kim", world.lead.kind, "infra_lead")

    async def propose(self, what: ProcedureContent, who: Principal | None = None, **said: Any) -> UUID:
        """The id of a proposal that Sam writes, unless another does, against what is in force."""
        current = await self.current()
        new = NewProposal.model_validate(
            {
                "scope": STAGING,
                "procedure": NAME,
                "class_name": "operations",
                "content": what,
                "base": current and current[0],
                **said,
            }
        )
        return (await self.service.procedures.propose(who or self.sam, new)).proposal_id

    async def decide(
        self, identity: UUID, who: Principal | None = None, **said: Any
    ) -> DecisionResult | None:
        """What a decision of Dana's, unless another's, comes to, on the revision that there is."""
        return (await self.decided(identity, who, **said)).outcome

    async def decided(self, identity: UUID, who: Principal | None = None, **said: Any) -> Counted:
        revision = said.pop("revision", None) or (await self.proposal(identity)).revision
        new = NewDecision.model_validate({"choice": "approve", "revision": revision, **said})
        return await self.service.deciding.decide(who or self.dana, identity, new)

    async def approved(self, *steps: str, **changed: Any) -> UUID:
        """The id of a proposal that was approved as it was written."""
        identity = await self.propose(content(*steps, **changed))
        assert await self.decide(identity) is DecisionResult.APPROVED
        return identity

    async def proposal(self, identity: UUID) -> Proposal:
        return (await self.service.playbooks.proposal(self.dana, identity)).proposal

    async def until(self, identity: UUID, *states: ProposalState) -> Proposal:
        """Wait until a proposal has come to a state by itself."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (found := await self.proposal(identity)).state not in states:
                await asyncio.sleep(0.05)
        return found

    async def procedure_id(self) -> UUID | None:
        """The id of the procedure; None where nobody has proposed it."""
        async with self.world.database.transaction(self.dana.tenant_id) as work:
            found = await procedures.find(work, Scope(STAGING), NAME)
        return None if found is None else found.id

    async def versions(self) -> list[tuple[int, str, list[str]]]:
        """Every version by its number, status and steps."""
        identity = await self.procedure_id()
        if identity is None:
            return []
        read = await self.service.playbooks.one(self.dana, identity)
        return [
            (each.number, each.status.value, [step.id for step in each.content.steps])
            for each in read.versions
        ]

    async def current(self) -> tuple[int, list[str]] | None:
        """The number and the steps of the version in force."""
        found = [(number, steps) for number, status, steps in await self.versions() if status == "current"]
        return found[0] if found else None
