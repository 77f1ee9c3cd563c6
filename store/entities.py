"""Entities and their names: look up, learn, never guess."""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert

from models.entities import NAMED, entity_type, is_canonical, name_key, named_canonical
from models.events import EntityMention
from models.scope import Scope
from store.sql import IDS, TEXTS, sql
from store.tables import aliases, entities
from store.unit_of_work import UnitOfWork

_BY_NAME = sql(
    """
    SELECT DISTINCT name_key, entity_id FROM aliases
    WHERE tenant_id = :tenant AND scope_key = ANY(:scope_keys) AND name_key = ANY(:keys)
    """,
    scope_keys=IDS,
    keys=TEXTS,
)
_BY_CANONICAL = sql(
    "SELECT canonical, id FROM entities WHERE tenant_id = :tenant AND canonical = ANY(:canonicals)",
    canonicals=TEXTS,
)
# A thing that was known by name alone takes on its canonical id once somebody states both.
_ADOPT = sql(
    """
    UPDATE entities SET canonical = :canonical, type = :type
    WHERE tenant_id = :tenant AND canonical = :named
        AND NOT EXISTS (SELECT FROM entities WHERE tenant_id = :tenant AND canonical = :canonical)
    """
)


class Directory:
    """What the scopes at hand know: canonical ids and names, each to their entities."""

    def __init__(self, canonical: Mapping[str, UUID], by_name: Mapping[str, Sequence[UUID]]) -> None:
        self.canonical = canonical
        self.by_name = by_name


async def look_up(work: UnitOfWork, scope: Scope, mentions: Iterable[str]) -> Directory:
    """Everything that `mentions` may mean in `scope` and its sub-scopes."""
    wanted = list(dict.fromkeys(mentions))
    canonicals = [mention for mention in wanted if is_canonical(mention)]
    keys = [name_key(mention) for mention in wanted if not is_canonical(mention)]
    canonical: dict[str, UUID] = {}
    by_name: dict[str, list[UUID]] = {}
    if canonicals:
        found = await work.rows(_BY_CANONICAL, {"canonicals": canonicals})
        canonical = {row.canonical: row.id for row in found}
    if keys:
        values = {"scope_keys": scope.sub_scope_keys(), "keys": keys}
        for row in await work.rows(_BY_NAME, values):
            by_name.setdefault(row.name_key, []).append(row.entity_id)
    return Directory(canonical, by_name)


async def learn(work: UnitOfWork, scope: Scope, mentions: Iterable[EntityMention]) -> list[UUID]:
    """Make the entities of these mentions known, with their names in `scope`; their ids, in order.

    A mention by canonical id is that entity. A mention by name alone is the one entity that the scope knows
    by it, a new one where it knows none, and none at all where the name is ambiguous. Rows are written in
    one order, so that parallel passes neither deadlock nor make an entity twice.
    """
    known = sorted(set(mentions), key=lambda mention: (mention.id or "", mention.name or ""))
    found: dict[EntityMention, UUID] = {}
    for mention in known:
        if mention.id is not None:
            found[mention] = await _learn_canonical(work, scope, mention.id, mention.name)
    for mention in known:
        if mention.id is None and mention.name is not None:
            entity = await learn_name(work, scope, mention.name)
            if entity is not None:
                found[mention] = entity
    return list(dict.fromkeys(found.values()))


async def learn_name(work: UnitOfWork, scope: Scope, name: str) -> UUID | None:
    """The one entity that `name` means in `scope`, made if there is none; None where it is ambiguous."""
    directory = await look_up(work, scope, [name])
    owners = directory.by_name.get(name_key(name), ())
    if owners:
        return owners[0] if len(set(owners)) == 1 else None
    entity = await _ensure(work, named_canonical(name, scope), NAMED, name)
    await _alias(work, scope, name, entity)
    return entity


async def _learn_canonical(work: UnitOfWork, scope: Scope, canonical: str, name: str | None) -> UUID:
    kind = entity_type(canonical)
    if name is not None:
        values = {"canonical": canonical, "type": kind, "named": named_canonical(name, scope)}
        await work.run(_ADOPT, values)
    entity = await _ensure(work, canonical, kind, name)
    if name is not None:
        await _alias(work, scope, name, entity)
    return entity


async def _ensure(work: UnitOfWork, canonical: str, kind: str, name: str | None) -> UUID:
    statement = (
        insert(entities)
        .values(tenant_id=work.tenant_id, canonical=canonical, type=kind, name=name)
        .on_conflict_do_nothing()
    )
    await work.run(statement)
    found = await work.rows(_BY_CANONICAL, {"canonicals": [canonical]})
    return found[0].id


async def _alias(work: UnitOfWork, scope: Scope, name: str, entity: UUID) -> None:
    statement = (
        insert(aliases)
        .values(
            tenant_id=work.tenant_id,
            scope_key=scope.key,
            name_key=name_key(name),
            entity_id=entity,
            name=name,
        )
        .on_conflict_do_nothing()
    )
    await work.run(statement)
