"""The second chapter: four weekends teach a playbook a step, people decide on it, and what it rests on goes again."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import UUID

from capture.accept import Receipt
from models.errors import NotPermitted
from models.principals import Principal
from models.procedure_choice import RecalledProcedure
from models.procedure_queries import ProposalQuery
from models.procedure_runs import NewRun
from models.procedures import ProcedureContent
from models.proposals import NewDecision, NewProposal, Proposal, Revision, Rollback
from models.recall import RecallRequest
from models.statements import Withdrawal
from runtime.service import Service
from surfaces.demo import playbook_story as story
from surfaces.demo.expectations import Ledger
from surfaces.demo.story import AGENT, DEVELOPER, LEAD, PIPELINE, SCOPE, Calendar

SETTLE_SECONDS = 90
_SPEAKERS = {"agent": AGENT, "pipeline": PIPELINE, "lead": LEAD}


class Playbook:
    """One telling of the chapter against a running service."""

    def __init__(self, service: Service, days: Calendar, ledger: Ledger, say: Callable[[Any], None]) -> None:
        self._service = service
        self._days = days
        self._ledger = ledger
        self._say = say

    async def tell(self) -> None:
        """All of it in order."""
        await self._first_version()
        proposal = await self._four_weekends()
        await self._decided(proposal)
        procedure_id = proposal.procedure_id
        await self._sweep(procedure_id)
        await self._back_and_forth(procedure_id)
        await self._evidence_goes(procedure_id, proposal.episodes)

    async def _first_version(self) -> None:
        self._say(f"\n[bold]A playbook[/]  Sam writes {story.NAME} down; Dana approves it.")
        new = NewProposal(
            scope=SCOPE, procedure=story.NAME, class_name=story.CLASS, content=story.first_version()
        )
        proposed = await self._service.procedures.propose(DEVELOPER, new)
        self._ledger.hold("playbook", "before a decision", "none", await self._recalled())
        self._ledger.hold(
            "playbook", "Dana approves", "approved", await self._decide(proposed.proposal_id, LEAD)
        )
        self._ledger.hold("playbook", "recalled", "v1: look-at-cpu, stop-idle", await self._recalled())

    async def _four_weekends(self) -> Proposal:
        self._say(
            "[bold]Four weekends[/]  It stops four machines before their batches; each time Dana says what to do."
        )
        receipts: list[Receipt] = []
        for number in range(1, 5):
            for who, events in story.incident(self._days, number):
                receipts += await self._service.publish(_SPEAKERS[who], events)
        activities = list({receipt.activity_id for receipt in receipts})
        await asyncio.wait_for(self._service.settle(AGENT, activities), SETTLE_SECONDS)
        found = await self._service.deciding.reflect(LEAD)
        self._ledger.hold("four weekends", "recurs, proposed", "1, 1", f"{found.found}, {found.proposed}")
        [proposal] = await self._waiting()
        read = await self._service.playbooks.proposal(LEAD, proposal.id)
        added = [change for change in read.changes if change.kind == "added"]
        for ground in proposal.grounds:
            self._say(f"        proposed: + {added[0].what}  ({ground.because})")
        self._ledger.hold("four weekends", "one step, its words", story.LESSON, proposal.content.steps[0].do)
        self._ledger.hold("four weekends", "incidents behind it", 4, len(proposal.episodes))
        self._ledger.hold(
            "four weekends", "in force meanwhile", "v1: look-at-cpu, stop-idle", await self._recalled()
        )
        return proposal

    async def _decided(self, proposal: Proposal) -> None:
        self._say(
            "[bold]A decision[/]  Robin words it anew, and may not approve that; Dana edits a step and approves."
        )
        robins = self._with_first_step(proposal.content, f"{story.LESSON} Ask its owner where unsure.")
        await self._service.procedures.revise(
            story.ROBIN, proposal.id, Revision(revision=proposal.revision, content=robins)
        )
        self._ledger.hold(
            "decision", "Robin, a drafter", "own_draft", await self._decide(proposal.id, story.ROBIN)
        )
        self._ledger.hold(
            "decision", "Sam, no reviewer", "not permitted", await self._decide(proposal.id, DEVELOPER)
        )
        edited = self._with_first_step(robins, story.EDITED)
        self._ledger.hold(
            "decision", "Dana", "approved", await self._decide(proposal.id, LEAD, content=edited)
        )

    async def _sweep(self, procedure_id: UUID) -> None:
        self._say("[bold]Next weekend[/]  The agent goes by version 2.")
        found = await self._procedure()
        assert found is not None
        kept = stopped = 0
        machine = story.machine(5)
        # It does what the steps say, and is no cleverer than that.
        checks = any("batch schedules" in step.do for step in found.steps)
        if checks and machine["name"] in story.SCHEDULED:
            kept += 1
        else:
            stopped += 1
        run = NewRun.model_validate(
            {
                "scope": SCOPE,
                "activity_id": "act_2201",
                "version": found.version,
                "steps": [{"id": step.id, "fate": "done"} for step in found.steps],
                "outcome": "success" if kept else "failure",
            }
        )
        await self._service.procedure_runs.report(AGENT, procedure_id, run)
        runs = await self._service.run_reader.of(LEAD, procedure_id)
        self._ledger.hold("next weekend", "weekend machine kept, stopped", "1, 0", f"{kept}, {stopped}")
        went = runs.current
        told = "none" if went is None else f"v{went.number}: {went.tally.succeeded} of {went.tally.runs} well"
        self._ledger.hold("next weekend", "runs reported", "v2: 1 of 1 well", told)

    async def _back_and_forth(self, procedure_id: UUID) -> None:
        self._say("[bold]Back and forth[/]  Dana goes back to the first version, and forward again.")
        back = Rollback(to=1, because="the check is too slow today")
        await self._service.procedures.roll_back(LEAD, procedure_id, back)
        self._ledger.hold("back and forth", "back", "v3: look-at-cpu, stop-idle", await self._recalled())
        await self._service.procedures.roll_back(
            LEAD, procedure_id, Rollback(to=2, because="it is fast again")
        )
        forward = await self._procedure()
        told = "none" if forward is None else f"v{forward.version}, {len(forward.steps)} steps"
        self._ledger.hold("back and forth", "forward", "v4, 3 steps", told)

    async def _evidence_goes(self, procedure_id: UUID, episodes: tuple[UUID, ...]) -> None:
        self._say("[bold]Evidence goes[/]  One incident is retracted, then two more.")
        await self._retract(episodes[0])
        [review] = await self._waiting()
        left = f"{review.origin}, {len(review.episodes)}"
        self._ledger.hold("evidence goes", "under review, incidents left", "evidence_lost, 3", left)
        self._ledger.hold("evidence goes", "still in force", "v4", (await self._recalled())[:2])
        self._ledger.hold("evidence goes", "Dana confirms", "approved", await self._decide(review.id, LEAD))
        for episode in episodes[1:3]:
            await self._retract(episode)
        read = await self._service.playbooks.one(LEAD, procedure_id)
        told = ", ".join(f"v{each.number} {each.status}" for each in read.versions)
        self._ledger.hold(
            "evidence goes", "versions", "v1 deprecated, v2 deprecated, v3 deprecated, v4 suspended", told
        )
        self._ledger.hold("evidence goes", "recalled", "none", await self._recalled())

    async def _retract(self, episode: UUID) -> None:
        await self._service.retractions.retract(
            LEAD, episode, Withdrawal(text="It was another machine's batch.")
        )

    async def _waiting(self) -> list[Proposal]:
        page = await self._service.playbooks.proposals(LEAD, ProposalQuery(scope=SCOPE))
        return [each.proposal for each in page.proposals]

    async def _decide(self, identity: UUID, who: Principal, **said: Any) -> str:
        """What somebody's approval comes to."""
        revision = (await self._service.playbooks.proposal(LEAD, identity)).proposal.revision
        new = NewDecision.model_validate({"choice": "approve", "revision": revision, **said})
        try:
            counted = await self._service.deciding.decide(who, identity, new)
        except NotPermitted:
            return "not permitted"
        return "pending" if counted.outcome is None else counted.outcome.value

    async def _procedure(self) -> RecalledProcedure | None:
        request = RecallRequest(scope=SCOPE, query="the week's idle machines", entities=(story.TASK,))
        return (await self._service.recall(AGENT, request)).procedure

    async def _recalled(self) -> str:
        """The version that the agent is told to go by, and its steps."""
        found = await self._procedure()
        return "none" if found is None else f"v{found.version}: {', '.join(step.id for step in found.steps)}"

    @staticmethod
    def _with_first_step(content: ProcedureContent, words: str) -> ProcedureContent:
        first, *rest = content.steps
        return content.model_copy(update={"steps": (first.model_copy(update={"do": words}), *rest)})
