"""Bring everything up: servers, migrations and a supervised worker, in this order; down again in reverse."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import NamedTuple

from models.errors import InvalidInput, KeepwellError, Unavailable
from models.principals import Principal, PrincipalKind
from runtime import addresses
from runtime.addresses import Addresses
from runtime.embedded.search_attributes import SearchAttributeType
from runtime.embedded.stack import EmbeddedPorts, EmbeddedStack
from runtime.opening import opened_service
from runtime.policy_file import load_policy
from runtime.settings import Settings
from runtime.supervisor import SupervisedWorker, supervised_worker
from runtime.temporal import connect
from store.migrate import migrate
from workflows.search_attributes import REGISTERED

SEARCH_ATTRIBUTES: dict[str, SearchAttributeType] = dict.fromkeys(REGISTERED, "Keyword")
DYNAMIC_CONFIG = {
    "matching.enableFairness": True,
    "history.transferProcessorUpdateAckInterval": "1s",
    "history.visibilityProcessorUpdateAckInterval": "1s",
    "history.timerProcessorMaxTimeShift": "10ms",
}
"""Fairness between tenants, deletions that take effect within seconds, and timers that fire when they are due."""


DEFAULT_TENANT = "default"
"""The tenant that is there from the start."""


class Running(NamedTuple):
    """What runs: where the servers are, the worker, and the embedded stack if it is ours."""

    addresses: Addresses
    worker: SupervisedWorker
    stack: EmbeddedStack | None

    async def wait_failure(self) -> KeepwellError:
        """Wait until an embedded server ends by itself; for ever where the servers are not ours."""
        if self.stack is None:
            await asyncio.Event().wait()
            raise AssertionError
        return await self.stack.wait_failure()


async def migrate_configured(settings: Settings) -> str:
    """Migrate the configured database; the revision that it then has.

    Raises `InvalidInput` where the settings name no owner and `Unavailable` where no server answers.
    """
    if settings.admin_database_url is None:
        raise InvalidInput("set the URL of the database's owner", field="KEEPWELL_ADMIN_DATABASE_URL")
    try:
        return await migrate(settings.admin_database_url, settings.database_url)
    except OSError as lost:
        raise Unavailable("Postgres does not answer; check that it runs and try again") from lost


@asynccontextmanager
async def running(settings: Settings) -> AsyncGenerator[Running]:
    """Everything that the settings ask for, ready for use, until the context ends.

    With servers of your own only the worker runs here; they are migrated when
    `KEEPWELL_ADMIN_DATABASE_URL` is set. Raises a `KeepwellError` that says what is in the way.
    """
    load_policy(settings.policy)
    if settings.database_url is not None or settings.temporal_address is not None:
        async with _working(settings, addresses.find(settings), None) as up:
            yield up
        return
    stack = EmbeddedStack(
        settings.home,
        EmbeddedPorts(settings.postgres_port, settings.temporal_port, settings.ui_port),
        search_attributes=SEARCH_ATTRIBUTES,
        dynamic_config=DYNAMIC_CONFIG,
    )
    async with stack, _working(settings, addresses.of_stack(stack.info), stack) as up:
        yield up


@asynccontextmanager
async def _working(
    settings: Settings, where: Addresses, stack: EmbeddedStack | None
) -> AsyncGenerator[Running]:
    if where.admin_database_url is not None:
        await migrate(where.admin_database_url, where.database_url)
    async with opened_service(settings, where=where) as service:
        await service.add_tenant(
            Principal(tenant=DEFAULT_TENANT, subject="keepwell", kind=PrincipalKind.SYSTEM)
        )
    client = await connect(where.temporal_address, settings.temporal_namespace)
    environment = {
        "KEEPWELL_DATABASE_URL": where.database_url,
        "KEEPWELL_TEMPORAL_ADDRESS": where.temporal_address,
        "KEEPWELL_TEMPORAL_NAMESPACE": settings.temporal_namespace,
        "KEEPWELL_TASK_QUEUE": settings.task_queue,
        "KEEPWELL_QUIET_SECONDS": str(settings.quiet_seconds),
        "KEEPWELL_POLICY": str(settings.policy.resolve()),
    }
    settings.home.mkdir(parents=True, exist_ok=True)
    log_path = settings.home.resolve() / "logs" / "worker.log"
    log_path.parent.mkdir(exist_ok=True)
    async with supervised_worker(client, settings.task_queue, log_path, environment) as worker:
        yield Running(where, worker, stack)
