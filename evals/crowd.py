"""Many tenants with the same memory: copies of one, row by row, with ids of their own.

The owner writes them past every trigger, so that a million records are there in minutes. What a recall of one tenant
costs among many others can then be measured, and its plan looked at.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, Table, Uuid

from store.tables import metadata

SHARED = frozenset({"scope_key", "space_id"})
"""Ids that say the same in every tenant."""

AT_ONCE = 50
"""So many copies are written by one statement; their rows lie among each other as those of live tenants do."""

_APART = frozenset({"outbox", "tenants", "policies", "api_keys"})


async def gather(owner: Any, source: UUID, targets: Sequence[tuple[UUID, str]]) -> None:
    """Give each new tenant of `targets`, an id and a name, all that `source` has, and let the planner know of it.

    `owner` is a connection of asyncpg's own.
    """
    for start in range(0, len(targets), AT_ONCE):
        await _copy_tenant(owner, source, targets[start : start + AT_ONCE])
    await owner.execute("VACUUM (ANALYZE)")


async def _copy_tenant(owner: Any, source: UUID, targets: Sequence[tuple[UUID, str]]) -> None:
    async with owner.transaction():
        await owner.execute("SET LOCAL session_replication_role = replica")
        await owner.executemany("INSERT INTO tenants (id, name) VALUES ($1, $2)", targets)
        for table in metadata.sorted_tables:
            if table.name not in _APART and "tenant_id" in table.c:
                await owner.execute(_copy(table), source, [tenant_id for tenant_id, _ in targets])


def _copy(table: Table) -> str:
    columns = [column for column in table.columns if column.computed is None]
    told = ", ".join(f'"{column.name}"' for column in columns)
    made = ", ".join(_made(column.name, column.type) for column in columns)
    into = f'INSERT INTO "{table.name}" ({told}) OVERRIDING SYSTEM VALUE'
    return f'{into} SELECT {made} FROM "{table.name}" CROSS JOIN unnest($2::uuid[]) AS becomes WHERE tenant_id = $1'


def _made(name: str, kind: Any) -> str:
    column = f'"{name}"'
    if name == "tenant_id":
        return "becomes"
    if name in SHARED:
        return column
    if isinstance(kind, Uuid):
        return f"md5({column}::text || becomes::text)::uuid"
    if isinstance(kind, ARRAY) and isinstance(kind.item_type, Uuid):  # pyright: ignore[reportUnknownMemberType]
        return f"ARRAY(SELECT md5(each::text || becomes::text)::uuid FROM unnest({column}) AS each)"
    return column
