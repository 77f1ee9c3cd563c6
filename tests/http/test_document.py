"""The OpenAPI document is one, and the API keeps to it: what schemathesis makes of it is answered as it says."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple
from uuid import uuid4

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import CHECKS
from schemathesis.specs.openapi.definitions import OPENAPI_31

from models.principals import Principal, PrincipalKind
from surfaces.http.application import described
from tests.http.conftest import Asking, Founding
from tests.http.country import CONTENT, SMALL_POLICY, proposal_in
from tests.http.erasing import Forgotten, forgotten
from tests.http.routes import OPEN, ROUTES
from tests.world import MONDAY, STAGING, event

DOCUMENT: dict[str, Any] = json.loads(json.dumps(described().openapi()))
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
OPERATIONS = {result.ok().label: result.ok() for result in SCHEMA.get_all_operations()}
CASES = 20
LONG_CASES = 150


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def references(part: Any) -> Iterator[str]:
    """All references within a part of the document."""
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for inner in part.values():
            yield from references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from references(inner)


async def test_the_document_is_what_is_served(asking: Asking) -> None:
    assert (await asking.get(None, "/openapi.json")) == DOCUMENT


def test_the_document_is_openapi_3_1() -> None:
    assert DOCUMENT["openapi"].startswith("3.1.")
    jsonschema.Draft202012Validator(OPENAPI_31).validate(DOCUMENT)
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    known = {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]}
    used = set(references(DOCUMENT))
    assert used <= known
    # Those that only the stream tells are described for those who read it.
    told = ("TransitionNews", "VerdictNews", "IntentionNews", "ProposalNews", "VersionNews")
    assert known - used == {f"#/components/schemas/{name}" for name in told}


def test_every_route_says_what_it_takes_and_how_it_fails() -> None:
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    names: Counter[str] = Counter()
    for label, operation in operations():
        names[operation["operationId"]] += 1
        assert operation["summary"]
        assert operation["description"]
        assert ("security" in operation) == (label not in OPEN)
        assert ("requestBody" in operation) == (ROUTES[label].body is not None)
        failures = {status: told for status, told in operation["responses"].items() if status >= "400"}
        assert label in OPEN or {"401", "403", "422", "429", "500", "503"} <= set(failures)
        assert ("404" in failures) >= ("{" in label)
        assert label in OPEN or all(told["content"] == problem for told in failures.values())
        if "requestBody" in operation:
            assert set(operation["requestBody"]["content"]) == {"application/json"}
            assert operation["requestBody"]["required"]
    assert set(names.values()) == {1}


class Ground(NamedTuple):
    """A tenant in which the document is tried: who tries, and ids of what is there.

    Of the facts four are there to be retracted, four to be corrected, and the first four for all else; of the claims
    the last four to be rejected. Of the intentions the last four are to be cancelled; of what is `due` half is to be
    acknowledged. Of the proposals four are to be taken back, by who drafted them, and four to be decided on.
    """

    url: str
    token: str
    mute: str
    facts: list[str]
    claims: list[str]
    event_id: str
    trace_id: str
    intentions: list[str]
    due: list[str]
    procedures: list[str]
    proposals: list[str]
    episodes: list[str]
    forgotten: Forgotten


@pytest.fixture(scope="module")
async def ground(found: Founding, url: str) -> Ground:
    asking = await found()
    who = asking.world.principal("olga", PrincipalKind.HUMAN, "operator", "admin")
    facts = [
        await asking.post(
            who,
            "/v1/memories",
            {"scope": STAGING, "entity": f"db:{number}", "attribute": "lifecycle_policy", "value": "keep",
             "ends_when": "the audit is over"},
        )
        for number in range(12)
    ]  # fmt: skip
    claims = [
        await asking.post(
            asking.world.agent,
            "/v1/memories",
            {"scope": STAGING, "entity": f"spare-{number}", "attribute": "uses", "value": "gloves"},
        )
        for number in range(8)
    ]
    told = await asking.post(who, "/v1/events", event(text="seen"))
    recalled = await asking.post(who, "/v1/recall", {"scope": STAGING, "query": "audit"})
    mute = await asking.token_of(who, only=["publish"])
    ids, held = ([each["memory_id"] for each in made] for made in (facts, claims))
    waiting, due = await _intended(asking, who)
    hooks = {"name": "hooks", "address": "https://hooks.example.org/in"}
    await asking.post(who, "/v1/endpoints", hooks)
    token = await asking.token_of(who)
    procedures = [await _in_force(asking, who, f"kept-{number}") for number in range(4)]
    proposals = [await _proposed(asking, who, f"own-{number}") for number in range(8)]
    proposals += [await _proposed(asking, asking.world.lead, f"theirs-{number}") for number in range(4)]
    episodes = [await _lived(asking, who, number) for number in range(8)]
    traced = (told["event_id"], recalled["trace_id"])
    gone = await forgotten(asking, who)
    return Ground(url, token, mute, ids, held, *traced, waiting, due, procedures, proposals, episodes, gone)


async def _proposed(asking: Asking, who: Principal, name: str) -> str:
    """A proposal that waits."""
    made = await asking.post(who, "/v1/proposals", {**proposal_in(STAGING), "procedure": name})
    identity: str = made["proposal"]["id"]
    return identity


async def _in_force(asking: Asking, reviewer: Principal, name: str) -> str:
    """A procedure of which the second version is in force."""
    approve = {"revision": 1, "choice": "approve"}
    step = {**CONTENT["steps"][0], "id": "again"}
    changed = {**CONTENT, "steps": [*CONTENT["steps"], step]}
    for said in ({"content": CONTENT}, {"content": changed, "base": 1}):
        body = {**proposal_in(STAGING), "procedure": name, **said}
        made = (await asking.post(asking.world.lead, "/v1/proposals", body))["proposal"]
        await asking.post(reviewer, f"/v1/proposals/{made['id']}/decisions", approve)
    identity: str = made["procedure_id"]
    return identity


async def _lived(asking: Asking, who: Principal, number: int) -> str:
    """An episode."""
    [receipt] = await asking.world.publish(
        who, event(type="milestone", activity_id=f"lived-{number}", text="met")
    )
    await asking.world.digest([receipt])
    identity: str = (await asking.get(who, f"/v1/events/{receipt.event_id}/verdict"))["episode_id"]
    return identity


async def _intended(asking: Asking, who: Principal) -> tuple[list[str], list[str]]:
    """Intentions that wait, and occurrences of others that are due."""

    async def intend(**said: Any) -> str:
        made = await asking.post(who, "/v1/intentions", {"scope": STAGING, "action": "look", **said})
        identity: str = made["intention"]["id"]
        return identity

    waiting = [await intend(after="P30D") for _ in range(8)]
    fired = [await intend(at=MONDAY.isoformat(), grace="P3650D") for _ in range(8)]
    due: list[str] = []
    for identity in fired:
        while not (there := (await asking.get(who, f"/v1/intentions/{identity}"))["occurrences"]):
            await asyncio.sleep(0.05)
        due.append(there[0]["id"])
    return waiting, due


def sensible(case: Any, ground: Ground, dice: Random) -> None:
    """Put into a sound case, now and then, what the document cannot know: scopes, names and ids that are there."""
    known: dict[str, Any] = {
        "scope": STAGING,
        "within": STAGING,
        "attribute": dice.choice(["owner", "preference", "uses"]),
        "evidence": ground.event_id,
        "occurred_at": MONDAY.isoformat(),
        "timezone": "Europe/Berlin",
        "roles": ["agent"],
        "entity": f"db:{dice.randrange(8)}",
        "cursor": None,
        "content": SMALL_POLICY,
        "expected_version": 0,
        # Of the answer to the recall nothing is known here, and each recall belongs to one pair.
        "visible": [],
        "used": [],
        "outcome": "success",
        "pair": None,
        "arm": None,
        "since": None,
    }
    last = case.operation.path.rpartition("/")[2]
    used_up = {"retract": slice(4, 8), "correct": slice(8, 12)}
    facts = ground.facts[used_up.get(last, slice(4))]
    claims = ground.claims[4:] if case.operation.path.endswith("/reject") else ground.claims[:4]
    ids = {
        "memory_id": dice.choice(facts),
        "claim_id": dice.choice(claims),
        "event_id": ground.event_id,
        "trace_id": ground.trace_id,
        "class_name": dice.choice(["general_note", "task_commitment"]),
        "intention_id": dice.choice(
            ground.intentions[4:] if case.operation.path.endswith("/cancel") else ground.intentions[:4]
        ),
        "occurrence_id": dice.choice(
            ground.due[4:] if case.operation.path.endswith("/acknowledge") else ground.due[:4]
        ),
        "procedure_id": dice.choice(ground.procedures),
        "proposal_id": dice.choice(ground.proposals[_PROPOSALS_FOR.get(last, slice(4))]),
        "episode_id": dice.choice(ground.episodes),
        "erasure_id": ground.forgotten.erasures[-1 if last == "withdraw" else 0],
        "hold_id": ground.forgotten.holds[0],
        "record_id": ground.forgotten.erased,
        "digest": ground.forgotten.digest,
    }
    if case.operation.path.endswith("/promote"):
        # The facts are kept in that scope, and this one is wider.
        known["scope"] = {}
    if "{claim_id}" in case.operation.path:
        # These claims say what they are about.
        known["entity"] = None
    for part in (case.path_parameters, case.body, *_events(case.body)):
        if not isinstance(part, dict):
            continue
        for name, value in {**known, **ids}.items():
            if name in part and dice.random() < 0.8:
                part[name] = value
    if isinstance(case.body, dict):
        _possible(case.body, case.operation.path)


def _possible(body: dict[str, Any], path: str) -> None:
    """Say what can be done, where only the service knows that."""
    if path == "/v1/erasures":
        # Nothing that others need is to go.
        body["dry_run"] = True
    elif path.startswith("/v1/endpoints/"):
        body["name"] = "hooks"
    elif path == "/v1/endpoints":
        body |= {"kind": "webhook", "address": "https://hooks.example.org/in"}
    elif path.startswith(("/v1/intentions", "/v1/inbox")):
        _can_come(body, path)
    elif path.startswith(("/v1/proposals", "/v1/procedures")):
        _can_count(body, path)
    elif body.get("content") == SMALL_POLICY:
        # Applied, it would end what all the other routes are tried with.
        body["dry_run"] = True


_PROPOSALS_FOR = {"withdraw": slice(4, 8), "decisions": slice(8, 12)}


def _can_count(body: dict[str, Any], path: str) -> None:
    """Write a proposal, a decision and a run on what is there."""
    if path.endswith("/query"):
        body.pop("after", None)
        return
    for name, said in {"content": CONTENT, "class_name": "operations", "revision": 1, "version": 1}.items():
        if name in body:
            body[name] = said
    body.pop("base", None)
    if path == "/v1/proposals":
        body["procedure"] = f"tried-{uuid4()}"
    if path.endswith("/revise"):
        body["content"] = {**CONTENT, "trigger": {"intent": "put gloves on"}}
    if path.endswith("/decisions"):
        body |= {"choice": "reject", "reason": "tried", "content": None, "trial": None}
    if path.endswith("/rollback"):
        body["to"] = 1
    if path.endswith("/runs"):
        body |= {"steps": [{"id": "look", "fate": "done"}], "activity_id": "tried"}


def _can_come(body: dict[str, Any], path: str) -> None:
    """Give an intention one trigger, and what is put off one time; wait for nothing."""
    for name in ("at", "every", "words", "on", "change", "until", "before", "lease", "deliver_to", "owner"):
        if name != "owner" or not path.endswith("/hand-over"):
            body.pop(name, None)
    for name in ("not_before", "deadline", "premises", "wait_seconds"):
        body.pop(name, None)
    if path.endswith(("/intentions", "/preview", "/reschedule", "/snooze")):
        body["after"] = "PT1H"


def _events(body: Any) -> list[Any]:
    events = body.get("events") if isinstance(body, dict) else None
    return events if isinstance(events, list) else []


def tried(label: str, ground: Ground, cases: int, *, sound: bool, random: bool) -> Counter[int]:
    """Try an operation so often; how often each status was answered. Raises for an answer beside the document."""
    # What is sound by the document alone may still name what the policy does not know.
    beside = [CHECKS.get_one("positive_data_acceptance")]
    if label in TEXT_IN_QUERY:
        beside.append(CHECKS.get_one("negative_data_rejection"))
    mode = schemathesis.GenerationMode.POSITIVE if sound else schemathesis.GenerationMode.NEGATIVE
    told: Counter[int] = Counter()
    dice = Random(label)
    # A stream that is opened does not end, so that nobody who may open one is let near it here.
    token = ground.mute if label in STREAMS else ground.token
    headers = {"Authorization": f"Bearer {token}"}

    @given(case=OPERATIONS[label].as_strategy(generation_mode=mode))
    @settings(
        max_examples=cases,
        derandomize=not random,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def run(case: Any) -> None:
        if sound:
            sensible(case, ground, dice)
        answer = case.call(base_url=ground.url, headers=headers, timeout=60)
        told[answer.status_code] += 1
        case.validate_response(answer, excluded_checks=beside, headers=headers)

    run()
    return told


SOUND = sorted(ROUTES)
STREAMS = {"GET /v1/stream", "GET /v1/inbox/stream"}
NEVER_PROPOSED = "POST /v1/intentions/{intention_id}/confirm"
"""Nobody's words have proposed an intention here."""
TEXT_IN_QUERY = {"GET /v1/me/export", "GET /v1/traces"}
"""Whatever stands in the place of a text in a query is one by the time that it is read."""
UNSOUND = sorted(set(ROUTES) - OPEN)
"""An operation without parameters, body or credential cannot be called wrongly."""


@pytest.mark.parametrize("label", SOUND)
async def test_sound_calls_are_answered_as_the_document_says(ground: Ground, label: str) -> None:
    told = await asyncio.to_thread(tried, label, ground, CASES, sound=True, random=False)
    assert sum(told.values()) > 0
    assert {status for status in told if status >= 500} == set()
    # A key needs a role that the policy has, which no call at random names.
    if label not in {"DELETE /v1/keys/{key_id}", "POST /v1/keys", NEVER_PROPOSED, *STREAMS}:
        assert {status for status in told if status < 300}


@pytest.mark.parametrize("label", UNSOUND)
async def test_unsound_calls_are_refused_as_the_document_says(ground: Ground, label: str) -> None:
    told = await asyncio.to_thread(tried, label, ground, CASES, sound=False, random=False)
    assert {status for status in told if status >= 400}


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("label", UNSOUND)
@pytest.mark.parametrize("sound", [True, False])
async def test_many_more_calls_are_answered_as_the_document_says(
    ground: Ground, label: str, sound: bool
) -> None:
    await asyncio.to_thread(tried, label, ground, LONG_CASES, sound=sound, random=True)
