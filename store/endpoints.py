"""Endpoints: where something due is delivered other than into an inbox, known by a name within the tenant."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row, select, update
from sqlalchemy.dialects.postgresql import insert

from models.circuit import Circuit
from models.endpoints import Endpoint, EndpointKind, NewEndpoint
from store.tables import endpoints
from store.unit_of_work import UnitOfWork


class Known(NamedTuple):
    """An endpoint with the secrets that sign for it, the newest first. They go nowhere but to the sender."""

    endpoint: Endpoint
    secrets: Sequence[str]


async def add(work: UnitOfWork, new: NewEndpoint, secrets: Sequence[str], made_by: str) -> Endpoint | None:
    """Store an endpoint; None where the tenant has one of its name."""
    statement = (
        insert(endpoints)
        .values(
            tenant_id=work.tenant_id,
            name=new.name,
            kind=new.kind.value,
            address=new.address,
            secrets=list(secrets),
            made_by=made_by,
        )
        .on_conflict_do_nothing(constraint="endpoints_by_name")
        .returning(endpoints)
    )
    row = await work.row(statement)
    return None if row is None else _endpoint(row)


async def by_name(work: UnitOfWork, name: str) -> Endpoint | None:
    """The endpoint of this name, switched on or off, or None."""
    query = select(endpoints).where(endpoints.c.tenant_id == work.tenant_id, endpoints.c.name == name)
    row = await work.row(query)
    return None if row is None else _endpoint(row)


async def every(work: UnitOfWork) -> list[Endpoint]:
    """All endpoints of the tenant, by name."""
    query = select(endpoints).where(endpoints.c.tenant_id == work.tenant_id).order_by(endpoints.c.name)
    return [_endpoint(row) for row in await work.rows(query)]


async def get(work: UnitOfWork, identity: UUID) -> Known | None:
    """One endpoint with its secrets, or None."""
    query = select(endpoints).where(endpoints.c.tenant_id == work.tenant_id, endpoints.c.id == identity)
    return _known(await work.row(query))


async def hold(work: UnitOfWork, identity: UUID) -> Known | None:
    """The same, held until the transaction ends."""
    query = select(endpoints).where(endpoints.c.tenant_id == work.tenant_id, endpoints.c.id == identity)
    return _known(await work.row(query.with_for_update(key_share=True)))


async def hold_named(work: UnitOfWork, name: str) -> Known | None:
    """The endpoint of this name, whether it takes deliveries or not, held until the transaction ends."""
    query = select(endpoints).where(endpoints.c.tenant_id == work.tenant_id, endpoints.c.name == name)
    return _known(await work.row(query.with_for_update(key_share=True)))


async def sign_by(work: UnitOfWork, identity: UUID, secrets: Sequence[str]) -> Endpoint:
    """Have these secrets sign from now on."""
    return await _change(work, identity, secrets=list(secrets))


async def stand(
    work: UnitOfWork, identity: UUID, circuit: Circuit, disabled_at: datetime | None, reason: str | None
) -> Endpoint:
    """Write how an endpoint stands: its circuit, whether it is switched off, and why."""
    return await _change(
        work,
        identity,
        failures=circuit.failures,
        open_until=circuit.open_until,
        disabled_at=disabled_at,
        reason=reason,
    )


async def _change(work: UnitOfWork, identity: UUID, **values: Any) -> Endpoint:
    mine = update(endpoints).where(endpoints.c.tenant_id == work.tenant_id, endpoints.c.id == identity)
    row = await work.row(mine.values(**values).returning(endpoints))
    assert row is not None
    return _endpoint(row)


def _known(row: Row[Any] | None) -> Known | None:
    return None if row is None else Known(_endpoint(row), tuple(row.secrets))


def _endpoint(row: Row[Any]) -> Endpoint:
    return Endpoint(
        id=row.id,
        name=row.name,
        kind=EndpointKind(row.kind),
        address=row.address,
        signed_by=len(row.secrets),
        made_by=row.made_by,
        circuit=Circuit(row.failures, row.open_until),
        disabled_at=row.disabled_at,
        reason=row.reason,
        recorded_at=row.recorded_at,
    )
