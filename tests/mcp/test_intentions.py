"""Intentions through MCP: a model sets its own, sees how they were understood, takes what is due and says the end."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from mcp import Client

from models.fence import CLOSING, OPENING
from models.verbs import Verb
from store import occurrences
from store.listen import Listener
from tests.http.conftest import Asking
from tests.mcp.serving import WAYS, Way, connected
from tests.mcp.test_story import restricted, told, words_of
from tests.mcp.test_text import HOSTILE, records_in
from tests.world import STAGING, event

CHECK = {"action": "check the canary", "scope": STAGING}
MISSING = "00000000-0000-0000-0000-000000000000"


def soon(seconds: float = 0.3) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


def record_of(words: str) -> dict[str, Any]:
    """The one record of an answer that tells what became of something."""
    [line] = [line for line in words.splitlines() if line.startswith("{")]
    return json.loads(line)


async def handed_out(asking: Asking, client: Client, **asked: Any) -> tuple[str, Any]:
    """What the inbox hands out, as soon as there is something."""
    async with (
        Listener(asking.world.database.url, occurrences.CHANNEL) as heard,
        asyncio.timeout(30),
    ):
        while True:
            words, taken = await told(client, "inbox", asked)
            if taken["due"]:
                return words, taken["due"]
            await heard.wait(0.5)


async def listed(client: Client, **asked: Any) -> list[tuple[str, str]]:
    """The ids and statuses of the intentions that a model is shown."""
    _, page = await told(client, "intentions", asked)
    return [(each["id"], each["status"]) for each in page["intentions"]]


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """The line with which a call is refused."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    assert answer.structured_content is None
    return words_of(answer)


@pytest.mark.parametrize("way", [WAYS[0], WAYS[2]], ids="-".join)
async def test_a_model_keeps_its_word(asking: Asking, url: str, way: Way) -> None:
    async with connected(url, await asking.token_of(asking.world.agent), way) as client:
        words, answer = await told(client, "intend", {**CHECK, "at": soon()})
        made = answer["intention"]
        assert words.startswith("Set. Read `understood` and `coming`")
        record = record_of(words)
        assert (record["id"], record["status"], record["quoted"]) == (made["id"], "pending", CHECK["action"])
        assert record["understood"] == made["told"]
        assert [datetime.fromisoformat(at) for at in record["coming"]] == [
            datetime.fromisoformat(at).replace(microsecond=0) for at in made["coming"]
        ]
        assert (made["owner"], made["set_by"]) == ({"subject": "ops-agent", "kind": "agent"},) * 2

        words, [due] = await handed_out(asking, client)
        assert (due["intention_id"], due["action"]) == (made["id"], CHECK["action"])
        [record] = records_in(words)
        assert (record["occurrence_id"], record["lease"]) == (due["occurrence_id"], due["lease"])
        assert (record["quoted"], record["source"]) == (CHECK["action"], "agent ops-agent")
        assert "call acknowledge" in words
        assert (await told(client, "inbox", {}))[1]["due"] == []
        leased = datetime.fromisoformat(due["lease_ends_at"]) - datetime.now(UTC)
        assert timedelta(minutes=9) < leased < timedelta(minutes=11)

        under = {"occurrence_id": due["occurrence_id"], "lease": due["lease"]}
        words, put_off = await told(client, "snooze", {**under, "after": "PT0.1S"})
        assert (put_off["intention"]["status"], words.startswith("Put off.")) == ("due", True)
        assert (await refused(client, "acknowledge", **under, outcome="done")).startswith(
            "conflict: the lease"
        )
        _, [again] = await handed_out(asking, client)
        assert again["occurrence_id"] == due["occurrence_id"]

        end = {
            **under,
            "lease": again["lease"],
            "outcome": "failed",
            "text": "no canary",
            "idempotency_key": "k",
        }
        words, over = await told(client, "acknowledge", end)
        assert words.startswith("Noted. This will not come again.\n")
        assert record_of(words)["status"] == over["intention"]["status"] == "acknowledged"
        assert (await told(client, "acknowledge", end))[1] == {**over, "duplicate": True}
        assert await listed(client) == []
        assert await listed(client, states=["fired"]) == [(made["id"], "acknowledged")]
    read = await asking.get(asking.world.agent, f"/v1/intentions/{made['id']}")
    assert [(each["fate"], each["outcome"]) for each in read["occurrences"]] == [("acknowledged", "failed")]


async def test_words_are_read_back_in_full_and_can_be_taken_back(asking: Asking, url: str) -> None:
    async with connected(url, await asking.token_of(asking.world.agent)) as client:
        said = {
            **CHECK,
            "words": "every first Monday at 9",
            "timezone": "Europe/Berlin",
            "idempotency_key": "k",
        }
        words, first = await told(client, "intend", said)
        record = record_of(words)
        assert record["understood"].startswith(
            "every month on the first Monday at 09:00, Europe/Berlin; next: Monday "
        )
        assert len(record["coming"]) == len(first["intention"]["coming"]) == 3
        words, again = await told(client, "intend", said)
        assert (again["duplicate"], again["intention"]["id"]) == (True, first["intention"]["id"])
        assert words.startswith("This was set before")
        identity = first["intention"]["id"]
        words, page = await told(client, "intentions", {})
        assert [each["id"] for each in page["intentions"]] == [identity]
        [shown] = records_in(words)
        assert (shown["id"], shown["coming"]) == (identity, record["coming"])
        words, _ = await told(
            client, "cancel_intention", {"intention_id": identity, "reason": "meant Tuesday"}
        )
        assert words.startswith("Given up: ")
        assert record_of(words)["status"] == "cancelled"
        words, _ = await told(client, "intentions", {})
        assert words == "None of your own intentions is here."
        assert await listed(client, states=["cancelled"]) == [(identity, "cancelled")]
        assert (await refused(client, "cancel_intention", intention_id=identity)).startswith("conflict: ")


async def test_what_recurs_goes_on(asking: Asking, url: str) -> None:
    async with connected(url, await asking.token_of(asking.world.agent)) as client:
        begin = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=1)
        every = {"rule": "FREQ=DAILY", "timezone": "Europe/Berlin", "starts": begin.isoformat()}
        await told(client, "intend", {**CHECK, "every": every})
        _, [due] = await handed_out(asking, client)
        end = {"occurrence_id": due["occurrence_id"], "lease": due["lease"], "outcome": "not_needed"}
        words, _ = await told(client, "acknowledge", end)
    assert words.startswith("Noted. This will not come again. The intention goes on;")
    record = record_of(words)
    assert (record["status"], len(record["coming"])) == ("pending", 3)


async def test_an_event_brings_it(asking: Asking, url: str) -> None:
    on = {"entity": "service:api", "conditions": [{"field": "type", "value": "milestone"}]}
    async with connected(url, await asking.token_of(asking.world.agent)) as client:
        words, _ = await told(client, "intend", {**CHECK, "on": on})
        assert (
            record_of(words)["understood"]
            == "when an event about service:api comes in which type is milestone"
        )
        happened = {"occurred_at": datetime.now(UTC).isoformat(), "entities": [{"id": "service:api"}]}
        await asking.post(asking.world.lead, "/v1/events", event(**happened))
        reached = await asking.post(
            asking.world.lead, "/v1/events", event(type="milestone", activity_id="act-2", **happened)
        )
        words, due = await handed_out(asking, client)
    assert [each["cause_id"] for each in due] == [reached["event_id"]]
    assert [record["cause"] for record in records_in(words)] == [reached["event_id"]]


async def test_a_fact_that_changes_brings_it_and_a_premise_that_ends_takes_it_away(
    asking: Asking, url: str
) -> None:
    fact = (await restricted(asking))["memory_id"]
    async with connected(url, await asking.token_of(asking.world.agent)) as client:
        change = {"fact_id": fact, "becomes": ["retracted"]}
        _, waits = await told(client, "intend", {**CHECK, "change": change})
        words, rests = await told(client, "intend", {**CHECK, "after": "PT1H", "premises": [fact]})
        assert record_of(words)["rests_on"] == [fact]
        await asking.post(asking.world.lead, f"/v1/memories/{fact}/retract", {"text": "never mind"})
        _, due = await handed_out(asking, client)
        assert [each["intention_id"] for each in due] == [waits["intention"]["id"]]
        async with asyncio.timeout(30):
            while not (ended := await listed(client, states=["cancelled"])):
                await asyncio.sleep(0.05)
    assert ended == [(rests["intention"]["id"], "cancelled")]


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            {"words": "in a bit"},
            "invalid_input: this cannot be read as a time for certain; say it such as: in 40",
        ),
        ({"words": "at 5"}, "invalid_input: "),
        ({"words": "tomorrow at 9", "timezone": "Mars/Olympus"}, "invalid_input: timezone: "),
        ({"at": "2026-01-01T09:00:00Z"}, "invalid_input: at: lies in the past; give an instant to come"),
        ({"at": "2026-12-24T18:00:00"}, "invalid_input: at: "),
        ({"after": 2400}, "invalid_input: after: give an ISO 8601 duration, such as PT40M"),
        ({"every": {"rule": "FREQ=SECONDLY"}}, "invalid_input: every.rule: "),
        ({"every": "FREQ=DAILY"}, "invalid_input: every: "),
        (
            {"on": {"conditions": [{"field": "data.secret", "value": 1}]}},
            "invalid_input: on.conditions.0.field: ",
        ),
        ({"on": {}}, "invalid_input: on: waits for nothing; give conditions, an entity, or both"),
        ({"change": {"attribute": "mood", "becomes": ["retired"]}}, "invalid_input: change.attribute: "),
        ({"change": {"fact_id": MISSING, "becomes": ["retired"]}}, "not_found: "),
        (
            {"after": "PT1H", "words": "tomorrow at 9"},
            "invalid_input: give one trigger: at, after, every, words,",
        ),
        ({}, "invalid_input: give one trigger: "),
        ({"after": "PT1H", "action": " "}, "invalid_input: action: "),
        ({"after": "PT1H", "action": "a" * 2_001}, "invalid_input: action: "),
        ({"after": "PT1H", "scope": {"planet": "x"}}, "invalid_input: scope: unknown"),
        ({"after": "PT1H", "scope": {"team": "x"}}, "not_permitted: scope: "),
        ({"after": "PT1H", "deadline": "2026-01-01T00:00:00Z"}, "invalid_input: deadline: lies in the past"),
    ],
    ids=lambda each: str(each)[:40],
)
async def test_what_cannot_be_is_refused_with_the_remedy_and_nothing_is_set(
    asking: Asking, url: str, said: dict[str, Any], line: str
) -> None:
    async with connected(url, await asking.token_of(asking.world.agent)) as client:
        assert (await refused(client, "intend", **{**CHECK, **said})).startswith(line)
        assert await listed(client, states=["proposed", "pending", "fired", "cancelled", "expired"]) == []


async def test_what_is_said_of_something_due_is_read_as_strictly(asking: Asking, url: str) -> None:
    under = {"occurrence_id": MISSING, "lease": MISSING}
    async with connected(url, await asking.token_of(asking.world.agent)) as client:
        for tool, arguments, line in (
            ("acknowledge", under, "invalid_input: outcome: is missing; add it"),
            ("acknowledge", {**under, "outcome": "maybe"}, "invalid_input: outcome: "),
            (
                "acknowledge",
                {"occurrence_id": MISSING, "outcome": "done"},
                "invalid_input: lease: is missing; add it",
            ),
            ("acknowledge", {**under, "outcome": "done"}, "not_found: "),
            ("snooze", under, "invalid_input: give one: until, an instant, or after, a delay"),
            ("snooze", {**under, "after": "soon"}, "invalid_input: after: "),
            ("snooze", {**under, "until": "2030-01-01T09:00:00"}, "invalid_input: until: "),
            ("snooze", {**under, "after": "PT1H"}, "not_found: "),
            ("inbox", {"limit": 21}, "invalid_input: limit: "),
            ("inbox", {"wait_seconds": 5}, "invalid_input: arguments: unknown argument; inbox takes limit, "),
            ("intentions", {"states": ["open"]}, "invalid_input: states.0: "),
            (
                "intentions",
                {"scope": {}},
                "invalid_input: arguments: unknown argument; intentions takes states, ",
            ),
            ("cancel_intention", {"intention_id": MISSING}, "not_found: "),
        ):
            assert (await refused(client, tool, **arguments)).startswith(line), (tool, arguments)


@pytest.mark.parametrize(
    "theirs",
    [{"owner": {"subject": "sam", "kind": "human"}}, {"deliver_to": "hooks"}],
    ids=["owner", "endpoint"],
)
async def test_nobody_elses_inbox_is_reached_whoever_owns_the_connection(
    asking: Asking, url: str, theirs: dict[str, Any]
) -> None:
    async with connected(url, await asking.token_of(asking.world.lead)) as client:
        line = await refused(client, "intend", **CHECK, after="PT1H", **theirs)
        assert line.startswith("invalid_input: arguments: unknown argument; intend takes action, scope, ")
    for who in (asking.world.lead, asking.world.developer):
        assert (await asking.post(who, "/v1/intentions/query", {"scope": {}}))["intentions"] == []


async def test_a_persons_key_in_a_models_hands_is_not_the_person(asking: Asking, url: str) -> None:
    """The right to assign comes with the key, and still nothing of others is given up, taken or acknowledged."""
    world = asking.world
    own = (await asking.post(world.lead, "/v1/intentions", {**CHECK, "at": soon()}))["intention"]["id"]
    body = {**CHECK, "after": "PT1H", "owner": {"subject": "sam", "kind": "human"}}
    sams = (await asking.post(world.lead, "/v1/intentions", body))["intention"]["id"]
    [due] = (await asking.post(world.lead, "/v1/inbox/take", {"wait_seconds": 20}))["due"]
    async with connected(url, await asking.token_of(world.lead)) as client:
        assert (await told(client, "inbox", {}))[1]["due"] == []
        assert await listed(client) == []
        for identity in (own, sams):
            line = await refused(client, "cancel_intention", intention_id=identity)
            assert line.startswith("not_permitted: intention_id: is not your own")
        guessed = {"occurrence_id": due["occurrence_id"], "lease": MISSING}
        assert (await refused(client, "acknowledge", **guessed, outcome="done")).startswith("conflict: ")
        assert (await refused(client, "snooze", **guessed, after="PT1H")).startswith("conflict: ")
        _, made = await told(client, "intend", {**CHECK, "after": "PT1H"})
        assert made["intention"]["owner"] == {"subject": "dana", "kind": "agent"}
    mine = (await asking.post(world.lead, "/v1/intentions/query", {}))["intentions"]
    assert made["intention"]["id"] not in [each["id"] for each in mine]
    assert (await asking.get(world.lead, f"/v1/intentions/{own}"))["intention"]["status"] == "delivered"


async def test_what_somebody_assigns_says_so(asking: Asking, url: str) -> None:
    body = {**CHECK, "at": soon(), "owner": {"subject": "ops-agent", "kind": "agent"}, "data": {"canary": 7}}
    await asking.post(asking.world.lead, "/v1/intentions", body)
    async with connected(url, await asking.token_of(asking.world.agent)) as client:
        words, _ = await handed_out(asking, client)
    [record] = records_in(words)
    assert (record["source"], record["data"]) == ("human dana", {"canary": 7})


async def test_a_key_that_may_not_intend_may_not_look_either(asking: Asking, url: str) -> None:
    narrow = await asking.token_of(asking.world.agent, only=frozenset({Verb.RECALL}))
    async with connected(url, narrow) as client:
        for tool, arguments in (("intend", {**CHECK, "after": "PT1H"}), ("intentions", {}), ("inbox", {})):
            assert (await refused(client, tool, **arguments)).startswith("not_permitted: ")


async def test_hostile_words_stay_data(asking: Asking, url: str) -> None:
    """In what is read back, in the list, and in what is handed out, whoever has written them."""
    stored = HOSTILE.replace("\x00", "")
    cue = {"conditions": [{"field": "data.job", "value": HOSTILE}], "entity": "db\u2028-1"}
    assigned = {
        **CHECK,
        "action": HOSTILE,
        "at": soon(),
        "owner": {"subject": "ops-agent", "kind": "agent"},
        "data": {HOSTILE[:60]: HOSTILE},
    }
    async with connected(url, await asking.token_of(asking.world.agent)) as client:
        words, _ = await told(client, "intend", {**CHECK, "action": HOSTILE, "on": cue})
        assert OPENING not in words
        assert CLOSING not in words
        assert len(words.splitlines()) == 2
        record = record_of(words)
        assert record["quoted"] == stored
        assert stored in record["understood"]
        words, _ = await told(client, "intentions", {})
        assert [each["quoted"] for each in records_in(words)] == [stored]
        await asking.post(asking.world.lead, "/v1/intentions", assigned)
        words, [due] = await handed_out(asking, client)
        [record] = records_in(words)
        assert (record["quoted"], [*record["data"].values()]) == (stored, [stored])
        end = {
            "occurrence_id": due["occurrence_id"],
            "lease": due["lease"],
            "outcome": "done",
            "text": HOSTILE,
        }
        words, _ = await told(client, "acknowledge", end)
        assert CLOSING not in words
        assert record_of(words)["quoted"] == stored


async def test_a_long_list_comes_in_pages(asking: Asking, url: str) -> None:
    async with connected(url, await asking.token_of(asking.world.agent)) as client:
        made = [
            (await told(client, "intend", {**CHECK, "after": "PT1H"}))[1]["intention"]["id"] for _ in range(3)
        ]
        words, page = await told(client, "intentions", {"limit": 2})
        assert f"call intentions again with before {page['next']}." in words
        rest = await listed(client, before=page["next"])
    assert len(page["intentions"]) == 2
    assert sorted([*(each["id"] for each in page["intentions"]), *(each for each, _ in rest)]) == sorted(made)


async def test_a_promise_waits_for_its_owner(asking: Asking, url: str) -> None:
    """What was taken from an agent's words is listed as it is: proposed, and said to fire nothing."""
    world = asking.world
    said = event(
        type="message", text="I'll check the canary in 40 minutes.", occurred_at=datetime.now(UTC).isoformat()
    )
    receipts = await world.publish(world.agent, said, {**said, "type": "activity_completed", "text": None})
    await world.digest(receipts)
    async with connected(url, await asking.token_of(world.agent)) as client:
        words, page = await told(client, "intentions", {})
    assert [(each["status"], each["action"]) for each in page["intentions"]] == [
        ("proposed", "check the canary")
    ]
    assert "fires nothing as it stands" in words
    assert [record["status"] for record in records_in(words)] == ["proposed"]
