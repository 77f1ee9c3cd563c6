"""Many reviewers at once on one proposal: one decision counts, and everybody is told."""

import asyncio
from collections import Counter
from typing import Any

from models.proposals import DecisionResult, ProposalState
from tests.policies import applied
from tests.procedures.bench import Bench, content

REVIEWERS = 20


async def test_of_twenty_decisions_at_once_one_counts_and_the_others_are_told(bench: Bench) -> None:
    """A workflow takes ten updates at a time, so that some have to come again."""
    identity = await bench.propose(content("look", "stop"))
    people = [bench.world.principal(f"lead-{n}", bench.dana.kind, "infra_lead") for n in range(REVIEWERS)]
    told = await asyncio.gather(
        *(
            bench.decide(
                identity,
                who,
                revision=1,
                choice="approve" if number % 2 else "reject",
                reason="so I say",
                idempotency_key="mine",
            )
            for number, who in enumerate(people)
        )
    )
    counts = Counter(told)
    assert counts.pop(DecisionResult.TOO_LATE) == REVIEWERS - 1
    assert list(counts.values()) == [1]
    [result] = counts
    settled = (await bench.proposal(identity)).state
    assert (result, settled) in {
        (DecisionResult.APPROVED, ProposalState.APPROVED),
        (DecisionResult.REJECTED, ProposalState.REJECTED),
    }
    assert len(await bench.versions()) == (1 if result is DecisionResult.APPROVED else 0)


async def test_where_a_class_asks_for_two_reviewers_an_edit_begins_anew(bench: Bench) -> None:
    def two(document: dict[str, Any]) -> None:
        document["procedures"]["operations"]["reviewers"] = 2

    await applied(bench.world, two)
    # Its worker obeys within a second.
    await asyncio.sleep(1.1)
    noor = bench.world.principal("noor", bench.dana.kind, "infra_lead")
    identity = await bench.propose(content("look"))
    assert await bench.decide(identity) is DecisionResult.ANOTHER_REVIEWER
    assert await bench.decide(identity) is DecisionResult.SAID_BEFORE
    edited = await bench.decide(identity, bench.kim, content=content("look", "stop"))
    assert edited is DecisionResult.ANOTHER_REVIEWER
    assert await bench.current() is None
    assert await bench.decide(identity, noor) is DecisionResult.APPROVED
    assert await bench.current() == (1, ["look", "stop"])
