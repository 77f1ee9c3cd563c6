"""Reviews over HTTP: what waits is shown with both sides, and a reviewer's word is a statement like any other."""

from datetime import UTC, datetime
from typing import Any

from models.principals import PrincipalKind
from tests.http.conftest import Asking
from tests.world import SERVER, STAGING, event

KEEP = "Keep gpu-bench-01 running until the QA migration is over."
HUNCH = "The machine is idle; it may be stopped."
ON = {"scope": STAGING, "entity": SERVER["id"], "attribute": "lifecycle_policy"}


async def waiting(asking: Asking, **fields: Any) -> list[dict[str, Any]]:
    page = await asking.post(asking.world.lead, "/v1/reviews/query", {"scope": {}, **fields})
    assert page["next"] is None
    return page["reviews"]


async def test_both_sides_are_shown_and_an_acceptance_governs(asking: Asking) -> None:
    world = asking.world
    kept = await asking.post(world.lead, "/v1/memories", {**ON, "value": "keep running", "text": KEEP})
    held = await asking.post(world.agent, "/v1/memories", {**ON, "value": "may be stopped", "text": HUNCH})
    [review] = await waiting(asking)
    assert (review["id"], review["waiting"]) == (held["memory_id"], "held")
    assert (review["reason"], review["gate"]) == ("proposed_by_model", "authority")
    assert "a person has to say it" in review["meaning"]
    assert review["class_name"] == "operational_restriction"
    assert review["lapses_at"] > review["recorded_at"]
    claim, challenged = review["claim"], review["challenged"]
    assert (claim["value"], claim["status"], claim["challenges"]) == (
        "may be stopped",
        "quarantined",
        kept["memory_id"],
    )
    assert (challenged["id"], challenged["status"]) == (kept["memory_id"], "active")
    [heard], [against] = review["heard"], review["challenged_heard"]
    assert (heard["subject"], heard["authority"], heard["text"]) == ("ops-agent", "model_inferred", HUNCH)
    assert (against["subject"], against["authority_role"], against["text"]) == ("dana", "infra_lead", KEEP)
    path = f"/v1/reviews/{review['id']}/accept"
    accepted = await asking.post(world.lead, path, {"text": "It is idle indeed."})
    assert (accepted["verdict"], accepted["governs"], accepted["concerns"]) == (
        "supersede",
        True,
        kept["memory_id"],
    )
    assert await waiting(asking) == []
    again = await asking.ask(world.lead, "POST", path, {})
    assert (again.status_code, again.json()["code"]) == (409, "conflict")


async def test_a_claim_is_accepted_in_other_terms_and_the_same_call_counts_once(asking: Asking) -> None:
    world = asking.world
    held = await asking.post(world.developer, "/v1/memories", {**ON, "value": "drain"})
    path = f"/v1/reviews/{held['memory_id']}/accept"
    edited = {"terms": {"value": "drain slowly", "ends_when": "the audit is over"}}
    headers = {"idempotency-key": "once"}
    accepted = await asking.post(world.lead, path, edited, headers=headers)
    assert (accepted["verdict"], accepted["governs"]) == ("establish", True)
    again = await asking.post(world.lead, path, edited, headers=headers)
    assert again == {**accepted, "duplicate": True}
    other = await asking.ask(world.lead, "POST", path, {"terms": {"value": "keep"}}, headers=headers)
    assert other.status_code == 409
    read = await asking.get(world.lead, f"/v1/memories/{accepted['memory_id']}")
    assert (read["value"], read["ends_when"]) == ("drain slowly", "the audit is over")


async def test_a_rejection_closes_the_claim_for_good(asking: Asking) -> None:
    world = asking.world
    held = await asking.post(world.developer, "/v1/memories", {**ON, "value": "drain"})
    path = f"/v1/reviews/{held['memory_id']}/reject"
    missing = await asking.ask(world.lead, "POST", path, {})
    assert (missing.status_code, missing.json()["field"]) == (422, "text")
    rejected = await asking.post(world.lead, path, {"text": "Keep it."})
    assert (rejected["verdict"], rejected["reason"], rejected["governs"]) == (
        "retract",
        "rejected_in_review",
        False,
    )
    await asking.post(world.developer, "/v1/memories", {**ON, "value": "drain"})
    assert await waiting(asking) == []


async def test_who_may_not_review_is_refused_and_nothing_is_told_beyond_reach(asking: Asking) -> None:
    world = asking.world
    held = await asking.post(world.agent, "/v1/memories", {**ON, "value": "drain"})
    for who in (world.developer, world.agent):
        refused = await asking.ask(who, "POST", "/v1/reviews/query", {"scope": {}})
        assert (refused.status_code, refused.json()["code"]) == (403, "not_permitted")
        refused = await asking.ask(who, "POST", f"/v1/reviews/{held['memory_id']}/accept", {})
        assert refused.status_code == 403
    pat = world.principal("pat", PrincipalKind.HUMAN, "user")
    assert (await asking.post(pat, "/v1/reviews/query", {"scope": {}}))["reviews"] == []
    unseen = await asking.ask(pat, "POST", f"/v1/reviews/{held['memory_id']}/accept", {})
    assert (unseen.status_code, unseen.json()["code"]) == (404, "not_found")


async def test_what_is_observed_otherwise_time_and_again_waits_with_how_often(asking: Asking) -> None:
    world = asking.world
    kept = await asking.post(world.lead, "/v1/memories", {**ON, "value": "keep running", "text": KEEP})
    seen = {"entity": SERVER["id"], "attribute": "lifecycle_policy", "value": "stopped"}
    told: list[str] = []
    for activity in ("a", "b", "c"):
        observations = [{**seen, "observed_at": datetime.now(UTC).isoformat()}]
        recall = {"scope": STAGING, "activity_id": activity, "observations": observations}
        told.append((await asking.post(world.agent, "/v1/recall", recall))["trace_id"])
    [review] = await waiting(asking)
    assert (review["id"], review["waiting"]) == (kept["memory_id"], "doubted")
    assert (review["reason"], review["claim"]["status"], review["not_by"]) == (
        "observed_otherwise",
        "active",
        [],
    )
    assert review["mismatches"]["times"] == 3
    assert sorted(review["mismatches"]["traces"]) == sorted(told)
    assert review["mismatches"]["since"] < review["mismatches"]["latest"]
    path = f"/v1/reviews/{review['id']}/reject"
    assert (await asking.post(world.lead, path, {"text": "It was let go."}))["verdict"] == "retract"
    assert await waiting(asking) == []


async def test_own_words_need_other_eyes(asking: Asking) -> None:
    world = asking.world
    said = {"scope": STAGING, "entity": "db-1", "attribute": "decision", "value": "move to Postgres 18"}
    await asking.post(world.lead, "/v1/memories", said)
    [review] = await waiting(asking)
    assert (review["reason"], review["not_by"]) == ("needs_second_word", ["dana"])
    path = f"/v1/reviews/{review['id']}/accept"
    refused = await asking.ask(world.lead, "POST", path, {})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_permitted")
    kim = world.principal("kim", PrincipalKind.HUMAN, "infra_lead")
    assert (await asking.post(kim, path, {}))["governs"]


async def test_what_nobody_can_name_is_accepted_with_an_id(asking: Asking) -> None:
    world = asking.world
    for identity in ("cloud-instance:i-1", "cloud-instance:i-2"):
        seen = event(text="seen", entities=[{"id": identity, "name": "gpu"}])
        await world.digest(await world.publish(world.lead, seen, event(type="activity_completed")))
    await asking.post(world.lead, "/v1/memories", {**ON, "entity": "gpu", "value": "drain"})
    [review] = await waiting(asking)
    assert (review["waiting"], review["claim"], review["gate"]) == ("unnamed", None, "scope")
    assert (review["unnamed"]["mention"], review["unnamed"]["value"]) == ("gpu", "drain")
    path = f"/v1/reviews/{review['id']}/accept"
    lacking = await asking.ask(world.lead, "POST", path, {})
    assert (lacking.status_code, lacking.json()["field"]) == (422, "entity")
    assert (await asking.post(world.lead, path, {"entity": "cloud-instance:i-2"}))["governs"]


async def test_pages_miss_nothing_and_a_cursor_is_ours(asking: Asking) -> None:
    world = asking.world
    made = [
        (await asking.post(world.agent, "/v1/memories", {**ON, "entity": f"db-{number}", "value": "drain"}))[
            "memory_id"
        ]
        for number in range(5)
    ]
    seen: list[str] = []
    cursor = None
    while cursor is not None or not seen:
        body = {"scope": STAGING, "limit": 2, "cursor": cursor}
        page = await asking.post(world.lead, "/v1/reviews/query", body)
        assert len(page["reviews"]) <= 2
        seen.extend(each["id"] for each in page["reviews"])
        cursor = page["next"]
    assert seen == made
    elsewhere = {"scope": {"workspace": "production"}}
    assert (await asking.post(world.lead, "/v1/reviews/query", elsewhere))["reviews"] == []
    odd = await asking.ask(world.lead, "POST", "/v1/reviews/query", {"scope": {}, "cursor": "page two"})
    assert (odd.status_code, odd.json()["field"]) == (422, "cursor")


async def test_an_event_tells_disposition_gate_and_meaning(asking: Asking) -> None:
    world = asking.world
    held = await asking.post(world.agent, "/v1/memories", {**ON, "value": "drain"})
    [decided] = (await asking.get(world.lead, f"/v1/events/{held['event_id']}/verdict"))["decisions"]
    assert (decided["disposition"], decided["gate"], decided["verdict"]) == (
        "quarantine",
        "authority",
        "hold_unverified",
    )
    assert decided["meaning"].startswith("an agent says so")
    kept = await asking.post(world.lead, "/v1/memories", {**ON, "value": "keep"})
    [decided] = (await asking.get(world.lead, f"/v1/events/{kept['event_id']}/verdict"))["decisions"]
    assert (decided["disposition"], decided["gate"], decided["verdict"]) == ("persist", None, "establish")


async def test_claims_are_recalled_apart_and_only_where_they_are_asked_for(asking: Asking) -> None:
    world = asking.world
    kept = await asking.post(world.lead, "/v1/memories", {**ON, "value": "keep running", "text": KEEP})
    held = await asking.post(world.agent, "/v1/memories", {**ON, "value": "may be stopped", "text": HUNCH})
    asked = {"scope": STAGING, "entities": [SERVER["id"]]}
    plain = await asking.post(world.agent, "/v1/recall", asked)
    assert plain["unverified"] == []
    told = await asking.post(world.agent, "/v1/recall", {**asked, "unverified": True})
    assert [fact["id"] for fact in told["facts"]] == [kept["memory_id"]]
    [claim] = told["unverified"]
    assert (claim["id"], claim["status"], claim["required"]) == (held["memory_id"], "quarantined", False)
    assert claim["about"] == [SERVER["id"]]
    odd = await asking.ask(world.agent, "POST", "/v1/recall", {**asked, "unverified": "yes"})
    assert (odd.status_code, odd.json()["field"]) == (422, "unverified")
