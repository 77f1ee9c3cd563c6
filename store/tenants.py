"""Tenants: made once, known by name."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from store.tables import tenants
from store.unit_of_work import UnitOfWork


async def add(work: UnitOfWork, name: str) -> bool:
    """Make the tenant of this unit of work known as `name`; whether it was new."""
    statement = insert(tenants).values(id=work.tenant_id, name=name).on_conflict_do_nothing()
    return await work.run(statement) == 1


async def exists(work: UnitOfWork, tenant_id: UUID) -> bool:
    """Whether the tenant has been made."""
    return await work.row(select(tenants.c.id).where(tenants.c.id == tenant_id)) is not None
