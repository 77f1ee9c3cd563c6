"""A text that the embedder does not take keeps no other from its vector, and is neither lost nor asked for again."""

import asyncio
from collections.abc import AsyncGenerator
from uuid import uuid4

import pytest
from sqlalchemy import text
from temporalio.client import Client

from models.policy import Policy
from providers.embedders.endpoint import EndpointEmbedder
from runtime.addresses import Addresses
from runtime.embedding import waiting_told
from runtime.reembedding import reembed_with
from store import vectors
from store.engine import Database, Role
from tests.embedders.server import EmbeddingServer, Reply, embedding_server
from tests.embedders.server import vectors as found
from tests.stores import own_world
from tests.world import World, event

UNSPEAKABLE = "unspeakable"
MOST = 1_000
"""Characters that the model behind the endpoint reads."""


def answer(texts: list[str]) -> Reply:
    if any(len(each) > MOST or UNSPEAKABLE in each for each in texts):
        return Reply(400, "too long")
    return found(*([1.0, 0.0, 0.0] for _ in texts))


@pytest.fixture
async def server() -> AsyncGenerator[EmbeddingServer]:
    async with embedding_server() as running:
        yield running


@pytest.fixture
async def embedder(server: EmbeddingServer) -> AsyncGenerator[EndpointEmbedder]:
    made = EndpointEmbedder("picky", 3, url=server.url)
    yield made
    await made.aclose()


@pytest.fixture
async def world(
    addresses: Addresses, policy: Policy, client: Client, embedder: EndpointEmbedder
) -> AsyncGenerator[World]:
    async with own_world(addresses, policy, client, embedder=embedder) as made:
        yield made


async def hear(world: World, *texts: str) -> None:
    receipts = await world.publish(
        world.lead,
        *(
            event(number / 1_440, activity_id=f"act-{number}", type="feedback", text=said)
            for number, said in enumerate(texts)
        ),
    )
    await world.digest(receipts)


async def without_vector(world: World) -> list[str]:
    statement = """
        SELECT p.text FROM vectors v JOIN passages p ON p.tenant_id = v.tenant_id AND p.id = v.record_id
        WHERE v.embedding IS NULL
    """
    async with world.database.transaction(world.agent.tenant_id) as work:
        return [row.text for row in await work.rows(text(statement))]


async def test_all_others_get_their_vectors(world: World, server: EmbeddingServer) -> None:
    server.script = answer
    long = "The audit found nothing. " * 100
    await hear(world, "first report", f"an {UNSPEAKABLE} report", long, "last report")
    await asyncio.wait_for(world.service.embedded(world.agent), 60)
    assert await without_vector(world) == [f"dana: an {UNSPEAKABLE} report"]
    taken = [each for asked in server.asked for each in asked["input"] if answer([each]).status == 200]
    assert any(each.startswith("dana: The audit") and len(each) > MOST / 2 for each in taken)

    # It is found by its words, is asked for no more, and the operator is told.
    before = sum(UNSPEAKABLE in each for asked in server.asked for each in asked["input"])
    receipts = await world.publish(
        world.lead, event(activity_id="today", type="feedback", text="a report of today")
    )
    await world.digest(receipts)
    await asyncio.wait_for(world.service.embedded(world.agent), 60)
    assert sum(UNSPEAKABLE in each for asked in server.asked for each in asked["input"]) == before
    recalled = await world.recall(query=f"{UNSPEAKABLE} report")
    assert any(UNSPEAKABLE in passage.text for passage in recalled.passages)
    async with Database(world.database.url, Role.RELAY, pool_size=1) as relay:
        told = await waiting_told(world.database, relay)
    assert told == (
        "picky (3 numbers) serves, 0 wait,"
        " 1 have a text that it does not take (keepwell reembed tries them again)"
    )


async def test_reembedding_by_the_same_model_tries_what_was_refused_again(
    world: World, embedder: EndpointEmbedder, server: EmbeddingServer, client: Client
) -> None:
    """Its endpoint was half up when it refused them."""
    server.script = answer
    await hear(world, f"an {UNSPEAKABLE} report", f"another {UNSPEAKABLE} report", "a report")
    await asyncio.wait_for(world.service.embedded(world.agent), 60)
    assert len(await without_vector(world)) == 2
    server.script = lambda texts: found(*([1.0, 0.0, 0.0] for _ in texts))
    done = await reembed_with(world.database.url, client, embedder, task_queue=f"reembed-{uuid4().hex[:8]}")
    assert done.filled == 2
    assert await without_vector(world) == []


async def test_an_endpoint_that_refuses_everything_is_not_the_fault_of_the_texts(
    world: World, server: EmbeddingServer
) -> None:
    asked_for_a_word = asyncio.Event()

    def refuse(texts: list[str]) -> Reply:
        if texts == ["a word"]:
            asked_for_a_word.set()
        return Reply(400, "no such model")

    server.script = refuse
    await hear(world, "first report", "last report")
    await asyncio.wait_for(asked_for_a_word.wait(), 60)
    server.script = answer
    await asyncio.wait_for(world.service.embedded(world.agent), 60)
    assert await without_vector(world) == []
    async with world.database.transaction(world.agent.tenant_id) as work:
        assert await vectors.count_refused(work) == {}


async def test_a_text_that_waits_for_a_server_that_is_away_is_not_refused(
    world: World, server: EmbeddingServer
) -> None:
    tried = asyncio.Event()

    def away(_: list[str]) -> Reply:
        tried.set()
        return Reply(503, "")

    server.script = away
    await hear(world, "first report")
    await asyncio.wait_for(tried.wait(), 60)
    async with world.database.transaction(world.agent.tenant_id) as work:
        assert await vectors.count_refused(work) == {}
    server.script = answer
    await asyncio.wait_for(world.service.embedded(world.agent), 60)
    assert await without_vector(world) == []
