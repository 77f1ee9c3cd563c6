"""The first story over HTTP: stated, heeded, challenged, corrected, confirmed, and always explained."""

from tests.http.conftest import Asking
from tests.world import SERVER, STAGING, event

KEEP = "Keep gpu-bench-01 running until the QA migration is over."


async def test_a_statement_governs_when_it_is_answered(asking: Asking) -> None:
    world = asking.world
    stated = await asking.post(
        world.lead,
        "/v1/memories",
        {
            "scope": STAGING,
            "entity": SERVER["id"],
            "attribute": "lifecycle_policy",
            "value": "keep running",
            "ends_when": "the QA migration is over",
            "text": KEEP,
            "occurred_at": event()["occurred_at"],
        },
    )
    assert (stated["verdict"], stated["governs"]) == ("establish", True)
    recalled = await asking.post(world.agent, "/v1/recall", {"scope": STAGING, "entities": [SERVER["id"]]})
    [fact] = recalled["facts"]
    assert fact["id"] == stated["memory_id"]
    assert fact["required"]
    assert fact["about"] == [SERVER["id"]]
    assert fact["authority"] == "human_instruction"
    held = await asking.post(
        world.developer,
        "/v1/memories",
        {
            "scope": STAGING,
            "entity": SERVER["id"],
            "attribute": "lifecycle_policy",
            "value": "may be stopped",
        },
    )
    assert (held["verdict"], held["reason"], held["governs"]) == ("hold_unverified", "not_permitted", False)
    assert held["concerns"] == fact["id"]
    corrected = await asking.post(
        world.lead,
        f"/v1/memories/{fact['id']}/correct",
        {
            "value": "keep reserved",
            "ends_when": "the final benchmark",
            "occurred_at": event(2)["occurred_at"],
        },
    )
    assert (corrected["verdict"], corrected["concerns"]) == ("supersede", fact["id"])
    proof = await asking.post(
        world.pipeline, "/v1/events", event(5, type="verification_passed", text="the final benchmark is done")
    )
    path = f"/v1/memories/{corrected['memory_id']}/confirm"
    confirmed = await asking.post(world.pipeline, path, {"evidence": proof["event_id"]})
    assert confirmed == {"state": "accepted", "reason": "permitted_confirmation"}
    history = await asking.get(world.lead, f"/v1/memories/{fact['id']}/history")
    assert sorted(life["fact"]["status"] for life in history["lives"]) == [
        "quarantined",
        "retired",
        "superseded",
    ]
    explained = await asking.post(
        world.lead, f"/v1/memories/{fact['id']}/explain", {"scope": STAGING, "entities": [SERVER["id"]]}
    )
    assert (explained["included"], explained["dropped_at"]) == (False, "status")


async def test_a_statement_said_again_answers_the_same(asking: Asking) -> None:
    world = asking.world
    body = {"scope": STAGING, "entity": "db-main-1", "attribute": "owner", "value": "Ana"}
    headers = {"idempotency-key": "once"}
    first = await asking.post(world.lead, "/v1/memories", body, headers=headers)
    again = await asking.post(world.lead, "/v1/memories", body, headers=headers)
    assert first["verdict"] == "establish"
    assert again == {**first, "duplicate": True}
    other = await asking.ask(world.lead, "POST", "/v1/memories", {**body, "value": "Bo"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "conflict")


async def test_a_retracted_fact_is_gone_and_nothing_comes_back(asking: Asking) -> None:
    world = asking.world
    body = {"scope": STAGING, "entity": "db-main-1", "attribute": "owner"}
    first = await asking.post(
        world.lead, "/v1/memories", {**body, "value": "Ana", "occurred_at": event()["occurred_at"]}
    )
    second = await asking.post(
        world.lead, "/v1/memories", {**body, "value": "Bo", "occurred_at": event(1)["occurred_at"]}
    )
    assert second["verdict"] == "supersede"
    path = f"/v1/memories/{second['memory_id']}/retract"
    gone = await asking.post(world.lead, path, {"text": "Bo has left the team."})
    assert (gone["verdict"], gone["governs"]) == ("retract", False)
    recalled = await asking.post(world.agent, "/v1/recall", {"scope": STAGING, "entities": ["db-main-1"]})
    assert recalled["facts"] == []
    again = await asking.ask(world.lead, "POST", path, {"text": "Bo has left the team."})
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    kept = await asking.get(world.lead, f"/v1/memories/{first['memory_id']}")
    assert kept["status"] == "superseded"


async def test_an_agents_statement_is_a_claim(asking: Asking) -> None:
    world = asking.world
    held = await asking.post(
        world.agent,
        "/v1/memories",
        {"scope": STAGING, "entity": "db-main-1", "attribute": "owner", "value": "Ana"},
    )
    assert (held["verdict"], held["governs"]) == ("hold_unverified", False)
    read = await asking.get(world.lead, f"/v1/memories/{held['memory_id']}")
    assert (read["status"], read["authority"]) == ("quarantined", "model_inferred")


async def test_an_event_says_how_far_it_has_come(asking: Asking) -> None:
    world = asking.world
    told = await asking.post(world.agent, "/v1/events", event(type="note", text="looking at gpu-bench-01"))
    assert (told["durable"], told["readable"], told["verdict"]) == (True, False, "pending")
    verdict = await asking.get(world.agent, f"/v1/events/{told['event_id']}/verdict")
    assert verdict["stage"] == "waiting_for_checkpoint"
    said = await world.say(world.lead, KEEP)
    verdict = await asking.get(world.lead, f"/v1/events/{said.event_id}/verdict")
    assert verdict["stage"] == "settled"
    assert [each["verdict"] for each in verdict["decisions"]] == ["establish"]
    lineage = await asking.get(world.lead, f"/v1/memories/{verdict['decisions'][0]['memory_id']}/lineage")
    assert [(node["kind"], node["distance"]) for node in lineage["nodes"]] == [("fact", 0), ("event", -1)]
    assert lineage["edges"] == [{"child": verdict["decisions"][0]["memory_id"], "parent": str(said.event_id)}]
