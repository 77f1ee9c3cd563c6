"""Tenants: made once, known by name."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from models.errors import NotFound
from store.tables import tenants
from store.unit_of_work import UnitOfWork


async def add(work: UnitOfWork, name: str) -> bool:
    """Make the tenant of this unit of work known as `name`; whether it was new."""
    statement = insert(tenants).values(id=work.tenant_id, name=name).on_conflict_do_nothing()
    return await work.run(statement) == 1


async def after(relay: UnitOfWork, last: UUID | None, most: int) -> list[UUID]:
    """Up to `most` tenants that come after `last` in the order of ids; needs the relay's role."""
    query = select(tenants.c.id).order_by(tenants.c.id).limit(most)
    rows = await relay.rows(query if last is None else query.where(tenants.c.id > last))
    return [row.id for row in rows]


class KnownTenants:
    """Remembers which tenants exist, as none ever ceases to."""

    def __init__(self) -> None:
        self._known: set[UUID] = set()

    async def require(self, work: UnitOfWork, name: str) -> None:
        """Raise `NotFound`, with the remedy, unless the tenant of this unit of work has been made as `name`."""
        if work.tenant_id in self._known:
            return
        if not await exists(work, work.tenant_id):
            raise NotFound(f"unknown tenant; make it with: keepwell tenants add {name}")
        self._known.add(work.tenant_id)


async def exists(work: UnitOfWork, tenant_id: UUID) -> bool:
    """Whether the tenant has been made."""
    return await work.row(select(tenants.c.id).where(tenants.c.id == tenant_id)) is not None


async def every(relay: UnitOfWork) -> list[UUID]:
    """The ids of all tenants; needs the relay's role."""
    return [row.id for row in await relay.rows(select(tenants.c.id).order_by(tenants.c.id))]
