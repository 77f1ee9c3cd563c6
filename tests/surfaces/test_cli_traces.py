"""`keepwell trace`, `traces`, `explain --trace` and `funnel`: how answers came about and what they were good for."""

import asyncio
from typing import NamedTuple
from uuid import UUID, uuid4

import pytest

from models.reports import NewReport
from runtime.service import Service
from store.engine import Database
from tests.surfaces.terminal import Terminal
from tests.world import World

KEEP = "Keep gpu-bench-01 running until the audit is over."
AGENT = ("--as", "agent:ops-agent", "--role", "agent")


class Asked(NamedTuple):
    """A tenant whose agent has asked once, and reported that it went by what came back."""

    world: World
    trace: UUID
    fact: UUID


@pytest.fixture(scope="module")
async def asked(service: Service, database: Database) -> Asked:
    world = World(service, database, f"tenant-{uuid4().hex[:12]}")
    await service.add_tenant(world.lead)
    await world.say(world.lead, KEEP)
    answer = await world.recall(query="[bold]audit[/bold]", entities=("gpu-bench-01",))
    assert answer.trace_id is not None
    [fact] = answer.facts
    await service.report(world.agent, answer.trace_id, NewReport(used=(fact.id,)))
    return Asked(world, answer.trace_id, fact.id)


@pytest.fixture
def tenant(asked: Asked) -> str:
    return asked.world.tenant


async def test_a_trace_is_told_to_people_and_to_programs(terminal: Terminal, asked: Asked) -> None:
    human, program, own, stranger = await asyncio.gather(
        terminal.keepwell("trace", asked.trace),
        terminal.keepwell("trace", asked.trace, "--json", *AGENT),
        terminal.keepwell("traces", "--record", asked.fact, *AGENT),
        terminal.keepwell("trace", asked.trace, "--as", "human:sam", "--role", "developer"),
    )
    said = human.said()
    assert said.startswith('agent:ops-agent asked "[bold]audit[/bold]"\n')
    assert str(asked.fact) in said
    assert "selected" in said
    program.said()
    assert program.json["id"] == str(asked.trace)
    assert str(asked.trace) in own.said()
    assert stranger.code == 4


async def test_a_past_answer_is_explained(terminal: Terminal, asked: Asked) -> None:
    explained, doubled = await asyncio.gather(
        terminal.keepwell("explain", asked.fact, "--trace", asked.trace, *AGENT),
        terminal.keepwell("explain", asked.fact, "audit", "--trace", asked.trace, *AGENT),
    )
    assert explained.said().endswith("It is in the answer.\n")
    assert doubled.code == 2


async def test_the_funnel_has_its_denominators(terminal: Terminal, asked: Asked) -> None:
    human, program, refused = await asyncio.gather(
        terminal.keepwell("funnel", "--scope", "workspace=staging-cloud"),
        terminal.keepwell("funnel", "--json"),
        terminal.keepwell("funnel", *AGENT),
    )
    said = human.said()
    assert said.startswith("1 recall in workspace=staging-cloud from ")
    assert "1 of them reported on.\n" in said
    assert "no pair of runs has both outcomes" in said
    program.said()
    assert program.json["recalls"] == 1
    assert refused.code == 3
