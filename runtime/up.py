"""Bring everything up: servers, migrations, a worker and an HTTP server, in this order; down again in reverse."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import structlog

from models.errors import InvalidInput, KeepwellError, Unavailable
from models.principals import Principal, PrincipalKind
from runtime import addresses, programs
from runtime.addresses import Addresses
from runtime.embedded.errors import ChildExited
from runtime.embedded.processes import free_port, port_is_free
from runtime.embedded.search_attributes import SearchAttributeType
from runtime.embedded.stack import EmbeddedPorts, EmbeddedStack
from runtime.http_server import choose_port, url_of
from runtime.masking import masking_key
from runtime.opening import opened_keys, opened_service
from runtime.policy_file import load_policy
from runtime.settings import Settings
from runtime.supervisor import Supervised, supervised
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

log = structlog.get_logger("keepwell.up")


@dataclass(frozen=True, slots=True)
class Running:
    """What runs: where the servers are, our two processes, and the embedded stack if it is ours.

    `first_key` is the text of the key that this start made for the first administrator, None where it made
    none. Whoever gets it shows it at once: it is kept nowhere.
    """

    addresses: Addresses
    worker: Supervised
    http_server: Supervised
    http_url: str
    stack: EmbeddedStack | None
    first_key: str | None = field(default=None, repr=False)

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

    With servers of your own only the worker and the HTTP server run here; they are migrated when
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
    # Made before the HTTP server needs it, so that a key which cannot be had ends the start with its reason.
    masking_key(settings)
    if where.admin_database_url is not None:
        await migrate(where.admin_database_url, where.database_url)
    async with opened_service(settings, where=where) as service:
        await service.add_tenant(
            Principal(tenant=DEFAULT_TENANT, subject="keepwell", kind=PrincipalKind.SYSTEM)
        )
    client = await connect(where.temporal_address, settings.temporal_namespace)
    (settings.home / "logs").mkdir(parents=True, exist_ok=True)
    async with (
        supervised(programs.worker(settings, where, client)) as worker,
        _serving(settings, where, None if stack is None else stack.http_port) as (http_server, url, port),
    ):
        key = None
        if stack is not None:
            stack.remember_http_port(port)
            stack.announce(url)
            # Last of all, since a key that a failing start had made would never be shown to anybody.
            key = await _first_key(settings, where)
        yield Running(where._replace(http_url=url), worker, http_server, url, stack, key)


@asynccontextmanager
async def _serving(
    settings: Settings, where: Addresses, remembered: int | None
) -> AsyncGenerator[tuple[Supervised, str, int]]:
    """An HTTP server, its URL and its port, which is replaced where it is lost in the meantime and not configured."""
    async with AsyncExitStack() as serving:
        while True:
            port = choose_port(settings.http_port, remembered, port_is_free, free_port)
            program = programs.http_server(settings, where, port)
            try:
                process = await serving.enter_async_context(supervised(program))
                break
            except ChildExited:
                if settings.http_port is not None or port_is_free(port):
                    raise
        yield process, url_of(settings.http_host, port), port


async def _first_key(settings: Settings, where: Addresses) -> str | None:
    """The key of the first administrator, if there has been no key yet."""
    async with opened_keys(settings, where=where) as keys:
        try:
            return await keys.make_first(DEFAULT_TENANT)
        except InvalidInput as unfit:
            # A policy of one's own need not have the role that this key is made for.
            log.warning("no_first_key", reason=str(unfit))
            return None
