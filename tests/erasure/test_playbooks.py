"""Erasure among playbooks: what says the words goes, and what only loses experience is reviewed or suspended."""

from uuid import UUID

from models.procedure_queries import ProposalQuery
from models.proposals import ProposalState
from store import evidence, procedures
from tests.erasure.desk import Desk
from tests.procedures.bench import Bench, content
from tests.world import STAGING


async def statuses(bench: Bench) -> list[str]:
    """Every version of the playbook, with where it stands."""
    return [f"v{number} {status}" for number, status, _ in await bench.versions()]


async def test_a_playbook_goes_with_all_that_was_said_of_it(desk: Desk) -> None:
    bench = Bench(desk.world)
    await bench.approved("look", "gibbon1729")
    procedure_id = await bench.procedure_id()
    await bench.propose(content("look", "gibbon1729", "stop"))
    assert set(await desk.places_of("gibbon1729")) >= {"events", "proposals", "procedure_versions"}
    receipt = await desk.erase({"kind": "record", "id": str(procedure_id)})
    assert await desk.places_of("gibbon1729") == {}
    assert receipt.rows["procedure_versions"] == 1
    assert receipt.rows["proposals"] == 2
    assert await bench.procedure_id() is None


async def test_a_version_whose_words_go_is_not_replaced_by_the_one_before(desk: Desk) -> None:
    bench = Bench(desk.world)
    await bench.approved("look")
    second = await bench.approved("look", "tapir8281")
    assert await statuses(bench) == ["v1 deprecated", "v2 current"]
    await desk.erase({"kind": "record", "id": str(second)})
    assert await desk.places_of("tapir8281") == {}
    assert await statuses(bench) == ["v1 deprecated"]
    assert await bench.current() is None


async def test_a_proposal_that_waits_goes_and_its_workflow_ends(desk: Desk) -> None:
    bench = Bench(desk.world)
    proposal = await bench.propose(content("coati6561"))
    receipt = await desk.erase({"kind": "record", "id": str(proposal)})
    assert await desk.places_of("coati6561") == {}
    assert receipt.runs == 1


async def test_experience_that_goes_puts_a_version_under_review(desk: Desk) -> None:
    bench = Bench(desk.world)
    lived: list[UUID] = []
    told: list[UUID] = []
    for number in range(3):
        said = await desk.world.say(desk.world.lead, f"Watch out {number}.", activity_id=f"lived-{number}")
        episode = await desk.world.service.episode_of(desk.world.agent, said.activity_id)
        assert episode is not None
        lived.append(episode.id)
        told.append(said.event_id)
    await bench.approved("look")
    procedure_id = await bench.procedure_id()
    assert procedure_id is not None
    async with desk.world.database.transaction(desk.officer.tenant_id) as work:
        version = (await procedures.in_force(work, [procedure_id]))[procedure_id].current
        assert version is not None
        await procedures.set_episodes(work, version.id, tuple(lived))
        await evidence.derive(work, evidence.Kind.PROCEDURE, version.id, evidence.Kind.EPISODE, lived)
    await desk.erase({"kind": "event", "id": str(told[0])})
    assert await statuses(bench) == ["v1 suspended"], "two are left, of three that its class asks for"
    found = await desk.world.service.playbooks.proposals(bench.dana, ProposalQuery(scope=STAGING))
    [review] = found.proposals
    assert review.proposal.state is ProposalState.OPEN
    assert set(review.proposal.episodes) == set(lived[1:])
