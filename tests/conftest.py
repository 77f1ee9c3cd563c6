"""Real servers for all tests: one Postgres and one Temporal a run, started here and gone afterwards.

A test that needs the service gets a tenant of its own, so that tests share the servers and nothing else.
"""

import signal
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from temporalio.client import Client

from models.policy import Policy
from runtime.addresses import Addresses, of_stack
from runtime.embedded.stack import EmbeddedStack
from runtime.policy_file import load_policy
from runtime.service import Service
from runtime.settings import SHIPPED_POLICY
from runtime.temporal import connect
from runtime.up import DYNAMIC_CONFIG, SEARCH_ATTRIBUTES
from runtime.worker import running_worker
from store.engine import Database
from store.migrate import migrate
from store.policies import Policies
from tests.world import MASKER, QUIET_SECONDS, SIGNAL_TARGETS, WEBHOOK_HOSTS, World


def pytest_configure() -> None:
    """Let Ctrl-C reach what the tests start, as what runs in the background of a shell ignores it and hands that on."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart() -> None:
    """Let a starved machine fail no test that has passed.

    Temporal interrupts a workflow's task that took two seconds by raising inside its thread, and has it done again.
    Where that meets a destructor Python can only report it, and pytest would count it against whichever test runs.
    """
    report = sys.unraisablehook

    def unless_interrupted(unraisable: "sys.UnraisableHookArgs") -> None:
        if unraisable.exc_type.__name__ != "_InterruptDeadlockError":
            report(unraisable)

    sys.unraisablehook = unless_interrupted


def pytest_unconfigure() -> None:
    """Give the Temporal core's threads the moment that they need, or the process may abort at its end."""
    time.sleep(0.3)


@pytest.fixture(scope="session")
def data_dir() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="keepwell-tests-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
async def addresses(data_dir: Path) -> AsyncGenerator[Addresses]:
    async with EmbeddedStack(
        data_dir,
        durable=False,
        search_attributes=SEARCH_ATTRIBUTES,
        dynamic_config={**DYNAMIC_CONFIG, "limit.historyCount.suggestContinueAsNew": 200},
    ) as stack:
        found = of_stack(stack.info)
        assert found.admin_database_url is not None
        await migrate(found.admin_database_url, found.database_url)
        yield found


@pytest.fixture(scope="session")
def policy() -> Policy:
    return load_policy(SHIPPED_POLICY)


@pytest.fixture(scope="session")
async def client(addresses: Addresses) -> Client:
    return await connect(addresses.temporal_address, "default")


@pytest.fixture(scope="session")
async def database(addresses: Addresses) -> AsyncGenerator[Database]:
    async with Database(addresses.database_url) as pool:
        yield pool


@pytest.fixture(scope="session")
def policies(database: Database, policy: Policy) -> Policies:
    return Policies(database, policy)


@pytest.fixture(scope="session")
async def service(
    addresses: Addresses, database: Database, policy: Policy, policies: Policies, client: Client
) -> AsyncGenerator[Service]:
    """The service with a worker behind it."""
    queue = f"tests-{uuid4().hex[:8]}"
    async with running_worker(
        addresses.database_url,
        client,
        policy,
        task_queue=queue,
        quiet_seconds=QUIET_SECONDS,
        sealing_key=bytes(range(32)),
        webhook_hosts=WEBHOOK_HOSTS,
        signal_targets=SIGNAL_TARGETS,
    ):
        yield Service(
            database,
            policies,
            client,
            masker=MASKER,
            task_queue=queue,
            webhook_hosts=WEBHOOK_HOSTS,
            signal_targets=SIGNAL_TARGETS,
        )


@pytest.fixture
async def world(service: Service, database: Database) -> World:
    """A tenant of its own, with people in it."""
    made = World(service, database, f"tenant-{uuid4().hex[:12]}")
    await service.add_tenant(made.principal("setup"))
    return made
