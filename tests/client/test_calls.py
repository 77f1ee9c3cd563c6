"""Each call goes to its route, with the body and the parameters of the contract."""

import json
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from keepwell import (
    Acceptance,
    Condition,
    Correction,
    InvalidInput,
    Keepwell,
    MemoryQuery,
    NewEvent,
    RecallRequest,
    Unavailable,
)
from keepwell.types import EpisodeTold, EvidenceGiven, FactTold, Terms

from tests.client.answers import (
    AT,
    MEMORY_ID,
    EventLog,
    episode,
    export,
    fact,
    key,
    outcome,
    policy,
    review,
    switched,
)
from tests.client.erasing import ERASING
from tests.client.intending import INTENDING
from tests.client.misbehaving import Reply, Server, html, problem
from tests.client.playing import PLAYING
from tests.client.recalling import RECALLING
from tests.client.trace_calls import TRACE_CALLS, Call

SCOPE = {"workspace": "staging"}
EVIDENCE = uuid4()
PAGE = {"memories": [fact(), episode()], "next": None, "as_of": AT}
PRINCIPAL = {
    "tenant": "acme",
    "tenant_id": str(MEMORY_ID),
    "subject": "dana",
    "kind": "human",
    "roles": [],
    "within": {},
    "only": None,
}
ON = f"/v1/memories/{MEMORY_ID}"
WAITS = f"/v1/reviews/{MEMORY_ID}"


CALLS: list[tuple[Call, tuple[str, str], Any, Any]] = [
    *RECALLING,
    *INTENDING,
    *PLAYING,
    *ERASING,
    (
        lambda memory: memory.remember(scope=SCOPE, attribute="a", value="b", idempotency_key="k"),
        ("POST", "/v1/memories"),
        {"scope": SCOPE, "attribute": "a", "value": "b", "idempotency_key": "k"},
        outcome(),
    ),
    (
        lambda memory: memory.correct(MEMORY_ID, Correction(value="c", idempotency_key="k")),
        ("POST", f"{ON}/correct"),
        {"value": "c", "idempotency_key": "k"},
        outcome(),
    ),
    (
        lambda memory: memory.retract(str(MEMORY_ID), text="It was wrong.", idempotency_key="k"),
        ("POST", f"{ON}/retract"),
        {"text": "It was wrong.", "idempotency_key": "k"},
        outcome(),
    ),
    (
        lambda memory: memory.promote(MEMORY_ID, scope=SCOPE, text="Everywhere.", idempotency_key="k"),
        ("POST", f"{ON}/promote"),
        {"scope": SCOPE, "text": "Everywhere.", "idempotency_key": "k"},
        outcome(),
    ),
    (
        lambda memory: memory.confirm(MEMORY_ID, EVIDENCE),
        ("POST", f"{ON}/confirm"),
        {"evidence": str(EVIDENCE)},
        {"state": "accepted", "reason": "permitted_confirmation"},
    ),
    (
        lambda memory: memory.confirm(MEMORY_ID, EvidenceGiven(evidence=EVIDENCE)),
        ("POST", f"{ON}/confirm"),
        {"evidence": str(EVIDENCE)},
        {"state": "pending", "reason": ""},
    ),
    (
        lambda memory: memory.review_page(scope=SCOPE, limit=5, cursor="c"),
        ("POST", "/v1/reviews/query"),
        {"scope": SCOPE, "limit": 5, "cursor": "c"},
        {"reviews": [review()], "next": None},
    ),
    (
        lambda memory: memory.accept(MEMORY_ID, terms=Terms(value="c"), text="Yes.", idempotency_key="k"),
        ("POST", f"{WAITS}/accept"),
        {"terms": {"value": "c"}, "text": "Yes.", "idempotency_key": "k"},
        outcome(),
    ),
    (
        lambda memory: memory.accept(MEMORY_ID, Acceptance(entity="db:1", idempotency_key="k")),
        ("POST", f"{WAITS}/accept"),
        {"entity": "db:1", "idempotency_key": "k"},
        outcome(),
    ),
    (
        lambda memory: memory.reject(MEMORY_ID, "It was wrong.", idempotency_key="k"),
        ("POST", f"{WAITS}/reject"),
        {"text": "It was wrong.", "idempotency_key": "k"},
        outcome("retract"),
    ),
    (lambda memory: memory.memory(MEMORY_ID), ("GET", ON), None, episode()),
    (
        lambda memory: memory.memory(MEMORY_ID, as_of=datetime(2026, 3, 2, tzinfo=UTC)),
        ("GET", f"{ON}?as_of=2026-03-02T00%3A00%3A00%2B00%3A00"),
        None,
        fact(),
    ),
    (
        lambda memory: memory.memory_page(
            scope=SCOPE, filter={"field": "kind", "op": "eq", "value": "fact"}, limit=5, cursor="c"
        ),
        ("POST", "/v1/memories/query"),
        {
            "scope": SCOPE,
            "filter": {"field": "kind", "op": "eq", "value": "fact"},
            "limit": 5,
            "cursor": "c",
        },
        PAGE,
    ),
    (lambda memory: memory.history(MEMORY_ID), ("GET", f"{ON}/history"), None, {"lives": []}),
    (
        lambda memory: memory.history_of("db-1", SCOPE),
        ("POST", "/v1/history"),
        {"scope": SCOPE, "entity": "db-1"},
        {"lives": []},
    ),
    (
        lambda memory: memory.lineage(MEMORY_ID),
        ("GET", f"{ON}/lineage"),
        None,
        {"nodes": [], "edges": [], "hidden": 0, "truncated": False},
    ),
    (
        lambda memory: memory.verdict_of(EVIDENCE),
        ("GET", f"/v1/events/{EVIDENCE}/verdict"),
        None,
        {
            "event_id": str(EVIDENCE),
            "activity": str(MEMORY_ID),
            "stage": "settled",
            "episode_id": None,
            "decisions": [],
        },
    ),
    (
        lambda memory: memory.own_memory_page(limit=5, cursor="c"),
        ("GET", "/v1/me/memories?limit=5&cursor=c"),
        None,
        PAGE,
    ),
    (lambda memory: memory.export(), ("GET", "/v1/me/export"), None, export()),
    (
        lambda memory: memory.export_document("ana b&c"),
        ("GET", "/v1/me/export?subject=ana+b%26c"),
        None,
        export(),
    ),
    (
        lambda memory: memory.switches(),
        ("GET", "/v1/me/switches"),
        None,
        {"switches": [switched(), switched("on") | {"since": None}]},
    ),
    (
        lambda memory: memory.switch_off("general_note"),
        ("PUT", "/v1/me/switches/general_note"),
        {"state": "off"},
        switched(),
    ),
    (
        lambda memory: memory.switch_on("a/b c"),
        ("PUT", "/v1/me/switches/a%2Fb%20c"),
        {"state": "on"},
        switched("on"),
    ),
    (
        lambda memory: memory.create_key(name="ci", subject="ci", kind="agent", only=["publish"]),
        ("POST", "/v1/keys"),
        {"name": "ci", "subject": "ci", "kind": "agent", "only": ["publish"]},
        {"key": key(), "token": "kw_x"},
    ),
    *TRACE_CALLS,
    (lambda memory: memory.keys(), ("GET", "/v1/keys"), None, {"keys": [key()]}),
    (lambda memory: memory.revoke_key(MEMORY_ID), ("DELETE", f"/v1/keys/{MEMORY_ID}"), None, None),
    (lambda memory: memory.policy(), ("GET", "/v1/policy"), None, policy()),
    (lambda memory: memory.policy(2), ("GET", "/v1/policy?version=2"), None, policy(content="version: 2")),
    (
        lambda memory: memory.apply_policy(content="version: 2", reason="a trial", dry_run=True),
        ("POST", "/v1/policy"),
        {"content": "version: 2", "reason": "a trial", "dry_run": True},
        {"version": 3, "digest": "ab" * 32, "applied": False, "effects": [], "grants": []},
    ),
    (lambda memory: memory.policy_log(), ("GET", "/v1/policy/log"), None, {"changes": []}),
    (lambda memory: memory.principal(), ("GET", "/v1/principal"), None, PRINCIPAL),
    (lambda memory: memory.health(), ("GET", "/healthz"), None, {"status": "alive", "version": "0.1.0"}),
    (lambda memory: memory.readiness(), ("GET", "/readyz"), None, {"ready": True, "missing": []}),
]
"""A call, the route that it goes to, the body that it has, and an answer to it."""


@pytest.mark.parametrize(("call", "route", "body", "answer"), CALLS)
async def test_a_call_goes_to_its_route(
    server: Server, memory: Keepwell, call: Call, route: tuple[str, str], body: Any, answer: Any
) -> None:
    server.script.append(Reply(204 if answer is None else 200, answer))
    await call(memory)
    (sent,) = server.sent
    assert (sent.method, sent.path) == route
    if body is None:
        assert sent.raw == b""
    else:
        assert sent.body == body
        assert sent.headers["content-type"] == "application/json"


async def test_an_event_from_its_fields_happened_now(server: Server, memory: Keepwell) -> None:
    server.usual = EventLog()
    before = datetime.now(UTC)
    answer = await memory.publish(type="correction", activity_id="a", scope=SCOPE, text="No.")
    assert answer.seq == 1
    assert (server.sent[0].method, server.sent[0].path) == ("POST", "/v1/events")
    said = server.sent[0].body
    assert before <= datetime.fromisoformat(said["occurred_at"]) <= datetime.now(UTC)
    assert len(said["idempotency_key"]) == 32


async def test_a_batch_keeps_order_and_keys(server: Server, memory: Keepwell) -> None:
    server.usual = log = EventLog()
    events = [
        NewEvent(activity_id="a", type="note", scope=SCOPE, occurred_at=datetime.now(UTC), text=f"{number}")
        for number in range(3)
    ]
    answers = await memory.publish_batch(events)
    assert [answer.seq for answer in answers] == [1, 2, 3]
    assert log.texts == ["0", "1", "2"]
    assert all(log.events)
    assert {(sent.method, sent.path) for sent in server.sent} == {("POST", "/v1/events/batch")}
    with pytest.raises(InvalidInput, match="events"):
        await memory.publish_batch([])


async def test_memories_come_over_all_pages(server: Server, memory: Keepwell) -> None:
    server.script.extend(
        [
            Reply(200, {"memories": [fact()], "next": "page-2", "as_of": AT}),
            Reply(200, {"memories": [], "next": "page-3", "as_of": AT}),
            Reply(200, {"memories": [episode()], "next": None, "as_of": AT}),
        ]
    )
    facts = Condition(field="kind", op="ne", value="none")
    found = [each async for each in memory.memories(scope=SCOPE, filter=facts, page_size=1)]
    assert [type(each) for each in found] == [FactTold, EpisodeTold]
    asked = {"scope": SCOPE, "filter": facts.model_dump(), "limit": 1}
    assert [sent.body for sent in server.sent] == [
        asked,
        asked | {"cursor": "page-2"},
        asked | {"cursor": "page-3"},
    ]
    server.script.append(Reply(200, PAGE))
    assert len([each async for each in memory.memories(MemoryQuery(scope=SCOPE))]) == 2


async def test_what_waits_comes_over_all_pages(server: Server, memory: Keepwell) -> None:
    server.script.extend(
        [
            Reply(200, {"reviews": [], "next": "page-2"}),
            Reply(200, {"reviews": [review(waiting="a_word_of_tomorrow")], "next": None}),
        ]
    )
    found = [each async for each in memory.reviews(scope={}, page_size=1)]
    assert [each.waiting for each in found] == ["a_word_of_tomorrow"]
    assert [each.subject for each in found[0].heard] == ["sam"]
    assert [sent.body for sent in server.sent] == [
        {"scope": {}, "limit": 1},
        {"scope": {}, "limit": 1, "cursor": "page-2"},
    ]


async def test_an_acceptance_without_a_word_is_sent_under_a_key(server: Server, memory: Keepwell) -> None:
    server.script.append(Reply(200, outcome()))
    await memory.accept(MEMORY_ID)
    assert list(server.sent[0].body) == ["idempotency_key"]


async def test_a_service_that_is_not_ready_says_why(server: Server, memory: Keepwell) -> None:
    server.script.append(
        Reply(
            503, {"ready": False, "missing": [{"name": "temporal", "detail": "no answer", "required": True}]}
        )
    )
    told = await memory.readiness()
    assert not told.ready
    assert told.missing[0].name == "temporal"
    for other in (html(503), problem(503, "unavailable", retryable=True)):
        server.script.append(other)
        with pytest.raises(Unavailable):
            await memory.readiness()
    server.script.append(problem(503, "unavailable", retryable=True))
    with pytest.raises(Unavailable):
        await memory.health()
    assert len(server.sent) == 4, "a probe is asked once"


async def test_memories_about_oneself_come_over_all_pages(server: Server, memory: Keepwell) -> None:
    server.script.extend(
        [
            Reply(200, {"memories": [fact()], "next": "2", "as_of": AT}),
            Reply(200, {**PAGE, "memories": [fact()]}),
        ]
    )
    assert [type(each) async for each in memory.own_memories(page_size=1)] == [FactTold, FactTold]
    assert [sent.path for sent in server.sent] == [
        "/v1/me/memories?limit=1",
        "/v1/me/memories?limit=1&cursor=2",
    ]


async def test_an_export_is_handed_on_as_it_came(server: Server, memory: Keepwell) -> None:
    """What a newer service adds is in the document, and no part of the shape that this client knows."""
    newer = export(mood="calm")
    server.script.extend([Reply(200, newer), Reply(200, newer)])
    assert json.loads(await memory.export_document()) == newer
    assert (await memory.export()).subject == "dana"


async def test_an_id_cannot_lead_elsewhere(server: Server, memory: Keepwell) -> None:
    for bad in ("../keys", "", "not-a-uuid", f"{MEMORY_ID}/lineage"):
        with pytest.raises(InvalidInput, match="an id is a UUID"):
            await memory.memory(bad)
    for name in ("", ".", ".."):
        with pytest.raises(InvalidInput, match="the name of no class"):
            await memory.switch_off(name)
    assert server.sent == []


async def test_what_cannot_be_sent_is_an_error_of_the_one_tree(server: Server, memory: Keepwell) -> None:
    naive = datetime(2026, 3, 2)  # noqa: DTZ001 - that is what must be refused
    with pytest.raises(InvalidInput, match="occurred_at: a naive instant") as caught:
        await memory.publish(type="note", activity_id="a", scope={}, occurred_at=naive)
    assert caught.value.request_id is None
    with pytest.raises(InvalidInput, match="naive instant"):
        await memory.memory(MEMORY_ID, as_of=naive)
    with pytest.raises(InvalidInput, match="scope: is missing; add it"):
        await memory.recall(query="?")  # pyright: ignore[reportCallIssue] - that is what must be refused
    with pytest.raises(InvalidInput, match="moood: unknown field"):
        await memory.recall(scope={}, moood="calm")  # pyright: ignore[reportCallIssue] - that is what must be refused
    with pytest.raises(InvalidInput, match="either a RecallRequest or its fields"):
        await memory.recall(RecallRequest(scope={}), limit=3)  # pyright: ignore[reportCallIssue] - that is what must be refused
    assert server.sent == []
