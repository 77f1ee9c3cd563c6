"""`keepwell confirm`: a refused confirmation is kept and ends with 1, an accepted one retires the fact."""

import asyncio
from uuid import uuid4

from tests.surfaces.terminal import Terminal
from tests.world import SERVER, World, event

DEVELOPER = ("--as", "human:sam", "--role", "developer")
PIPELINE = ("--as", "system:qa-pipeline")


async def test_a_confirmation_is_refused_and_kept_or_accepted(terminal: Terminal, world: World) -> None:
    await world.say(world.lead, "Keep gpu-bench-01 running until QA has migrated.", entities=[SERVER])
    [fact] = (await world.recall(entities=(SERVER["id"],))).required
    [claim] = await world.publish(world.developer, event(1, text="QA has migrated, I believe."))
    [proof] = await world.publish(
        world.pipeline, event(2, type="verification_passed", text="migrated", entities=[SERVER])
    )
    evidence = ("--evidence", proof.event_id)
    refused, program, unknown_fact, unknown_event, misspelt = await asyncio.gather(
        terminal.keepwell("confirm", fact.id, "--evidence", claim.event_id, *DEVELOPER),
        terminal.keepwell("confirm", fact.id, *evidence, *DEVELOPER, "--json"),
        terminal.keepwell("confirm", uuid4(), *evidence, *PIPELINE),
        terminal.keepwell("confirm", fact.id, "--evidence", uuid4(), *PIPELINE),
        terminal.keepwell("confirm", fact.id, "--evidence", "proof", *PIPELINE),
    )
    assert (refused.code, refused.err) == (1, "")
    assert refused.out == "Refused: not_permitted. The confirmation is kept as a claim.\n"
    assert (program.code, program.json) == (1, {"state": "refused", "reason": "not_permitted"})
    unknown_fact.refused(4, "no such fact")
    unknown_event.refused(4, "evidence: no such event; publish the evidence first")
    misspelt.refused(2, "--evidence: is not an id")

    accepted = await terminal.keepwell("confirm", fact.id, *evidence, *PIPELINE)
    assert accepted.said() == "Accepted: permitted_confirmation. The fact is retired.\n"
    again, late, told, lived = await asyncio.gather(
        terminal.keepwell("confirm", fact.id, *evidence, *PIPELINE, "--json"),
        terminal.keepwell("confirm", fact.id, "--evidence", claim.event_id, *PIPELINE),
        terminal.keepwell("history", fact.id, "--json"),
        terminal.keepwell("history", fact.id),
    )
    again.said()
    assert again.json == {"state": "accepted", "reason": "permitted_confirmation"}
    assert (late.code, late.out) == (
        1,
        "Refused: already_ended. The confirmation is kept as a claim.\n",
    )
    [life] = told.json
    assert (life["status"], life["gate"]) == ("retired", "closed")
    kept = [(said["subject"], said["state"]) for said in life["confirmations"]]
    assert sorted(kept[:2]) == [("sam", "refused"), ("sam", "refused")]
    assert kept[2] == ("qa-pipeline", "accepted")
    assert "end confirmed: refused" in lived.said()
    assert "end confirmed: accepted" in lived.said()


async def test_a_fact_that_waits_for_nothing_has_nothing_to_confirm(terminal: Terminal, world: World) -> None:
    said = await world.say(world.lead, "Keep gpu-bench-01 running.", entities=[SERVER])
    [fact] = (await world.recall(entities=(SERVER["id"],))).required
    refused = await terminal.keepwell("confirm", fact.id, "--evidence", said.event_id, *PIPELINE)
    refused.refused(2, "fact: waits for no condition, so there is nothing to confirm")
