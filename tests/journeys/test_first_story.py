"""A restriction is said, heeded, challenged, replaced and ended: the life of one memory."""

from tests.world import SERVER, STAGING, World, event

KEEP = (
    "Restart gpu-bench-01. Friday's cleanup broke our QA regression suite. "
    "Keep the instance running until QA migrates the suite to the shared Kubernetes cluster."
)


async def test_the_life_of_a_restriction(world: World) -> None:
    friday = await world.publish(
        world.agent,
        event(-3, activity_id="act_1042", type="observation", text="0.2 % CPU over 72 h", entities=[SERVER]),
        event(-2.9, activity_id="act_1042", type="tool_call", text="stop instance", entities=[SERVER]),
        event(-2.8, activity_id="act_1042", type="activity_completed"),
    )
    await world.digest(friday)
    monday = await world.publish(world.lead, event(activity_id="act_1043", type="correction", text=KEEP))
    await world.digest(monday)
    assert await world.verdicts(monday[0].event_id) == ["establish"]
    answer = await world.recall(entities=(SERVER["id"],))
    assert [fact.value for fact in answer.required] == ["keep running"]
    assert answer.required[0].ends_when == "QA migrates the suite to the shared Kubernetes cluster"
    wednesday = await world.say(
        world.developer,
        "Looks like gpu-bench-01 isn't being used anymore. We can probably shut it down.",
        activity_id="act_1044",
        occurred_at=event(2)["occurred_at"],
    )
    assert await world.verdicts(wednesday.event_id) == ["hold_unverified"]
    friday2 = await world.say(
        world.lead,
        "QA has changed its plans. Keep gpu-bench-01 reserved through the final benchmark instead of "
        "waiting for the Kubernetes migration.",
        activity_id="act_1045",
        occurred_at=event(4)["occurred_at"],
    )
    assert await world.verdicts(friday2.event_id) == ["supersede"]
    answer = await world.recall(entities=(SERVER["id"],))
    [fact] = answer.required
    assert fact.value == "keep reserved"
    claim = await world.publish(
        world.developer, event(6, activity_id="act_1046", text="final benchmark is done")
    )
    refused = await world.service.confirm(world.developer, fact.id, claim[0].event_id)
    assert (refused.state, refused.reason) == ("refused", "not_permitted")
    proof = await world.publish(
        world.pipeline,
        event(7, activity_id="act_1047", type="verification_passed", text="final benchmark done"),
    )
    accepted = await world.service.confirm(world.pipeline, fact.id, proof[0].event_id)
    assert accepted.state == "accepted"
    assert (await world.recall(entities=(SERVER["id"],))).required == ()
    lives = await world.service.history_of_fact(world.lead, fact.id)
    assert [life.status for life in lives] == ["quarantined", "superseded", "retired"] or [
        life.status for life in lives
    ] == ["superseded", "quarantined", "retired"]
    assert STAGING
