"""What changes while a reranker looks is neither told nor traced, and the rest of the answer stays as it was."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from temporalio.client import Client

from models.context import ContextRequest
from models.controls import catalogue
from models.policy import Policy
from models.readers import recalled_for
from models.recall import RecallRequest
from models.statements import Withdrawal
from models.traces import Trace
from runtime.addresses import Addresses
from store.rechecked import still_told
from tests.household import Household
from tests.policies import otherwise, read_by
from tests.stores import own_world
from tests.world import World

MINE = {"user": "ana"}
QUERY = "tea on Monday"


class Waiting:
    """A reranker that answers once it is let go, and says when it was asked."""

    remote = True

    def __init__(self) -> None:
        self.asked, self.go = asyncio.Event(), asyncio.Event()

    async def rerank(self, query: str, texts: list[str]) -> list[float]:
        self.asked.set()
        await self.go.wait()
        return [1 / (2 + place) for place in range(len(texts))]

    @asynccontextmanager
    async def looking(self) -> AsyncGenerator[None]:
        """While it looks; then it answers."""
        self.go.clear()
        await asyncio.wait_for(self.asked.wait(), 10)
        yield
        self.go.set()
        self.asked.clear()


@pytest.fixture(scope="module")
def reranker() -> Waiting:
    return Waiting()


@pytest.fixture(scope="module")
async def own(
    addresses: Addresses, policy: Policy, client: Client, reranker: Waiting
) -> AsyncGenerator[World]:
    async with own_world(addresses, policy, client, reranker=reranker) as made:
        yield made


@pytest.fixture
async def household(own: World) -> Household:
    """Ana, who prefers tea and has it on Monday, and said so; and what is said in a running activity."""
    world = World(own.service, own.database, f"{own.tenant}-{uuid4().hex[:8]}")
    await world.service.add_tenant(world.agent)
    return Household(world)


async def _retracted(household: Household, fact_id: UUID) -> None:
    said = await household.service.retract(household.operator, fact_id, Withdrawal(text="No."))
    assert said.decided is not None
    assert said.decided.verdict == "retract"


async def _switched_off(household: Household, _: UUID) -> None:
    await household.service.switch_off(household.ana, "user_preference")


Act = Callable[[Household, UUID], Awaitable[None]]


@pytest.mark.parametrize("act", [_retracted, _switched_off])
async def test_what_is_ended_or_switched_off_meanwhile_is_neither_told_nor_traced(
    household: Household, reranker: Waiting, act: Act
) -> None:
    gone = await household.remembered(household.operator, "preference", "tea", activity_id="a")
    stays = await household.remembered(household.operator, "commitment", "tea on Monday", activity_id="b")
    request = RecallRequest(scope=MINE, query=QUERY)
    before = await _trace(household, await _asked(household.recall(query=QUERY), reranker))
    assert {entry.id for entry in before.entries} >= {gone, stays}

    asking = asyncio.create_task(household.service.recall(household.operator, request))
    async with reranker.looking():
        await act(household, gone)
    answer = await asking
    assert answer.without == ()
    assert [fact.id for fact in answer.facts] == [stays]
    assert answer.facts[0].terms.reranked is not None
    trace = await _trace(household, answer)
    assert gone not in {entry.id for entry in trace.entries}
    assert trace.asked.as_of == answer.as_of


async def test_a_context_is_without_it_too(household: Household, reranker: Waiting) -> None:
    gone = await household.remembered(household.operator, "preference", "oolong tea")
    await household.remembered(household.operator, "commitment", "tea on Monday")
    request = ContextRequest(scope=MINE, subtask=QUERY)
    asking = asyncio.create_task(household.service.context(household.operator, request))
    async with reranker.looking():
        await _retracted(household, gone)
    told = await asking
    assert "tea on Monday" in told.text.partition("<retrieved-memory>")[2]
    assert "oolong" not in told.text


async def test_what_held_at_the_instant_that_is_asked_about_is_told_all_the_same(
    household: Household, reranker: Waiting
) -> None:
    gone = await household.remembered(household.operator, "preference", "tea")
    await household.remembered(household.operator, "commitment", "tea on Monday")
    then = (await _asked(household.recall(query=QUERY), reranker)).as_of
    asking = asyncio.create_task(household.recall(query=QUERY, as_of=then))
    async with reranker.looking():
        await _retracted(household, gone)
    assert gone in {fact.id for fact in (await asking).facts}


async def test_of_records_by_their_ids_only_what_may_still_be_told_is_left(
    household: Household, policy: Policy
) -> None:
    """Events as well as facts: what was said in a running session rests on no other record."""
    tea = await household.state(household.operator, "preference", "tea", text="Ana has tea.")
    monday = await household.state(household.operator, "commitment", "tea on Monday", text="Tea on Monday.")
    ids = {tea.event_id, tea.fact_id, monday.event_id, monday.fact_id}
    assert None not in ids
    hiding = otherwise(read_by("user_preference", "infra_lead"))

    async def left(policy: Policy) -> set[UUID | None]:
        readable = recalled_for(policy, household.operator)
        async with household.world.database.transaction(household.operator.tenant_id) as work:
            among = [*(each for each in ids if each is not None), uuid4()]
            return {*await still_told(work, among, readable, catalogue(policy), datetime.now(UTC))}

    assert await left(policy) == ids
    assert await left(hiding) == {monday.event_id, monday.fact_id}
    await household.service.switch_off(household.ana, "user_preference")
    assert await left(policy) == {monday.event_id, monday.fact_id}


async def _asked(recall: Awaitable[Any], reranker: Waiting) -> Any:
    """The answer to a recall during which nothing happens."""
    asking = asyncio.ensure_future(recall)
    async with reranker.looking():
        pass
    return await asking


async def _trace(household: Household, answer: Any) -> Trace:
    return await household.service.trace(household.operator, answer.trace_id)
