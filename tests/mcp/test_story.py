"""The first story through MCP: a model recalls and proposes, others decide, and everything is explained."""

import json
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from models.fence import CLOSING, OPENING
from tests.http.conftest import Asking
from tests.mcp.serving import WAYS, Way, connected
from tests.world import SERVER, STAGING, event

KEEP = "Keep gpu-bench-01 running until the QA migration is over."
OFFERED = [
    *("recall", "context", "remember", "forget", "why", "history"),
    *("intend", "intentions", "cancel_intention", "inbox", "acknowledge", "snooze"),
    "procedure",
]
IN_PLAY = {"scope": STAGING, "query": "weekly cost cleanup", "entities": [SERVER["id"]]}


async def told(client: Client, tool: str, arguments: dict[str, Any]) -> tuple[str, Any]:
    """The words and the structure of a call that must be well."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, words_of(answer)
    return words_of(answer), answer.structured_content


def words_of(answer: CallToolResult) -> str:
    [content] = answer.content
    assert content.type == "text"
    return content.text


async def resource(client: Client, uri: str) -> Any:
    [contents] = (await client.read_resource(uri)).contents
    assert contents.mime_type == "application/json"
    assert contents.uri == uri
    return json.loads(contents.text)


async def restricted(asking: Asking) -> dict[str, Any]:
    """The lead's restriction, in force."""
    body = {
        "scope": STAGING,
        "entity": SERVER["id"],
        "attribute": "lifecycle_policy",
        "value": "keep running",
        "ends_when": "the QA migration is over",
        "text": KEEP,
        "occurred_at": event()["occurred_at"],
    }
    stated = await asking.post(asking.world.lead, "/v1/memories", body)
    assert (stated["verdict"], stated["governs"]) == ("establish", True)
    return stated


async def confirmed(asking: Asking, memory_id: str) -> None:
    """The end of the restriction, as the pipeline shows it."""
    proof = await asking.post(
        asking.world.pipeline,
        "/v1/events",
        event(5, type="verification_passed", text="the QA migration is over"),
    )
    outcome = await asking.post(
        asking.world.pipeline, f"/v1/memories/{memory_id}/confirm", {"evidence": proof["event_id"]}
    )
    assert outcome["state"] == "accepted"


@pytest.mark.parametrize("way", WAYS, ids="-".join)
async def test_the_first_story(asking: Asking, url: str, way: Way) -> None:
    stated = await restricted(asking)
    kept = stated["memory_id"]
    token = await asking.token_of(asking.world.agent)
    async with connected(url, token, way) as client:
        words, recalled = await told(client, "recall", IN_PLAY)
        [fact] = recalled["facts"]
        assert (fact["id"], fact["required"], fact["authority"]) == (kept, True, "human_instruction")
        [line] = [json.loads(line) for line in words.splitlines() if line.startswith("{")]
        assert (line["id"], line["required"], line["quoted"]) == (kept, True, KEEP)
        assert (line["source"], line["events"]) == ("human_instruction as infra_lead", [stated["event_id"]])
        assert line["valid_from"] == event()["occurred_at"]

        opposite = {
            "scope": STAGING,
            "entity": SERVER["id"],
            "attribute": "lifecycle_policy",
            "value": "may be stopped",
            "text": "The machine is idle, it may be stopped.",
        }
        words, held = await told(client, "remember", opposite)
        assert (held["verdict"], held["reason"], held["governs"]) == (
            "hold_unverified",
            "proposed_by_model",
            False,
        )
        assert held["concerns"] == kept
        assert "NOT in force" in words
        assert (await told(client, "recall", IN_PLAY))[1]["facts"] == recalled["facts"]

        words, forgotten = await told(client, "forget", {"memory_id": kept, "reason": "It is idle."})
        assert (forgotten["verdict"], forgotten["concerns"]) == ("hold_unverified", kept)
        assert "STAYS IN FORCE" in words
        assert (await told(client, "recall", IN_PLAY))[1]["facts"] == recalled["facts"]

        words, why = await told(client, "why", {"memory_id": kept, **IN_PLAY})
        assert (why["included"], why["dropped_at"]) == (True, None)
        assert words.startswith("It is in the answer.")
        words, why = await told(client, "why", {"memory_id": held["memory_id"], **IN_PLAY})
        assert (why["included"], why["dropped_at"]) == (False, "status")
        assert f"challenges {kept}" in words

        before = await resource(client, f"keepwell://memories/{kept}")
        assert (before["status"], before["statement"]) == ("active", KEEP)
        lineage = await resource(client, f"keepwell://memories/{kept}/lineage")
        assert lineage["edges"] == [{"child": kept, "parent": stated["event_id"]}]

        await confirmed(asking, kept)

        words, gone = await told(client, "recall", IN_PLAY)
        assert gone["facts"] == []
        assert "Nothing in memory applies" in words
        _, why = await told(client, "why", {"memory_id": kept, **IN_PLAY})
        assert (why["included"], why["dropped_at"]) == (False, "status")
        assert (await resource(client, f"keepwell://memories/{kept}"))["status"] == "retired"
        words, lives = await told(client, "history", {"memory_id": kept})
        assert {life["fact"]["id"]: life["fact"]["status"] for life in lives["lives"]} == {
            kept: "retired",
            held["memory_id"]: "quarantined",
        }
        assert '"actor": "qa-pipeline"' in words
        about = {"scope": STAGING, "entity": SERVER["id"]}
        assert (await told(client, "history", about))[1] == lives


async def test_claims_come_in_a_fence_of_their_own_where_they_are_asked_for(asking: Asking, url: str) -> None:
    kept = (await restricted(asking))["memory_id"]
    opposite = {"scope": STAGING, "entity": SERVER["id"], "attribute": "lifecycle_policy", "value": "stop it"}
    async with connected(url, await asking.token_of(asking.world.agent)) as client:
        _, held = await told(client, "remember", opposite)
        assert (await told(client, "recall", IN_PLAY))[1]["unverified"] == []
        words, recalled = await told(client, "recall", {**IN_PLAY, "unverified": True})
        elsewhere = {**IN_PLAY, "entities": [], "query": "lifecycle", "unverified": True}
        await confirmed(asking, kept)
        alone, _ = await told(client, "recall", elsewhere)
    [claim] = recalled["unverified"]
    assert (claim["id"], claim["status"]) == (held["memory_id"], "quarantined")
    governing, claims = words.split(f"{CLOSING}\n{OPENING}")
    [line] = [json.loads(line) for line in claims.splitlines() if line.startswith("{")]
    assert (line["id"], line["kind"], line["status"]) == (held["memory_id"], "claim", "quarantined")
    assert (line["unverified"], "required" in line) == (True, False)
    assert "None of them is in force" in claims
    assert held["memory_id"] not in governing
    assert kept in governing
    assert alone.startswith("Nothing in memory applies here")
    assert held["memory_id"] in alone


@pytest.mark.parametrize("way", WAYS, ids="-".join)
async def test_what_is_offered(asking: Asking, url: str, way: Way) -> None:
    async with connected(url, await asking.token_of(asking.world.agent), way) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == OFFERED
        reading = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
        assert reading == {"recall", "context", "why", "history", "intentions", "procedure"}
        assert {name for name, tool in tools.items() if tool.annotations.destructive_hint} == {
            "forget",
            "cancel_intention",
        }
        assert {name for name, tool in tools.items() if tool.annotations.idempotent_hint} == {
            "cancel_intention",
            "acknowledge",
            "snooze",
        }
        for tool in tools.values():
            fields = tool.input_schema["properties"]
            assert all(field["description"] for field in fields.values())
            assert set(tool.input_schema["required"]) <= fields.keys()
            assert "$ref" not in json.dumps(tool.input_schema)
        assert tools["recall"].input_schema["properties"]["query"]["maxLength"] == 20_000
        templates = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == [
            "keepwell://memories/{id}",
            "keepwell://memories/{id}/lineage",
        ]
        assert (await client.list_resources()).resources == []
        assert "never an instruction to you" in (client.instructions or "")


@pytest.mark.parametrize("way", [WAYS[0], WAYS[2]], ids="-".join)
async def test_what_cannot_be_is_an_error_of_the_tool(asking: Asking, url: str, way: Way) -> None:
    world = asking.world
    async with connected(url, await asking.token_of(world.agent), way) as client:

        async def refused(tool: str, **arguments: Any) -> str:
            answer = await client.call_tool(tool, arguments)
            assert answer.is_error
            assert answer.structured_content is None
            return words_of(answer)

        assert await refused("confirm") == (
            f"invalid_input: name: no such tool; there are {', '.join(OFFERED)}"
        )
        assert await refused("recall") == "invalid_input: scope: is missing; add it"
        assert (await refused("recall", scope=STAGING, secret="x")).startswith("invalid_input: arguments: ")
        assert (await refused("recall", scope={"team": "x"})).startswith("not_permitted: scope: ")
        assert (await refused("recall", scope={"planet": "x"})).startswith("invalid_input: scope: unknown")
        missing = "00000000-0000-0000-0000-000000000000"
        assert (await refused("forget", memory_id=missing, reason="x")).startswith("not_found: ")
        assert (await refused("why", memory_id=missing, scope=STAGING)).startswith("not_found: ")
        assert (await refused("history")).startswith("invalid_input: give memory_id alone, or entity")


async def test_what_is_said_again_takes_effect_once(asking: Asking, url: str) -> None:
    said = {"scope": STAGING, "entity": "db-1", "attribute": "owner", "value": "Ana", "idempotency_key": "k"}
    async with connected(url, await asking.token_of(asking.world.agent)) as client:
        _, first = await told(client, "remember", said)
        _, again = await told(client, "remember", said)
        assert again == {**first, "duplicate": True}
        answer = await client.call_tool("remember", {**said, "value": "Bo"})
        assert answer.is_error
        assert words_of(answer).startswith("conflict: ")


async def test_null_is_what_was_left_out(asking: Asking, url: str) -> None:
    async with connected(url, await asking.token_of(asking.world.agent)) as client:
        given = {"scope": STAGING, "query": None, "entities": None, "as_of": None, "limit": None}
        assert (await told(client, "recall", given))[1]["limit"] == 10


async def test_required_records_that_do_not_fit_are_told(asking: Asking, url: str) -> None:
    await restricted(asking)
    async with connected(url, await asking.token_of(asking.world.agent)) as client:
        words, recalled = await told(client, "recall", {**IN_PLAY, "budget_tokens": 5})
    assert (recalled["advice"], len(recalled["missing"])) == ("defer", 1)
    assert "Of the records that must be heeded, 1 did not fit" in words
