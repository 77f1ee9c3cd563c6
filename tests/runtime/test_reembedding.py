"""Vectors made anew by another embedder: recall goes on meanwhile, and what was cut off goes on where it was."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text
from temporalio.client import Client

from models.errors import InvalidInput, Unavailable
from models.policy import Policy
from models.recall import RecallRequest
from providers.embedders.endpoint import EndpointEmbedder
from providers.protocols import Embedder, Vector
from runtime.addresses import Addresses
from runtime.embedding import own_space, require_match, waiting_told
from runtime.reembedding import reembed_with
from runtime.service import Service
from runtime.worker import running_worker
from store import vectors
from store.engine import Database, Role
from store.policies import Policies
from tests.embedders.server import EmbeddingServer, Reply, embedding_server
from tests.stores import own_database
from tests.world import MASKER, QUIET_SECONDS, STAGING, World, event

ROOT = Path(__file__).parents[2]
RECALL = RecallRequest(scope=STAGING, query="what was reported?")
MODEL = "three-numbers"


class Lengths:
    """An embedder to which texts are alike that are as long; of another model than the server's."""

    model = "lengths"
    dimension = 2
    floor = 0.5
    remote = False

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [[1.0, 0.0] if len(text) % 2 else [0.0, 1.0] for text in texts]


class Place:
    """A database of its own with a worker that embeds by `Lengths`, and two tenants in it."""

    def __init__(self, url: str, database: Database, client: Client, policies: Policies, queue: str) -> None:
        self.url = url
        self.database = database
        self.client = client
        self.queue = queue
        self._policies = policies
        self.worlds = [World(self.service(Lengths()), database, f"{queue}-{number}") for number in range(2)]

    def service(self, embedder: Embedder | None) -> Service:
        return Service(
            self.database,
            self._policies,
            self.client,
            masker=MASKER,
            task_queue=self.queue,
            embedder=embedder,
        )

    async def reembed(self, embedder: Embedder | None, **options: int) -> int:
        return (
            await reembed_with(self.url, self.client, embedder, task_queue=f"{self.queue}-reembed", **options)
        ).filled

    async def held(self, world: World) -> dict[str, int]:
        """How many vectors of a tenant there are, by the model that made them."""
        async with self.database.transaction(world.agent.tenant_id) as work:
            rows = await work.rows(
                text(
                    "SELECT s.model, count(v.embedding) AS n FROM vectors v JOIN vector_spaces s ON s.id = v.space_id"
                    " GROUP BY s.model"
                )
            )
        return {row.model: row.n for row in rows}


@pytest.fixture
async def place(addresses: Addresses, policy: Policy, client: Client) -> AsyncGenerator[Place]:
    queue = f"reembed-{uuid4().hex[:8]}"
    async with own_database(addresses) as url, Database(url) as database:
        worker = running_worker(
            url, client, policy, task_queue=queue, quiet_seconds=QUIET_SECONDS, embedder=Lengths()
        )
        async with worker:
            made = Place(url, database, client, Policies(database, policy), queue)
            for world in made.worlds:
                await world.service.add_tenant(world.agent)
                receipts = await world.publish(
                    world.lead,
                    *(
                        event(
                            activity_id=f"act-{number}",
                            type="feedback",
                            text=f"report {number} " * (number + 1),
                        )
                        for number in range(20)
                    ),
                )
                await world.digest(receipts)
                await world.service.embedded(world.agent)
            yield made


@pytest.fixture
async def server() -> AsyncGenerator[EmbeddingServer]:
    async with embedding_server() as running:
        yield running


@pytest.fixture
async def new(server: EmbeddingServer) -> AsyncGenerator[EndpointEmbedder]:
    embedder = EndpointEmbedder(MODEL, 3, url=server.url)
    yield embedder
    await embedder.aclose()


async def test_another_embedder_is_refused_at_the_start_with_the_remedy(
    place: Place, new: EndpointEmbedder
) -> None:
    for check in (own_space, require_match):
        with pytest.raises(InvalidInput, match=r"three-numbers .* lengths .* keepwell reembed"):
            await check(place.database, new)
    await require_match(place.database, None)
    await require_match(place.database, Lengths())


async def test_a_new_space_is_filled_serves_and_the_old_one_is_gone(
    place: Place, new: EndpointEmbedder, server: EmbeddingServer
) -> None:
    for world in place.worlds:
        assert await place.held(world) == {"lengths": 20}
    assert await place.reembed(new) == 40
    for world in place.worlds:
        assert await place.held(world) == {MODEL: 20}
        service = place.service(new)
        answer = await service.recall(world.agent, RECALL)
        assert answer.passages
        assert answer.without == ()
    await require_match(place.database, new)
    assert sum(len(asked["input"]) for asked in server.asked[:-2]) == 40
    # With the old embedder there is nothing to compare any more, and recall says so.
    stale = await place.worlds[0].recall(query=RECALL.query)
    assert stale.without == ("likeness",)
    assert await place.reembed(new) == 0


async def test_recall_goes_on_with_the_old_space_meanwhile(
    place: Place, new: EndpointEmbedder, server: EmbeddingServer
) -> None:
    """What is published meanwhile gets its vector in both."""
    world = place.worlds[0]
    asked, go_on = asyncio.Event(), asyncio.Event()
    embed = new.embed

    async def held_up(texts: Sequence[str]) -> list[Vector]:
        asked.set()
        await go_on.wait()
        return await embed(texts)

    new.embed = held_up  # type: ignore[method-assign]
    reembedding = asyncio.create_task(place.reembed(new))
    await asked.wait()
    answer = await world.recall(query=RECALL.query)
    assert answer.without == ()
    assert answer.passages
    receipts = await world.publish(
        world.lead, event(activity_id="late", type="feedback", text="a late report")
    )
    await world.digest(receipts)
    async with Database(place.url, Role.RELAY, pool_size=1) as relay:
        told = await waiting_told(place.database, relay)
    assert "lengths (2 numbers) serves, " in told
    assert f"{MODEL} (3 numbers) is being filled, 21 wait" in told
    go_on.set()
    assert await reembedding == 41
    assert await place.held(world) == {MODEL: 21}


async def test_a_killed_reembedding_goes_on_where_it_was(
    place: Place, new: EndpointEmbedder, server: EmbeddingServer, addresses: Addresses
) -> None:
    """The command is killed while the embedder is at work; what has its vector by then is not embedded again."""
    reached, calls = asyncio.Event(), 0

    def first_batch_alone(texts: list[str]) -> Reply:
        nonlocal calls
        calls += 1
        if calls == 2:
            reached.set()
        return answers(texts)

    answers, server.script = server.script, first_batch_alone
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("KEEPWELL_")},
        "KEEPWELL_DATABASE_URL": place.url,
        "KEEPWELL_TEMPORAL_ADDRESS": addresses.temporal_address,
        "KEEPWELL_TASK_QUEUE": place.queue,
        "KEEPWELL_EMBEDDER": f"openai:{MODEL}",
        "KEEPWELL_EMBEDDER_URL": server.url,
        "KEEPWELL_EMBEDDER_DIMENSION": "3",
    }
    command = [str(Path(sys.executable).with_name("keepwell")), "reembed"]
    killed = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    await asyncio.wait_for(reached.wait(), 60)
    killed.send_signal(signal.SIGKILL)
    await killed.wait()
    before = len(server.asked)
    done = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    said, _ = await asyncio.wait_for(done.communicate(), 60)
    assert done.returncode == 0, said.decode()
    assert b"vectors have come" in said
    for world in place.worlds:
        assert await place.held(world) == {MODEL: 20}
    # The first batch was kept; at most the one that was under way was asked for again.
    again = sum(len(asked["input"]) for asked in server.asked[before:])
    assert 0 < again <= 24, json.dumps([len(asked["input"]) for asked in server.asked])


async def test_an_embedder_that_fails_is_told_and_the_old_space_goes_on_serving(
    place: Place, new: EndpointEmbedder, server: EmbeddingServer
) -> None:
    server.script = lambda _: Reply(401, "")
    with pytest.raises(Unavailable, match=r"KEEPWELL_EMBEDDER_KEY; run keepwell reembed again"):
        await place.reembed(new)
    assert (await place.worlds[0].recall(query=RECALL.query)).without == ()


async def test_an_embedder_that_refuses_everything_while_it_starts_is_asked_again(
    place: Place, new: EndpointEmbedder, server: EmbeddingServer
) -> None:
    taken = server.script

    def starting(texts: list[str]) -> Reply:
        if texts == ["a word"]:
            server.script = taken
        return Reply(400, "the model is being loaded")

    server.script = starting
    assert await place.reembed(new) == 40
    for world in place.worlds:
        assert await place.held(world) == {MODEL: 20}


async def test_without_an_embedder_all_vectors_go(place: Place) -> None:
    assert await place.reembed(None) == 0
    for world in place.worlds:
        assert await place.held(world) == {}
    async with place.database.transaction(place.worlds[0].agent.tenant_id) as work:
        assert await vectors.spaces(work) == []
