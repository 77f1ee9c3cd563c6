"""The servers to measure on: a stack of its own that syncs to disk, in a temporary folder."""

import gc
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg

from models.policy import Policy
from models.principals import Principal, PrincipalKind
from providers.protocols import Embedder
from runtime.addresses import of_stack
from runtime.embedded.stack import EmbeddedStack
from runtime.masking import masker_of
from runtime.policy_file import load_policy
from runtime.service import Service
from runtime.settings import SHIPPED_POLICY, load_settings
from runtime.up import DYNAMIC_CONFIG, SEARCH_ATTRIBUTES
from store.engine import Database, Role, plain_dsn
from store.migrate import migrate
from store.policies import Policies

QUEUE = "keepwell-bench"
NAMESPACE = "default"
BYPASSING = "bench_bypassing"
"""A role with the rights of the service's own, to which row-level security does not apply."""

PLANNED_ONCE = {"plan_cache_mode": "force_generic_plan"}
"""How the service has recalls planned; by itself Postgres plans a statement of many parts anew each time."""

# asyncpg has no types.
_connect: Any = asyncpg.connect  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


class Stage(NamedTuple):
    """The servers, and the service over them without Temporal, as publish and recall need none."""

    folder: Path
    admin_url: str
    database_url: str
    temporal_address: str
    policy: Policy
    policies: Policies
    database: Database
    service: Service

    async def tenant(self, name: str) -> Principal:
        """A new tenant, as an agent who may work in all its workspaces sees it."""
        agent = Principal(tenant=name, subject="ops-agent", kind=PrincipalKind.AGENT, roles=("agent",))
        await self.service.add_tenant(agent)
        return agent

    @asynccontextmanager
    async def bare(
        self, role: str | None = None, tenant_id: UUID | None = None, **settings: str
    ) -> AsyncGenerator[Any]:
        """A connection of asyncpg's own, with the settings of the service's connections and any others.

        It acts as `role`, or as the owner, and for `tenant_id` for as long as it lasts.
        """
        settings = {"jit": "off", **settings, **({} if role is None else {"role": str(role)})}
        connection = await _connect(plain_dsn(self.admin_url), server_settings=settings)
        try:
            if tenant_id is not None:
                await connection.execute("SELECT set_config('app.tenant', $1, false)", str(tenant_id))
            yield connection
        finally:
            await connection.close()


@asynccontextmanager
async def opened_stage(embedder: Embedder | None = None) -> AsyncGenerator[Stage]:
    """A stage that is gone afterwards, data and all."""
    policy = load_policy(SHIPPED_POLICY)
    with tempfile.TemporaryDirectory(prefix="keepwell-bench-") as folder:
        stack = EmbeddedStack(
            Path(folder), durable=True, search_attributes=SEARCH_ATTRIBUTES, dynamic_config=DYNAMIC_CONFIG
        )
        async with stack:
            servers = of_stack(stack.info)
            admin_url = stack.admin_database_url
            await migrate(admin_url, servers.database_url)
            masker = masker_of(load_settings().model_copy(update={"home": Path(folder)}))
            masker.warm()
            async with Database(servers.database_url) as database:
                policies = Policies(database, policy)
                service = Service(
                    database, policies, None, masker=masker, task_queue=QUEUE, embedder=embedder
                )
                stage = Stage(
                    Path(folder),
                    admin_url,
                    servers.database_url,
                    servers.temporal_address,
                    policy,
                    policies,
                    database,
                    service,
                )
                async with stage.bare() as owner:
                    await owner.execute(f"CREATE ROLE {BYPASSING} NOLOGIN BYPASSRLS IN ROLE {Role.SERVICE}")
                # As a server does once it is there; see `surfaces.http.serving`.
                gc.collect()
                gc.freeze()
                yield stage
