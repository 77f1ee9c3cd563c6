"""Procedures over HTTP: from a proposal to a version in force and back, and each refusal with its status and remedy."""

from typing import Any
from uuid import uuid4

import pytest

from tests.http.conftest import Asking
from tests.world import STAGING

MISSING = "00000000-0000-0000-0000-000000000000"
CANARY = "zebra-7731-canary"
DECIDE = "/v1/proposals/{id}/decisions"
APPROVE = {"choice": "approve", "revision": 1}


def content(*steps: str) -> dict[str, Any]:
    told = [{"id": step, "do": f"Do {step} {CANARY}", "verify": f"{step} is seen"} for step in steps]
    return {"trigger": {"intent": "Clean up idle compute"}, "steps": told}


def proposing(*steps: str, **said: Any) -> dict[str, Any]:
    return {
        "scope": STAGING,
        "procedure": "cleanup",
        "class_name": "operations",
        "content": content(*steps),
        **said,
    }


async def proposed(asking: Asking, *steps: str, **said: Any) -> str:
    made = await asking.post(asking.world.developer, "/v1/proposals", proposing(*steps, **said))
    return made["proposal"]["id"]


async def refused(asking: Asking, who: Any, path: str, body: Any) -> tuple[int, str]:
    """The status of a call that is refused, and the problem's code; nothing of what was sent is in it."""
    answer = await asking.ask(who, "POST", path, body)
    assert CANARY not in answer.text
    return answer.status_code, answer.json()["code"]


async def test_from_a_proposal_to_a_version_in_force_and_back(asking: Asking) -> None:
    lead, agent = asking.world.lead, asking.world.agent
    first = await proposed(asking, "look", "stop")
    path = f"/v1/proposals/{first}/decisions"
    done = await asking.post(lead, path, APPROVE, headers={"Idempotency-Key": "k-1"})
    again = await asking.post(lead, path, APPROVE, headers={"Idempotency-Key": "k-1"})
    assert done["outcome"] == again["outcome"] == "approved"
    second = await proposed(asking, "check", "look", "stop", base=1)
    shown = (await asking.ask(lead, "GET", f"/v1/proposals/{second}")).json()
    assert [(each["what"], each["kind"]) for each in shown["changes"]] == [("steps/check", "added")]
    assert (await asking.post(lead, f"/v1/proposals/{second}/decisions", APPROVE))["outcome"] == "approved"
    procedure = shown["proposal"]["procedure_id"]
    run = {
        "scope": STAGING,
        "version": 2,
        "activity_id": f"run-{uuid4()}",
        "outcome": "success",
        "steps": [{"id": "check", "fate": "skipped", "note": "Nothing runs there."}],
    }
    await asking.post(agent, f"/v1/procedures/{procedure}/runs", run)
    runs = (await asking.ask(lead, "GET", f"/v1/procedures/{procedure}/runs")).json()
    assert (runs["current"]["runs"], runs["current"]["succeeded"], runs["trial"]) == (1, 1, None)
    back = await asking.post(lead, f"/v1/procedures/{procedure}/rollback", {"to": 1, "because": "too slow"})
    assert back["procedure"]["current"]["number"] == 3
    found = (await asking.ask(agent, "GET", f"/v1/procedures/{procedure}")).json()
    assert [(each["number"], each["status"]) for each in found["versions"]] == [
        (1, "deprecated"),
        (2, "deprecated"),
        (3, "current"),
    ]


async def test_what_a_decision_comes_to_is_told_where_it_does_not_count(asking: Asking) -> None:
    lead = asking.world.lead
    kim = asking.world.principal("kim", lead.kind, "infra_lead")
    own = (await asking.post(lead, "/v1/proposals", proposing("look")))["proposal"]["id"]
    path = f"/v1/proposals/{own}/decisions"
    assert await refused(asking, lead, path, APPROVE) == (403, "not_permitted")
    assert await refused(asking, kim, path, {**APPROVE, "revision": 2}) == (409, "conflict")
    assert (await asking.post(kim, path, APPROVE))["outcome"] == "approved"
    assert await refused(asking, kim, path, APPROVE) == (409, "conflict")


@pytest.mark.parametrize(
    ("who", "path", "body", "problem"),
    [
        pytest.param("agent", DECIDE, APPROVE, 403, id="an agent"),
        pytest.param(
            "developer",
            DECIDE,
            APPROVE,
            403,
            id="no role",
        ),
        pytest.param("lead", DECIDE, {"choice": "reject", "revision": 1}, 422, id="no reason"),
        pytest.param("lead", DECIDE, {"choice": "try", "revision": 1}, 422, id="no trial"),
        pytest.param(
            "lead",
            DECIDE,
            {"choice": "approve", "revision": 0},
            422,
            id="no revision",
        ),
        pytest.param(
            "lead",
            f"/v1/proposals/{MISSING}/decisions",
            APPROVE,
            404,
            id="unknown",
        ),
        pytest.param("developer", "/v1/proposals", proposing("look", "look"), 422, id="a step twice"),
        pytest.param("developer", "/v1/proposals", proposing(), 422, id="no step"),
        pytest.param(
            "developer", "/v1/proposals", proposing("look", class_name=CANARY), 422, id="no such class"
        ),
        pytest.param("developer", "/v1/proposals", proposing("look", base=7), 409, id="no such version"),
        pytest.param(
            "developer", "/v1/proposals", proposing("look", procedure="../escape"), 422, id="no name"
        ),
        pytest.param("agent", "/v1/proposals", proposing("look"), 403, id="who may not draft"),
        pytest.param("lead", "/v1/proposals/query", {"scope": {"workspace": "a\0b"}}, 422, id="no such text"),
        pytest.param("lead", "/v1/procedures/query", {"scope": {"": "x"}}, 422, id="no such dimension"),
        pytest.param(
            "lead", f"/v1/procedures/{MISSING}/rollback", {"to": 1, "because": "slow"}, 404, id="no procedure"
        ),
        pytest.param(
            "agent", f"/v1/procedures/{MISSING}/runs", {"scope": STAGING, "version": 1}, 422, id="no activity"
        ),
        pytest.param("agent", f"/v1/episodes/{MISSING}/retract", {"text": "wrong"}, 404, id="no episode"),
    ],
)
async def test_a_refusal_says_why_and_quotes_nothing(
    asking: Asking, who: str, path: str, body: dict[str, Any], problem: int
) -> None:
    identity = await proposed(asking, "look")
    caller = getattr(asking.world, who)
    status, _ = await refused(asking, caller, path.replace("{id}", identity), body)
    assert status == problem
    shown = (await asking.ask(asking.world.lead, "GET", f"/v1/proposals/{identity}")).json()
    assert shown["proposal"]["state"] == "open", "nothing has come of it"
