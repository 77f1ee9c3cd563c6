"""Importing post-mortems: what they tell is material, and only a lesson that a team gives is anybody's word."""

import asyncio
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import pytest

from models.authority import Authority
from models.errors import Conflict, InvalidInput, NotFound
from models.events import EventType, StoredEvent
from models.procedure_queries import ProposalQuery
from store import events as event_log
from surfaces.importing.postmortems import (
    PART,
    import_postmortems,
    instant_of,
    parse_postmortem,
    parts,
    planned_events,
    read_postmortems,
)
from tests.world import World

DATA = Path(os.environ.get("KEEPWELL_DATA", Path(__file__).parents[3] / "shared" / "data"))
PUBLIC = DATA / "postmortems" / "data"
SCOPE = {"project": "reliability"}
SPACE = UUID("b8b0b3b2-4a57-4c52-8a55-5d0f4e0a7a11")
WHEN = datetime(2026, 3, 2, 9, tzinfo=UTC)


def _written(number: int = 1, body: str = "The queue filled up.", **fields: str) -> str:
    front = {
        "uuid": str(uuid5(SPACE, str(number))),
        "url": f"https://example.com/{number}",
        "title": "Orders were late",
        "start_time": "2026-03-02T09:00:00Z",
        "end_time": "2026-03-02T11:30:00+01:00",
        "company": "Example Ltd.",
        "product": "Order Queue",
        "categories": "[cloud]",
        "keywords": "[queue, backlog]",
        **fields,
    }
    return (
        "---\n" + "".join(f"{name}: {value}\n" for name, value in front.items() if value) + f"---\n\n{body}\n"
    )


def _folder(folder: Path, *files: str) -> Path:
    for number, text in enumerate(files, 1):
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    return folder


async def _events(world: World, activity: UUID) -> list[StoredEvent]:
    async with world.database.transaction(world.agent.tenant_id) as work:
        return list(await event_log.of_activity(work, activity))


async def test_a_file_becomes_an_episode_of_material_that_nobody_vouches_for(
    world: World, tmp_path: Path
) -> None:
    folder = _folder(tmp_path, _written())
    steps: list[tuple[int, int | None]] = []

    def progress(done: int, total: int | None) -> None:
        steps.append((done, total))

    done = await import_postmortems(world.service, world.lead, folder, SCOPE, on_progress=progress)
    assert (done.events, done.new, len(done.activities), steps) == (3, 3, 1, [(0, None), (3, 3)])
    told, kept, end = await _events(world, done.activities[0])
    assert (told.type, told.authority) == (EventType.TOOL_RESULT, Authority.UNTRUSTED)
    assert told.text == "Orders were late\n\nThe queue filled up."
    assert [each.id for each in told.entities] == ["product:order-queue", "company:example-ltd"]
    assert told.data["categories"] == ["cloud"]
    assert told.data["keywords"] == ["queue", "backlog"]
    assert told.data["url"] == told.evidence_ref == "https://example.com/1"
    assert told.occurred_at == WHEN
    assert (kept.type, kept.text) == (EventType.MILESTONE, None)
    assert (end.type, end.occurred_at) == (
        EventType.ACTIVITY_COMPLETED,
        WHEN + timedelta(minutes=90, milliseconds=2),
    )
    await asyncio.wait_for(world.service.settle(world.lead, done.activities), 60)
    episode = await world.service.episode_of(world.lead, done.activities[0])
    assert episode is not None
    assert episode.activity == str(uuid5(SPACE, "1"))


async def test_importing_twice_adds_nothing_and_a_changed_file_is_named(world: World, tmp_path: Path) -> None:
    folder = _folder(tmp_path, _written(1, lesson="Watch the depth."), _written(2))
    first = await import_postmortems(world.service, world.lead, folder, SCOPE)
    second = await import_postmortems(world.service, world.lead, folder, SCOPE)
    assert (first.new, first.duplicates, second.new, second.duplicates) == (7, 0, 0, 7)
    assert second.activities == first.activities
    _folder(tmp_path, _written(1, lesson="Watch the depth."), _written(2, "It was the disk."))
    with pytest.raises(Conflict, match=r"2\.md, idempotency_key: .*not doubled"):
        await import_postmortems(world.service, world.lead, folder, SCOPE)


async def test_what_a_team_vouches_for_is_proposed_and_prose_never_is(world: World, tmp_path: Path) -> None:
    vouched = {
        "lesson": "Drain the queue before the deploy.",
        "failure": "backlog",
        "resolution": "drain-first",
    }
    days = [datetime.now(UTC) - timedelta(days=30 - 3 * number) for number in range(6)]
    dated = [
        {"start_time": day.isoformat(), "end_time": (day + timedelta(hours=1)).isoformat()} for day in days
    ]
    files = [
        *(_written(number, task_class="deploy_orders", **vouched, **dated[number]) for number in range(3)),
        *(_written(number, "Always drain the queue first.", **dated[number]) for number in range(3, 6)),
    ]
    done = await import_postmortems(world.service, world.lead, _folder(tmp_path, *files), SCOPE)
    await asyncio.wait_for(world.service.settle(world.lead, done.activities), 60)
    told = await _events(world, done.activities[0])
    lesson = next(each for each in told if each.type is EventType.CORRECTION)
    assert (lesson.speaker.subject, lesson.authority) == ("dana", Authority.HUMAN_INSTRUCTION)
    assert lesson.data == {"failure": "backlog", "resolution": "drain-first", "task_class": "deploy_orders"}
    await world.service.deciding.reflect(world.lead)
    page = await world.service.playbooks.proposals(world.lead, ProposalQuery(scope={}, limit=200))
    (proposal,) = [proposal for proposal, _ in page.proposals]
    assert [step.do for step in proposal.content.steps] == ["Drain the queue before the deploy."]
    read = await world.service.playbooks.proposal(world.lead, proposal.id)
    named = {str(uuid5(SPACE, str(number))) for number in range(3)}
    assert {each.activity for each in read.episodes if each.id in set(proposal.episodes)} == named


BAD: list[tuple[str, str, str]] = [
    ("no front matter", "The queue filled up. secretword", "front matter"),
    ("not closed", "---\nuuid: secretword\n", "front matter"),
    ("not YAML", "---\nuuid: [secretword\n---\nIt broke.\n", "front matter"),
    ("a name twice", "---\nsecretword: 1\nsecretword: 2\n---\nIt broke.\n", "front matter"),
    ("a list", "---\n- secretword\n---\nIt broke.\n", "front matter"),
    ("no uuid", _written(uuid=""), "uuid"),
    ("a uuid that is none", _written(uuid="secretword"), "uuid"),
    ("a start that is no instant", _written(start_time="secretword"), "start_time"),
    ("a start without an offset", _written(start_time="2026-03-02T09:00:00"), "start_time"),
    ("a day alone", _written(start_time="2026-03-02"), "start_time"),
    ("a month that is none", _written(start_time="2026-13-02T09:00:00Z"), "start_time"),
    ("an end that is broken", _written(end_time="secretword"), "end_time"),
    ("an end before the start", _written(end_time="2026-03-01T09:00:00Z"), "end_time"),
    ("another date that is broken", _written(source_fetched_at="secretword"), "source_fetched_at"),
    ("no date", _written(start_time="", end_time=""), "start_time"),
    ("a company that is no text", _written(company="[secretword]"), "company"),
    ("a product that is too long", _written(product="secretword" * 30), "product"),
    ("categories that are no list", _written(categories="secretword"), "categories"),
    ("keywords with a mapping", _written(keywords="[{a: secretword}]"), "keywords"),
    ("a code without a lesson", _written(failure="secretword"), "failure"),
    ("a lesson that is a list", _written(lesson="[secretword]"), "lesson"),
    ("nothing told", _written(title="", body=""), "summary"),
]


@pytest.mark.parametrize(("text", "field"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_malformed_file_is_named_with_its_field_and_not_quoted(text: str, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_postmortem("late.md", text.encode())
    assert refused.value.field == f"late.md, {field}"
    assert "secretword" not in str(refused.value)


def test_bytes_that_are_no_text_and_an_event_in_the_future(tmp_path: Path, world: World) -> None:
    with pytest.raises(InvalidInput, match=r"late\.md, file: is not UTF-8"):
        parse_postmortem("late.md", b"---\nuuid: \xff\n---\n")
    told = parse_postmortem("late.md", _written(end_time="").encode())
    with pytest.raises(InvalidInput, match=r"late\.md, occurred_at: lies in the future"):
        planned_events(told, world.lead, SCOPE, WHEN - timedelta(days=1))


@pytest.mark.parametrize(
    ("dates", "started"),
    [
        ({"start_time": "", "source_published_at": "2026-03-04T00:00:00Z"}, "2026-03-04T00:00:00Z"),
        (
            {
                "start_time": "",
                "source_published_at": "2026-03-05T00:00:00Z",
                "source_fetched_at": "2026-04-01T00:00:00Z",
            },
            "2026-03-05T00:00:00Z",
        ),
        ({"start_time": "''", "source_fetched_at": "2026-04-01T00:00:00Z"}, "2026-04-01T00:00:00Z"),
        ({"start_time": ""}, "2020-01-01T00:00:00Z"),
    ],
)
def test_a_file_without_a_start_takes_the_next_date_that_it_has(dates: dict[str, str], started: str) -> None:
    undated = instant_of("2020-01-01T00:00:00Z", "--undated")
    told = parse_postmortem("late.md", _written(1, **{"end_time": "", **dates}).encode(), undated)
    assert told.started_at == told.ended_at == instant_of(started, "started")


async def test_nothing_is_stored_where_the_last_file_is_malformed(world: World, tmp_path: Path) -> None:
    folder = _folder(tmp_path, _written(1), _written(2, start_time="soon"))
    with pytest.raises(InvalidInput, match=r"2\.md, start_time"):
        await import_postmortems(world.service, world.lead, folder, SCOPE)
    _folder(tmp_path, _written(1), _written(1))
    with pytest.raises(InvalidInput, match=r"2\.md, uuid: stands in 1\.md as well"):
        await import_postmortems(world.service, world.lead, folder, SCOPE)
    _folder(tmp_path, _written(1), _written(2))
    done = await import_postmortems(world.service, world.lead, folder, SCOPE)
    assert (done.new, done.duplicates) == (6, 0)


async def test_a_folder_without_files_and_a_tenant_that_is_not_there(world: World, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no post-mortems"):
        await import_postmortems(world.service, world.lead, tmp_path, SCOPE)
    stranger: Any = world.lead.model_copy(update={"tenant": "nobody-made-this"})
    with pytest.raises(NotFound, match="keepwell tenants add"):
        await import_postmortems(world.service, stranger, _folder(tmp_path, _written()), SCOPE)


@pytest.mark.parametrize(
    "text",
    ["", "short", "a" * PART, "a" * (2 * PART + 1), "ä\n\n" * PART, "\n\n" + "b" * PART, "\x01" * (3 * PART)],
    ids=["none", "short", "just one", "no paragraph", "paragraphs", "one at the start", "escaped"],
)
def test_what_is_long_is_divided_and_nothing_of_it_is_lost(text: str) -> None:
    divided = list(parts(text))
    assert "".join(divided) == text
    assert all(0 < len(part) <= PART for part in divided)


async def test_a_long_file_is_stored_whole(world: World, tmp_path: Path) -> None:
    body = "\n\n".join(f"Minute {number}: the queue grew by “{number}”." for number in range(20_000))
    done = await import_postmortems(world.service, world.lead, _folder(tmp_path, _written(body=body)), SCOPE)
    stored = await _events(world, done.activities[0])
    assert len(stored) == done.events > 20
    assert "".join(each.text or "" for each in stored) == f"Orders were late\n\n{body}"


async def test_the_public_post_mortems(world: World) -> None:
    if not PUBLIC.is_dir():
        pytest.skip(f"no post-mortems at {PUBLIC}; set KEEPWELL_DATA to the folder that has postmortems/")
    undated = instant_of("2020-01-01T00:00:00Z", "--undated")
    found = read_postmortems(PUBLIC, undated)
    assert all(each.lesson is None for each in found)
    done = await import_postmortems(world.service, world.lead, PUBLIC, SCOPE, undated)
    assert (len(done.activities), done.new) == (len(found), done.events)
    again = await import_postmortems(world.service, world.lead, PUBLIC, SCOPE, undated)
    assert again.new == 0
    await asyncio.wait_for(world.service.settle(world.lead, done.activities), 300)
    kept = [await world.service.episode_of(world.lead, activity) for activity in done.activities]
    assert None not in kept
    await world.service.deciding.reflect(world.lead)
    page = await world.service.playbooks.proposals(world.lead, ProposalQuery(scope={}, limit=200))
    assert not page.proposals
