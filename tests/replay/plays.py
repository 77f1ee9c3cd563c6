"""The branches, played: each function leads one workflow down one way and names the workflow that took it."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

from temporalio.client import WorkflowUpdateStage

from models.intentions import NewIntention
from models.messages import FactKeyRef
from models.statements import Statement
from store.outbox import Kind
from tests.replay import deliveries, erasures, promotions
from tests.replay.branches import CANARY
from tests.replay.stage import SERVER, SUGGEST_CONTINUE_AS_NEW_AT, OneDirection, Stage
from tests.world import STAGING, event
from workflows import ids

KEEP = f"Keep bench-{CANARY} running until {CANARY} migrates the suite."
RESERVE = f"Keep bench-{CANARY} reserved through the final {CANARY}."
HUNCH = f"Looks like bench-{CANARY} isn't being used anymore. We can probably shut it down."
TERM_SECONDS = 3.0

Play = Callable[[Stage], Awaitable[str]]


def _note(number: int = 0) -> dict[str, object]:
    return event(0.1, activity_id=f"act-{CANARY}", text=f"{CANARY} {number}", entities=[SERVER])


def _end() -> dict[str, object]:
    return event(0.2, activity_id=f"act-{CANARY}", type="activity_completed", text=CANARY)


async def _consolidate(stage: Stage, *events: dict[str, object], during: list[dict[str, object]]) -> str:
    """Consolidate an activity, with further events published one after another during its passes."""
    receipts = await stage.world.publish(stage.lead, *events)
    activity_id = receipts[0].activity_id
    stage.extractor.interruptions[activity_id] = during
    await stage.world.digest(receipts)
    return ids.consolidation(stage.tenant_id, activity_id)


async def kept(stage: Stage) -> str:
    """An activity worth an episode."""
    return await _consolidate(stage, _note(), _end(), during=[])


async def skipped(stage: Stage) -> str:
    """A routine check."""
    seen = event(activity_id=f"act-{CANARY}", type="observation", text=CANARY, entities=[SERVER])
    return await _consolidate(stage, seen, _end(), during=[])


async def burst(stage: Stage) -> str:
    """Several checkpoints in one quiet period are one pass."""
    first = await stage.world.publish(stage.lead, _note(), _end())
    await stage.delivered()
    for number in range(3):
        await stage.world.publish(stage.lead, {**_note(number), "type": "milestone"})
        await stage.delivered()
    await stage.world.digest(first)
    return ids.consolidation(stage.tenant_id, first[0].activity_id)


async def events_during_pass(stage: Stage) -> str:
    """An event that is no checkpoint comes during the pass: the pass itself finds that there is more."""
    return await _consolidate(stage, _note(), _end(), during=[_note(1)])


async def look_during_pass(stage: Stage) -> str:
    """A checkpoint comes during the pass: the workflow is told."""
    return await _consolidate(stage, _note(), _end(), during=[{**_note(1), "type": "milestone"}])


async def step_retried(stage: Stage) -> str:
    """A step fails once, with an error that quotes content."""
    receipts = await stage.world.publish(stage.lead, _note(), _end())
    stage.narrator.stumbles.add(receipts[0].activity_id)
    await stage.world.digest(receipts)
    return ids.consolidation(stage.tenant_id, receipts[0].activity_id)


async def consolidation_continues(stage: Stage) -> str:
    """Something new comes during so many passes that the history grows long."""
    return await _consolidate(stage, _note(), _end(), during=[_note(number) for number in range(6)])


async def single(stage: Stage) -> str:
    """One claim for one key."""
    await stage.say(KEEP, 1)
    return ids.fact(stage.tenant_id, await stage.only("facts", "key_id"))


async def many_verdicts(stage: Stage) -> str:
    """Claims of four kinds for one key in one activity."""
    activity = {"activity_id": f"act-{CANARY}"}
    said = [
        stage.correction(words, day, **activity) for day, words in enumerate((KEEP, KEEP, HUNCH, RESERVE))
    ]
    await stage.world.digest(await stage.world.publish(stage.lead, *said))
    return ids.fact(stage.tenant_id, await stage.only("facts", "key_id"))


async def look_during_step(stage: Stage) -> str:
    """The workflow is told of another claim while it decides."""
    workflow_id = await single(stage)
    key_id = UUID(workflow_id.rsplit("/", 1)[1])
    async with stage.key_held(key_id):
        await stage.hand_over(Kind.RECONCILE, key_id)
        await stage.at_a_step(workflow_id)
        await stage.hand_over(Kind.RECONCILE, key_id)
    return workflow_id


async def reconciliation_continues(stage: Stage) -> str:
    """The workflow is told so often while it decides that the history grows long."""
    workflow_id = await single(stage)
    key_id = UUID(workflow_id.rsplit("/", 1)[1])
    async with stage.key_held(key_id):
        await stage.hand_over(Kind.RECONCILE, key_id)
        await stage.at_a_step(workflow_id)
        await _look_often(stage, workflow_id)
    return workflow_id


async def settled_by_update(stage: Stage) -> str:
    """A fact is stated outright, and whoever stated it waits for the verdict."""
    said = {"attribute": "lifecycle_policy", "value": CANARY, "entity": SERVER["id"], "text": KEEP}
    stated = await stage.world.service.remember(
        stage.lead, Statement.model_validate({**said, "scope": STAGING, "activity_id": f"act-{CANARY}"})
    )
    assert stated.governs
    return ids.fact(stage.tenant_id, await stage.only("facts", "key_id"))


async def settle_continues(stage: Stage) -> str:
    """Somebody waits for the key to settle when its history has grown long: they are answered before it goes on."""
    workflow_id = await single(stage)
    key_id = UUID(workflow_id.rsplit("/", 1)[1])
    handle = stage.client.get_workflow_handle(workflow_id)
    async with stage.key_held(key_id):
        await stage.hand_over(Kind.RECONCILE, key_id)
        await stage.at_a_step(workflow_id)
        waiting = await handle.start_update(
            "settle",
            FactKeyRef(tenant_id=stage.tenant_id, key_id=key_id),
            wait_for_stage=WorkflowUpdateStage.ACCEPTED,
        )
        await _look_often(stage, workflow_id)
    await waiting.result()
    return workflow_id


async def _look_often(stage: Stage, workflow_id: str) -> None:
    handle = stage.client.get_workflow_handle(workflow_id)
    await asyncio.gather(*(handle.signal("look") for _ in range(SUGGEST_CONTINUE_AS_NEW_AT)))


async def _opened(stage: Stage) -> tuple[UUID, str]:
    """A fact that waits for its condition, and its gate, which is at rest."""
    await stage.say(KEEP, 1)
    await stage.delivered()
    fact_id = await stage.only("gates", "fact_id")
    workflow_id = ids.gate(stage.tenant_id, fact_id)
    await stage.at_rest(workflow_id)
    return fact_id, workflow_id


async def _proof(stage: Stage, day: float) -> UUID:
    [proof] = await stage.world.publish(
        stage.world.pipeline,
        event(day, activity_id=f"proof-{CANARY}", type="verification_passed", text=f"{CANARY} done"),
    )
    return proof.event_id


async def retired_by_update(stage: Stage) -> str:
    """A permitted confirmation with evidence."""
    fact_id, workflow_id = await _opened(stage)
    await stage.world.service.confirm(stage.world.pipeline, fact_id, await _proof(stage, 3))
    return workflow_id


async def refused_then_accepted(stage: Stage) -> str:
    """A confirmation by somebody who may not give it, then by a system that may."""
    fact_id, workflow_id = await _opened(stage)
    [claim] = await stage.world.publish(stage.world.developer, {**_note(), "text": f"{CANARY} is done"})
    await stage.world.service.confirm(stage.world.developer, fact_id, claim.event_id)
    await stage.delivered()
    await stage.at_rest(workflow_id)
    await stage.world.service.confirm(stage.world.pipeline, fact_id, await _proof(stage, 3))
    return workflow_id


async def closed_by_supersession(stage: Stage) -> str:
    """Other terms take the place of the fact that waited."""
    _, workflow_id = await _opened(stage)
    await stage.say(RESERVE, 2)
    return workflow_id


async def expired_by_term(stage: Stage) -> str:
    """The term of the fact runs out while its gate waits."""
    now = datetime.now(UTC)
    term = {
        "attribute": "lifecycle_policy",
        "entity": SERVER["id"],
        "value": f"keep {CANARY}",
        "ends_when": f"{CANARY} is over",
        "expires_at": (now + timedelta(seconds=TERM_SECONDS)).isoformat(),
    }
    await stage.say(f"Mind {CANARY}.", 0, occurred_at=now.isoformat(), data={"candidates": [term]})
    await stage.delivered()
    return ids.gate(stage.tenant_id, await stage.only("gates", "fact_id"))


async def confirmation_found_by_look(stage: Stage) -> str:
    """A confirmation was stored, and no update said so."""
    fact_id, workflow_id = await _opened(stage)
    await stage.store_confirmation(stage.world.pipeline, fact_id, await _proof(stage, 3))
    await stage.delivered()
    return workflow_id


async def gate_continues(stage: Stage) -> str:
    """The gate is told to look so often that its history grows long; later other terms close it."""
    _, workflow_id = await _opened(stage)
    await _look_often(stage, workflow_id)
    await stage.at_rest(workflow_id)
    await stage.say(RESERVE, 2)
    return workflow_id


async def look_as_it_closes(stage: Stage) -> str:
    """A confirmation is stored when the gate has just been seen closed: the run that is ending decides it."""
    fact_id, workflow_id = await _opened(stage)
    with stage.answers.after("keepwell.settle_gate"):
        await stage.say(RESERVE, 2)
        await stage.answers.holds.wait()
        await stage.store_confirmation(stage.world.pipeline, fact_id, await _proof(stage, 3))
        await stage.delivered()
    await stage.client.get_workflow_handle(workflow_id).result()
    assert await stage.all_of("confirmations", "state") == ["refused"], "a confirmation was left undecided"
    return workflow_id


async def confirmed_when_closed(stage: Stage) -> str:
    """The fact is confirmed by another after its gate has closed: a new run, which only refuses."""
    workflow_id = await retired_by_update(stage)
    await stage.delivered()
    await stage.client.get_workflow_handle(workflow_id).result()
    fact_id = await stage.only("gates", "fact_id")
    await stage.world.service.confirm(stage.lead, fact_id, await _proof(stage, 4))
    return workflow_id


async def _intend(stage: Stage, **said: object) -> str:
    """Set an intention, and wait until its timer is set; the workflow that keeps it."""
    whole = {"action": CANARY, "scope": STAGING, "data": {"note": CANARY}, **said}
    await stage.world.service.intentions.intend(stage.lead, NewIntention.model_validate(whole))
    await stage.delivered()
    return ids.intentions(stage.tenant_id)


def _soon(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


_CUE = {"conditions": [{"field": "data.job", "value": CANARY}]}


async def _happens(stage: Stage) -> None:
    whole = {**_note(), "data": {"job": CANARY}, "occurred_at": datetime.now(UTC).isoformat()}
    await stage.world.publish(stage.lead, whole)
    await stage.delivered()


async def fired_in_time(stage: Stage) -> str:
    """Something is due once, and nothing else comes."""
    return await _intend(stage, at=_soon(1))


async def fired_by_event(stage: Stage) -> str:
    """What is waited for happens."""
    workflow_id = await _intend(stage, on=_CUE)
    await _happens(stage)
    return workflow_id


async def look_while_waiting(stage: Stage) -> str:
    """Something is set that is due before what is waited for."""
    await _intend(stage, at=_soon(4))
    return await _intend(stage, at=_soon(2))


async def hindered(stage: Stage) -> str:
    """The step fails for good: the run goes on when it is asked."""
    stage.answers.failing = "keepwell.advance_intentions"
    workflow_id = await _intend(stage, at=_soon(0), grace="PT1H")
    await stage.at_rest(workflow_id)
    return await _intend(stage, at=_soon(-9), grace="PT1H")


async def look_as_it_ends(stage: Stage) -> str:
    """What is waited for happens when the last thing due has just been fired: the run that is ending sees to it."""
    workflow_id = await _intend(stage, on=_CUE)
    with stage.answers.after("keepwell.advance_intentions"):
        await _intend(stage, at=_soon(0), grace="PT1H")
        await stage.answers.holds.wait()
        await _happens(stage)
    return workflow_id


async def intentions_continue(stage: Stage) -> str:
    """The workflow is told to look so often that its history grows long; then something is due."""
    workflow_id = await _intend(stage, at=_soon(8))
    await stage.at_rest(workflow_id)
    await _look_often(stage, workflow_id)
    return workflow_id


async def filled(stage: Stage) -> str:
    """A space for what is there, which then serves."""
    await stage.say(KEEP, 0)
    workflow_id = await stage.reembed(OneDirection())
    await stage.reembed(None)
    return workflow_id


async def emptied(stage: Stage) -> str:
    """No space serves any more, and nothing is in any."""
    await stage.say(KEEP, 0)
    await stage.reembed(OneDirection())
    return await stage.reembed(None)


async def reembedding_continues(stage: Stage) -> str:
    """One tenant a step, and more tenants than a history has room for."""
    for _ in range(SUGGEST_CONTINUE_AS_NEW_AT // 5):
        await stage.empty()
    workflow_id = await stage.reembed(OneDirection(), tenants_at_once=1)
    await stage.reembed(None)
    return workflow_id


PLAYS: dict[tuple[str, str], Play] = {
    ("consolidation", "kept"): kept,
    ("consolidation", "skipped"): skipped,
    ("consolidation", "burst"): burst,
    ("consolidation", "events_during_pass"): events_during_pass,
    ("consolidation", "look_during_pass"): look_during_pass,
    ("consolidation", "step_retried"): step_retried,
    ("consolidation", "continues_as_new"): consolidation_continues,
    ("fact_reconciliation", "single"): single,
    ("fact_reconciliation", "many_verdicts"): many_verdicts,
    ("fact_reconciliation", "look_during_step"): look_during_step,
    ("fact_reconciliation", "settled_by_update"): settled_by_update,
    ("fact_reconciliation", "continues_as_new"): reconciliation_continues,
    ("fact_reconciliation", "settle_continues_as_new"): settle_continues,
    ("condition_gate", "retired_by_update"): retired_by_update,
    ("condition_gate", "refused_then_accepted"): refused_then_accepted,
    ("condition_gate", "closed_by_supersession"): closed_by_supersession,
    ("condition_gate", "expired_by_term"): expired_by_term,
    ("condition_gate", "confirmation_found_by_look"): confirmation_found_by_look,
    ("condition_gate", "look_as_it_closes"): look_as_it_closes,
    ("condition_gate", "confirmed_when_closed"): confirmed_when_closed,
    ("condition_gate", "continues_as_new"): gate_continues,
    ("deferred_intentions", "fired_in_time"): fired_in_time,
    ("deferred_intentions", "fired_by_event"): fired_by_event,
    ("deferred_intentions", "look_while_waiting"): look_while_waiting,
    ("deferred_intentions", "hindered"): hindered,
    ("deferred_intentions", "look_as_it_ends"): look_as_it_ends,
    ("deferred_intentions", "continues_as_new"): intentions_continue,
    ("endpoint_delivery", "delivered"): deliveries.delivered,
    ("endpoint_delivery", "tried_again"): deliveries.tried_again,
    ("endpoint_delivery", "look_while_waiting"): deliveries.look_while_waiting,
    ("endpoint_delivery", "hindered"): deliveries.hindered,
    ("endpoint_delivery", "look_as_it_ends"): deliveries.look_as_it_ends,
    ("endpoint_delivery", "continues_as_new"): deliveries.continues_as_new,
    ("procedure_promotion", "approved_by_update"): promotions.approved_by_update,
    ("procedure_promotion", "edited_and_approved"): promotions.edited_and_approved,
    ("procedure_promotion", "rejected"): promotions.rejected,
    ("procedure_promotion", "stale_at_the_door"): promotions.stale_at_the_door,
    ("procedure_promotion", "decision_found_by_look"): promotions.decision_found_by_look,
    ("procedure_promotion", "rebased"): promotions.rebased,
    ("procedure_promotion", "lapsed_by_term"): promotions.lapsed_by_term,
    ("procedure_promotion", "continues_as_new"): promotions.continues_as_new,
    ("reflection", "asked_by_update"): promotions.asked_by_update,
    ("reflection", "look_during_pass"): promotions.look_during_pass,
    ("erasure", "erased"): erasures.erased,
    ("erasure", "confirmed_after_a_look"): erasures.confirmed_after_a_look,
    ("erasure", "withdrawn"): erasures.withdrawn,
    ("reembedding", "filled"): filled,
    ("reembedding", "emptied"): emptied,
    ("reembedding", "continues_as_new"): reembedding_continues,
}
"""How to come to each branch. A play of `continues_as_new` gives the branch `continued` as well."""
