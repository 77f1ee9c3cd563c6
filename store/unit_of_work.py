"""One transaction, for one tenant. Queries take it and never commit: the edge that opened it does."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import asyncpg
from sqlalchemy import Executable, Row, TextClause, text
from sqlalchemy.exc import DBAPIError, InterfaceError
from sqlalchemy.ext.asyncio import AsyncConnection

from models.errors import Unavailable
from store.sql import Plain


class KeyTaken(Exception):
    """Another transaction has just stored an event under the same idempotency key."""


class Deadlocked(Unavailable):
    """Two transactions have waited for each other, and Postgres has ended this one; done again it goes through."""


class SourceErased(Unavailable):
    """What the transaction made something of was erased before it was committed; done again it sees that it is gone."""


class TooLate(Exception):
    """A query has taken longer than it may."""


_CANCELLED = "57014"
_MOST_TIME = text("SELECT set_config('statement_timeout', :most, true)")


class Record(asyncpg.Record):
    """A row of the driver's own, whose columns are attributes."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


class UnitOfWork:
    """The connection of a running transaction and the tenant that it is for."""

    def __init__(self, connection: AsyncConnection, tenant_id: UUID) -> None:
        self._connection = connection
        self.tenant_id = tenant_id
        self.announcements: set[str] = set()

    def announce(self, channel: str) -> None:
        """Notify whoever listens on `channel` once the transaction is committed."""
        self.announcements.add(channel)

    async def rows(
        self, statement: Executable, values: Mapping[str, Any] | None = None
    ) -> Sequence[Row[Any]]:
        """All rows of a query. `tenant` is bound by itself wherever the statement names it."""
        return (await self._connection.execute(statement, self._bound(statement, values))).all()

    async def fetch(self, statement: Plain, values: Mapping[str, Any]) -> Sequence[Any]:
        """All rows of a query, by the driver alone: the way of one with many rows and columns that is asked all day.

        Errors are as those of `rows`.
        """
        connection: Any = (await self._connection.get_raw_connection()).driver_connection
        sent = statement.in_order({"tenant": self.tenant_id, **values})
        try:
            return await connection.fetch(statement.text, *sent, record_class=Record)
        except asyncpg.PostgresError as failed:
            raise DBAPIError(None, None, failed) from failed
        except asyncpg.InterfaceError as failed:
            raise InterfaceError(None, None, failed) from failed

    async def row(self, statement: Executable, values: Mapping[str, Any] | None = None) -> Row[Any] | None:
        """The one row of a query, or None; more than one is an error."""
        return (await self._connection.execute(statement, self._bound(statement, values))).one_or_none()

    async def run(
        self,
        statement: Executable,
        values: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    ) -> int:
        """Run a statement, once or for each of many values; the number of rows that it touched."""
        if isinstance(values, Sequence):
            if not values:
                return 0
            bound: Any = [self._bound(statement, each) for each in values]
        else:
            bound = self._bound(statement, values)
        return (await self._connection.execute(statement, bound)).rowcount

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncGenerator[None]:
        """Let each query in here take so long at most.

        Raises `TooLate` for one that takes longer; then what was done in here is undone, and the transaction goes on.
        """
        try:
            async with self._connection.begin_nested():
                await self._connection.execute(_MOST_TIME, {"most": str(max(1, int(seconds * 1_000)))})
                yield
                await self._connection.execute(_MOST_TIME, {"most": "0"})
        except DBAPIError as failed:
            if getattr(failed.orig, "sqlstate", None) == _CANCELLED:
                raise TooLate from failed
            raise

    def _bound(self, statement: Executable, values: Mapping[str, Any] | None) -> dict[str, Any]:
        mine = {"tenant": self.tenant_id} if isinstance(statement, TextClause) else {}
        return {**mine, **(values or {})}
