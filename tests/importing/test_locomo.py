"""Importing conversations into the service."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from models.errors import Conflict, InvalidInput, NotFound
from models.recall import RecallRequest
from runtime.service import Service
from store import events as event_log
from surfaces.importing.conversations import parse_conversations
from surfaces.importing.locomo import import_conversations, import_locomo
from tests.importing.samples import packed, sample
from tests.world import World

DATA = Path(os.environ.get("KEEPWELL_DATA", Path(__file__).parents[3] / "shared" / "data"))
LOCOMO = DATA / "locomo" / "locomo10.json"


def _file(folder: Path, *samples: dict[str, Any]) -> Path:
    path = folder / "talks.json"
    path.write_bytes(packed(*samples))
    return path


async def test_a_session_becomes_an_episode_that_is_found_by_its_words(world: World, tmp_path: Path) -> None:
    steps: list[tuple[int, int | None]] = []
    path = _file(tmp_path, sample())
    report = await import_locomo(world.service, world.tenant, path, lambda *step: steps.append(step))
    assert (report.events, report.new, report.duplicates, len(report.activities)) == (8, 8, 0, 2)
    assert steps == [(0, None), (4, 8), (6, 8), (8, 8)]
    await asyncio.wait_for(world.service.settle(world.agent, report.activities), 60)
    episode = await world.service.episode_of(world.agent, report.activities[0])
    assert episode is not None
    assert (episode.activity, episode.execution_status) == ("locomo/talk-1/session_1", "completed")
    asked = RecallRequest(scope={"conversation": "talk-1"}, query="Which glaze first, cobalt or celadon?")
    answer = await world.service.recall(world.agent, asked)
    assert {passage.text for passage in answer.passages} == {
        "Ada: The kiln arrived at the pottery.\nBen: Which glaze goes first?",
        "Ada: The cobalt one. [image: a blue bowl]",
        "Ada: Then celadon.",
    }


async def test_importing_twice_adds_nothing(world: World, tmp_path: Path) -> None:
    path = _file(tmp_path, sample(), sample(sample_id="talk-2"))
    first = await import_locomo(world.service, world.tenant, path)
    second = await import_locomo(world.service, world.tenant, path)
    assert (first.new, first.duplicates) == (16, 0)
    assert (second.new, second.duplicates) == (0, 16)
    assert second.activities == first.activities
    assert await _stored(world, first.activities) == 16


async def test_an_import_that_was_cut_off_is_completed_by_the_next(world: World) -> None:
    talks = parse_conversations(packed(sample(), sample(sample_id="talk-2")))
    await import_conversations(world.service, world.tenant, talks[:1])
    both = await import_conversations(world.service, world.tenant, talks)
    assert (both.report.new, both.report.duplicates) == (8, 8)
    assert len(both.event_ids) == 12


async def test_a_turn_that_was_changed_since_is_named_and_not_rewritten(world: World, tmp_path: Path) -> None:
    await import_locomo(world.service, world.tenant, _file(tmp_path, sample()))
    changed = sample()
    changed["conversation"]["session_2"][0]["text"] = "Nothing cracked."
    with pytest.raises(Conflict, match=r"talk-1, session_2, turn D2:1, idempotency_key: .* not doubled"):
        await import_locomo(world.service, world.tenant, _file(tmp_path, changed))


async def test_nothing_is_stored_of_a_file_whose_last_turn_is_malformed(world: World, tmp_path: Path) -> None:
    broken = sample(sample_id="talk-2")
    broken["conversation"]["session_2"][1] = {"speaker": "Ada"}
    with pytest.raises(InvalidInput, match=r"conversation 2 \(talk-2\), session_2, turn 2"):
        await import_locomo(world.service, world.tenant, _file(tmp_path, sample(), broken))
    report = await import_locomo(world.service, world.tenant, _file(tmp_path, sample()))
    assert report.new == 8


async def test_a_missing_file_a_bad_tenant_and_an_unknown_one(service: Service, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        await import_locomo(service, "default", tmp_path / "absent.json")
    path = _file(tmp_path, sample())
    with pytest.raises(InvalidInput, match="tenant"):
        await import_locomo(service, "No Tenant!", path)
    with pytest.raises(NotFound, match="keepwell tenants add"):
        await import_locomo(service, "nobody-made-this", path)


async def test_the_first_sessions_of_a_real_conversation(world: World, tmp_path: Path) -> None:
    if not LOCOMO.is_file():
        pytest.skip(f"the LoCoMo data is not at {LOCOMO}; set KEEPWELL_DATA to the folder that has locomo/")
    conversation = json.loads(LOCOMO.read_bytes())[0]
    kept = {f"session_{number}{end}" for number in (1, 2, 3) for end in ("", "_date_time")}
    talk = {key: value for key, value in conversation["conversation"].items() if key in kept}
    turns = sum(len(value) for value in talk.values() if isinstance(value, list))
    path = _file(tmp_path, {"sample_id": conversation["sample_id"], "conversation": talk})
    report = await import_locomo(world.service, world.tenant, path)
    assert (report.events, report.new, len(report.activities)) == (turns + 3, turns + 3, 3)
    await asyncio.wait_for(world.service.settle(world.agent, report.activities), 60)
    for activity in report.activities:
        assert await world.service.episode_of(world.agent, activity) is not None


async def _stored(world: World, activities: Any) -> int:
    async with world.database.transaction(world.agent.tenant_id) as work:
        return sum([len(await event_log.of_activity(work, activity)) for activity in activities])
