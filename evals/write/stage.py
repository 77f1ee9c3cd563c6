"""The service that the cases are played through: a worker in this process, on servers that are there."""

import secrets
import tempfile
from collections.abc import AsyncGenerator, MutableMapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import asyncpg
import structlog
import yaml
from temporalio.client import Client

from capture.masking import Masker
from models.policy import Policy
from providers.protocols import Embedder
from providers.secret_scanner import SecretScanner
from runtime.addresses import of_stack
from runtime.embedded.stack import EmbeddedStack
from runtime.policy_file import read_policy
from runtime.service import Service
from runtime.settings import SHIPPED_POLICY
from runtime.temporal import connect
from runtime.up import DYNAMIC_CONFIG, SEARCH_ATTRIBUTES
from runtime.worker import running_worker
from store.engine import Database, plain_dsn
from store.migrate import migrate
from store.policies import Policies

QUIET_SECONDS = 0.2
ADDED = Path(__file__).with_name("policy.yaml")

# asyncpg has no types.
_connect: Any = asyncpg.connect  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


class Stage(NamedTuple):
    """The service with a worker behind it, and the places in which a secret could turn up."""

    service: Service
    policy: Policy
    client: Client
    database_url: str
    admin_url: str
    logged: Sequence[MutableMapping[str, Any]]

    @asynccontextmanager
    async def bare(self) -> AsyncGenerator[Any]:
        """A connection of asyncpg's own as the owner, who sees the rows of every tenant."""
        connection = await _connect(plain_dsn(self.admin_url))
        try:
            yield connection
        finally:
            await connection.close()


def policy_of_cases(*more: Path) -> Policy:
    """The shipped policy with what the cases need beyond it: more speakers, and attributes of every value type.

    Sections of the files in `more` are added to it in turn.
    """
    document = yaml.safe_load(SHIPPED_POLICY.read_text(encoding="utf-8"))
    for path in (ADDED, *more):
        added = yaml.safe_load(path.read_text(encoding="utf-8"))
        document |= {name: {**document[name], **section} for name, section in added.items()}
    return read_policy(yaml.safe_dump(document, allow_unicode=True))


@asynccontextmanager
async def opened_stage(
    policy: Policy,
    database_url: str,
    admin_url: str,
    client: Client,
    *,
    embedder: Embedder | None = None,
    **proposing: Any,
) -> AsyncGenerator[Stage]:
    """A stage on a migrated database that no other worker serves. Its log lines are kept and not printed.

    `proposing` says who proposes, as `running_worker` takes it: the bundled rules unless it says otherwise. With an
    `embedder` it is recalled by meaning too.
    """
    queue = f"keepwell-eval-write-{uuid4().hex[:8]}"
    working = running_worker(
        database_url,
        client,
        policy,
        task_queue=queue,
        quiet_seconds=QUIET_SECONDS,
        embedder=embedder,
        **proposing,
    )
    with structlog.testing.capture_logs() as logged:
        async with working, Database(database_url) as database:
            masker = Masker(SecretScanner(), lambda: secrets.token_bytes(32))
            policies = Policies(database, policy)
            service = Service(database, policies, client, masker=masker, task_queue=queue, embedder=embedder)
            yield Stage(service, policy, client, database_url, admin_url, logged)


@asynccontextmanager
async def temporary_stage(policy: Policy, **proposing: Any) -> AsyncGenerator[Stage]:
    """A stage on servers of its own, which are gone afterwards, data and all."""
    with tempfile.TemporaryDirectory(prefix="keepwell-eval-write-") as folder:
        async with EmbeddedStack(
            Path(folder), durable=False, search_attributes=SEARCH_ATTRIBUTES, dynamic_config=DYNAMIC_CONFIG
        ) as stack:
            addresses = of_stack(stack.info)
            assert addresses.admin_database_url is not None
            await migrate(addresses.admin_database_url, addresses.database_url)
            client = await connect(addresses.temporal_address, "default")
            async with opened_stage(
                policy, addresses.database_url, addresses.admin_database_url, client, **proposing
            ) as opened:
                yield opened
