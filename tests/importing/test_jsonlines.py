"""Importing events as JSON lines: all lines are checked before the first is stored."""

import io
import json
import sys
from pathlib import Path

import pytest

from models.errors import Conflict, InvalidInput, NotPermitted, TooLarge
from models.events import MAX_BATCH
from store import events as event_log
from surfaces.importing.jsonlines import MAX_LINE_BYTES, import_events
from surfaces.importing.report import ImportReport
from tests.importing.samples import line
from tests.world import World

LEAD = {"subject": "dana", "kind": "human", "roles": ["infra_lead"]}
AGENT = {"subject": "ops-agent", "kind": "agent", "roles": ["agent"]}


async def _import(world: World, *lines: bytes, actors: bool = False, end: bytes = b"\n") -> ImportReport:
    return await import_events(
        world.service, world.agent, io.BytesIO(end.join(lines) + end), actors_allowed=actors
    )


async def _is_empty(world: World) -> bool:
    """Whether the activity `act-1` has no event, as the next one is its first."""
    [receipt] = await world.publish(world.agent, json.loads(line()))
    return receipt.seq == 1


async def test_lines_are_published_in_order_and_reported(world: World, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"\n".join([line(text="one"), line(text="two"), line(activity_id="act-2")]))
    steps: list[tuple[int, int | None]] = []
    report = await import_events(
        world.service, world.agent, path, actors_allowed=False, on_progress=lambda *step: steps.append(step)
    )
    assert (report.events, report.new, report.duplicates, len(report.activities)) == (3, 3, 0, 2)
    assert steps == [(0, None), (0, 3), (3, 3)]
    async with world.database.transaction(world.agent.tenant_id) as work:
        stored = await event_log.of_activity(work, report.activities[0])
    assert [event.text for event in stored] == ["one", "two"]


async def test_a_malformed_seventh_line_is_named_and_nothing_is_stored(world: World) -> None:
    lines = [line(text=f"line {number}") for number in range(1, 11)]
    lines[6] = lines[6][:-5]
    with pytest.raises(InvalidInput) as refused:
        await _import(world, *lines)
    assert refused.value.position == 7
    assert "not JSON" in refused.value.message
    assert await _is_empty(world)


@pytest.mark.parametrize(
    ("broken", "field", "what"),
    [
        (b"{", None, "not JSON at column 2"),
        (b"[]", None, "not an object"),
        (b'"text"', None, "not an object"),
        (b"\xff{}", None, "not UTF-8 at byte 1"),
        (line()[:-1] + b', "type": "note"}', "type", "given twice"),
        (line(data={"x": 1})[:-2] + b', "x": 2}}', "x", "given twice"),
        (line()[:-1] + b', "data": {"x": NaN}}', None, "NaN is no JSON number"),
        (line()[:-1] + b', "data": {"x": 1e999}}', None, "JSON cannot carry"),
        (b'{"data": ' + b"[" * 100_000, None, "nested too deeply"),
        (line() + line(), None, "extra data"),
        (line(type="gossip"), "type", "is unknown; it is one of"),
        (line(occurred_at="2026-03-02T09:00:00"), "occurred_at", "naive instant"),
        (line(occurred_at="2090-03-02T09:00:00Z"), "occurred_at", "future"),
        (line(colour="red"), "colour", "unknown field"),
        (line(data={"candidates": 7}), "data.candidates", "list of candidates"),
        (line(actor=LEAD), "actor", "keepwell import events"),
        (line(text="x" * 300_000), None, "bytes of 262,144"),
        (b" " * (MAX_LINE_BYTES + 1), None, "on one line"),
    ],
)
async def test_whatever_is_wrong_is_found_before_anything_is_stored(
    world: World, broken: bytes, field: str | None, what: str
) -> None:
    with pytest.raises((InvalidInput, TooLarge)) as refused:
        await _import(world, line(), b"", broken)
    assert (refused.value.position, refused.value.field) == (3, field)
    assert what in refused.value.message
    assert await _is_empty(world)


async def test_a_mark_windows_line_ends_and_blank_lines_are_no_events(world: World) -> None:
    report = await _import(
        world, b"\xef\xbb\xbf" + line(text="one"), b"", b"  ", line(text="two"), end=b"\r\n"
    )
    assert report.new == 2


async def test_a_line_of_the_greatest_length_is_taken(world: World) -> None:
    padded = line() + b" " * (MAX_LINE_BYTES - len(line()))
    for end in (b"\n", b"\r\n"):
        assert (await _import(world, padded, end=end)).new == 1
    assert (
        await import_events(world.service, world.agent, io.BytesIO(padded), actors_allowed=False)
    ).new == 1


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf"])
async def test_an_input_without_events_is_refused(world: World, data: bytes) -> None:
    with pytest.raises(InvalidInput, match="no events"):
        await import_events(world.service, world.agent, io.BytesIO(data), actors_allowed=False)


async def test_a_file_that_cannot_be_read_is_named(world: World, tmp_path: Path) -> None:
    for path in (tmp_path / "absent.jsonl", tmp_path):
        with pytest.raises(InvalidInput, match="cannot be read"):
            await import_events(world.service, world.agent, path, actors_allowed=False)


async def test_standard_input_is_read_where_the_path_is_a_dash(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line(text="piped"))))
    report = await import_events(world.service, world.agent, Path("-"), actors_allowed=False)
    assert report.new == 1


async def test_events_with_keys_are_imported_once(world: World) -> None:
    lines = [line(text=f"{number}", idempotency_key=f"k-{number}") for number in range(3)]
    first = await _import(world, *lines)
    second = await _import(world, *lines, lines[0])
    assert (first.new, second.new, second.duplicates) == (3, 0, 4)
    assert second.activities == first.activities


async def test_a_line_may_say_who_spoke_where_the_importer_allows_it(world: World) -> None:
    report = await _import(
        world,
        line(text="Keep gpu-bench-01 running until QA migrates.", actor=LEAD),
        line(text="Noted.", actor=AGENT),
        line(text="By whoever imports."),
        actors=True,
    )
    async with world.database.transaction(world.agent.tenant_id) as work:
        stored = await event_log.of_activity(work, report.activities[0])
    assert [(event.speaker.subject, event.speaker.kind.value, event.speaker.roles) for event in stored] == [
        ("dana", "human", ("infra_lead",)),
        ("ops-agent", "agent", ("agent",)),
        ("ops-agent", "agent", ("agent",)),
    ]


@pytest.mark.parametrize(
    ("actor", "field"),
    [
        (None, "actor"),
        ("dana", "actor"),
        ({"kind": "human"}, "actor.subject"),
        ({"subject": "dana"}, "actor.kind"),
        ({"subject": "dana", "kind": "robot"}, "actor.kind"),
        ({"subject": "", "kind": "human"}, "actor.subject"),
        ({"subject": " ", "kind": "human"}, "actor.subject"),
        ({"subject": "da\x00na", "kind": "human"}, "actor.subject"),
        ({"subject": "da\ud800na", "kind": "human"}, "actor.subject"),
        ({"subject": "dana", "kind": "human", "roles": "infra_lead"}, "actor.roles"),
        ({"subject": "dana", "kind": "human", "roles": ["a\x00"]}, "actor.roles.0"),
        ({"subject": "dana", "kind": "human", "tenant": "other"}, "actor.tenant"),
    ],
)
async def test_an_actor_that_cannot_be_read_is_refused(world: World, actor: object, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await _import(world, line(), line(actor=actor), actors=True)
    assert (refused.value.position, refused.value.field) == (2, field)
    assert await _is_empty(world)


async def test_what_only_the_store_can_tell_leaves_the_earlier_batches(world: World) -> None:
    first = [line(text=f"{number}", idempotency_key=f"k-{number}") for number in range(MAX_BATCH)]
    refused_line = line(scope={"user": "somebody-else"}, idempotency_key="last")
    with pytest.raises(NotPermitted) as refused:
        await _import(world, *first, refused_line)
    assert refused.value.position == MAX_BATCH + 1
    assert "the 1,000 events up to line 1000 are stored" in refused.value.message
    assert refused.value.message.endswith("sending it all again doubles nothing")
    mended = await _import(world, *first, line(idempotency_key="last"))
    assert (mended.new, mended.duplicates) == (1, MAX_BATCH)


async def test_events_without_a_key_are_counted_where_sending_again_would_double_them(world: World) -> None:
    lines = [line(actor=LEAD), line(actor=LEAD, idempotency_key="k"), line(scope={"team": "x"}, actor=AGENT)]
    with pytest.raises(NotPermitted) as refused:
        await _import(world, *lines, actors=True)
    assert refused.value.position == 3
    assert "would double 1, which have no idempotency_key" in refused.value.message


async def test_a_batch_goes_in_whole_or_not_at_all(world: World) -> None:
    with pytest.raises(Conflict) as refused:
        await _import(world, line(idempotency_key="k", text="one"), line(idempotency_key="k", text="two"))
    assert (refused.value.position, refused.value.field) == (2, "idempotency_key")
    assert refused.value.message.endswith("nothing is stored")
    assert await _is_empty(world)


class _BrokenPipe(io.BytesIO):
    def readline(self, size: int | None = -1) -> bytes:
        if self.tell():
            raise BrokenPipeError
        return super().readline(size)


async def test_an_input_that_breaks_off_stores_nothing(world: World) -> None:
    broken = _BrokenPipe(line() + b"\n" + line())
    with pytest.raises(InvalidInput) as refused:
        await import_events(world.service, world.agent, broken, actors_allowed=False)
    assert (refused.value.position, refused.value.message) == (2, "the input breaks off here; send it again")
    assert await _is_empty(world)
