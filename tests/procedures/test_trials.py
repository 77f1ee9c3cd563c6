"""Trials and terms: a version for some, its figures beside the one in force, and what time does by itself."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from capture.promoting import look
from models.policy import Policy
from models.procedure_queries import ProposalQuery
from models.procedure_runs import NewRun
from models.proposals import DecisionResult, Proposal, ProposalState
from models.recall import RecallRequest
from models.statements import Withdrawal
from runtime.policy_file import load_policy
from runtime.settings import SHIPPED_POLICY
from store import evidence, proposals
from tests.procedures.bench import NAME, Bench, content
from tests.procedures.incidents import incident
from tests.world import STAGING

POLICY: Policy = load_policy(SHIPPED_POLICY)
BEFORE, TRIED = ["look", "stop"], ["check", "look", "stop"]


async def tried(bench: Bench, **trial: Any) -> UUID:
    """A proposal whose version is on trial beside version 1."""
    await bench.approved(*BEFORE)
    identity = await bench.propose(content(*TRIED))
    assert await bench.decide(identity, choice="try", trial=trial) is DecisionResult.TRIED
    return identity


async def ran(bench: Bench, version: int, outcome: str, pair: str | None = None, **fates: str) -> None:
    procedure_id = await bench.procedure_id()
    assert procedure_id is not None
    run = NewRun.model_validate(
        {
            "scope": STAGING,
            "version": version,
            "activity_id": f"run-{version}-{pair}",
            "outcome": outcome,
            "pair": pair,
            "steps": [{"id": step, "fate": fate} for step, fate in fates.items()],
        }
    )
    await bench.service.procedure_runs.report(bench.world.agent, procedure_id, run)


async def at_term(bench: Bench, identity: UUID, after: timedelta) -> Proposal:
    """What the next look at a proposal makes of it, so much later."""
    async with bench.world.database.transaction(bench.dana.tenant_id) as work:
        held = await proposals.hold(work, identity)
        assert held is not None
        return await look(work, POLICY, held, datetime.now(UTC) + after)


async def rules(bench: Bench, identity: UUID) -> list[str]:
    async with bench.world.database.transaction(bench.dana.tenant_id) as work:
        return [each.rule for _, each in await evidence.transitions_of(work, [identity])]


async def test_a_share_of_runs_has_it_by_the_name_of_their_activity(bench: Bench) -> None:
    await tried(bench, share=0.5)
    found: dict[str, int] = {}
    for number in range(40):
        request = RecallRequest(scope=STAGING, entities=(f"task:{NAME}",), activity_id=f"run-{number}")
        for _ in range(2):
            came = (await bench.service.recall(bench.world.agent, request)).procedure
            assert came is not None
            assert found.setdefault(f"run-{number}", came.version) == came.version, "a run keeps its version"
    assert 8 <= sum(version == 2 for version in found.values()) <= 32


async def test_its_figures_stand_beside_those_of_the_version_in_force(bench: Bench) -> None:
    await tried(bench, agents=["ops-agent"])
    for pair, with_it, without in (
        ("a", "success", "failure"),
        ("b", "success", "failure"),
        ("c", "failure", "success"),
        ("d", "success", "success"),
    ):
        await ran(bench, 2, with_it, pair, check="done", look="done", stop="skipped")
        await ran(bench, 1, without, pair, look="failed")
    procedure_id = await bench.procedure_id()
    assert procedure_id is not None
    told = await bench.service.run_reader.of(bench.dana, procedure_id)
    assert told.current is not None
    assert told.trial is not None
    assert told.pairs is not None
    assert (told.trial.number, told.trial.tally[:3]) == (2, (4, 3, 1))
    assert (told.current.number, told.current.tally[:3]) == (1, (4, 2, 2))
    assert [each[1:] for each in told.trial.tally.steps] == [(4, 0, 0), (4, 0, 0), (0, 4, 0)]
    assert (told.pairs.rescue, told.pairs.regret, told.pairs.pairs) == (2, 1, 4)


async def test_a_rejection_ends_a_trial_and_the_version_in_force_stays(bench: Bench) -> None:
    identity = await tried(bench, agents=["ops-agent"])
    assert (
        await bench.decide(identity, choice="reject", reason="It takes too long.") is DecisionResult.REJECTED
    )
    assert await bench.versions() == [(1, "current", BEFORE), (2, "deprecated", TRIED)]


async def test_a_trial_that_nobody_ends_lapses_and_the_version_in_force_stays(bench: Bench) -> None:
    identity = await tried(bench, agents=["ops-agent"])
    assert (await at_term(bench, identity, timedelta(days=15))).state is ProposalState.LAPSED
    assert await bench.versions() == [(1, "current", BEFORE), (2, "deprecated", TRIED)]
    assert (await bench.decide(identity, idempotency_key="late")) is DecisionResult.TOO_LATE


async def test_what_waits_is_called_to_mind_again_and_again_overdue_once_and_lapses(bench: Bench) -> None:
    identity = await bench.propose(content("look"))
    for days in (0.5, 1.5, 3.5, 5):
        assert (await at_term(bench, identity, timedelta(days=days))).state is ProposalState.OPEN
    assert (await at_term(bench, identity, timedelta(days=15))).state is ProposalState.LAPSED
    assert await rules(bench, identity) == ["propose", "remind", "escalate", "remind", "remind", "lapse"]
    assert await bench.current() is None, "time approves nothing"


async def test_where_nobody_says_that_a_version_may_stay_it_is_suspended(bench: Bench) -> None:
    await bench.approved(*BEFORE)
    episodes = [await incident(bench, number) for number in range(4)]
    await bench.service.deciding.reflect(bench.dana)
    [found] = (await bench.service.playbooks.proposals(bench.dana, ProposalQuery(scope={}))).proposals
    assert await bench.decide(found.proposal.id) is DecisionResult.APPROVED
    await bench.service.retractions.retract(bench.dana, episodes[0], Withdrawal(text="Another machine."))
    [review] = (await bench.service.playbooks.proposals(bench.dana, ProposalQuery(scope={}))).proposals
    assert (await at_term(bench, review.proposal.id, timedelta(days=15))).state is ProposalState.LAPSED
    assert [status for _, status, _ in await bench.versions()] == ["deprecated", "suspended"]


async def test_of_two_that_clash_the_later_waits_for_somebody_who_says_what_holds(bench: Bench) -> None:
    await bench.approved(*BEFORE)
    once, twice = (
        content(*BEFORE).model_copy(
            update={"steps": tuple(step.model_copy(update={"do": words}) for step in content(*BEFORE).steps)}
        )
        for words in ("Do it once", "Do it twice")
    )
    first, second = await bench.propose(once), await bench.propose(twice)
    assert await bench.decide(first) is DecisionResult.APPROVED
    assert (await bench.until(second, ProposalState.CONFLICTED)).base == 2
    assert await bench.decide(second) is DecisionResult.NEEDS_AN_EDIT
    assert await bench.decide(second, content=twice, revision=2) is DecisionResult.NEEDS_AN_EDIT
    both = twice.model_copy(update={"preconditions": ("Once was not enough",)})
    assert await bench.decide(second, content=both) is DecisionResult.APPROVED
    assert await bench.versions() == [
        (1, "deprecated", BEFORE),
        (2, "deprecated", BEFORE),
        (3, "current", BEFORE),
    ]


@pytest.mark.parametrize("trial", [{}, {"share": 0.0}, {"share": 1.5}, {"agents": []}, {"agents": [""]}])
async def test_a_trial_is_for_somebody(bench: Bench, trial: dict[str, Any]) -> None:
    identity = await bench.propose(content("look"))
    with pytest.raises(ValueError, match=r"trial|share|agents"):
        await bench.decide(identity, choice="try", trial=trial)
