"""Many tenants with the same memory: copies of one, row by row, with ids of their own.

The owner writes them past every trigger, so that a million records are there in minutes. What a recall of one tenant
costs among many others can then be measured, and its plan looked at.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Table, Uuid

from store.tables import metadata

SHARED = frozenset({"scope_key", "space_id"})
"""Ids that say the same in every tenant."""

_APART = frozenset({"outbox", "tenants", "policies", "api_keys"})


async def copy_tenant(owner: Any, source: UUID, target: UUID, name: str) -> None:
    """Give the new tenant `target` all that `source` has. `owner` is a connection of asyncpg's own."""
    async with owner.transaction():
        await owner.execute("SET LOCAL session_replication_role = replica")
        await owner.execute("INSERT INTO tenants (id, name) VALUES ($1, $2)", target, name)
        for table in metadata.sorted_tables:
            if table.name not in _APART and "tenant_id" in table.c:
                await owner.execute(_copy(table), source, target)


def _copy(table: Table) -> str:
    columns = [column for column in table.columns if column.computed is None]
    told = ", ".join(f'"{column.name}"' for column in columns)
    made = ", ".join(_made(column.name, column.type) for column in columns)
    into = f'INSERT INTO "{table.name}" ({told}) OVERRIDING SYSTEM VALUE'
    return f'{into} SELECT {made} FROM "{table.name}" WHERE tenant_id = $1'


def _made(name: str, kind: Any) -> str:
    column = f'"{name}"'
    if name == "tenant_id":
        return "$2::uuid"
    if name in SHARED:
        return column
    if isinstance(kind, Uuid):
        return f"md5({column}::text || $2::uuid::text)::uuid"
    if isinstance(kind, ARRAY) and isinstance(kind.item_type, Uuid):  # pyright: ignore[reportUnknownMemberType]
        return f"ARRAY(SELECT md5(each::text || $2::uuid::text)::uuid FROM unnest({column}) AS each)"
    return column


async def gather(owner: Any, source: UUID, targets: Iterable[tuple[UUID, str]]) -> None:
    """Copy `source` for each of `targets`, an id and a name, and let the planner know of them."""
    for target, name in targets:
        await copy_tenant(owner, source, target, name)
    await owner.execute("VACUUM (ANALYZE)")
