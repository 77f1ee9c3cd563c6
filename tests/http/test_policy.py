"""The policy over HTTP: read, tried, applied and logged; and what stands in the way is a problem that says so."""

from typing import Any

import pytest

from models.policy_proposal import MOST_CHARACTERS
from runtime.policy_file import written_policy
from tests.http.conftest import Asking
from tests.policies import otherwise, read_by, without
from tests.world import STAGING

NARROW = written_policy(otherwise(read_by("service_dependency", "operator", "admin")))
FACT = {"scope": STAGING, "entity": "db-1", "attribute": "uses", "value": "gloves"}


def change(content: str = NARROW, **fields: Any) -> dict[str, Any]:
    return {"content": content, "reason": "only operators need it", **fields}


async def test_a_policy_is_tried_applied_obeyed_and_logged(asking: Asking) -> None:
    world, admin = asking.world, asking.admin
    kept = await asking.post(world.lead, "/v1/memories", FACT)
    before = await asking.get(world.agent, "/v1/policy")
    assert (before["version"], before["content"]) == (0, None)
    assert before["document"]["classes"]["service_dependency"]["readers"] == "any"

    tried = await asking.post(admin, "/v1/policy", change(dry_run=True, expected_version=0))
    assert (tried["version"], tried["applied"]) == (1, False)
    losing = ["agent", "developer", "infra_lead", "participant", "qa-pipeline", "user"]
    assert tried["effects"] == [
        {
            "kind": "becomes_unreadable_for",
            "attribute": "uses",
            "concerns": losing,
            "memories": 1,
            "ids": [kept["memory_id"]],
        }
    ]
    assert (await asking.get(world.agent, "/v1/policy"))["version"] == 0
    assert (await asking.get(world.agent, f"/v1/memories/{kept['memory_id']}"))["value"] == "gloves"

    done = await asking.post(admin, "/v1/policy", change(expected_version=0))
    assert done == {**tried, "applied": True}
    gone = await asking.ask(world.agent, "GET", f"/v1/memories/{kept['memory_id']}")
    assert gone.status_code == 404
    assert (await asking.get(admin, f"/v1/memories/{kept['memory_id']}"))["value"] == "gloves"
    read = await asking.get(admin, "/v1/policy")
    assert (read["version"], read["digest"], read["content"]) == (1, done["digest"], NARROW)
    assert await asking.get(admin, "/v1/policy?version=1") == read
    [logged] = (await asking.get(admin, "/v1/policy/log"))["changes"]
    assert logged.pop("recorded_at")
    assert logged == {
        "version": 1,
        "digest": done["digest"],
        "applied_by": "root",
        "applied_kind": "human",
        "reason": "only operators need it",
    }


async def test_keys_are_made_by_the_policy_of_their_tenant_and_those_that_are_there_stay_as_they_are(
    asking: Asking,
) -> None:
    def fewer(document: dict[str, Any]) -> None:
        document["roles"]["auditor"] = {"may": ["read"], "tenant_wide": True}
        del document["roles"]["participant"]
        for each in document["classes"].values():
            for attribute in each["attributes"].values():
                attribute["write"] = [role for role in attribute["write"] if role != "participant"]

    member = asking.world.principal("pat", asking.admin.kind, "participant")
    token = await asking.token_of(member)
    made = await asking.post(asking.admin, "/v1/policy", change(written_policy(otherwise(fewer))))
    [lost] = made["grants"]
    assert (lost["name"], lost["gone"]) == ("participant", True)
    key = {"name": "a", "subject": "eve", "kind": "human"}
    await asking.post(asking.admin, "/v1/keys", {**key, "roles": ["auditor"]})
    refused = await asking.ask(asking.admin, "POST", "/v1/keys", {**key, "roles": ["participant"]})
    assert (refused.status_code, refused.json()["field"]) == (422, "roles")
    assert (await asking.get(token, "/v1/principal"))["roles"] == ["participant"]
    assert (await asking.ask(token, "GET", "/v1/policy")).status_code == 403


@pytest.mark.parametrize(
    ("body", "status", "field", "words"),
    [
        (change("version: 2\n"), 422, "content", "line 1: dimensions: is missing"),
        (change("version: 2\ndimensions: [a"), 422, "content", "line 2: not YAML"),
        (change("version: 2\ndimensions: [a]\n"), 422, "content", "you could not change it again"),
        (change("x" * (MOST_CHARACTERS + 1)), 422, "content", "100,000"),
        (change("x" * 3_000_000), 413, None, "more than 2 MB"),
        (change(expected_version=1), 409, "expected_version", "another version is in force"),
        (change(expected_version="0"), 422, "expected_version", "without quotes"),
        (change(expected_version=-1), 422, "expected_version", ""),
        (change(dry_run="yes"), 422, "dry_run", ""),
        (change(reason=""), 422, "reason", ""),
        (change(reason="two\nlines"), 422, "reason", ""),
        ({"content": NARROW}, 422, "reason", "is missing"),
        (change(applied_by="somebody else"), 422, "applied_by", ""),
    ],
)
async def test_what_stands_in_the_way_is_said(
    asking: Asking, body: dict[str, Any], status: int, field: str | None, words: str
) -> None:
    refused = await asking.ask(asking.admin, "POST", "/v1/policy", body)
    told = refused.json()
    assert (refused.status_code, told.get("field")) == (status, field), refused.text
    assert words in told["detail"]
    assert (await asking.get(asking.admin, "/v1/policy"))["version"] == 0


async def test_a_change_to_what_is_in_force_is_none(asking: Asking) -> None:
    await asking.post(asking.admin, "/v1/policy", change())
    again = await asking.ask(asking.admin, "POST", "/v1/policy", change(f"# {'comment'}\n{NARROW}"))
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    other = written_policy(otherwise(without("general_note")))
    assert (await asking.post(asking.admin, "/v1/policy", change(other, expected_version=1)))["version"] == 2


async def test_versions_that_nobody_applied_are_not_there(asking: Asking) -> None:
    for version, status in (("1", 404), ("0", 422), ("x", 422), ("99999999999", 422)):
        answer = await asking.ask(asking.admin, "GET", f"/v1/policy?version={version}")
        assert answer.status_code == status, answer.text
    assert (await asking.ask(asking.world.lead, "GET", "/v1/policy?version=1")).status_code == 403
