"""What is late is left out and said so; what binds is there whatever the time."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest
from sqlalchemy import text
from temporalio.client import Client

from models.context import ContextRequest
from models.policy import Policy
from models.recall import Without
from providers.embedders.bundled import BundledEmbedder
from providers.protocols import Vector
from recall.deadline import Deadline
from runtime.addresses import Addresses
from store.unit_of_work import TooLate
from tests.stores import own_world
from tests.world import STAGING, World, event

KEEP = "Keep gpu-bench-01 running until the audit is over."
BENCH = ("gpu-bench-01",)
NOW, AN_AGE = 1, 600_000


async def test_what_is_not_reached_in_time_is_named_and_what_binds_is_there(world: World) -> None:
    await world.say(world.lead, KEEP)
    await world.say(world.lead, "From now on post a summary in the ops channel.", activity_id="act-2")
    await world.publish(world.lead, event(1, activity_id="act-3", type="instruction", text="Be brief."))
    asked = {"query": "audit summary", "entities": BENCH, "activity_id": "act-3", "unverified": True}
    late = await world.recall(**asked, deadline_ms=NOW)
    assert set(late.without) >= {Without.SEARCH, Without.SESSION, Without.CLAIMS}
    assert {fact.attribute for fact in late.required} == {"lifecycle_policy", "standing_instruction"}
    assert late.session == ()
    whole = await world.recall(**asked, deadline_ms=AN_AGE)
    assert Without.SEARCH not in whole.without
    assert {fact.id for fact in whole.required} == {fact.id for fact in late.required}
    assert [said.text for said in whole.session] == ["Be brief."]


async def test_a_context_says_what_it_had_no_time_for(world: World) -> None:
    await world.say(world.lead, KEEP)
    told = await world.service.context(
        world.agent,
        ContextRequest(scope=STAGING, subtask="clean up", entities=BENCH, activity_id="a", deadline_ms=NOW),
    )
    assert set(told.without) >= {Without.SEARCH, Without.SESSION}
    assert "There was no time to search" in told.text
    assert '"required": true' in told.text


async def test_nothing_is_missing_where_nothing_was_to_be_searched(world: World) -> None:
    assert (await world.recall(triggers=(), deadline_ms=NOW)).without == ()


async def test_a_query_that_takes_too_long_is_given_up_and_the_transaction_goes_on(world: World) -> None:
    async with world.database.transaction(world.agent.tenant_id) as work:
        deadline = Deadline(200)
        assert await deadline.search(work, lambda: work.rows(text("SELECT pg_sleep(60)"))) is None
        assert (await work.row(text("SELECT current_setting('statement_timeout') AS most"))).most == "0"  # type: ignore[union-attr]
        with pytest.raises(TooLate):
            async with work.within(0.01):
                await work.rows(text("SELECT pg_sleep(60)"))
        async with work.within(60):
            assert await work.rows(text("SELECT 1"))
        assert (await work.row(text("SELECT current_setting('statement_timeout') AS most"))).most == "0"  # type: ignore[union-attr]


class Slow(BundledEmbedder):
    """The bundled one, which does not come back to a query until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        await self.go.wait()
        return await super().embed(texts)


@pytest.fixture
async def slow(addresses: Addresses, policy: Policy, client: Client) -> AsyncGenerator[tuple[World, Slow]]:
    embedder = Slow()
    async with own_world(addresses, policy, client, embedder=embedder) as made:
        yield made, embedder
        embedder.go.set()


async def test_an_embedder_that_is_late_is_done_without(slow: tuple[World, Slow]) -> None:
    world, embedder = slow
    receipts = await world.publish(world.lead, event(type="feedback", text="The audit is on Friday."))
    embedder.go.set()
    await world.digest(receipts)
    await world.service.embedded(world.agent)
    embedder.go.clear()
    answer = await world.recall(query="audit", deadline_ms=2_000)
    assert answer.without == (Without.LIKENESS,)
    assert [passage.text for passage in answer.passages] == ["dana: The audit is on Friday."]
