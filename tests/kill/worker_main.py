"""The process entry of a worker that kills itself at one point: `python -m tests.kill.worker_main`.

The worker is put together by `runtime.worker` as everywhere. What watches it comes from outside: a Temporal
interceptor around each step, a listener on SQLAlchemy's commits, and a wrapper around the two functions by
which the relays take and remove outbox rows. The order is JSON in an environment variable, as a
database URL holds a password and everybody can read a command line.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Collection, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, delete, event
from sqlalchemy.engine import Engine
from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from providers.embedders.bundled import BundledEmbedder
from runtime.dispatcher import BATCH, TO_TEMPORAL, Dispatcher
from runtime.embedded.launch import PR_SET_PDEATHSIG, control, linux_calls
from runtime.policy_file import load_policy
from runtime.settings import SHIPPED_POLICY
from runtime.temporal import connect
from runtime.worker import running_worker
from store import outbox
from store.outbox import Kind, Parcel
from store.tables import outbox as outbox_table
from store.unit_of_work import UnitOfWork
from tests.kill.points import TRANSACTIONS, Moment, Point
from tests.world import WEBHOOK_HOSTS

ORDER = "KEEPWELL_TEST_KILL_ORDER"
QUIET_SECONDS = 0.1
EXIT_MISCOUNTED = 70


class Order(BaseModel):
    """What one worker of the tests is to do. Without a `point` it is an ordinary worker.

    The point is live while the file `armed` exists. A `careless` worker has a fault planted in it.
    """

    database_url: str
    temporal_address: str
    task_queue: str
    parent: int
    armed: Path
    point: Point | None = None
    careless: bool = False


class Fuse:
    """Ends this process at one point, as a power cut would."""

    def __init__(self, point: Point | None, armed: Path) -> None:
        self._point = point
        self._armed = armed

    @property
    def is_set(self) -> bool:
        """Whether there is a point at which this process is to end."""
        return self._point is not None

    def at(self, where: str, moment: Moment) -> None:
        """Say that `where` has come to `moment`; does not return if that is the point."""
        point = self._point
        if point is not None and (where, moment) == (point.where, point.moment) and self._armed.exists():
            os.kill(os.getpid(), signal.SIGKILL)


class Call:
    """One run of a step, and how many transactions it has committed."""

    def __init__(self, step: str) -> None:
        self.step = step
        self.commits = 0


_CALL: ContextVar[Call | None] = ContextVar("call", default=None)


class _WatchedSteps(ActivityInboundInterceptor):
    def __init__(self, following: ActivityInboundInterceptor, fuse: Fuse) -> None:
        super().__init__(following)
        self._fuse = fuse

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002 - the SDK's name
        call = Call(activity.info().activity_type.removeprefix("keepwell."))
        self._fuse.at(call.step, Moment.BEFORE)
        _CALL.set(call)
        answer = await super().execute_activity(input)
        if self._fuse.is_set and call.commits != TRANSACTIONS[call.step]:
            sys.stderr.write(f"{call.step} committed {call.commits} times; say so in TRANSACTIONS\n")
            sys.stderr.flush()
            os._exit(EXIT_MISCOUNTED)
        self._fuse.at(call.step, Moment.AFTER)
        return answer


class WatchSteps(Interceptor):
    """Tells the fuse when a step begins and when it has ended."""

    def __init__(self, fuse: Fuse) -> None:
        self._fuse = fuse

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002
        return _WatchedSteps(next, self._fuse)


def watch_commits(fuse: Fuse) -> None:
    """Tell the fuse when the last transaction of a step is about to be committed."""

    def about_to_commit(_: Connection) -> None:
        call = _CALL.get()
        if call is None:
            return
        call.commits += 1
        if call.commits == TRANSACTIONS[call.step]:
            fuse.at(call.step, Moment.COMMIT)

    event.listen(Engine, "commit", about_to_commit)


def watch_relays(fuse: Fuse) -> None:
    """Tell the fuse when outbox rows have been taken, and when they have been delivered."""
    take, delivered = outbox.take, outbox.delivered
    held: dict[int, str] = {}

    async def watched_take(relay: UnitOfWork, kinds: Collection[Kind], most: int) -> list[Parcel]:
        parcels = await take(relay, kinds, most)
        held.update({parcel.id: parcel.kind.value for parcel in parcels})
        for parcel in parcels:
            fuse.at(parcel.kind.value, Moment.TAKEN)
        return parcels

    async def watched_delivered(relay: UnitOfWork, ids: Sequence[int]) -> None:
        for identity in ids:
            fuse.at(held[identity], Moment.DELIVERED)
        await delivered(relay, ids)

    outbox.take, outbox.delivered = watched_take, watched_delivered


def plant_carelessness(fuse: Fuse) -> None:
    """Have the dispatcher remove its rows before it delivers them: at most once, where at least once is due."""

    async def relay_once(self: Dispatcher) -> int:
        async with self._relay.relay() as work:
            parcels = await outbox.take(work, TO_TEMPORAL, BATCH)
            await work.run(delete(outbox_table).where(outbox_table.c.id.in_([each.id for each in parcels])))
        for parcel in parcels:
            fuse.at(parcel.kind.value, Moment.REMOVED)
            await self._deliver(parcel)
        return len(parcels)

    Dispatcher.relay_once = relay_once


def die_with_parent(parent: int) -> None:
    """Have the kernel end this process when the tests end, however they do."""
    linux = linux_calls()
    if linux is not None:
        control(linux, PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the tests are gone")


async def main(order: Order) -> None:
    """Work until killed."""
    fuse = Fuse(order.point, order.armed)
    watch_commits(fuse)
    watch_relays(fuse)
    if order.careless:
        plant_carelessness(fuse)
    client = await connect(order.temporal_address, "default")
    async with running_worker(
        order.database_url,
        client,
        load_policy(SHIPPED_POLICY),
        task_queue=order.task_queue,
        quiet_seconds=QUIET_SECONDS,
        embedder=BundledEmbedder(),
        webhook_hosts=WEBHOOK_HOSTS,
        interceptors=[WatchSteps(fuse)],
    ):
        await asyncio.Event().wait()


if __name__ == "__main__":
    given = Order.model_validate_json(os.environ.pop(ORDER))
    die_with_parent(given.parent)
    asyncio.run(main(given))
