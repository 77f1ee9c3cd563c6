"""Play the story against a worker in a process of its own, killed at one point or not at all.

Every run has its own database, tenant and task queue, so that many run side by side on the same servers. The
tenant is part of each workflow id, so that workflows of different runs never meet.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.service import RPCError, RPCStatusCode

from models.policy import Policy
from runtime.addresses import Addresses
from runtime.service import Service
from store.engine import Database
from store.migrate import migrate
from store.policies import Policies
from tests.kill import worker_main
from tests.kill.points import ARMED, Point
from tests.kill.snapshot import Dump, dump
from tests.kill.story import STORY, Scene
from tests.kill.worker_main import ORDER, Order
from tests.webhooks.server import receiving
from tests.world import MASKER, WEBHOOK_HOSTS, World
from workflows import ids

ROOT = Path(__file__).parents[2]
STORY_SECONDS = 150.0
"""A run that takes longer hangs. A kill costs the ten seconds after which Temporal tries a step again."""
QUIET_POLL_SECONDS = 0.1
LOG_CHARACTERS = 2_000
"""So much of a worker's log goes into the message of a failed run."""
SIDE_BY_SIDE = 5
"""Runs at once: they mostly wait, but each starts two interpreters."""


class WorkerFailed(Exception):
    """The worker ended by itself, and not by the kill point that it was given."""


class NeverReached(Exception):
    """The story came to its end, and the worker never came to its kill point."""


class Laboratory:
    """Makes databases from one migrated template, and plays the story on them."""

    def __init__(self, addresses: Addresses, client: Client, policy: Policy, folder: Path) -> None:
        assert addresses.admin_database_url is not None
        self._addresses = addresses
        self._admin_url = addresses.admin_database_url
        self._client = client
        self._policy = policy
        self._folder = folder
        self._template = f"kill_template_{uuid4().hex[:8]}"
        self._places = asyncio.Semaphore(SIDE_BY_SIDE)
        self._admin = create_async_engine(self._admin_url, poolclass=NullPool, isolation_level="AUTOCOMMIT")

    async def prepare(self) -> None:
        """Make and migrate the template."""
        await self._execute(f"CREATE DATABASE {self._template}")
        await migrate(_on(self._admin_url, self._template), _on(self._addresses.database_url, self._template))

    async def close(self) -> None:
        """Remove the template."""
        await self._execute(f"DROP DATABASE IF EXISTS {self._template} WITH (FORCE)")
        await self._admin.dispose()

    @asynccontextmanager
    async def fresh(self) -> AsyncGenerator["Site"]:
        """A migrated, empty database with a service on it, gone afterwards."""
        name = f"kill_{uuid4().hex[:12]}"
        await self._execute(f"CREATE DATABASE {name} TEMPLATE {self._template}")
        owner = create_async_engine(_on(self._admin_url, name), pool_size=2)
        url = _on(self._addresses.database_url, name)
        try:
            async with Database(url, pool_size=4) as database:
                service = Service(
                    database,
                    Policies(database, self._policy),
                    self._client,
                    masker=MASKER,
                    task_queue=name,
                    webhook_hosts=WEBHOOK_HOSTS,
                )
                world = World(service, database, f"tenant-{name[5:]}")
                await service.add_tenant(world.principal("setup"))
                yield Site(name, url, owner, world)
        finally:
            await owner.dispose()
            await self._execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    @asynccontextmanager
    async def played(self, point: Point | None, *, careless: bool = False) -> AsyncGenerator["Run"]:
        """A run of the whole story, over and at rest, with its database still there."""
        async with self._places, self.fresh() as site:
            order = Order(
                database_url=site.url,
                temporal_address=self._addresses.temporal_address,
                task_queue=site.name,
                parent=os.getpid(),
                armed=self._folder / f"{site.name}.{ARMED}",
                point=point,
                careless=careless,
            )
            run = Run(site.world, site.owner, self._client, order, self._folder / f"{site.name}.log")
            await run.play()
            yield run

    async def end_of(self, point: Point | None, *, careless: bool = False) -> Dump:
        """What the database holds at the end of a run; a `careless` worker has a fault planted in it."""
        async with self.played(point, careless=careless) as run, run.owner.connect() as connection:
            return await dump(connection)

    async def _execute(self, statement: str) -> None:
        async with self._admin.connect() as connection:
            await connection.execute(text(statement))


class Site(NamedTuple):
    """A database of its own: its name, which is that of the task queue too, and who works on it."""

    name: str
    url: str
    owner: AsyncEngine
    world: World


class Run:
    """One run of the story, with its worker."""

    def __init__(self, world: World, owner: AsyncEngine, client: Client, order: Order, log: Path) -> None:
        self.owner = owner
        self._world = world
        self._client = client
        self._order = order
        self._log = log
        self._killed = False

    async def play(self) -> None:
        """Play the story to its end and wait until nothing is left to do; the worker is gone then.

        Raises `WorkerFailed`, `NeverReached`, and `TimeoutError` with what was still being done.
        """
        working = asyncio.create_task(self._keep_a_worker())
        telling = asyncio.create_task(self._tell())
        try:
            async with asyncio.timeout(STORY_SECONDS):
                await asyncio.wait((working, telling), return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                await working
            await telling
        except TimeoutError:
            raise TimeoutError(f"still at work: {await self._unrest()}\n{self._end_of_log()}") from None
        finally:
            for task in (working, telling):
                task.cancel()
            await asyncio.gather(working, telling, return_exceptions=True)
        if self._order.point is not None and not self._killed:
            raise NeverReached(str(self._order.point))

    async def _tell(self) -> None:
        async with receiving() as receiver:
            scene = Scene(self._world, receiver)
            for chapter in STORY:
                if self._order.point is not None and self._order.point.chapter == chapter.__name__:
                    self._order.armed.touch()
                await chapter(scene)
                while await self._unrest() is not None:
                    await asyncio.sleep(QUIET_POLL_SECONDS)
                self._order.armed.unlink(missing_ok=True)

    async def _keep_a_worker(self) -> None:
        """Run a worker; when it has killed itself, run an ordinary one."""
        order = self._order
        while True:
            code = await self._work(order)
            if order.point is None or code != -signal.SIGKILL:
                raise WorkerFailed(f"the worker ended with {code}\n{self._end_of_log()}")
            self._killed = True
            order = order.model_copy(update={"point": None})

    def _end_of_log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")[-LOG_CHARACTERS:]

    async def _work(self, order: Order) -> int:
        environment = {**os.environ, ORDER: order.model_dump_json()}
        with self._log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", worker_main.__name__, env=environment, cwd=ROOT, stdout=log, stderr=log
            )
        try:
            return await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    async def _unrest(self) -> str | None:
        """What is still to be done; None when nothing is.

        Rows of the outbox are numbered. When it is empty before and after, under the same last number, and
        each workflow was seen at rest in between, then nothing was handed over meanwhile to wake one.
        """
        async with self.owner.connect() as connection:
            before = await _outbox(connection)
            if before.rows:
                return f"{before.rows} rows in the outbox"
            wanted = await self._workflow_ids(connection)
            await connection.rollback()
            states = await asyncio.gather(*(self._at_work(identity) for identity in wanted))
            busy = [state for state in states if state is not None]
            if busy:
                return ", ".join(busy)
            after = await _outbox(connection)
        return None if after == before else "the outbox moved"

    async def _workflow_ids(self, connection: AsyncConnection) -> list[str]:
        tenant = self._world.agent.tenant_id
        found: list[str] = []
        for make, query in (
            (ids.consolidation, "SELECT id FROM activities"),
            (ids.fact, "SELECT id FROM fact_keys"),
            (ids.gate, "SELECT fact_id FROM gates"),
            (ids.delivery, "SELECT id FROM endpoints"),
        ):
            found.extend(make(tenant, each) for each in (await connection.execute(text(query))).scalars())
        return [*found, ids.intentions(tenant)]

    async def _at_work(self, workflow_id: str) -> str | None:
        """What the workflow is doing, or None if it never ran, is over, or waits for a gate or a time to come."""
        try:
            described = await self._client.get_workflow_handle(workflow_id).describe()
        except RPCError as refused:
            if refused.status is RPCStatusCode.NOT_FOUND:
                return None
            raise
        if described.status is WorkflowExecutionStatus.COMPLETED:
            return None
        raw = described.raw_description
        busy = raw.HasField("pending_workflow_task") or len(raw.pending_activities) > 0
        waits = described.status is WorkflowExecutionStatus.RUNNING and not busy
        if waits and workflow_id.startswith("gate/") and await self._is_open(workflow_id):
            return None
        if waits and workflow_id.startswith("intentions/") and await self._nothing_is_due():
            return None
        return f"{workflow_id} {described.status.name if described.status else 'unknown'}"

    async def _is_open(self, workflow_id: str) -> bool:
        fact_id = workflow_id.rsplit("/", 1)[1]
        query = text("SELECT state = 'open' FROM gates WHERE fact_id = CAST(:fact AS uuid)")
        async with self.owner.connect() as connection:
            return bool((await connection.execute(query, {"fact": fact_id})).scalar_one())

    async def _nothing_is_due(self) -> bool:
        query = text(
            "SELECT NOT EXISTS (SELECT FROM intentions WHERE next_at <= now())"
            " AND NOT EXISTS (SELECT FROM stimuli WHERE at <= now())"
        )
        async with self.owner.connect() as connection:
            return bool((await connection.execute(query)).scalar_one())


class _Outbox(NamedTuple):
    rows: int
    last_number: int


async def _outbox(connection: AsyncConnection) -> _Outbox:
    query = text("SELECT (SELECT count(*) FROM outbox), (SELECT last_value FROM outbox_id_seq)")
    row = (await connection.execute(query)).one()
    await connection.rollback()
    return _Outbox(row[0], row[1])


def _on(url: str, database: str) -> str:
    """`url` with another database."""
    return make_url(url).set(database=database).render_as_string(hide_password=False)


async def ends_of(laboratory: Laboratory, points: Sequence[Point]) -> dict[Point, Dump | BaseException]:
    """The ends of many runs, some at a time; what went wrong in place of an end."""
    ends = await asyncio.gather(*(laboratory.end_of(point) for point in points), return_exceptions=True)
    return dict(zip(points, ends, strict=True))
