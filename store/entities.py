"""Entities and their names: look up, learn, never guess, and never let the less trusted rename a thing."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.types import Uuid

from models.entities import (
    NAMED,
    NameUse,
    Resolution,
    canonical_key,
    entity_type,
    is_canonical,
    name_key,
    named_canonical,
    owners,
    resolve,
)
from models.events import EntityMention
from models.scope import Scope
from store.sql import IDS, TEXTS, sql
from store.tables import aliases, entities
from store.unit_of_work import UnitOfWork

_USES = sql(
    """
    SELECT a.name_key, COALESCE(e.same_as, e.id) AS entity_id, a.trusted, a.scope_key
    FROM aliases a JOIN entities e ON e.tenant_id = a.tenant_id AND e.id = a.entity_id
    WHERE a.tenant_id = :tenant AND a.scope_key = ANY(:scope_keys) AND a.name_key = ANY(:keys)
    """,
    scope_keys=IDS,
    keys=TEXTS,
)
_BY_CANONICAL = sql(
    "SELECT canonical, COALESCE(same_as, id) AS id FROM entities"
    " WHERE tenant_id = :tenant AND canonical = ANY(:canonicals)",
    canonicals=TEXTS,
)
# A thing that was known by name alone takes on its canonical id once somebody trusted states both. Where the
# id is known already, and nothing is said of it yet, the older entity takes its place.
_STEP_ASIDE = sql(
    """
    UPDATE entities e SET canonical = 'same:' || e.id, type = 'same', same_as = :named
    WHERE e.tenant_id = :tenant AND e.canonical = :canonical
        AND NOT EXISTS (SELECT FROM fact_keys k WHERE k.tenant_id = e.tenant_id AND k.entity_id = e.id)
    """,
    named=Uuid,
)
_TAKE_ON = sql(
    """
    UPDATE entities SET canonical = :canonical, type = :type
    WHERE tenant_id = :tenant AND id = :named
        AND NOT EXISTS (SELECT FROM entities WHERE tenant_id = :tenant AND canonical = :canonical)
    """,
    named=Uuid,
)
_CANONICAL = sql("SELECT canonical FROM entities WHERE tenant_id = :tenant AND id = :id", id=Uuid)


# Whether somebody who may do so has said anything of an entity.
_SPOKEN_OF = sql(
    """
    SELECT f.id FROM fact_keys k JOIN facts f ON f.tenant_id = k.tenant_id AND f.key_id = k.id
    WHERE k.tenant_id = :tenant AND k.entity_id = :id AND f.admission = 'admitted' LIMIT 1
    """,
    id=Uuid,
)

NAME_IN_SCOPE = f"""(
    SELECT a.name FROM aliases a JOIN entities named ON named.tenant_id = a.tenant_id AND named.id = a.entity_id
    WHERE a.tenant_id = k.tenant_id AND a.entity_id = k.entity_id AND a.scope_key = k.scope_key
        AND (a.trusted OR named.type = '{NAMED}')
    ORDER BY a.trusted DESC, a.recorded_at, a.name LIMIT 1
)"""
"""What the entity of a fact key `k` is called where the fact applies; a name of another scope stays there.

A thing that has an id goes by it until somebody trusted names it: what a page calls a thing is no label for what
governs it.
"""


class Directory(NamedTuple):
    """What the scopes at hand know: canonical ids, and names each with the entities that it may mean.

    `hearsay` are the names that nobody trusted has used yet.
    """

    canonical: dict[str, UUID]
    by_name: dict[str, Sequence[UUID]]
    hearsay: frozenset[str]

    def resolve(self, mention: str) -> Resolution:
        """One entity for `mention`, or the reason why not."""
        return resolve(mention, self.canonical, self.by_name)


class Learned(NamedTuple):
    """A mention, and whether it comes from a source that may say what a thing is."""

    mention: EntityMention
    trusted: bool


async def look_up(work: UnitOfWork, scope: Scope, mentions: Iterable[str]) -> Directory:
    """Everything that `mentions` may mean in `scope` and its sub-scopes."""
    wanted = list(dict.fromkeys(mentions))
    canonicals = [canonical_key(mention) for mention in wanted if is_canonical(mention)]
    keys = [name_key(mention) for mention in wanted if not is_canonical(mention)]
    canonical: dict[str, UUID] = {}
    uses: dict[str, list[NameUse]] = {}
    if canonicals:
        found = await work.rows(_BY_CANONICAL, {"canonicals": canonicals})
        canonical = {row.canonical: row.id for row in found}
    if keys:
        scope_keys = scope.sub_scope_keys()
        breadth = {key: place for place, key in enumerate(scope_keys)}
        for row in await work.rows(_USES, {"scope_keys": scope_keys, "keys": keys}):
            use = NameUse(row.entity_id, row.trusted, breadth[row.scope_key])
            uses.setdefault(row.name_key, []).append(use)
    hearsay = frozenset(key for key, each in uses.items() if not any(use.trusted for use in each))
    return Directory(canonical, {key: owners(each) for key, each in uses.items()}, hearsay)


async def learn(work: UnitOfWork, scope: Scope, learned: Iterable[Learned]) -> list[UUID]:
    """Make the entities of these mentions known, with their names in `scope`; their ids.

    A mention by canonical id is that entity. A mention by name alone is what the name means here, a new
    entity where it means nothing yet, and none at all where it is ambiguous. Rows are written in one order,
    so that parallel passes neither deadlock nor make an entity twice.
    """
    known = sorted(
        set(learned),
        key=lambda each: (each.mention.id is None, each.mention.id or "", each.mention.name or ""),
    )
    found: dict[UUID, None] = {}
    for mention, trusted in known:
        if mention.id is not None:
            found[await _learn_canonical(work, scope, mention.id, mention.name, trusted=trusted)] = None
        elif mention.name is not None:
            entity = await learn_name(work, scope, mention.name, trusted=trusted)
            if entity is not None:
                found[entity] = None
    return list(found)


async def learn_name(work: UnitOfWork, scope: Scope, name: str, *, trusted: bool) -> UUID | None:
    """The one entity that `name` means in `scope`, made if there is none; None where it is ambiguous.

    When somebody trusted uses a name for what it means by then, it goes on meaning that, whatever the less
    trusted call by the same name later. What the less trusted alone call so is meant only as long as nothing is
    said of it: a page that gives another name to what a person has spoken of turns no later word against that.
    """
    directory = await look_up(work, scope, [name])
    key = name_key(name)
    meant = directory.by_name.get(key, ())
    if len(meant) > 1:
        return None
    known = meant[0] if meant else None
    if known is not None and trusted and key in directory.hearsay:
        known = None if await work.row(_SPOKEN_OF, {"id": known}) is not None else known
    entity = known or await _ensure(work, named_canonical(name, scope), NAMED)
    await _alias(work, scope, name, entity, trusted=trusted)
    return entity


async def _learn_canonical(
    work: UnitOfWork, scope: Scope, canonical: str, name: str | None, *, trusted: bool
) -> UUID:
    canonical = canonical_key(canonical)
    kind = entity_type(canonical)
    if name is not None and trusted:
        await _adopt(work, scope, canonical, kind, name)
    entity = await _ensure(work, canonical, kind)
    if name is not None:
        await _alias(work, scope, name, entity, trusted=trusted)
    return entity


async def _adopt(work: UnitOfWork, scope: Scope, canonical: str, kind: str, name: str) -> None:
    """Let the entity that is known here by `name` alone, if there is just one, be `canonical` from now on.

    One that a wider scope knows by name stays as it is: who speaks here has no say there.
    """
    meant = (await look_up(work, scope, [name])).by_name.get(name_key(name), ())
    if len(meant) != 1:
        return
    row = await work.row(_CANONICAL, {"id": meant[0]})
    if row is not None and row.canonical == named_canonical(name, scope):
        values = {"canonical": canonical, "type": kind, "named": meant[0]}
        await work.run(_STEP_ASIDE, {"canonical": canonical, "named": meant[0]})
        await work.run(_TAKE_ON, values)


async def _ensure(work: UnitOfWork, canonical: str, kind: str) -> UUID:
    statement = (
        insert(entities)
        .values(tenant_id=work.tenant_id, canonical=canonical, type=kind)
        .on_conflict_do_nothing()
    )
    await work.run(statement)
    found = await work.rows(_BY_CANONICAL, {"canonicals": [canonical]})
    return found[0].id


async def _alias(work: UnitOfWork, scope: Scope, name: str, entity: UUID, *, trusted: bool) -> None:
    statement = insert(aliases).values(
        tenant_id=work.tenant_id,
        scope_key=scope.key,
        name_key=name_key(name),
        entity_id=entity,
        name=name,
        trusted=trusted,
    )
    if trusted:
        statement = statement.on_conflict_do_update(
            index_elements=["tenant_id", "scope_key", "name_key", "entity_id"],
            set_={"trusted": True},
            where=aliases.c.trusted.is_(False),
        )
    else:
        statement = statement.on_conflict_do_nothing()
    await work.run(statement)
