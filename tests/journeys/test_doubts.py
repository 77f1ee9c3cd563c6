"""A fact that observations keep contradicting waits for a person, once, and stays in force until they have decided."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from models.candidates import Terms
from models.context import ContextRequest
from models.errors import Conflict, NotFound
from models.observations import LiveObservation
from models.policy import Policy
from models.principals import PrincipalKind
from models.reviews import Acceptance, ReviewItem, Waiting
from models.statements import Statement, Withdrawal
from runtime.retention import TraceRetention
from store import mismatches, traces
from store.engine import Database, Role
from tests.policies import applied
from tests.world import STAGING, World

ENOUGH = 3
CANARY = "zebra-7731-canary"


@pytest.fixture(autouse=True)
def _is_enough(policy: Policy) -> None:
    assert policy.mismatches_to_review == ENOUGH


async def owned(world: World, value: str = "Ana", **fields: Any) -> UUID:
    said = {"scope": STAGING, "entity": "gpu-bench-01", "attribute": "owner", "value": value, **fields}
    stated = await world.service.remember(world.lead, Statement(**said))
    assert stated.governs
    assert stated.decided is not None
    assert stated.decided.fact_id is not None
    return stated.decided.fact_id


def seen(value: str = "Bo", **fields: Any) -> LiveObservation:
    filled = {"entity": "gpu-bench-01", "attribute": "owner", "observed_at": datetime.now(UTC), **fields}
    return LiveObservation(value=value, **filled)


async def contradicted(world: World, *activities: str, value: str = "Bo") -> list[UUID]:
    """Recall once in each of these activities, having observed something else; the ids of the traces."""
    made: list[UUID] = []
    for activity in activities:
        answer = await world.recall(observations=(seen(value),), activity_id=activity)
        assert answer.trace_id is not None
        made.append(answer.trace_id)
    return made


async def queue(world: World) -> list[ReviewItem]:
    return list((await world.service.review_queue(world.lead, {})).items)


async def test_a_fact_contradicted_again_and_again_waits_once_with_what_is_known_of_it(world: World) -> None:
    fact_id = await owned(world)
    before = datetime.now(UTC)
    made = await contradicted(world, "a", "b")
    assert await queue(world) == []
    made += await contradicted(world, "c")
    [item] = await queue(world)
    assert (item.id, item.waiting, item.reason) == (fact_id, Waiting.DOUBTED, "observed_otherwise")
    assert item.meaning is not None
    assert (item.class_name, item.gate, item.not_by) == ("service_dependency", None, ())
    assert item.claim is not None
    assert (item.claim.id, item.claim.terms.value) == (fact_id, "Ana")
    assert [heard.subject for heard in item.heard] == ["dana"]
    assert item.mismatches is not None
    assert item.mismatches.times == ENOUGH
    assert before <= item.mismatches.since < item.mismatches.latest <= item.recorded_at
    assert set(item.mismatches.traces) == set(made)
    await contradicted(world, "d")
    [again] = await queue(world)
    assert again.mismatches is not None
    assert (again.id, again.recorded_at, again.mismatches.times) == (fact_id, item.recorded_at, 4)
    assert (await world.service.waiting_for_review(world.lead, fact_id)) == again
    [governs] = (await world.recall(entities=("gpu-bench-01",))).facts
    assert governs.value == "Ana", "what waits for a person is in force"


async def test_one_activity_and_one_instant_of_observing_are_one_occasion(world: World) -> None:
    await owned(world)
    await contradicted(world, *["the same"] * 5)
    once = seen()
    for _ in range(5):
        await world.recall(observations=(once,))
    assert await queue(world) == []
    await world.recall(observations=(seen(),))
    [item] = await queue(world)
    assert item.mismatches is not None
    assert item.mismatches.times == ENOUGH


async def test_occasions_at_the_same_time_ask_once(world: World) -> None:
    await owned(world)
    asking = [
        world.recall(observations=(seen(),), activity_id=f"act-{number}") for number in range(3 * ENOUGH)
    ]
    await asyncio.gather(*asking)
    [item] = await queue(world)
    assert item.mismatches is not None
    assert item.mismatches.times == 3 * ENOUGH


async def test_what_agrees_or_was_seen_before_it_was_stated_contradicts_nothing(world: World) -> None:
    await contradicted(world, "a", "b", "c")
    await owned(world, valid_from=datetime.now(UTC) - timedelta(days=9))
    await contradicted(world, "a", "b", "c", value="ana")
    yesterday = datetime.now(UTC) - timedelta(days=1)
    for number in range(ENOUGH):
        earlier = seen(observed_at=yesterday + timedelta(minutes=number))
        [fact] = (await world.recall(observations=(earlier,))).facts
        assert fact.overridden_by is not None
    assert await queue(world) == []


async def test_how_often_is_enough_is_policy(world: World) -> None:
    fact_id = await owned(world)
    await contradicted(world, "a")
    await applied(world, lambda document: document.update(mismatches_to_review=2))
    assert await queue(world) == []
    await contradicted(world, "b")
    assert [item.id for item in await queue(world)] == [fact_id]
    await applied(world, lambda document: document.update(mismatches_to_review=4))
    assert await queue(world) == []
    with pytest.raises(Conflict):
        await world.service.accept(world.lead, fact_id, Acceptance())


async def test_a_context_counts_as_a_recall_does(world: World) -> None:
    fact_id = await owned(world)
    for activity in ("a", "b", "c"):
        asked = ContextRequest(scope=STAGING, observations=(seen(),), activity_id=activity)
        await world.service.context(world.agent, asked)
    assert [item.id for item in await queue(world)] == [fact_id]


async def test_what_is_upheld_stays_and_is_asked_about_only_after_further_mismatches(world: World) -> None:
    fact_id = await owned(world)
    await contradicted(world, "a", "b", "c")
    asked = Acceptance(text="The inventory is behind.", idempotency_key="once")
    upheld = await world.service.accept(world.lead, fact_id, asked)
    assert upheld.decided is not None
    assert (upheld.decided.verdict, upheld.decided.target_id, upheld.governs) == ("restate", fact_id, True)
    assert await queue(world) == []
    assert (await world.service.accept(world.lead, fact_id, asked)).duplicate
    with pytest.raises(Conflict, match="correct or retract it instead"):
        await world.service.accept(world.lead, fact_id, Acceptance())
    await contradicted(world, "c", "d")
    assert await queue(world) == []
    await contradicted(world, "e")
    [item] = await queue(world)
    assert item.mismatches is not None
    assert item.mismatches.times == ENOUGH
    assert [heard.text for heard in item.heard][-1] == "The inventory is behind."


async def test_it_is_corrected_by_other_terms_and_withdrawn_by_a_rejection(world: World) -> None:
    fact_id = await owned(world)
    await contradicted(world, "a", "b", "c")
    corrected = await world.service.accept(world.lead, fact_id, Acceptance(terms=Terms(value="Bo")))
    assert corrected.decided is not None
    assert (corrected.decided.verdict, corrected.governs) == ("supersede", True)
    assert await queue(world) == []
    assert corrected.decided.fact_id is not None
    await contradicted(world, "d", "e", "f", value="Cy")
    rejected = await world.service.reject(
        world.lead, corrected.decided.fact_id, Withdrawal(text="Nobody owns it.")
    )
    assert rejected.decided is not None
    assert rejected.decided.verdict == "retract"
    assert await queue(world) == []
    assert (await world.recall(entities=("gpu-bench-01",))).facts == ()


async def test_one_that_has_ended_meanwhile_is_not_shown(world: World) -> None:
    fact_id = await owned(world)
    await contradicted(world, "a", "b", "c")
    await owned(world, "Dee")
    assert await queue(world) == []
    assert await world.service.waiting_for_review(world.lead, fact_id) is None
    over = datetime.now(UTC) + timedelta(seconds=2)
    await owned(world, "Eve", expires_at=over)
    await contradicted(world, "d", "e", "f")
    assert len(await queue(world)) == 1
    await asyncio.sleep(max(0.0, (over - datetime.now(UTC)).total_seconds()))
    assert await queue(world) == []


async def test_who_may_not_review_or_see_it_is_told_nothing_of_it(world: World) -> None:
    fact_id = await owned(world)
    await contradicted(world, "a", "b", "c")
    pat = world.principal("pat", PrincipalKind.HUMAN, "user")
    assert (await world.service.review_queue(pat, {})).items == []
    with pytest.raises(NotFound):
        await world.service.accept(pat, fact_id, Acceptance())
    other = World(world.service, world.database, f"{world.tenant}-b")
    await other.service.add_tenant(other.agent)
    assert await queue(other) == []


async def test_nothing_of_what_was_observed_is_kept(world: World) -> None:
    await owned(world)
    await contradicted(world, "a", "b", "c", value=CANARY)
    async with world.database.transaction(world.agent.tenant_id) as work:
        assert CANARY not in str(await work.rows(mismatches.mismatches.select()))
    assert CANARY not in str(await queue(world))


async def test_mismatches_go_with_their_traces_and_with_what_is_erased(world: World) -> None:
    fact_id = await owned(world)
    await contradicted(world, "a", "b", "c")
    async with world.database.transaction(world.agent.tenant_id) as work:
        assert await mismatches.forget_records(work, [fact_id]) == ENOUGH
        assert await traces.forget_records(work, [fact_id]) == ENOUGH
    assert await queue(world) == []
    await contradicted(world, "d", "e", "f")
    assert len(await queue(world)) == 1
    async with Database(world.database.url, Role.RELAY, pool_size=1) as relay:
        retention = TraceRetention(relay, world.database, timedelta(days=30))
        await retention.forget_due(datetime.now(UTC) + timedelta(days=31))
    assert await queue(world) == []
