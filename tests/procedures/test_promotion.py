"""From a proposal to a version in force: who decides, on which revision, and what their word comes to."""

from models.proposals import DecisionResult, ProposalState, Revision
from tests.procedures.bench import Bench, content


async def test_what_is_approved_is_in_force_and_says_who_approved_it(bench: Bench) -> None:
    identity = await bench.propose(content("check", "stop"), because="written down at last")
    assert await bench.current() is None

    assert await bench.decide(identity) is DecisionResult.APPROVED

    assert await bench.versions() == [(1, "current", ["check", "stop"])]
    procedure_id = await bench.procedure_id()
    assert procedure_id is not None
    [version] = (await bench.service.playbooks.one(bench.sam, procedure_id)).versions
    assert [(each.by.subject, each.role) for each in version.approved] == [("dana", "infra_lead")]
    assert (await bench.proposal(identity)).state is ProposalState.APPROVED


async def test_the_next_version_takes_the_place_of_the_one_before(bench: Bench) -> None:
    await bench.approved("check", "stop")
    await bench.approved("check", "tell", "stop")
    assert await bench.versions() == [
        (1, "deprecated", ["check", "stop"]),
        (2, "current", ["check", "tell", "stop"]),
    ]


async def test_nobody_decides_on_what_they_have_drafted(bench: Bench) -> None:
    identity = await bench.propose(content("check"), bench.dana)
    assert await bench.decide(identity, bench.dana) is DecisionResult.OWN_DRAFT
    assert await bench.current() is None
    assert await bench.decide(identity, bench.kim) is DecisionResult.APPROVED


async def test_an_edit_is_approved_as_edited(bench: Bench) -> None:
    identity = await bench.propose(content("check", "stop"))
    assert await bench.decide(identity, content=content("check!", "stop")) is DecisionResult.APPROVED
    found = await bench.proposal(identity)
    assert found.revision == 2
    assert found.content == content("check!", "stop")
    assert await bench.current() == (1, ["check", "stop"])


async def test_changes_that_are_asked_for_come_as_another_revision(bench: Bench) -> None:
    identity = await bench.propose(content("stop"))
    assert (
        await bench.decide(identity, choice="request_changes", reason="look first")
        is DecisionResult.CHANGES_ASKED
    )
    said = Revision(revision=1, content=content("check", "stop"))
    await bench.service.procedures.revise(bench.sam, identity, said)
    assert await bench.decide(identity, revision=1) is DecisionResult.STALE
    assert await bench.decide(identity) is DecisionResult.APPROVED
    assert await bench.current() == (1, ["check", "stop"])


async def test_a_proposal_is_carried_over_to_what_has_come_into_force_meanwhile(bench: Bench) -> None:
    await bench.approved("check", "stop")
    first = await bench.propose(content("check", "tell", "stop"))
    second = await bench.propose(content("check", "stop", "note"))
    third = await bench.propose(content("check!", "tell!", "stop"))
    assert await bench.decide(first) is DecisionResult.APPROVED
    conflicted = await bench.until(third, ProposalState.CONFLICTED)
    assert (conflicted.base, conflicted.revision) == (2, 2)
    assert await bench.decide(second, revision=1) is DecisionResult.STALE
    carried = await bench.proposal(second)
    assert [step.id for step in carried.content.steps] == ["check", "tell", "stop", "note"]
    assert await bench.decide(second) is DecisionResult.APPROVED
    assert await bench.current() == (3, ["check", "tell", "stop", "note"])
