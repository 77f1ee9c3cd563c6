"""One story that goes through every branch of consolidation, reconciliation and the gate, and through all other
workflows, chapter by chapter.

All instants lie in the past, so that every verdict is the same whenever the story is played.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from models.conditions import ConfirmationState
from models.endpoints import NewEndpoint
from models.errors import Unavailable
from models.intentions import NewIntention
from models.messages import ConfirmationOutcome
from models.principals import Principal, PrincipalKind
from models.procedures import ProcedureContent
from models.proposals import NewDecision, NewProposal
from models.statements import Decided, Statement, Withdrawal
from tests.webhooks.server import Receiver
from tests.world import SERVER, STAGING, World, event

UNTIL_MIGRATION = "Keep gpu-bench-01 running until QA migrates the suite to the shared Kubernetes cluster."
UNTIL_BENCHMARK = (
    "Keep gpu-bench-01 reserved through the final benchmark instead of waiting for the Kubernetes migration."
)
RETRY_SECONDS = 0.2
LONG_AGO = {"not_before": event(11)["occurred_at"], "grace": "P3650D"}
"""What lets an intention wait for what has happened in the past of the story."""
BRANCHES = {
    ("establish", "permitted_statement"),
    ("restate", "same_terms"),
    ("hold_unverified", "hedged"),
    ("ignore_observation", "observation_of_state"),
    ("supersede", "permitted_other_terms"),
    ("retract", "permitted_withdrawal"),
}
"""Verdicts, with their reasons, to which the story must come."""
ENDINGS = {("refused", "not_permitted"), ("accepted", "permitted_confirmation")}
"""What must become of its confirmations."""
CLOSINGS = {"superseded", "retired", "expired", "retracted"}
"""For what reasons its gates must close."""
STILL_OPEN = None
"""The reason of the one gate whose condition nobody confirms."""


class Scene:
    """A tenant and what its chapters have to remember."""

    def __init__(self, world: World, receiver: Receiver) -> None:
        self.world = world
        self.receiver = receiver
        self.second_lead = world.principal("noor", PrincipalKind.HUMAN, "infra_lead")
        self.standing_fact: UUID | None = None

    async def remember_fact(self, event_id: UUID) -> None:
        """The fact that this event has made is the one whose end is confirmed later."""
        [decided] = await self.world.service.became_of(self.world.agent, [event_id])
        self.standing_fact = decided.fact_id

    async def confirm(self, who: Principal, event_id: UUID) -> ConfirmationOutcome:
        """Confirm the end of the remembered fact, again and again until it is decided."""
        assert self.standing_fact is not None
        while True:
            outcome = await self.world.service.confirm(who, self.standing_fact, event_id)
            if outcome.state is not ConfirmationState.PENDING:
                return outcome
            await asyncio.sleep(RETRY_SECONDS)

    async def remember(self, statement: Statement) -> Decided:
        """State a fact as the lead, again and again under one key until it is decided."""
        while True:
            stated = await self.world.service.remember(self.world.lead, statement)
            if stated.decided is not None:
                return stated.decided
            await asyncio.sleep(RETRY_SECONDS)

    async def withdraw(self, fact_id: UUID, withdrawal: Withdrawal) -> None:
        """Withdraw a fact as the lead, again and again under one key until it is decided."""
        while True:
            stated = await self.world.service.retract(self.world.lead, fact_id, withdrawal)
            if stated.decided is not None:
                return
            await asyncio.sleep(RETRY_SECONDS)

    async def intend(self, name: str, **said: Any) -> None:
        """Set an intention as the agent."""
        spoken = {"occurred_at": event(11.5)["occurred_at"], "activity_id": f"act-{name}"}
        whole = {"action": name, "scope": STAGING, "idempotency_key": name, **spoken, **said}
        await self.world.service.intentions.intend(self.world.agent, NewIntention.model_validate(whole))

    async def propose(self, name: str, steps: tuple[str, ...], base: int | None = None) -> UUID:
        """Propose content for the one playbook as the developer; the id of the proposal."""
        spoken = {"occurred_at": event(16)["occurred_at"], "activity_id": "act-16", "idempotency_key": name}
        whole = {"scope": STAGING, "procedure": "cleanup", "class_name": "operations", **spoken}
        new = NewProposal.model_validate({**whole, "content": playbook(*steps), "base": base})
        return (await self.world.service.procedures.propose(self.world.developer, new)).proposal_id

    async def decide(self, proposal_id: UUID, name: str, **said: Any) -> None:
        """Decide as the lead, again and again under one key until it is counted."""
        spoken = {"occurred_at": event(16.5)["occurred_at"], "activity_id": "act-16", "idempotency_key": name}
        new = NewDecision.model_validate({"revision": 1, "choice": "approve", **spoken, **said})
        while True:
            counted = await self.world.service.deciding.decide(self.world.lead, proposal_id, new)
            if counted.outcome is not None:
                assert counted.outcome.counts
                return
            await asyncio.sleep(RETRY_SECONDS)


def playbook(*steps: str) -> ProcedureContent:
    """A content with these steps."""
    told = [{"id": step, "do": f"Do {step}.", "verify": f"{step} is seen."} for step in steps]
    return ProcedureContent.model_validate({"trigger": {"intent": "Clean up"}, "steps": told})


async def restriction(scene: Scene) -> None:
    """A lead sets a restriction that ends with a condition: establish, and a gate opens."""
    world = scene.world
    receipts = await world.publish(
        world.lead,
        event(
            0, activity_id="act-1", text="Friday's cleanup broke our QA regression suite.", entities=[SERVER]
        ),
        event(0.1, activity_id="act-1", type="correction", text=UNTIL_MIGRATION, entities=[SERVER]),
    )
    await world.digest(receipts)


async def restatement(scene: Scene) -> None:
    """Another lead says the same: restate, and the standing of the fact rises."""
    await scene.world.say(
        scene.second_lead, UNTIL_MIGRATION, activity_id="act-2", occurred_at=event(1)["occurred_at"]
    )


async def hunch(scene: Scene) -> None:
    """A lead supposes the contrary: hold unverified."""
    await scene.world.say(
        scene.world.lead,
        "Looks like gpu-bench-01 isn't being used anymore. We can probably shut it down.",
        activity_id="act-3",
        occurred_at=event(2)["occurred_at"],
    )


async def observation(scene: Scene) -> None:
    """A routine check sees a state: no episode, ignore observation."""
    world = scene.world
    receipts = await world.publish(
        world.agent,
        event(3, activity_id="act-4", type="observation", text="0.2 % CPU over 72 h", entities=[SERVER]),
        event(3.1, activity_id="act-4", type="activity_completed"),
    )
    await world.digest(receipts)


async def supersession(scene: Scene) -> None:
    """The lead sets other terms: supersede; the old gate closes and a new one opens."""
    receipt = await scene.world.say(
        scene.world.lead, UNTIL_BENCHMARK, activity_id="act-5", occurred_at=event(4)["occurred_at"]
    )
    await scene.remember_fact(receipt.event_id)


async def refusal(scene: Scene) -> None:
    """A developer says that the condition is met and may not: refused, and the gate stays open."""
    world = scene.world
    [claim] = await world.publish(
        world.developer, event(5, activity_id="act-6", text="the final benchmark is done")
    )
    outcome = await scene.confirm(world.developer, claim.event_id)
    assert outcome.state == "refused"


async def retirement(scene: Scene) -> None:
    """The pipeline proves that the condition is met: accepted, and the fact retires."""
    world = scene.world
    [proof] = await world.publish(
        world.pipeline, event(6, activity_id="act-7", type="verification_passed", text="final benchmark done")
    )
    outcome = await scene.confirm(world.pipeline, proof.event_id)
    assert outcome.state == "accepted"


async def expiry(scene: Scene) -> None:
    """A restriction with a condition and a term that has run out: the gate records that it expired."""
    term = {
        "attribute": "lifecycle_policy",
        "entity": "cloud-instance:i-2",
        "value": "keep running",
        "ends_when": "the load test is over",
        "expires_at": event(8)["occurred_at"],
    }
    receipts = await scene.world.publish(
        scene.world.lead,
        event(7, activity_id="act-8", type="correction", text="Mind i-2.", data={"candidates": [term]}),
    )
    await scene.world.digest(receipts)


async def withdrawal(scene: Scene) -> None:
    """A restriction of another attribute is set and taken back: retract, and its gate closes."""
    world = scene.world
    await world.say(
        world.lead,
        "Do not touch billing-api until the audit is over.",
        activity_id="act-9",
        occurred_at=event(9)["occurred_at"],
    )
    await world.say(
        world.lead,
        "The freeze on billing-api no longer applies.",
        activity_id="act-10",
        occurred_at=event(10)["occurred_at"],
    )


async def statement(scene: Scene) -> None:
    """The lead states a fact outright and waits for the verdict: establish, and a gate opens."""
    decided = await scene.remember(
        Statement.model_validate(
            {
                "scope": STAGING,
                "entity": "cloud-instance:i-3",
                "attribute": "lifecycle_policy",
                "value": "keep running",
                "ends_when": "the release is out",
                "occurred_at": event(11)["occurred_at"],
                "activity_id": "act-11",
                "idempotency_key": "stated-once",
            }
        )
    )
    assert decided.verdict == "establish"


async def late_event(scene: Scene) -> None:
    """An event of the first activity comes late: its episode is rebuilt, its fact is not revived."""
    world = scene.world
    receipts = await world.publish(
        world.agent,
        event(0.05, activity_id="act-1", type="tool_call", text="restart gpu-bench-01", entities=[SERVER]),
    )
    await world.digest(receipts)


async def reminder(scene: Scene) -> None:
    """The agent is to be reminded of what was due long ago, and of what is far off."""
    await scene.intend("due-once", at=event(12)["occurred_at"], grace="P3650D")
    await scene.intend("due-far-off", at="2100-01-01T00:00:00Z")
    await scene.intend(
        "due-as-well", at=event(12)["occurred_at"], grace="P3650D", deadline="2100-01-01T00:00:00Z"
    )


async def cue(scene: Scene) -> None:
    """What the agent waits for happens, and so does something that is like it."""
    await scene.intend("met", on={"conditions": [{"field": "data.job", "value": "migration"}]}, **LONG_AGO)
    await scene.intend("unmet", on={"conditions": [{"field": "data.job", "value": "migrations"}]}, **LONG_AGO)
    done = event(13, activity_id="act-13", type="observation", data={"job": "migration"})
    await scene.world.publish(scene.world.lead, done)


async def premise(scene: Scene) -> None:
    """What an intention rests on is withdrawn, and so is the intention; another had waited for just that."""
    about = {"scope": STAGING, "entity": "cloud-instance:i-4", "attribute": "lifecycle_policy"}
    said = {
        "occurred_at": event(13.5)["occurred_at"],
        "activity_id": "act-13",
        "idempotency_key": "stated-again",
    }
    decided = await scene.remember(Statement.model_validate({**about, **said, "value": "keep running"}))
    fact_id = decided.fact_id
    assert fact_id is not None
    wanted = {"attribute": "lifecycle_policy", "entity": "cloud-instance:i-4", "becomes": ["retracted"]}
    await scene.intend("rests", at="2100-01-01T00:00:00Z", premises=[str(fact_id)])
    await scene.intend("waits", change=wanted, **LONG_AGO)
    said = {"text": "no longer", "occurred_at": event(14)["occurred_at"], "activity_id": "act-14"}
    await scene.withdraw(fact_id, Withdrawal.model_validate({**said, "idempotency_key": "withdrawn-once"}))


async def promise(scene: Scene) -> None:
    """The agent says what it will do, years from now, and a page says what it should: one intention is proposed."""
    about = {"activity_id": "act-15", "timezone": "Europe/Berlin"}
    receipts = await scene.world.publish(
        scene.world.agent,
        event(15, **about, type="message", text="I'll drop the bucket on 3 March 2035 at noon."),
        event(15.1, **about, type="tool_result", text="I'll drop the table on 3 March 2035 at noon."),
        event(15.2, **about, type="activity_completed"),
    )
    await scene.world.digest(receipts)


async def delivery(scene: Scene) -> None:
    """What was due long ago is delivered to a webhook."""
    administrator = scene.world.principal("root", PrincipalKind.HUMAN, "admin")
    hooks = NewEndpoint(name="hooks", address=f"http://127.0.0.1:{scene.receiver.port}/in")
    await scene.world.service.endpoints.register(administrator, hooks)
    await scene.intend("delivered", at=event(12)["occurred_at"], grace="P3650D", deliver_to="hooks")


async def proposal(scene: Scene) -> None:
    """A developer proposes a playbook, and the lead edits it and approves; of two further ones, one is carried over."""
    first = await scene.propose("first", ("look", "stop"))
    await scene.decide(first, "approve-first", content=playbook("look", "ask", "stop"))
    one = await scene.propose("one", ("look", "ask", "stop", "note"), base=1)
    other = await scene.propose("other", ("tell", "look", "ask", "stop"), base=1)
    await scene.decide(one, "approve-one")
    while (await scene.world.service.playbooks.proposal(scene.world.lead, other)).proposal.base != 2:
        await asyncio.sleep(RETRY_SECONDS)
    await scene.decide(other, "reject-other", choice="reject", reason="nobody needs telling", revision=2)


async def reflection(scene: Scene) -> None:
    """What the story has taught is read: nothing in it recurs."""
    while True:
        try:
            await scene.world.service.deciding.reflect(scene.world.lead)
        except Unavailable:
            await asyncio.sleep(RETRY_SECONDS)
        else:
            return


STORY: tuple[Callable[[Scene], Awaitable[None]], ...] = (
    restriction,
    restatement,
    hunch,
    observation,
    supersession,
    refusal,
    retirement,
    expiry,
    withdrawal,
    statement,
    late_event,
    reminder,
    cue,
    premise,
    promise,
    delivery,
    proposal,
    reflection,
)
