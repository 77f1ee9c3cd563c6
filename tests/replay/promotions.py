"""The branches of promotions and reflections: proposals that people decide on, are late for, or come by themselves."""

import asyncio
from typing import Any
from uuid import UUID

from models.principals import Principal, PrincipalKind
from models.procedures import ProcedureContent
from models.proposals import DecisionResult, NewDecision, NewProposal, Revision
from store.outbox import Kind
from tests.policies import applied
from tests.replay.branches import CANARY
from tests.replay.stage import POLL_SECONDS, SUGGEST_CONTINUE_AS_NEW_AT, Stage
from tests.world import STAGING, event
from workflows import ids

NAME = "cleanup"
LOOK = "keepwell.look_at_proposal"
READ = "keepwell.read_experiences"


def content(*steps: str) -> ProcedureContent:
    """A content whose every word is a canary."""
    told = [{"id": step, "do": f"{step} {CANARY}", "verify": CANARY, "because": CANARY} for step in steps]
    return ProcedureContent.model_validate({"trigger": {"intent": CANARY}, "steps": told})


def _drafter(stage: Stage) -> Principal:
    return stage.world.principal(f"drafter-{CANARY}", PrincipalKind.HUMAN, "developer")


async def _propose(stage: Stage, *steps: str, base: int | None = None) -> tuple[UUID, str]:
    """A proposal, and its workflow, which is at rest."""
    new = NewProposal(
        scope=STAGING,
        procedure=NAME,
        class_name="operations",
        content=content(*steps),
        base=base,
        because=CANARY,
    )
    identity = (await stage.world.service.procedures.propose(_drafter(stage), new)).proposal_id
    await stage.delivered()
    workflow_id = ids.promotion(stage.tenant_id, identity)
    await stage.at_rest(workflow_id)
    return identity, workflow_id


async def _decide(stage: Stage, identity: UUID, revision: int = 1, **said: Any) -> DecisionResult | None:
    new = NewDecision.model_validate({"revision": revision, "choice": "approve", "reason": CANARY, **said})
    return (await stage.world.service.deciding.decide(stage.lead, identity, new)).outcome


async def approved_by_update(stage: Stage) -> str:
    """A reviewer approves what was proposed."""
    identity, workflow_id = await _propose(stage, "look")
    assert await _decide(stage, identity) is DecisionResult.APPROVED
    return workflow_id


async def edited_and_approved(stage: Stage) -> str:
    """Changes are asked for, and a reviewer edits what comes of that."""
    identity, workflow_id = await _propose(stage, "look")
    asked = await _decide(stage, identity, choice="request_changes")
    assert asked is DecisionResult.CHANGES_ASKED
    await stage.world.service.procedures.revise(
        _drafter(stage), identity, Revision(revision=1, content=content("look", "stop"))
    )
    edited = await _decide(stage, identity, 2, content=content("look", "tell", "stop"))
    assert edited is DecisionResult.APPROVED
    return workflow_id


async def rejected(stage: Stage) -> str:
    """A reviewer rejects it, with a reason."""
    identity, workflow_id = await _propose(stage, "look")
    assert await _decide(stage, identity, choice="reject") is DecisionResult.REJECTED
    return workflow_id


async def stale_at_the_door(stage: Stage) -> str:
    """A decision on an older revision is refused before it leaves a trace; its row is refused in its turn."""
    identity, workflow_id = await _propose(stage, "look")
    await stage.world.service.procedures.revise(
        _drafter(stage), identity, Revision(revision=1, content=content("look", "stop"))
    )
    await stage.delivered()
    await stage.at_rest(workflow_id)
    assert await _decide(stage, identity) is DecisionResult.STALE
    assert await _decide(stage, identity, 2) is DecisionResult.APPROVED
    return workflow_id


async def decision_found_by_look(stage: Stage) -> str:
    """A decision was stored while Temporal could not be reached: a look finds it."""
    identity, workflow_id = await _propose(stage, "look")
    new = NewDecision.model_validate({"revision": 1, "choice": "approve", "reason": CANARY})
    await stage.world.service.procedures.decide(stage.lead, identity, new)
    return workflow_id


async def rebased(stage: Stage) -> str:
    """Another proposal is approved first; this one is carried over to that."""
    first, _ = await _propose(stage, "look")
    assert await _decide(stage, first) is DecisionResult.APPROVED
    one, _ = await _propose(stage, "look", "stop", base=1)
    other, workflow_id = await _propose(stage, "ask", "look", base=1)
    assert await _decide(stage, one) is DecisionResult.APPROVED
    await stage.delivered()
    await stage.at_rest(workflow_id)
    assert await _decide(stage, other, 2) is DecisionResult.APPROVED
    return workflow_id


async def lapsed_by_term(stage: Stage) -> str:
    """Nobody decides: somebody is reminded, it goes higher, and it lapses."""

    def soon(document: dict[str, Any]) -> None:
        document["procedures"]["operations"] |= {"remind": "PT1S", "escalate": "PT2S", "lapse": "PT4S"}

    await applied(stage.world, soon)
    _, workflow_id = await _propose(stage, "look")
    await stage.client.get_workflow_handle(workflow_id).result()
    return workflow_id


async def continues_as_new(stage: Stage) -> str:
    """It is told to look so often that its history grows long; in its next run a reviewer decides."""
    identity, workflow_id = await _propose(stage, "look")
    handle = stage.client.get_workflow_handle(workflow_id)
    await asyncio.gather(*(handle.signal("look") for _ in range(SUGGEST_CONTINUE_AS_NEW_AT)))
    await stage.at_rest(workflow_id)
    assert await _decide(stage, identity) is DecisionResult.APPROVED
    return workflow_id


async def asked_by_update(stage: Stage) -> str:
    """Somebody asks for a reflection, of experience in which something recurs."""
    for number in range(3):
        await _incident(stage, number)
    found = await stage.world.service.deciding.reflect(stage.lead)
    assert (found.read, found.proposed) == (3, 1)
    return ids.reflection(stage.tenant_id)


async def look_during_pass(stage: Stage) -> str:
    """It is told to look while it reads, and looks once more."""
    workflow_id = ids.reflection(stage.tenant_id)
    with stage.answers.after(READ):
        await stage.hand_over(Kind.REFLECT, stage.tenant_id)
        await stage.answers.holds.wait()
        await stage.hand_over(Kind.REFLECT, stage.tenant_id)
        await asyncio.sleep(POLL_SECONDS)
    return workflow_id


async def _incident(stage: Stage, number: int) -> None:
    machine = {"id": f"cloud-instance:{CANARY}-{number}", "name": f"bench-{CANARY}-{number}"}

    def told(kind: str, text: str, **fields: Any) -> dict[str, Any]:
        whole = {"activity_id": f"act-{CANARY}-{number}", "type": kind, "text": text, "entities": [machine]}
        return event(7.0 * number - 60, **whole, **fields)

    failed = told("verification_failed", f"the batch was lost {CANARY}", data={"task_class": NAME})
    receipts = await stage.world.publish(stage.world.pipeline, failed)
    lesson = told("correction", f"Check the batch schedule before you stop {CANARY}.")
    receipts += await stage.world.publish(stage.lead, lesson)
    await stage.world.digest(receipts)
