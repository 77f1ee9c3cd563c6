"""Endpoints: where something due is delivered other than into an inbox, known by a name within the tenant."""

from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select

from store.tables import endpoints
from store.unit_of_work import UnitOfWork


class Endpoint(NamedTuple):
    """One endpoint."""

    id: UUID
    name: str


async def by_name(work: UnitOfWork, name: str) -> Endpoint | None:
    """The endpoint of this name that takes deliveries, or None."""
    query = select(endpoints.c.id, endpoints.c.name).where(
        endpoints.c.tenant_id == work.tenant_id, endpoints.c.name == name, endpoints.c.disabled_at.is_(None)
    )
    row = await work.row(query)
    return None if row is None else Endpoint(row.id, row.name)
