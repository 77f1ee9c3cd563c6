"""API keys as rows. The secret never comes here."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, select, update
from sqlalchemy.dialects.postgresql import insert

from models.api_keys import ApiKey, NewApiKey
from models.principals import PrincipalKind
from models.verbs import Verb
from store.sql import sql
from store.tables import api_keys
from store.unit_of_work import UnitOfWork

_USED = sql(
    """
    UPDATE api_keys SET last_used_at = now()
    WHERE tenant_id = :tenant AND id = :id
        AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
    """
)


async def add(
    work: UnitOfWork,
    identity: UUID,
    new: NewApiKey,
    digest: bytes,
    made_by: str,
    at: datetime,
    *,
    replace: bool = False,
) -> Sequence[UUID] | None:
    """Store a key; the ids of the keys that this has ended, or None where another has its name.

    A name is free again once its key is revoked. One that has expired by `at` is revoked here, and with
    `replace` one in force as well.
    """
    statement = (
        insert(api_keys)
        .values(
            tenant_id=work.tenant_id,
            id=identity,
            name=new.name,
            digest=digest,
            subject=new.subject,
            subject_kind=new.kind.value,
            roles=list(new.roles),
            within=new.within,
            verbs=None if new.only is None else sorted(new.only),
            made_by=made_by,
            expires_at=new.expires_at,
        )
        .on_conflict_do_nothing()
    )
    of_this_name = _named(work, new.name)
    ending = of_this_name if replace else of_this_name.where(api_keys.c.expires_at <= at)
    ended: list[UUID] = []
    while True:
        ended += [row.id for row in await work.rows(ending.values(revoked_at=at))]
        if await work.run(statement) == 1:
            return ended
        if not replace:
            return None
        # Another transaction has just made a key of this name: that one is replaced as well.


async def get(work: UnitOfWork, identity: UUID) -> tuple[ApiKey, bytes] | None:
    """A key with the digest of its secret."""
    row = await work.row(_mine(work).where(api_keys.c.id == identity))
    return None if row is None else (_key(row), row.digest)


async def every(work: UnitOfWork) -> Sequence[ApiKey]:
    """All keys of the tenant, oldest first."""
    return [_key(row) for row in await work.rows(_mine(work).order_by(api_keys.c.recorded_at, api_keys.c.id))]


async def used(work: UnitOfWork, identity: UUID) -> None:
    """Note that a key is in use; at most once a minute is anything written."""
    await work.run(_USED, {"id": identity})


async def revoke_named(work: UnitOfWork, name: str, at: datetime) -> UUID | None:
    """End the key that has this name; its id, or None where none has it."""
    row = await work.row(_named(work, name).values(revoked_at=at))
    return None if row is None else row.id


async def revoke(work: UnitOfWork, identity: UUID, at: datetime) -> bool:
    """End a key; False where there is none. A key that has ended already keeps its first end."""
    found = await get(work, identity)
    if found is None:
        return False
    mine = (api_keys.c.tenant_id == work.tenant_id) & (api_keys.c.id == identity)
    await work.run(update(api_keys).where(mine, api_keys.c.revoked_at.is_(None)).values(revoked_at=at))
    return True


def _named(work: UnitOfWork, name: str) -> Any:
    """An update of the key that has this name: of all so called the one that is not revoked."""
    mine = (api_keys.c.tenant_id == work.tenant_id) & (api_keys.c.name == name)
    return update(api_keys).where(mine, api_keys.c.revoked_at.is_(None)).returning(api_keys.c.id)


def _mine(work: UnitOfWork) -> Any:
    return select(api_keys).where(api_keys.c.tenant_id == work.tenant_id)


def _key(row: Row[Any]) -> ApiKey:
    return ApiKey(
        id=row.id,
        name=row.name,
        subject=row.subject,
        kind=PrincipalKind(row.subject_kind),
        roles=tuple(row.roles),
        within=row.within,
        only=None if row.verbs is None else frozenset(Verb(verb) for verb in row.verbs),
        created_at=row.recorded_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        last_used_at=row.last_used_at,
    )
