"""Intentions over HTTP: set, told in full, taken when they are due, and refused with the remedy."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest

from capture import intentions as capturing
from tests.http.conftest import Asking
from tests.world import STAGING, event


def soon(seconds: float = 0.5) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


def intention(**said: Any) -> dict[str, Any]:
    return {"scope": STAGING, "action": "check the canary", **said}


async def test_an_intention_from_words_to_its_outcome(asking: Asking) -> None:
    agent = asking.world.agent
    seen = await asking.post(
        agent,
        "/v1/intentions/preview",
        intention(words="every first Monday at 9", timezone="America/Vancouver"),
    )
    assert seen["told"].startswith(
        "every month on the first Monday at 09:00, America/Vancouver; next: Monday "
    )
    assert len(seen["coming"]) == 3
    assert (await asking.post(agent, "/v1/intentions/query", {}))["intentions"] == []

    waiting = asyncio.create_task(asking.post(agent, "/v1/inbox/take", {"wait_seconds": 20}))
    made = await asking.post(agent, "/v1/intentions", intention(at=soon(), data={"canary": 7}))
    identity = made["intention"]["id"]
    assert (made["intention"]["status"], made["duplicate"]) == ("pending", False)
    [due] = (await waiting)["due"]
    assert (due["intention_id"], due["data"], due["leases"]) == (identity, {"canary": 7}, 1)
    path = f"/v1/inbox/{due['occurrence_id']}"
    put_off = await asking.post(agent, f"{path}/snooze", {"after": "PT0.1S", "lease": due["lease"]})
    assert put_off["intention"]["status"] == "due"
    [again] = (await asking.post(agent, "/v1/inbox/take", {"wait_seconds": 20}))["due"]
    said = {"outcome": "done", "text": "looks good", "lease": again["lease"]}
    done = await asking.post(agent, f"{path}/acknowledge", said, headers={"Idempotency-Key": "k-1"})
    once_more = await asking.post(agent, f"{path}/acknowledge", said, headers={"Idempotency-Key": "k-1"})
    assert done == once_more
    assert done["intention"]["status"] == "acknowledged"
    assert [(each["fate"], each["outcome"]) for each in done["occurrences"]] == [("acknowledged", "done")]


async def test_what_is_due_is_streamed_and_leased_as_it_is_sent(asking: Asking, url: str) -> None:
    agent = asking.world.agent
    token = await asking.token_of(agent)
    async with (
        httpx2.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {token}"}) as caller,
        caller.stream("GET", "/v1/inbox/stream") as answer,
        asyncio.timeout(20),
    ):
        lines = answer.aiter_lines()
        assert await anext(lines) == ": what is due follows"
        made = await asking.post(agent, "/v1/intentions", intention(on={"entity": "service:api"}))
        happened = event(occurred_at=datetime.now(UTC).isoformat(), entities=[{"id": "service:api"}])
        await asking.post(agent, "/v1/events", happened)
        said: list[str] = []
        while not any(line.startswith("data:") for line in said):
            said.append(await anext(lines))
    assert "event: due" in said
    assert made["intention"]["id"] in said[-1]


@pytest.mark.parametrize(
    ("said", "field", "says"),
    [
        ({"at": "2026-01-01T09:00:00Z"}, "at", "an instant to come, or a grace"),
        ({"at": "2026-12-24T18:00:00"}, "at", "offset"),
        ({"every": {"rule": "FREQ=SECONDLY"}}, "every.rule", "minute"),
        ({"every": {"rule": "FREQ=DAILY", "timezone": "Mars/Olympus"}}, "every.timezone", "Europe/Berlin"),
        ({"after": "PT1H", "timezone": "Mars/Olympus"}, "timezone", "Europe/Berlin"),
        ({"after": 3600}, "after", "PT40M"),
        ({"at": "9999-12-31T23:00:00Z", "timezone": "Asia/Tokyo"}, "at", "before 2200"),
        ({"after": "PT1H", "deadline": "9999-12-31T23:00:00Z"}, "deadline", "before 2200"),
        ({"after": "PT1H", "not_before": "0001-01-01T00:00:00+14:00"}, "not_before", "from 1970 on"),
        (
            {"every": {"rule": "FREQ=DAILY", "exceptions": ["0001-01-01T00:00:00+14:00"]}},
            "every.exceptions.0",
            "from 1970 on",
        ),
        ({"words": "in a bit"}, None, "ISO 8601"),
        (
            {"on": {"conditions": [{"field": "data.secret", "value": 1}]}},
            "on.conditions.0.field",
            "cue_fields",
        ),
        ({"after": "PT1H", "deliver_to": "nowhere"}, "deliver_to", "register it first"),
        ({"after": "PT1H", "at": "2030-01-01T00:00:00Z"}, None, "one trigger"),
        ({}, None, "one trigger"),
    ],
)
async def test_bad_input_is_refused_with_the_remedy(
    asking: Asking, said: dict[str, Any], field: str | None, says: str
) -> None:
    answer = await asking.ask(asking.world.agent, "POST", "/v1/intentions", intention(**said))
    problem = answer.json()
    assert answer.status_code in (404, 422)
    assert says in problem["detail"]
    if field is not None:
        assert problem["field"] == field
    assert (await asking.post(asking.world.agent, "/v1/intentions/query", {}))["intentions"] == []


async def test_a_rule_until_the_end_of_the_calendar_has_no_end(asking: Asking) -> None:
    """As many programs write "for ever"."""
    for_ever = intention(every={"rule": "FREQ=YEARLY;UNTIL=99991231"}, timezone="Asia/Tokyo")
    seen = await asking.post(asking.world.agent, "/v1/intentions/preview", for_ever)
    assert "until" not in seen["told"]
    made = await asking.post(asking.world.agent, "/v1/intentions", for_ever)
    assert len(made["intention"]["coming"]) == 3


async def test_too_many_in_a_minute_are_refused(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capturing, "MOST_A_MINUTE", 2)
    for _ in range(2):
        await asking.post(asking.world.agent, "/v1/intentions", intention(after="PT1H"))
    refused = await asking.ask(asking.world.agent, "POST", "/v1/intentions", intention(after="PT1H"))
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "60")
    assert "recurrence" in refused.json()["detail"]
    await asking.post(asking.world.lead, "/v1/intentions", intention(after="PT1H"))


async def test_an_intention_for_somebody_else_takes_the_right_to_assign(asking: Asking) -> None:
    theirs = intention(after="PT1H", owner={"subject": "dana", "kind": "human"})
    refused = await asking.ask(asking.world.agent, "POST", "/v1/intentions", theirs)
    assert refused.status_code == 403
    made = await asking.post(asking.world.developer, "/v1/intentions", theirs)
    [listed] = (await asking.post(asking.world.lead, "/v1/intentions/query", {}))["intentions"]
    assert listed["id"] == made["intention"]["id"]


async def test_an_endpoint_is_registered_by_an_administrator(asking: Asking) -> None:
    hooks = {"name": "hooks", "address": "https://hooks.example.org/in"}
    assert (await asking.ask(asking.world.agent, "POST", "/v1/endpoints", hooks)).status_code == 403
    made = await asking.post(asking.admin, "/v1/endpoints", hooks)
    assert made["secret"].startswith("whsec_")
    again = await asking.post(asking.admin, "/v1/endpoints/rotate", {"name": "hooks"})
    assert (again["endpoint"]["signed_by"], again["secret"] != made["secret"]) == (2, True)
    off = await asking.post(asking.admin, "/v1/endpoints/disable", {"name": "hooks"})
    assert off["disabled_at"] is not None
    listed = await asking.get(asking.admin, "/v1/endpoints")
    assert [each["name"] for each in listed["endpoints"]] == ["hooks"]
    assert "whsec" not in str(listed)
    delivered = intention(after="PT1H", deliver_to="hooks")
    assert (await asking.ask(asking.world.agent, "POST", "/v1/intentions", delivered)).status_code == 409
    await asking.post(asking.admin, "/v1/endpoints/enable", {"name": "hooks"})
    taken = await asking.post(asking.world.agent, "/v1/intentions", delivered)
    assert taken["intention"]["endpoint_id"] == made["endpoint"]["id"]


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest/meta-data",
        "https://10.0.0.7/in",
        "http://hooks.example.org/in",
        "hooks",
    ],
)
async def test_an_endpoint_that_nothing_may_go_to_is_refused(asking: Asking, address: str) -> None:
    answer = await asking.ask(asking.admin, "POST", "/v1/endpoints", {"name": "hooks", "address": address})
    assert (answer.status_code, answer.json()["field"]) == (422, "address")


async def test_whoever_hangs_up_while_they_wait_is_handed_nothing(asking: Asking, url: str) -> None:
    agent = asking.world.agent
    token = await asking.token_of(agent)
    async with httpx2.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {token}"}) as caller:
        with pytest.raises(httpx2.ReadTimeout):
            await caller.post("/v1/inbox/take", json={"wait_seconds": 30}, timeout=0.5)
    await asking.post(agent, "/v1/intentions", intention(at=soon()))
    [due] = (await asking.post(agent, "/v1/inbox/take", {"wait_seconds": 20}))["due"]
    assert due["leases"] == 1
