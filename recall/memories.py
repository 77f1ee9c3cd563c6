"""Memories as they are: listed page by page, read one by one, with what each was made from."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from models.contracts import PERSON, Control
from models.controls import About, catalogue, may_see, require_in_person
from models.errors import InvalidInput, NotFound
from models.facts import Fact, Status, status_at
from models.memories import (
    FilterField,
    MemoryKind,
    MemoryQuery,
    Position,
    conditions_of,
    cursor_after,
    position_of,
)
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from models.readers import Readable, readable_by
from models.scope import Scope, parse_scope
from models.verbs import Verb
from store import entities, episodes, facts, lineage, memories, persons
from store.engine import Database
from store.episodes import Episode
from store.lineage import Node
from store.policies import Policies
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork

MOST_NODES = 500


class FactRead(NamedTuple):
    """A fact, and its status at the instant that was asked for.

    One that is `switched_off` is told to nobody but the person whom it is about.
    """

    fact: Fact
    status: Status
    switched_off: bool = False


Memory = FactRead | Episode


class Page(NamedTuple):
    """One page; `next` is the cursor of the following one, None where there is none."""

    memories: Sequence[Memory]
    next: str | None
    as_of: datetime


class Lineage(NamedTuple):
    """What a record was made from and what was made from it, as far as the reader's scopes reach."""

    nodes: Sequence[Node]
    edges: Sequence[tuple[UUID, UUID]]
    hidden: int
    truncated: bool


class Memories:
    """Reads memories for any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies
        self._tenants = KnownTenants()

    async def page(self, principal: Principal, query: MemoryQuery) -> Page:
        """One page of the memories that apply in a scope and pass a filter, newest first.

        Raises `NotPermitted` for a scope beyond the principal's reach, and `InvalidInput` for a cursor of
        another query or a name that means several things.
        """
        _, policy, present = await self._policies.in_force(principal.tenant_id)
        scope = parse_scope(query.scope, policy.dimensions)
        policy.require(principal, Verb.READ, scope)
        readable = readable_by(policy, principal, present)
        after = position_of(query)
        as_of = after.as_of if after is not None else query.as_of or datetime.now(UTC)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            meant = await _entities_meant(work, scope, query)
            listed = await memories.page(
                work,
                scope.sub_scope_keys(),
                readable,
                query.filter,
                meant,
                as_of,
                after,
                query.limit + 1,
                persons.values_of(catalogue(policy), shown_to=_person(principal)),
            )
            return await _page(work, policy, query, listed, readable, as_of)

    async def own(self, principal: Principal, limit: int, cursor: str | None) -> Page:
        """One page of the facts about the principal that their classes let them inspect, newest first.

        Facts of every status and scope, those that they have switched off marked. Raises `NotPermitted` for whoever
        is no person or calls with a credential for less, and `InvalidInput` for a cursor of another list.
        """
        policy = await self._policies.of(principal.tenant_id)
        require_in_person(policy, principal)
        query = MemoryQuery(scope={PERSON: principal.subject}, limit=limit, cursor=cursor)
        after = position_of(query)
        as_of = after.as_of if after is not None else datetime.now(UTC)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            listed = await memories.page_about(
                work, principal.subject, catalogue(policy), _closed(policy), after, query.limit + 1
            )
            return await _page(work, policy, query, listed, readable_by(policy, principal), as_of)

    async def get(self, principal: Principal, record_id: UUID, as_of: datetime) -> Memory:
        """One fact or episode; raises `NotFound` where there is none within the principal's reach."""
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            return await _known(work, policy, principal, record_id, as_of)

    async def lineage(self, principal: Principal, record_id: UUID) -> Lineage:
        """What a fact or an episode was made from, and what was made from it. Raises as `get` does."""
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            record = await _known(work, policy, principal, record_id, datetime.now(UTC))
            met = await lineage.walk(work, record_id, readable_by(policy, principal), MOST_NODES + 1)
            reached = [node for node in met[:MOST_NODES] if policy.may_know(principal, Verb.READ, node.scope)]
            kind = "fact" if isinstance(record, FactRead) else "episode"
            nodes = [Node(record_id, kind, 0, _scope_of(record)), *reached]
            edges = await lineage.edges_among(work, [node.id for node in nodes])
        return Lineage(nodes, edges, min(len(met), MOST_NODES) - len(reached), len(met) > MOST_NODES)


def _person(principal: Principal) -> str | None:
    return principal.subject if principal.kind is PrincipalKind.HUMAN else None


def _closed(policy: Policy) -> list[str]:
    """The attributes, by all their names, of classes that do not let a person inspect what is about them."""
    return [
        name
        for each in policy.classes.values()
        if Control.INSPECT not in each.controls
        for attribute, spec in each.attributes.items()
        for name in (attribute, *spec.synonyms)
    ]


async def _page(
    work: UnitOfWork,
    policy: Policy,
    query: MemoryQuery,
    listed: Sequence[memories.Listed],
    readable: Readable,
    as_of: datetime,
) -> Page:
    """The first of these memories, as many as were asked for, and the cursor of those that follow."""
    shown = listed[: query.limit]
    about = await persons.about(work, policy, [each.id for each in shown if each.kind is MemoryKind.FACT])
    found = await _read(work, shown, about, readable, as_of)
    following = None
    if len(listed) > query.limit:
        last = shown[-1]
        following = cursor_after(query, Position(last.recorded_at, last.id, as_of))
    return Page([found[each.id] for each in shown], following, as_of)


async def _known(
    work: UnitOfWork, policy: Policy, principal: Principal, record_id: UUID, as_of: datetime
) -> Memory:
    fact = await facts.get(work, record_id)
    if fact is not None:
        about = (await persons.about(work, policy, [record_id]))[record_id]
        if may_see(policy, principal, fact.attribute, Scope(fact.scope), about):
            return FactRead(fact, status_at(fact, as_of), about.switched_off)
    episode = await episodes.seen(work, record_id, readable_by(policy, principal))
    if episode is not None and policy.may_know(principal, Verb.READ, episode.scope):
        return episode
    raise NotFound("no such record within reach; take an id from recall or a list")


def _scope_of(record: Memory) -> Scope:
    return Scope(record.fact.scope) if isinstance(record, FactRead) else record.scope


async def _entities_meant(work: UnitOfWork, scope: Scope, query: MemoryQuery) -> dict[str, UUID | None]:
    """Which entity each mention of the filter means here; None for a name that nobody has used."""
    if query.filter is None:
        return {}
    mentions = [
        mention
        for condition in conditions_of(query.filter)
        if condition.field is FilterField.ENTITY
        for mention in condition.values
    ]
    if not mentions:
        return {}
    directory = await entities.look_up(work, scope, mentions)
    meant = {mention: directory.resolve(mention) for mention in mentions}
    if any(each.reason == "ambiguous_entity" for each in meant.values()):
        raise InvalidInput("an entity's name means several things here; give canonical ids", field="filter")
    return {mention: resolution.entity_id for mention, resolution in meant.items()}


async def _read(
    work: UnitOfWork,
    listed: Sequence[memories.Listed],
    about: Mapping[UUID, About],
    readable: Readable,
    as_of: datetime,
) -> dict[UUID, Memory]:
    wanted: dict[MemoryKind, list[UUID]] = {kind: [] for kind in MemoryKind}
    for each in listed:
        wanted[each.kind].append(each.id)
    found: dict[UUID, Memory] = {}
    for fact in await facts.by_ids(work, wanted[MemoryKind.FACT]):
        found[fact.id] = FactRead(fact, status_at(fact, as_of), about[fact.id].switched_off)
    for episode in await episodes.seen_among(work, wanted[MemoryKind.EPISODE], readable):
        found[episode.id] = episode
    return found
