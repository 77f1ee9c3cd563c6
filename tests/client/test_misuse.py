"""Calls as somebody writes them who has not read the reference: taken as meant, or refused with the next step."""

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest
from keepwell import EntityMention, InvalidInput, Keepwell, KeepwellSync, RecallRequest
from keepwell.types import NewApiKey, Statement

from tests.client.answers import MEMORY_ID, EventLog, key, outcome, recalled
from tests.client.misbehaving import KEY, Reply, Server

SCOPE = {"workspace": "staging"}
SECRET = "the launch code is 0000"
NOTE = {"type": "note", "activity_id": "a", "scope": SCOPE, "text": "all quiet"}
EVIDENCE = str(uuid4())
TYPES = (
    "'activity_started', 'activity_completed', 'activity_failed', 'instruction', 'message', 'feedback', "
    "'correction', 'tool_call', 'tool_result', 'observation', 'verification_passed', 'verification_failed', "
    "'milestone' or 'note'"
)


@pytest.mark.parametrize(
    ("call", "answer", "body"),
    [
        (lambda m: m.recall({"scope": SCOPE, "query": "clean up"}), recalled(), {"query": "clean up"}),
        (lambda m: m.recall("clean up", scope=SCOPE), recalled(), {"query": "clean up"}),
        (
            lambda m: m.explain(MEMORY_ID, "clean up", scope=SCOPE),
            {
                "record_id": str(MEMORY_ID),
                "as_of": "2026-03-02T09:00:00+00:00",
                "included": False,
                "dropped_at": "scope",
                "checks": [],
            },
            {"query": "clean up"},
        ),
        (lambda m: m.retract(MEMORY_ID, "it was wrong"), outcome("retract"), {"text": "it was wrong"}),
        (lambda m: m.retract(MEMORY_ID, {"text": "it was wrong"}), outcome(), {"text": "it was wrong"}),
        (lambda m: m.correct(MEMORY_ID, {"value": "keep"}), outcome("supersede"), {"value": "keep"}),
        (lambda m: m.remember({"scope": {}, "attribute": "a", "value": "b"}), outcome(), {"value": "b"}),
        (
            lambda m: m.confirm(MEMORY_ID, {"evidence": EVIDENCE}),
            {"state": "accepted", "reason": ""},
            {"evidence": EVIDENCE},
        ),
        (
            lambda m: m.create_key({"name": "ci", "subject": "ci", "kind": "agent", "only": None}),
            {"key": key(), "token": "kw_x"},
            {"name": "ci"},
        ),
    ],
)
async def test_what_is_plain_is_taken(
    server: Server,
    memory: Keepwell,
    call: Callable[[Keepwell], Awaitable[Any]],
    answer: Any,
    body: dict[str, Any],
) -> None:
    server.script.append(Reply(200, answer))
    await call(memory)
    (sent,) = server.sent
    assert sent.body | body == sent.body


async def test_an_event_may_be_a_mapping(server: Server, memory: Keepwell) -> None:
    server.usual = log = EventLog()
    await memory.publish(NOTE)
    await memory.publish_batch([NOTE, {**NOTE, "occurred_at": "2026-03-02T09:00:00Z"}])
    first, second, third = log.events.values()
    assert first["text"] == second["text"] == "all quiet"
    assert first["occurred_at"] < second["occurred_at"]
    assert third["occurred_at"] == "2026-03-02T09:00:00Z"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: m.recall(7), 'give the fields by name, such as recall(scope={…}, query="clean up")'),
        (lambda m: m.recall("clean up"), "scope: is missing; add it"),
        (lambda m: m.recall("clean up", scope={}, query="?"), "query: is there twice; give it once"),
        (lambda m: m.recall({"scope": {}}, query="?"), "give either a RecallRequest or its fields"),
        (lambda m: m.recall(Statement(scope={}, attribute="a", value="b")), "neither a RecallRequest nor"),
        (lambda m: m.explain(MEMORY_ID, 7), 'such as explain(memory_id, scope={…}, query="clean up")'),
        (lambda m: m.publish(SECRET), 'such as publish(type="note", activity_id="…", scope={…}, text="…")'),
        (lambda m: m.publish({1: 2}), "activity_id: is missing; add it"),
        (lambda m: m.publish({**NOTE, SECRET: 1}), "…: unknown field; remove it or put it into data"),
        (lambda m: m.publish({**NOTE, "type": "notes"}), f"type: is unknown; it is one of {TYPES}"),
        (lambda m: m.publish({**NOTE, "scope": SECRET}), "scope: is not an object; send {…}"),
        (lambda m: m.publish({**NOTE, "entities": "db-1"}), "entities: "),
        (lambda m: m.publish_batch([NOTE, SECRET]), "item 2: what was given is neither a NewEvent"),
        (
            lambda m: m.publish_batch([NOTE, NOTE, {"type": "note"}]),
            "item 3: activity_id: is missing; add it",
        ),
        (lambda m: m.remember(SECRET), "such as remember(scope={…}, entity="),
        (lambda m: m.correct(MEMORY_ID, SECRET), "such as correct(memory_id, value="),
        (lambda m: m.retract(MEMORY_ID), "text: is missing; add it"),
        (lambda m: m.retract(MEMORY_ID, ["a"]), 'such as retract(memory_id, text="…")'),
        (lambda m: m.retract(MEMORY_ID, reason=SECRET), "reason: unknown field; remove it"),
        (lambda m: m.confirm(MEMORY_ID, SECRET), "evidence: is no UUID; send an id as it was answered"),
        (lambda m: m.confirm(MEMORY_ID, None), "evidence: is missing"),
        (lambda m: m.create_key("ci"), 'such as create_key(name="…", subject="…", kind="agent"'),
        (
            lambda m: m.create_key(name="ci", subject="ci", kind="robot"),
            "kind: is unknown; it is one of 'human'",
        ),
        (lambda m: m.memory_page("all"), "such as memory_page(scope={…})"),
        (lambda m: anext(m.memories("all")), "such as memories(scope={…})"),
        (lambda m: m.memory(None), "id: is no id; an id is a UUID"),
        (lambda m: anext(m.news(7)), "after: is not the id of a piece of news"),
        (lambda m: anext(m.news("zurück\n")), "after: is not the id of a piece of news"),
    ],
)
async def test_what_is_not_is_refused_with_the_next_step(
    server: Server, memory: Keepwell, call: Callable[[Any], Awaitable[Any]], said: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        await call(memory)
    assert said in str(caught.value)
    assert SECRET not in str(caught.value)
    assert server.sent == []


def test_it_is_the_same_without_a_loop() -> None:
    with KeepwellSync(KEY, "http://127.0.0.1:1") as memory:
        with pytest.raises(InvalidInput, match="neither a NewEvent nor a mapping"):
            memory.publish("hello")  # pyright: ignore[reportArgumentType, reportCallIssue] - that is what must be refused
        ticket = memory.put({"type": "notes"})
        with pytest.raises(InvalidInput, match="is missing"):
            ticket.durable(5)


async def test_what_is_ready_stays_as_it_is(server: Server, memory: Keepwell) -> None:
    server.script.extend([Reply(200, recalled()), Reply(201, {"key": key(), "token": "kw_x"})])
    await memory.recall(RecallRequest(scope={}))
    await memory.create_key(NewApiKey(name="ci", subject="ci", kind="agent"))
    assert [sent.body for sent in server.sent] == [
        {"scope": {}},
        {"name": "ci", "subject": "ci", "kind": "agent"},
    ]


async def test_an_entity_may_be_a_mere_text(server: Server, memory: Keepwell) -> None:
    server.usual = log = EventLog()
    await memory.publish(
        type="note",
        activity_id="a",
        scope=SCOPE,
        entities=[
            "gpu-bench-01",
            "service:checkout-api",
            "10:30 train",
            EntityMention(id="host:a", name="a"),
        ],
    )
    (event,) = log.events.values()
    assert event["entities"] == [
        {"name": "gpu-bench-01"},
        {"id": "service:checkout-api"},
        {"name": "10:30 train"},
        {"id": "host:a", "name": "a"},
    ]
    with pytest.raises(InvalidInput, match=r"entities\.0\.name"):
        await memory.publish({**NOTE, "entities": [" "]})
