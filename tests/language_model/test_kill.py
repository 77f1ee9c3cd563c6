"""A worker dies between an answer and what comes of it: another applies the same answer, and asks nothing again."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from temporalio.client import Client

from models.policy import Policy
from runtime.addresses import Addresses
from runtime.programs import WORKER_PROGRAM
from runtime.service import Service
from store.engine import Database
from store.policies import Policies
from tests.language_model.modelled import BY_MODEL, FOUND, MODEL, Asked, Modelled, asks_to_narrate
from tests.language_model.server import Answer, ModelServer, candidates, narrative
from tests.stores import own_database
from tests.world import MASKER, World

EXTRACTOR = f"{MODEL}/extract_facts.v1"
_WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


def never_the_same(server: ModelServer) -> None:
    """Have the model answer otherwise each time that it is asked for facts."""
    values = iter(("Postgres 18", "goes Postgres 18", "goes to Postgres 18"))

    def answer(asked: dict[str, object]) -> Answer:
        if asks_to_narrate(asked):
            return narrative("It was said.")
        return candidates({**FOUND, "value": next(values)})

    server.script = answer


async def somebody_waits(owner: AsyncEngine) -> bool:
    """Whether a transaction waits for a lock. Each look is a transaction, as one sees the same all the time."""
    async with owner.connect() as connection:
        return (await connection.execute(text(_WAITING))).scalar_one() > 0


@asynccontextmanager
async def worker(url: str, addresses: Addresses, queue: str, server: ModelServer) -> AsyncGenerator[int]:
    """The worker's own program, told of the model by the environment alone; its process id."""
    told = {
        "PATH": os.environ["PATH"],
        "KEEPWELL_DATABASE_URL": url,
        "KEEPWELL_TEMPORAL_ADDRESS": addresses.temporal_address,
        "KEEPWELL_TASK_QUEUE": queue,
        "KEEPWELL_QUIET_SECONDS": "0.1",
        "KEEPWELL_MODEL": MODEL,
        "KEEPWELL_MODEL_URL": server.url,
    }
    process = await asyncio.create_subprocess_exec(sys.executable, str(WORKER_PROGRAM), env=told)
    try:
        yield process.pid
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.timeout(120)
async def test_what_was_answered_before_a_kill_is_applied_after_it(
    addresses: Addresses, policy: Policy, client: Client, server: ModelServer
) -> None:
    never_the_same(server)
    queue = f"killed-{uuid4().hex[:8]}"
    async with own_database(addresses) as url, Database(url) as database:
        world = World(
            Service(database, Policies(database, policy), client, masker=MASKER, task_queue=queue),
            database,
            queue,
        )
        await world.service.add_tenant(world.agent)
        modelled = Modelled(world, server, client)
        receipt = await modelled.publish_quietly(BY_MODEL, "act-1")
        admin = make_url(str(addresses.admin_database_url)).set(database=make_url(url).database)
        owner = create_async_engine(admin)
        async with owner.begin() as holder:
            # The pass ends with a change of this row, so that it comes as far as that and no further.
            query = text("SELECT FROM activities WHERE id = :id FOR NO KEY UPDATE")
            await holder.execute(query, {"id": receipt.activity_id})
            async with worker(url, addresses, queue, server) as pid:
                while not await somebody_waits(owner):
                    await asyncio.sleep(0.05)
                held = [
                    each for each in await modelled.asked(receipt.activity_id) if each.purpose == "extract"
                ]
                assert held == [Asked("extract", "proposed", None, 1, 120, holds_words=True)]
                assert await modelled.candidates(receipt) == {}
                os.kill(pid, signal.SIGKILL)
        await owner.dispose()
        async with worker(url, addresses, queue, server):
            await world.digest([receipt])
        assert (await modelled.candidates(receipt))[EXTRACTOR][2] == "Postgres 18"
        asked = [each for each in await modelled.asked(receipt.activity_id) if each.purpose == "extract"]
        assert asked == [Asked("extract", "applied", None, 1, 120, holds_words=False)]
        assert sum(not asks_to_narrate(each) for each in server.asked) == 1
