"""The floor of publishing: asyncpg inserts the same rows into a table of the same columns and indexes.

The table has the columns, defaults, checks and indexes of the event log, and neither its foreign key nor its
row-level security. The rows are those that the service has just stored.
"""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from evals.bench.stage import Stage

Rows = Sequence[tuple[Any, ...]]

_TABLE = "bench_events"
_COLUMNS = {
    "tenant_id": "uuid",
    "activity_id": "uuid",
    "seq": "integer",
    "type": "text",
    "subject": "text",
    "subject_kind": "text",
    "roles": "text[]",
    "authority": "smallint",
    "scope_key": "uuid",
    "scope": "jsonb",
    "occurred_at": "timestamptz",
    "timezone": "text",
    "text": "text",
    "entities": "jsonb",
    "evidence_ref": "text",
    "data": "jsonb",
    "idempotency_key": "text",
    "digest": "bytea",
}
_INTO = f"INSERT INTO {_TABLE} ({', '.join(_COLUMNS)})"


def _places(rows: int) -> str:
    """The parameters of a statement that inserts so many rows."""
    width = len(_COLUMNS)
    one = [", ".join(f"${row * width + column + 1}" for column in range(width)) for row in range(rows)]
    return ", ".join(f"({places})" for places in one)


class BareTable:
    """The table and one connection to it, with statements prepared."""

    def __init__(self, connection: Any, one: Any) -> None:
        self._connection = connection
        self._one = one
        self._many: dict[int, Any] = {}
        self.fastest = "unnest"

    async def rows_of(self, event_ids: Sequence[UUID]) -> Rows:
        """What the service stored of these events, ready to be inserted once more."""
        found = await self._connection.fetch(
            f"SELECT {', '.join(_COLUMNS)} FROM events WHERE id = ANY($1)", list(event_ids)
        )
        return [tuple(row) for row in found]

    async def insert_one(self, row: tuple[Any, ...]) -> None:
        """One row in a transaction of its own, as a single statement is."""
        await self._one.fetch(*row)

    async def insert_many(self, rows: Rows) -> None:
        """All rows in one transaction, in the way that was found to be the fastest."""
        await self._ways()[self.fastest](rows)

    async def find_fastest(self, rows: Rows) -> None:
        """Try each way of inserting many rows a few times, and keep to the fastest from now on."""
        took = dict.fromkeys(self._ways(), float("inf"))
        for _ in range(6):
            for name, way in self._ways().items():
                await self.clear()
                started = time.perf_counter()
                await way(rows)
                took[name] = min(took[name], time.perf_counter() - started)
        await self.clear()
        self.fastest = min(took, key=lambda name: took[name])

    async def clear(self) -> None:
        """Make room for the same rows once more."""
        await self._connection.execute(f"TRUNCATE {_TABLE}")

    def _ways(self) -> dict[str, Callable[[Rows], Awaitable[None]]]:
        return {
            "one statement with many rows": self._by_values,
            "unnest": self._by_unnest,
            "executemany": self._by_executemany,
        }

    async def _by_values(self, rows: Rows) -> None:
        if len(rows) not in self._many:
            self._many[len(rows)] = await self._connection.prepare(f"{_INTO} VALUES {_places(len(rows))}")
        await self._many[len(rows)].fetch(*(value for row in rows for value in row))

    async def _by_unnest(self, rows: Rows) -> None:
        if 0 not in self._many:
            # An array of arrays would have to be a rectangle, so the one column of arrays goes as text.
            kinds = ["text" if kind == "text[]" else kind for kind in _COLUMNS.values()]
            arrays = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(kinds, 1))
            names = ", ".join(f"x.{name}::{kind}" for name, kind in _COLUMNS.items())
            self._many[0] = await self._connection.prepare(
                f"{_INTO} SELECT {names} FROM unnest({arrays}) AS x({', '.join(_COLUMNS)})"
            )
        at = list(_COLUMNS).index("roles")
        flat = [(*row[:at], "{" + ",".join(row[at]) + "}", *row[at + 1 :]) for row in rows]
        await self._many[0].fetch(*(list(column) for column in zip(*flat, strict=True)))

    async def _by_executemany(self, rows: Rows) -> None:
        await self._one.executemany(rows)


async def make_table(stage: Stage) -> None:
    """Make the table, empty."""
    async with stage.bare() as owner:
        await owner.execute(f"CREATE TABLE {_TABLE} (LIKE events INCLUDING ALL)")


@asynccontextmanager
async def bare_table(stage: Stage) -> AsyncGenerator[BareTable]:
    """The table, by a connection of its own."""
    async with stage.bare() as connection:
        yield BareTable(connection, await connection.prepare(f"{_INTO} VALUES {_places(1)}"))
