"""`keepwell recall`, `explain` and `history`: what comes back, why, and since when."""

import asyncio
import json
from typing import NamedTuple
from uuid import UUID, uuid4

import pytest

from models.explanation import Step
from models.recall import RecallAnswer
from runtime.service import Service
from store.engine import Database
from tests.surfaces.terminal import CANARY, Ended, Terminal
from tests.world import MONDAY, SERVER, World, event

HERE = ("--scope", "workspace=staging-cloud")
ELSEWHERE = ("--scope", "workspace=production")
BENCH = ("--entity", SERVER["id"])
TOLD = "Keep gpu-bench-01 reserved through the final benchmark instead of waiting for the migration."
MARKED = "[bold]tile[/bold] :bug: \x1b[31m kiln \x1b[0m \x9b1m 7731 \\"


class Told(NamedTuple):
    """A tenant that was told to keep a machine running, and not to, and something about a kiln."""

    world: World
    first: UUID
    fact: UUID
    episode: UUID
    answer: RecallAnswer


@pytest.fixture(scope="module")
async def told(service: Service, database: Database) -> Told:
    world = World(service, database, f"tenant-{uuid4().hex[:12]}")
    await service.add_tenant(world.lead)
    keep = await world.publish(
        world.lead,
        event(
            -3, type="correction", text="Keep gpu-bench-01 running until QA has migrated.", entities=[SERVER]
        ),
    )
    await world.digest(keep)
    kiln = await world.publish(
        world.agent,
        event(-1, activity_id="act-0", text=MARKED),
        event(-0.9, activity_id="act-0", type="activity_completed"),
    )
    await world.say(world.lead, TOLD, activity_id="act-2", entities=[SERVER])
    await world.digest(kiln)
    answer = await world.recall(query="kiln", entities=(SERVER["id"],))
    lives = await world.service.history_of_fact(world.lead, answer.required[0].id)
    [episode] = {passage.episode_id for passage in answer.passages if "kiln" in passage.text}
    return Told(world, lives[0].fact.id, answer.required[0].id, episode, answer)


@pytest.fixture
def tenant(told: Told) -> str:
    return told.world.tenant


def asked(ended: Ended) -> RecallAnswer:
    ended.said()
    return RecallAnswer.model_validate(ended.json)


async def test_what_must_be_heeded_comes_first_for_people_and_programs(
    terminal: Terminal, told: Told
) -> None:
    human, program, by_agent = await asyncio.gather(
        terminal.keepwell("recall", "kiln", *HERE, *BENCH),
        terminal.keepwell("recall", "kiln", *HERE, *BENCH, "--json"),
        terminal.keepwell(
            "recall",
            "kiln",
            *HERE,
            "--json",
            KEEPWELL_AS="agent:ops-agent",
            KEEPWELL_ROLES="agent participant",
        ),
    )
    lines = human.said().splitlines()
    assert lines[0] == f"must heed {told.answer.required[0].text}"
    assert lines[1].startswith(f"  fact {told.fact} · restriction_on_entity_in_play")
    assert lines[1].endswith(" · 1 source")
    assert any(line.startswith("2026-03-01 ") and "[bold]tile[/bold] :bug:" in line for line in lines)
    assert any(f"episode {told.episode} · keywords" in line for line in lines)
    assert lines[-1].startswith(f"{told.answer.tokens} tokens; 0 left out; as of ")
    answer = asked(program)
    assert (answer.facts, answer.passages) == (told.answer.facts, told.answer.passages)
    assert [passage.episode_id for passage in asked(by_agent).passages] == [told.episode]


async def test_what_holds_of_the_scope_itself_is_said_to(terminal: Terminal) -> None:
    lead = ("--as", "human:dana", "--role", "infra_lead")
    here = ("--scope", f"workspace={uuid4()}")
    for attribute, entity in (("owner", ()), ("uses", ("--entity", "lathe"))):
        (await terminal.keepwell("remember", attribute, "Ana's team", *entity, *here, *lead)).said()
    said = (await terminal.keepwell("recall", "Ana's team", *here)).said().splitlines()
    assert sorted(line.partition(" = ")[0] for line in said if " = " in line) == [
        "lathe: uses",
        "this scope: owner",
    ]


async def test_content_neither_steers_the_terminal_nor_is_taken_for_markup(
    terminal: Terminal, told: Told
) -> None:
    said = (await terminal.keepwell("recall", "kiln", *HERE)).said()
    assert "[bold]tile[/bold] :bug: \ufffd[31m kiln \ufffd[0m \ufffd1m 7731 \\\n" in said


async def test_what_does_not_apply_does_not_come_back(terminal: Terminal, told: Told) -> None:
    elsewhere, before, whole_tenant = await asyncio.gather(
        terminal.keepwell("recall", "kiln", *ELSEWHERE, *BENCH),
        terminal.keepwell("recall", *HERE, *BENCH, "--as-of", MONDAY.replace(day=1).isoformat(), "--json"),
        terminal.keepwell("recall", "kiln", "--scope", "{}", *BENCH),
    )
    assert elsewhere.said().startswith("Nothing that applies.\n0 tokens; 0 left out; as of ")
    assert [fact.id for fact in asked(before).required] == [told.first]
    assert whole_tenant.said().startswith("Nothing that applies.\n")


async def test_a_budget_that_is_too_small_is_said_to_be(terminal: Terminal, told: Told) -> None:
    human, program = await asyncio.gather(
        terminal.keepwell("recall", "kiln", *HERE, *BENCH, "--budget", 5),
        terminal.keepwell("recall", "kiln", *HERE, *BENCH, "--budget", 5, "--json"),
    )
    assert "Ask with a larger budget: 1 that must be heeded do not fit into the budget.\n" in human.said()
    answer = asked(program)
    assert (answer.advice, answer.missing, answer.facts, answer.passages) == ("defer", (told.fact,), (), ())


async def test_a_request_that_cannot_be_read_is_refused(terminal: Terminal) -> None:
    nowhere_said, as_of, naive, dimension, twice, role = await asyncio.gather(
        terminal.keepwell("recall", CANARY),
        terminal.keepwell("recall", CANARY, *HERE, "--as-of", CANARY),
        terminal.keepwell("recall", CANARY, *HERE, "--as-of", "2026-03-02T09:00:00"),
        terminal.keepwell("recall", CANARY, "--scope", f"{CANARY}=1"),
        terminal.keepwell("recall", CANARY, *HERE, *ELSEWHERE),
        terminal.keepwell("recall", CANARY, "--scope", "{}", "--role", "developer"),
    )
    nowhere_said.refused(2, "--scope: say where, such as --scope workspace=staging")
    as_of.refused(2, "--as-of: write an instant with an offset, as 2026-03-02T09:00:00+01:00")
    naive.refused(2, "a naive instant, without a zone; add an offset such as Z or +01:00")
    dimension.refused(2, "scope: unknown dimension; the policy knows conversation, project, task,")
    twice.refused(2, "--scope: write each dimension once, as DIMENSION=VALUE")
    role.refused(3, "the whole tenant (an empty scope); ask for one that does")


# --- explain ---------------------------------------------------------------------------------------------


async def test_explain_names_the_step_that_kept_or_dropped_a_record(terminal: Terminal, told: Told) -> None:
    all_but_the_last = str(told.answer.tokens - 1)
    asked_for = {
        None: (told.fact, "kiln", *HERE, *BENCH),
        "scope": (told.fact, "kiln", *ELSEWHERE, *BENCH),
        "status": (told.first, "kiln", *HERE, *BENCH),
        "candidate": (told.fact, "kiln", *HERE),
        "limit": (told.episode, "kiln", *HERE, *BENCH, "--limit", 1),
        "budget": (told.answer.passages[-1].episode_id, "kiln", *HERE, *BENCH, "--budget", all_but_the_last),
    }
    endings = await asyncio.gather(
        *(terminal.keepwell("explain", *arguments, "--json") for arguments in asked_for.values())
    )
    for step, ended in zip(asked_for, endings, strict=True):
        ended.said()
        assert ended.json["dropped_at"] == step
        passed = [check["passed"] for check in ended.json["checks"]]
        assert passed == [True] * (len(Step) if step is None else len(passed) - 1) + [False] * (
            step is not None
        )


async def test_an_explanation_is_told_to_people_step_by_step(terminal: Terminal, told: Told) -> None:
    included, superseded, unknown, misspelt = await asyncio.gather(
        terminal.keepwell("explain", told.fact, *HERE, *BENCH),
        terminal.keepwell("explain", told.first, *HERE, *BENCH),
        terminal.keepwell("explain", uuid4(), *HERE),
        terminal.keepwell("explain", CANARY, *HERE),
    )
    said = included.said()
    assert [step in said for step in ("scope", "status", "candidate", "limit", "budget")] == [True] * 5
    assert said.endswith("It is in the answer.\n")
    said = superseded.said()
    assert f"superseded since {MONDAY.isoformat()}" in said
    assert said.endswith("It was dropped at: status.\n")
    unknown.refused(4, "no such record; take an id from recall or history")
    misspelt.refused(2, "record: is not an id; take one from recall, history or publish")


# --- history ---------------------------------------------------------------------------------------------


async def test_history_tells_the_whole_life(terminal: Terminal, told: Told) -> None:
    by_fact, by_entity, human = await asyncio.gather(
        terminal.keepwell("history", told.fact, "--json"),
        terminal.keepwell("history", "--entity", "gpu-bench-01", *HERE, "--json"),
        terminal.keepwell("history", "--entity", SERVER["id"], *HERE),
    )
    by_fact.said()
    assert json.loads(by_entity.said()) == by_fact.json
    assert [(life["fact"]["id"], life["status"], life["gate"]) for life in by_fact.json] == [
        (str(told.first), "superseded", "closed"),
        (str(told.fact), "active", "open"),
    ]
    assert [change["to_status"] for change in by_fact.json[0]["changes"]] == ["active", "superseded"]
    said = human.said()
    assert f"(superseded, fact {told.first})" in said
    assert f"(active, fact {told.fact})" in said
    assert "dana as infra_lead" in said


async def test_history_says_what_it_needs_and_whom_it_does_not_know(terminal: Terminal, told: Told) -> None:
    neither, both, nowhere_said, nobody, unknown, out_of_reach = await asyncio.gather(
        terminal.keepwell("history"),
        terminal.keepwell("history", told.fact, "--entity", CANARY),
        terminal.keepwell("history", "--entity", CANARY),
        terminal.keepwell("history", "--entity", CANARY, *HERE),
        terminal.keepwell("history", uuid4()),
        terminal.keepwell("history", told.fact, "--role", "participant"),
    )
    for refused in (neither, both):
        refused.refused(2, "give the id of a fact, or --entity and --scope")
    nowhere_said.refused(2, "--scope: say where")
    nobody.refused(4, "nothing is known here by that name or id")
    for refused in (unknown, out_of_reach):
        refused.refused(4, "no such fact within reach; check the id, the tenant and the roles")
