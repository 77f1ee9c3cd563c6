"""History: the whole life of a fact and of those that came before and after it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from models.controls import About, may_see
from models.errors import InvalidInput, NotFound
from models.facts import Fact, status_at
from models.history import Change, Claimed, FactLife
from models.policy import Policy
from models.principals import Principal
from models.readers import everything, readable_by
from models.scope import Scope, parse_scope
from models.verbs import Verb
from store import entities, evidence, facts, gates, persons
from store.engine import Database
from store.policies import Policies
from store.unit_of_work import UnitOfWork


class History:
    """Tells lives of facts to principals who reach their scopes."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies

    async def of_fact(self, principal: Principal, fact_id: UUID, as_of: datetime) -> list[FactLife]:
        """The fact and all others of its scope, entity and attribute, in order of validity.

        Raises `NotFound` for a fact that is not there or is not shown to the principal.
        """
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            # A person sees what is about themselves, whoever the readers of its class are.
            found = await facts.with_same_subject(work, fact_id, everything(policy))
            lives = await _lives(work, policy, principal, found, as_of)
        if not any(life.fact.id == fact_id for life in lives):
            raise NotFound("no such fact within reach; check the id, the tenant and the roles")
        return lives

    async def of_entity(
        self, principal: Principal, where: Mapping[str, str], mention: str, as_of: datetime
    ) -> list[FactLife]:
        """All facts about an entity that apply in the scope `where`, in order of validity.

        Raises `NotFound` for a name that nobody has used here and `InvalidInput` for an ambiguous one.
        """
        policy = await self._policies.of(principal.tenant_id)
        scope = parse_scope(where, policy.dimensions)
        policy.require(principal, Verb.READ, scope)
        readable = readable_by(policy, principal)
        async with self._database.transaction(principal.tenant_id) as work:
            directory = await entities.look_up(work, scope, [mention])
            resolution = directory.resolve(mention)
            if resolution.entity_id is None:
                if resolution.reason == "ambiguous_entity":
                    raise InvalidInput("names several things here; give a canonical id", field="entity")
                raise NotFound("nothing is known here by that name or id")
            found = await facts.of_entity(work, resolution.entity_id, scope.sub_scope_keys(), readable)
            lives = await _lives(work, policy, principal, found, as_of)
        if not lives:
            raise NotFound("nothing is known here by that name or id")
        return lives


async def _lives(
    work: UnitOfWork, policy: Policy, principal: Principal, found: Sequence[Fact], as_of: datetime
) -> list[FactLife]:
    """The lives of those of these facts that are shown to the principal."""
    about = await persons.about(work, policy, [fact.id for fact in found])
    shown = [
        fact
        for fact in found
        if may_see(policy, principal, fact.attribute, Scope(fact.scope), about[fact.id])
    ]
    return await _told(work, shown, about, as_of) if shown else []


async def _told(
    work: UnitOfWork, found: Sequence[Fact], about: Mapping[UUID, About], as_of: datetime
) -> list[FactLife]:
    ids = [fact.id for fact in found]
    changes: dict[UUID, list[Change]] = {}
    for recorded_at, transition in await evidence.transitions_of(work, ids):
        told = {name: value for name, value in transition._asdict().items() if name != "record_id"}
        changes.setdefault(transition.record_id, []).append(Change(**told, recorded_at=recorded_at))
    cited = await evidence.of_records(work, ids)
    waiting = await gates.of_facts(work, ids)
    said = await gates.confirmations_of_facts(work, ids)
    return [
        FactLife(
            fact=fact,
            status=status_at(fact, as_of),
            switched_off=about[fact.id].switched_off,
            gate=waiting[fact.id].state if fact.id in waiting else None,
            changes=tuple(changes.get(fact.id, ())),
            sources=tuple(each.event_id for each in cited.get(fact.id, ())),
            confirmations=tuple(
                Claimed(
                    subject=each.speaker.subject,
                    event_id=each.event_id,
                    state=each.state,
                    reason=each.reason,
                    recorded_at=each.recorded_at,
                )
                for each in said.get(fact.id, ())
            ),
        )
        for fact in found
    ]
