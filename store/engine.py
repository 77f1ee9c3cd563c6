"""Pools of connections, each under the role that its caller is allowed to have.

The service's role cannot bypass row-level security, whoever the login is. A transaction without a tenant
sees nothing.
"""

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from enum import StrEnum
from typing import Self
from uuid import UUID

import asyncpg
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from models.errors import Unavailable
from store.sql import TEXTS, sql
from store.unit_of_work import Deadlocked, KeyTaken, SourceErased, UnitOfWork

_SET_TENANT = text("SELECT set_config('app.tenant', :tenant, true)")
_SET_TENANT_AND_PLAN = text(
    "SELECT set_config('app.tenant', :tenant, true), set_config('plan_cache_mode', 'force_generic_plan', true)"
)
_MAY_VACUUM = text("SELECT has_table_privilege(current_user, :table, 'MAINTAIN')")
_NOTIFY = sql(
    "SELECT pg_notify(channel, CAST(:tenant AS text)) FROM unnest(:channels) AS channel", channels=TEXTS
)

_AWAY = ("08", "53", "57P")
"""SQLSTATE classes of a server that is away for now: connection lost, out of resources, starting or stopping."""

_DEADLOCK = "40P01"
"""The SQLSTATE of a transaction that was ended because two waited for each other."""

_NOT_OURS = ("28", "3D", "22023", "42P01")
"""SQLSTATEs of a server that is there but not ready for us: login refused, no database, no role, no tables."""


class Role(StrEnum):
    """The roles that the migrations create."""

    SERVICE = "keepwell_service"
    RELAY = "keepwell_relay"
    ERASER = "keepwell_eraser"


class Database:
    """A pool under one role. Close it with `aclose` or use it as an async context manager."""

    def __init__(self, url: str, role: Role = Role.SERVICE, *, pool_size: int = 10) -> None:
        self.url = url
        self._engine: AsyncEngine = create_async_engine(
            url,
            pool_size=pool_size,
            max_overflow=0,
            hide_parameters=True,
            connect_args={
                "server_settings": {"role": role.value, "jit": "off", "application_name": "keepwell"},
                # The longest statements are those that it would cost most to prepare anew.
                "max_cacheable_statement_size": 0,
            },
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection of the pool."""
        await self._engine.dispose()

    @asynccontextmanager
    async def transaction(self, tenant_id: UUID, *, planned_once: bool = False) -> AsyncGenerator[UnitOfWork]:
        """One transaction for one tenant: committed on leaving, rolled back on an exception.

        With `planned_once` a statement is planned for any values, once a connection: worth it where to plan it takes
        longer than to run it, and where its plan suits every tenant.

        Raises `Unavailable` when Postgres does not answer, and `KeyTaken` when an idempotency key is in use.
        """
        with _translated():
            async with self._engine.begin() as connection:
                setting = _SET_TENANT_AND_PLAN if planned_once else _SET_TENANT
                await connection.execute(setting, {"tenant": str(tenant_id)})
                work = UnitOfWork(connection, tenant_id)
                yield work
        if work.announcements:
            # What is committed stays committed: whoever listens looks by itself when a notification is lost.
            with suppress(OSError, SQLAlchemyError):
                await self._notify(sorted(work.announcements), tenant_id)

    @asynccontextmanager
    async def trial(self, tenant_id: UUID) -> AsyncGenerator[UnitOfWork]:
        """One transaction for one tenant that is always rolled back: to look, or to see what something would do."""
        with _translated():
            async with self._engine.connect() as connection:
                await connection.execute(_SET_TENANT, {"tenant": str(tenant_id)})
                yield UnitOfWork(connection, tenant_id)
                await connection.rollback()

    @asynccontextmanager
    async def snapshot(self, tenant_id: UUID) -> AsyncGenerator[UnitOfWork]:
        """One transaction that reads everything of a tenant as of one instant, however long it takes.

        Raises `Unavailable` when Postgres does not answer.
        """
        with _translated():
            async with self._engine.execution_options(
                isolation_level="REPEATABLE READ"
            ).begin() as connection:
                await connection.execute(_SET_TENANT, {"tenant": str(tenant_id)})
                yield UnitOfWork(connection, tenant_id)

    async def vacuum(self, tables: Sequence[str]) -> bool:
        """Have Postgres clear away the dead rows of these tables; False where the role may not, or the server is busy.

        What is cleared away is gone from the files of the tables; write-ahead logs, replicas and backups keep it until
        they are recycled.
        """
        with _translated():
            async with self._engine.connect() as connection:
                plain = await connection.execution_options(isolation_level="AUTOCOMMIT")
                for table in tables:
                    allowed = await plain.execute(_MAY_VACUUM, {"table": table})
                    if not allowed.scalar_one():
                        return False
                    await plain.execute(text(f'VACUUM (INDEX_CLEANUP ON) "{table}"'))
        return True

    async def server_version(self) -> str:
        """The version of the server that answers; raises `Unavailable` when none does."""
        return await self._read("SELECT current_setting('server_version')") or "unknown"

    async def revision(self) -> str | None:
        """The revision that the database is migrated to, or None where nothing was migrated yet."""
        if await self._read("SELECT to_regclass('alembic_version')::text") is None:
            return None
        return await self._read("SELECT version_num FROM alembic_version")

    async def _read(self, statement: str) -> str | None:
        with _translated():
            async with self._engine.connect() as connection:
                return (await connection.execute(text(statement))).scalar_one_or_none()

    @asynccontextmanager
    async def relay(self) -> AsyncGenerator[UnitOfWork]:
        """One transaction over the outbox of all tenants; needs the relay's role.

        Raises `Unavailable` when Postgres does not answer.
        """
        with _translated():
            async with self._engine.begin() as connection:
                yield UnitOfWork(connection, UUID(int=0))

    async def _notify(self, channels: Sequence[str], tenant_id: UUID) -> None:
        """Wake whoever listens on these channels, in a transaction of its own, and say for which tenant.

        A `NOTIFY` inside the writing transaction would make all commits of the server wait for each other.
        """
        async with self._engine.connect() as connection:
            autocommit = await connection.execution_options(isolation_level="AUTOCOMMIT")
            await autocommit.execute(_NOTIFY, {"channels": list(channels), "tenant": tenant_id})


@contextmanager
def _translated() -> Generator[None]:
    """Errors of the driver and of the pool as errors of ours."""
    try:
        yield
    except IntegrityError as refused:
        by = _refused_by(refused)
        if by == "events_once":
            raise KeyTaken from refused
        if by == "erased_stays_erased":
            raise SourceErased("what this was made of has just been erased; read it again") from refused
        raise
    except (OSError, InterfaceError, OperationalError, PoolTimeout) as lost:
        raise Unavailable("Postgres does not answer; check that it runs and try again") from lost
    except (DBAPIError, asyncpg.PostgresError) as failed:
        state = str(getattr(getattr(failed, "orig", failed), "sqlstate", ""))
        if state.startswith(_AWAY) or getattr(failed, "connection_invalidated", False):
            raise Unavailable("the connection to Postgres was lost; try again") from failed
        if state == _DEADLOCK:
            raise Deadlocked("two calls have waited for each other; send it again") from failed
        if state.startswith(_NOT_OURS):
            raise Unavailable(
                "Postgres lacks our login, role or tables; check KEEPWELL_DATABASE_URL and run: keepwell migrate"
            ) from failed
        raise


def _refused_by(error: IntegrityError) -> str | None:
    """The constraint or unique index that refused a statement, where Postgres names one."""
    cause = error.orig.__cause__ if error.orig is not None else None
    name = getattr(cause, "constraint_name", None)
    return name if isinstance(name, str) else None


def plain_dsn(url: str) -> str:
    """`url` for asyncpg itself, without SQLAlchemy's driver name."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
