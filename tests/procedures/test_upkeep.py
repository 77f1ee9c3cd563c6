"""What reflection does beside playbooks: facts that have spread are proposed for wider scopes, and ends are told of."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from models.recall import RecallRequest
from models.reviews import Acceptance
from models.statements import Statement, Withdrawal
from store import facts
from tests.procedures.bench import PATIENCE_SECONDS, Bench
from tests.world import STAGING, World

SERVICE = "service:cart"


async def owned(world: World, project: str, value: str = "Ana", **fields: Any) -> UUID:
    """The id of the fact by which somebody owns the cart in a project."""
    said = {
        "scope": {**STAGING, "project": project},
        "attribute": "owner",
        "entity": SERVICE,
        "value": value,
        **fields,
    }
    stated = await world.service.remember(world.lead, Statement.model_validate(said))
    assert stated.decided is not None
    fact_id = stated.decided.fact_id or stated.decided.target_id
    assert fact_id is not None
    return fact_id


async def claims(bench: Bench) -> list[UUID]:
    return [each.id for each in (await bench.service.review_queue(bench.dana, {})).items]


async def proposed(bench: Bench) -> UUID:
    """The one claim that reflection comes to, once it is decided on."""
    assert (await bench.service.deciding.reflect(bench.dana)).widened == 1
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (found := await claims(bench)):
            await asyncio.sleep(0.05)
    [claim] = found
    return claim


async def governs(world: World) -> bool:
    """Whether the workspace knows the owner, without any project."""
    request = RecallRequest.model_validate(
        {"query": "who owns the cart", "scope": STAGING, "entities": [SERVICE]}
    )
    return any("Ana" in each.text for each in (await world.service.recall(world.agent, request)).facts)


async def test_what_several_projects_say_is_proposed_for_their_workspace_and_accepted(bench: Bench) -> None:
    first = await owned(bench.world, "cart", activity_id="monday")
    await owned(bench.world, "cart", activity_id="tuesday")
    assert (await bench.service.deciding.reflect(bench.dana)).widened == 0, "one project is not several"
    second = await owned(bench.world, "shop", activity_id="wednesday")
    claim = await proposed(bench)
    assert (await bench.service.deciding.reflect(bench.dana)).widened == 0, "the same proposes it once"
    made_from = {each.id for each in (await bench.service.lineage(bench.dana, claim)).nodes}
    assert {first, second} <= made_from
    assert not await governs(bench.world), "nobody has said so"
    accepted = await bench.service.accept(bench.kim, claim, Acceptance())
    assert accepted.decided is not None
    assert accepted.decided.verdict == "establish"
    assert await governs(bench.world)


async def test_one_who_has_said_it_in_the_projects_cannot_validate_it_alone(bench: Bench) -> None:
    for project, activity in (("cart", "a"), ("shop", "b"), ("blog", "c")):
        await owned(bench.world, project, activity_id=activity)
    claim = await proposed(bench)
    accepted = await bench.service.accept(bench.dana, claim, Acceptance())
    assert accepted.decided is not None
    assert accepted.decided.reason == "not_validated"


async def test_what_was_rejected_stays_rejected(bench: Bench) -> None:
    for project, activity in (("cart", "a"), ("shop", "b"), ("blog", "c")):
        await owned(bench.world, project, activity_id=activity)
    claim = await proposed(bench)
    await bench.service.reject(bench.dana, claim, Withdrawal(text="Each project has its own."))
    await owned(bench.world, "forum", activity_id="d")
    await bench.service.deciding.reflect(bench.dana)
    assert await claims(bench) == []


async def test_the_end_of_a_term_is_written_down_once(bench: Bench) -> None:
    over = datetime.now(UTC) + timedelta(milliseconds=300)
    known = await owned(bench.world, "cart", expires_at=over)
    while datetime.now(UTC) <= over:
        await bench.service.deciding.reflect(bench.dana)
    done = [await bench.service.deciding.reflect(bench.dana) for _ in range(2)]
    [life] = await bench.service.history_of_fact(bench.dana, known)
    told = [each for each in life.changes if each.to_status == "expired"]
    assert [(each.from_status, each.reason, each.effective_at) for each in told] == [
        ("active", "term_ran_out", over)
    ]
    assert done[-1].lapsed == 0


async def test_a_claim_that_its_class_keeps_no_longer_is_told_of(bench: Bench) -> None:
    """Its retention is brought to its end in the store, as nobody waits a month."""
    sam = bench.world.principal("sam", bench.sam.kind, "developer")
    said = {"scope": {**STAGING, "project": "cart"}, "attribute": "owner", "entity": SERVICE, "value": "Eve"}
    held = await bench.service.remember(sam, Statement.model_validate(said))
    assert held.decided is not None
    assert held.decided.fact_id is not None
    over = datetime.now(UTC)
    async with bench.world.database.transaction(bench.dana.tenant_id) as work:
        fact = await facts.lock(work, held.decided.fact_id)
        assert fact is not None
        await facts.restate(
            work,
            fact.id,
            restated_at=fact.restated_at,
            lapses_at=over,
            authority=fact.authority,
            authority_role=fact.authority_role,
            standing=fact.standing,
        )
    assert (await bench.service.deciding.reflect(bench.dana)).lapsed == 1
    [life] = await bench.service.history_of_fact(bench.dana, fact.id)
    [told] = [each for each in life.changes if each.to_status == "expired"]
    assert (told.from_status, told.reason) == ("quarantined", "retention_ran_out")
