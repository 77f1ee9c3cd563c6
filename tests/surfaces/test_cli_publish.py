"""`keepwell publish` and `keepwell import`: what goes in, and what is refused with nothing stored."""

import asyncio
import json
import re
from typing import Any
from uuid import uuid4

from tests.importing.samples import packed, sample
from tests.surfaces.terminal import CANARY, Terminal
from tests.world import World, event

DEVELOPER = ("--as", "human:sam", "--role", "developer")


def lines(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in events)


def ten_notes() -> list[dict[str, Any]]:
    return [
        event(number / 100, text=f"{CANARY} {number}", idempotency_key=f"note-{number}")
        for number in range(10)
    ]


async def is_empty(world: World) -> bool:
    """Whether nothing was stored before: the first event of an activity has the number 1."""
    [receipt] = await world.publish(world.agent, event(text="the first?", activity_id="act-1"))
    return receipt.seq == 1


async def test_events_of_a_file_go_in_and_sent_again_add_nothing(terminal: Terminal) -> None:
    content = lines(*ten_notes())
    (terminal.folder / "notes.jsonl").write_bytes(content)
    first = (await terminal.keepwell("publish", "notes.jsonl", *DEVELOPER)).said()
    assert re.fullmatch(
        r"10 events: 10 new, 0 known already, in 1 activity; \d+\.\d s\.\n(  event [0-9a-f-]{36}\n){10}",
        first,
    )
    again = await terminal.keepwell("publish", "-", "--json", *DEVELOPER, stdin=content)
    again.said()
    assert re.findall(r"event (\S+)", first) == again.json["event_ids"]
    assert (again.json["events"], again.json["new"], again.json["duplicates"]) == (10, 0, 10)
    assert len(again.json["activities"]) == 1


async def test_a_malformed_line_is_named_and_nothing_is_stored(terminal: Terminal, world: World) -> None:
    def with_seventh(line: bytes) -> bytes:
        good = lines(*ten_notes()).splitlines(keepends=True)
        return b"".join([*good[:6], line + b"\n", *good[7:]])

    seventh = event(text=CANARY)
    not_json, unknown_type, unknown_field, actor = await asyncio.gather(
        terminal.keepwell("publish", "-", stdin=with_seventh(f'{{"text": "{CANARY}'.encode())),
        terminal.keepwell(
            "publish", "-", stdin=with_seventh(json.dumps({**seventh, "type": CANARY}).encode())
        ),
        terminal.keepwell(
            "publish", "-", stdin=with_seventh(json.dumps({**seventh, "co\nlour": "red"}).encode())
        ),
        terminal.keepwell("publish", "-", stdin=with_seventh(json.dumps({**seventh, "actor": {}}).encode())),
    )
    not_json.refused(2, "line 7: ", "not JSON")
    unknown_type.refused(2, "line 7: type: ")
    unknown_field.refused(2, "line 7: ", "unknown field")
    actor.refused(2, "line 7: actor: ", "keepwell import events")
    assert await is_empty(world)


async def test_what_the_tenant_refuses_is_stored_nowhere(terminal: Terminal, world: World) -> None:
    note = lines(event(text=CANARY, idempotency_key="note"))
    (terminal.folder / "empty.jsonl").touch()
    stranger, role, speaker, empty, missing = await asyncio.gather(
        terminal.keepwell("publish", "-", "--tenant", "stranger", stdin=note),
        terminal.keepwell("publish", "-", "--as", "human:eve", "--role", "nobody", stdin=note),
        terminal.keepwell("publish", "-", "--as", "robot:eve", stdin=note),
        terminal.keepwell("publish", "empty.jsonl"),
        terminal.keepwell("publish", "missing.jsonl"),
    )
    stranger.refused(4, "unknown tenant; make it with: keepwell tenants add stranger")
    role.refused(3, "line 1: scope: ", "ask for one that does", "nothing is stored")
    speaker.refused(2, "--as: write it as human:NAME, agent:NAME or system:NAME")
    empty.refused(2, "no events")
    missing.refused(2, "missing.jsonl: cannot be read")
    assert await is_empty(world)


async def test_a_key_that_stands_for_something_else_is_a_conflict(terminal: Terminal, world: World) -> None:
    await world.publish(world.developer, event(text="as it was", idempotency_key="note-1"))
    changed = lines(event(text="a fresh one"), event(text=CANARY, idempotency_key="note-1"))
    refused = await terminal.keepwell("publish", "-", *DEVELOPER, stdin=changed)
    refused.refused(
        5, "line 2: idempotency_key: ", "give the new event a key of its own", "nothing is stored"
    )
    [receipt] = await world.publish(world.developer, event(text="the next"))
    assert receipt.seq == 2


async def test_an_import_lets_each_line_say_who_spoke(terminal: Terminal, world: World) -> None:
    lead = {"subject": "dana", "kind": "human", "roles": ["infra_lead"]}
    agent = {"subject": "ops-agent", "kind": "agent", "roles": ["agent"]}
    keep = "Keep gpu-bench-01 running until QA has migrated."
    content = lines(
        event(type="correction", text=keep, idempotency_key="said", actor=lead),
        event(0.1, type="activity_completed", idempotency_key="done", actor=agent),
        event(0.2, text="and the operator adds a note", idempotency_key="added"),
    )
    imported = await terminal.keepwell("import", "events", "-", "--json", stdin=content)
    imported.said()
    assert (imported.json["events"], imported.json["new"]) == (3, 3)
    [receipt] = await world.publish(world.lead, event(type="correction", text=keep, idempotency_key="said"))
    assert receipt.duplicate
    await world.digest([receipt])
    [fact] = (await world.recall(entities=("gpu-bench-01",))).required
    assert (fact.value, fact.authority_role) == ("keep running", "infra_lead")
    spoiled = content + lines(event(text=CANARY, actor={**lead, "kind": CANARY}))
    again, refused = await asyncio.gather(
        terminal.keepwell("import", "events", "-", stdin=content),
        terminal.keepwell("import", "events", "-", stdin=spoiled),
    )
    assert again.said().startswith("3 events: 0 new, 3 known already, in 1 activity; ")
    refused.refused(2, "line 4: actor.kind: ")


async def test_conversations_go_in_once(terminal: Terminal) -> None:
    name = f"talk-{uuid4().hex[:6]}"
    (terminal.folder / "talk.json").write_bytes(packed(sample(sample_id=name)))
    (terminal.folder / "broken.json").write_bytes(packed(sample(sample_id=name, conversation=CANARY)))
    first = await terminal.keepwell("import", "locomo", "talk.json")
    assert first.said().startswith("8 events: 8 new, 0 known already, in 2 activities; ")
    again, broken = await asyncio.gather(
        terminal.keepwell("import", "locomo", "talk.json", "--json"),
        terminal.keepwell("import", "locomo", "broken.json"),
    )
    again.said()
    assert (again.json["new"], again.json["duplicates"], len(again.json["activities"])) == (0, 8, 2)
    broken.refused(2, f"conversation 1 ({name}), conversation: is an object")


async def test_post_mortems_go_in_once_and_one_without_a_date_needs_an_instant(terminal: Terminal) -> None:
    folder = terminal.folder / "postmortems"
    folder.mkdir()
    front = f"uuid: {uuid4()}\nurl: https://example.com/queue\ntitle: Orders were late\ncompany: Example"
    (folder / "queue.md").write_text(f"---\n{front}\n---\n\n{CANARY}\n", encoding="utf-8")
    words = ("import", "postmortems", "postmortems", "--scope", "project=reliability", *DEVELOPER)
    (await terminal.keepwell(*words)).refused(2, "queue.md")
    first = await terminal.keepwell(*words, "--undated", "2026-03-02T09:00:00Z")
    assert first.said().startswith("3 events: 3 new, 0 known already, in 1 activity; ")
    again = await terminal.keepwell(*words, "--undated", "2026-03-02T09:00:00Z", "--json")
    again.said()
    assert (again.json["new"], again.json["duplicates"]) == (0, 3)


async def test_what_was_masked_is_said(terminal: Terminal) -> None:
    secret = event(text="the password is dragonfly-9931-Kx", idempotency_key="secret")
    said = (await terminal.keepwell("publish", "-", *DEVELOPER, stdin=lines(secret))).said()
    assert "Masked before it was stored: password." in said
    again = await terminal.keepwell(
        "publish", "-", "--json", *DEVELOPER, stdin=lines(secret, event(text="no"))
    )
    assert again.json["masked"] == ["password"]
    plain = await terminal.keepwell("publish", "-", *DEVELOPER, stdin=lines(event(text="nothing of it")))
    assert "Masked" not in plain.said()
