"""Facts and their keys. Whoever changes a fact holds the lock of its key."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from models.authority import Authority, Standing
from models.candidates import Terms
from models.facts import Admission, Ending, Fact, Subject
from models.ids import derived_id
from models.readers import Readable
from models.scope import Scope
from models.text import normalise
from store.entities import NAME_IN_SCOPE
from store.readable import READERS, is_readable, values_of
from store.sql import IDS, sql
from store.tables import fact_keys, facts
from store.unit_of_work import UnitOfWork


class FactKey(NamedTuple):
    """Under which at most one fact governs. `value_key` is set for an attribute of many values."""

    scope: Scope
    entity_id: UUID | None
    attribute: str
    value_key: str | None

    def id(self, tenant_id: UUID) -> UUID:
        """The key's id, the same for every process."""
        return derived_id(
            "fact_key", tenant_id, self.scope.key, self.entity_id or "", self.attribute, self.value_key or ""
        )


class NewFact(NamedTuple):
    """A fact that begins. `valid_until` is set where its successor is known already."""

    id: UUID
    key_id: UUID
    scope_key: UUID
    admission: Admission
    terms: Terms
    canonical: str
    valid_from: datetime
    valid_until: datetime | None
    lapses_at: datetime | None
    stated_at: datetime
    authority: Authority
    authority_role: str | None
    standing: Standing
    challenges: UUID | None
    statement: str


async def ensure_key(work: UnitOfWork, key: FactKey) -> UUID:
    """Make the key known; its id."""
    identity = key.id(work.tenant_id)
    statement = (
        upsert(fact_keys)
        .values(
            tenant_id=work.tenant_id,
            id=identity,
            scope_key=key.scope.key,
            scope=dict(key.scope),
            entity_id=key.entity_id,
            attribute=key.attribute,
            value_key=key.value_key,
        )
        .on_conflict_do_nothing()
    )
    await work.run(statement)
    return identity


async def lock_key(work: UnitOfWork, key_id: UUID) -> bool:
    """Hold the key until the transaction ends; False where there is no such key."""
    query = (
        select(fact_keys.c.id)
        .where(fact_keys.c.tenant_id == work.tenant_id, fact_keys.c.id == key_id)
        .with_for_update(key_share=True)
    )
    return await work.row(query) is not None


_SELECT = f"""
    SELECT f.*, k.scope, k.attribute, e.canonical,
        {NAME_IN_SCOPE} AS name
    FROM facts f
    JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
    LEFT JOIN entities e ON e.tenant_id = k.tenant_id AND e.id = k.entity_id
    WHERE f.tenant_id = :tenant
"""
_OF_KEY = sql(f"{_SELECT} AND f.key_id = :key_id ORDER BY f.recorded_at, f.id")
_ONE = sql(f"{_SELECT} AND f.id = :id")
_BY_IDS = sql(f"{_SELECT} AND f.id = ANY(:ids)", ids=IDS)
_READABLE_ONE = sql(f"{_SELECT} AND f.id = :id AND {is_readable('k.attribute')}", **READERS)
_SAME_SUBJECT = sql(
    f"""
    {_SELECT} AND {is_readable("k.attribute")} AND EXISTS (
        SELECT FROM facts f2 JOIN fact_keys k2 ON k2.tenant_id = f2.tenant_id AND k2.id = f2.key_id
        WHERE f2.tenant_id = :tenant AND f2.id = :id AND k2.scope_key = k.scope_key
            AND k2.attribute = k.attribute AND k2.entity_id IS NOT DISTINCT FROM k.entity_id
    )
    ORDER BY f.valid_from, f.recorded_at
    """,
    **READERS,
)
_OF_ENTITY = sql(
    f"{_SELECT} AND k.entity_id = :entity_id AND k.scope_key = ANY(:scope_keys)"
    f" AND {is_readable('k.attribute')} ORDER BY f.valid_from, f.recorded_at",
    **READERS,
)


async def of_key(work: UnitOfWork, key_id: UUID) -> list[Fact]:
    """Everything of a key as recorded: what governs, has governed or will, and the claims."""
    return [fact(row) for row in await work.rows(_OF_KEY, {"key_id": key_id})]


async def get(work: UnitOfWork, identity: UUID) -> Fact | None:
    """One fact by id, for a step; what a reader may see is told by `seen`."""
    row = await work.row(_ONE, {"id": identity})
    return None if row is None else fact(row)


async def seen(work: UnitOfWork, identity: UUID, readable: Readable) -> Fact | None:
    """One fact by id; None where there is none that the reader may see."""
    row = await work.row(_READABLE_ONE, {"id": identity, **values_of(readable)})
    return None if row is None else fact(row)


async def by_ids(work: UnitOfWork, ids: Sequence[UUID]) -> list[Fact]:
    """Facts by id, in no order; an id that does not exist in the tenant is left out."""
    return [fact(row) for row in await work.rows(_BY_IDS, {"ids": list(ids)})] if ids else []


async def lock(work: UnitOfWork, identity: UUID) -> Fact | None:
    """One fact, as it stands once its key is held for the rest of the transaction."""
    found = await get(work, identity)
    if found is None:
        return None
    await lock_key(work, found.key_id)
    return await get(work, identity)


async def lock_row(work: UnitOfWork, identity: UUID) -> Fact | None:
    """One record, held alone and without its key for the rest of the transaction."""
    row = facts.c.tenant_id == work.tenant_id, facts.c.id == identity
    await work.row(select(facts.c.id).where(*row).with_for_update(key_share=True))
    return await get(work, identity)


async def with_same_subject(work: UnitOfWork, identity: UUID, readable: Readable) -> list[Fact]:
    """All facts that share scope, entity and attribute with this one, in order of validity."""
    values = {"id": identity, **values_of(readable)}
    return [fact(row) for row in await work.rows(_SAME_SUBJECT, values)]


async def of_entity(
    work: UnitOfWork, entity_id: UUID, scope_keys: Sequence[UUID], readable: Readable
) -> list[Fact]:
    """All facts about an entity in these scopes, in order of validity."""
    values = {"entity_id": entity_id, "scope_keys": list(scope_keys), **values_of(readable)}
    return [fact(row) for row in await work.rows(_OF_ENTITY, values)]


async def begin(work: UnitOfWork, new: NewFact) -> None:
    """Insert a fact. The database refuses one that would govern beside another of its key."""
    await work.run(
        insert(facts).values(
            tenant_id=work.tenant_id,
            id=new.id,
            key_id=new.key_id,
            scope_key=new.scope_key,
            admission=new.admission.value,
            value=new.terms.value,
            canonical_value=new.canonical,
            ends_when=new.terms.ends_when,
            expires_at=new.terms.expires_at,
            lapses_at=new.lapses_at,
            stated_from=new.terms.valid_from,
            valid_from=new.valid_from,
            ended_at=new.valid_until,
            ending=None if new.valid_until is None else Ending.SUPERSEDED.value,
            stated_at=new.stated_at,
            restated_at=new.stated_at,
            authority=int(new.authority),
            authority_role=new.authority_role,
            standing=new.standing.value,
            challenges=new.challenges,
            statement=new.statement,
        )
    )


async def end(work: UnitOfWork, identity: UUID, ending: Ending, at: datetime) -> None:
    """End a fact's validity at `at`."""
    await work.run(_one(identity, work).values(ending=ending.value, ended_at=at))


async def reopen(work: UnitOfWork, identity: UUID, until: datetime | None) -> None:
    """Let a fact go on whose end has not come: `until` what follows its successor, or without an end."""
    ending = None if until is None else Ending.SUPERSEDED.value
    await work.run(_one(identity, work).values(ended_at=until, ending=ending))


async def restate(
    work: UnitOfWork,
    identity: UUID,
    restated_at: datetime,
    lapses_at: datetime | None,
    authority: Authority,
    authority_role: str | None,
    standing: Standing,
) -> None:
    """Raise what a fact rests on, and put off the end of its retention."""
    await work.run(
        _one(identity, work).values(
            restated_at=restated_at,
            lapses_at=lapses_at,
            authority=int(authority),
            authority_role=authority_role,
            standing=standing.value,
        )
    )


def _one(identity: UUID, work: UnitOfWork) -> Any:
    return update(facts).where(facts.c.tenant_id == work.tenant_id, facts.c.id == identity)


def fact(row: Row[Any]) -> Fact:
    """A row as the rules know it."""
    return Fact(
        id=row.id,
        key_id=row.key_id,
        scope=row.scope,
        subject=Subject(canonical=row.canonical, name=row.name),
        attribute=row.attribute,
        terms=Terms(
            value=row.value, ends_when=row.ends_when, expires_at=row.expires_at, valid_from=row.stated_from
        ),
        canonical=normalise(row.value) if row.canonical_value is None else row.canonical_value,
        admission=Admission(row.admission),
        valid_from=row.valid_from,
        ended_at=row.ended_at,
        ending=None if row.ending is None else Ending(row.ending),
        lapses_at=row.lapses_at,
        stated_at=row.stated_at,
        restated_at=row.restated_at,
        recorded_at=row.recorded_at,
        authority=Authority(row.authority),
        authority_role=row.authority_role,
        standing=Standing(row.standing),
        challenges=row.challenges,
        statement=row.statement,
    )
