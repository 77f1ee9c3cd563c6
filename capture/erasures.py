"""Requests to forget, the confirmation of their plans, and legal holds: who may say so, and what they name.

A name is resolved to the ids of records by the transaction that receives it, and kept nowhere: asking to forget never
writes a memory of what was forgotten.
"""

from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from models.contracts import PERSON
from models.controls import catalogue
from models.erasure.erasures import (
    CAN_BE_WITHDRAWN,
    OVER,
    Erasure,
    ErasureState,
    NewErasure,
    PlanConfirmation,
)
from models.erasure.reach import EVERYWHERE, UNKNOWN_ERASURE, is_own, may_see
from models.erasure.targets import (
    ActivityTarget,
    ClassTarget,
    EntityTarget,
    EventTarget,
    PersonTarget,
    RecordTarget,
    ScopeTarget,
    Target,
    TenantTarget,
)
from models.errors import Conflict, InvalidInput, NotFound, NotPermitted
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from models.scope import Scope, parse_scope
from models.verbs import Verb
from store import entities, outbox
from store.engine import Database
from store.erasure import log, reach, requests, walk
from store.erasure.seeds import Seeds
from store.policies import Policies
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork


class Named(NamedTuple):
    """What a target names, as the policy sees it: the scope that whoever asks must reach, and whose matter it is."""

    scope: Scope
    person: str | None = None


class Erasures:
    """Takes requests to erase, confirmations and holds from any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies
        self._tenants = KnownTenants()

    async def ask(self, principal: Principal, new: NewErasure) -> Erasure:
        """Ask that something be erased. What it reaches is found out next, and nothing is erased before that.

        | whoever asks | comes |
        | --- | --- |
        | may not erase what is named | `NotPermitted` |
        | names nothing that is there, or nothing within reach | `NotFound` |
        | is an agent | a plan that waits for a person |
        | else | a plan, and its erasure where the policy asks for nobody else and no look was wanted |
        """
        policy = await self._policies.of(principal.tenant_id)
        rules = policy.erasure
        needs = rules.confirmers.get(new.target.kind, 0)
        if principal.kind is PrincipalKind.AGENT:
            needs = max(needs, 1)
        asked = requests.Asked(
            target=new.target.kind,
            basis=new.basis,
            confirmers=needs,
            goes_on=not new.dry_run,
            expected=None if new.expected is None else bytes.fromhex(new.expected),
            lapses_at=datetime.now(UTC) + rules.plan_kept,
        )
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            named = await _named(work, policy, new.target)
            if isinstance(new.target, RecordTarget | EventTarget):
                _require_within_reach(policy, principal, named)
            require_may_erase(policy, principal, named)
            identity = await requests.add(work, principal, asked)
            if not await enter(work, policy, identity, new.target):
                raise NotFound("nothing of that is there any more; take an id or a name from a list")
            await walk.add_statements(work, identity)
            await outbox.put(work, outbox.Kind.ERASE, [identity])
            stored = await requests.get(work, identity)
        assert stored is not None
        return stored

    async def confirm(self, principal: Principal, identity: UUID, said: PlanConfirmation) -> Erasure:
        """Confirm a plan. Whoever asked counts as one of those who confirm only where no second person is asked for.

        Raises `NotFound`, `NotPermitted` for an agent, or for who may not erase everywhere, and `Conflict` for a plan
        that has changed, or an erasure that waits for nobody.
        """
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            erasure = await self._held(work, policy, principal, identity)
            policy.require(principal, Verb.ERASE, EVERYWHERE)
            if erasure.state is not ErasureState.PLANNED:
                raise Conflict(f"is {erasure.state.value}, and waits for nobody to confirm it")
            if erasure.digest is None or erasure.digest.hex() != said.digest:
                raise Conflict("the plan has changed; look at it again and confirm that one", field="digest")
            if is_own(principal, erasure) and erasure.confirmers:
                raise NotPermitted("the policy asks for a second person, and you have asked for it yourself")
            await requests.confirm(work, identity, principal, erasure.digest)
            await outbox.put(work, outbox.Kind.ERASE, [identity])
        return erasure

    async def withdraw(self, principal: Principal, identity: UUID) -> Erasure:
        """Call an erasure off that has not begun. Raises as `confirm` does."""
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            erasure = await self._held(work, policy, principal, identity)
            if erasure.state not in CAN_BE_WITHDRAWN:
                raise Conflict(f"is {erasure.state.value}: what has been erased does not come back")
            await requests.change(
                work, identity, state=ErasureState.WITHDRAWN.value, done_at=datetime.now(UTC), lapses_at=None
            )
            await outbox.put(work, outbox.Kind.ERASE, [identity])
        return erasure._replace(state=ErasureState.WITHDRAWN)

    async def hold(self, principal: Principal, target: Target, reason: str, until: datetime | None) -> UUID:
        """Forbid that something be erased, until an instant or until somebody releases it. Its id."""
        policy = await self._policies.of(principal.tenant_id)
        _require_a_person(principal)
        policy.require(principal, Verb.HOLD, EVERYWHERE)
        if until is not None and until <= datetime.now(UTC):
            raise InvalidInput("is over already; name an instant to come", field="until")
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            await _named(work, policy, target)
            return await log.add_hold(work, target, reason, principal.subject, until)

    async def release(self, principal: Principal, identity: UUID) -> None:
        """End a hold; what it has held goes on.

        Raises `NotFound` where none is in force, or to who may hold nothing, and `NotPermitted` for an agent.
        """
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            if not policy.allows(principal, Verb.HOLD, EVERYWHERE) or not await log.is_held(work, identity):
                raise NotFound("no such hold in force; see the list of holds")
            _require_a_person(principal)
            await log.release_hold(work, identity, principal.subject)
            await outbox.put(work, outbox.Kind.ERASE, await requests.unfinished(work))

    async def _held(self, work: UnitOfWork, policy: Policy, principal: Principal, identity: UUID) -> Erasure:
        await self._tenants.require(work, principal.tenant)
        erasure = await requests.get(work, identity, held=True)
        if erasure is None or not may_see(policy, principal, erasure):
            raise NotFound(UNKNOWN_ERASURE)
        _require_a_person(principal)
        if erasure.state in OVER:
            raise Conflict(f"is {erasure.state.value}")
        return erasure


def require_may_erase(policy: Policy, principal: Principal, named: Named) -> None:
    """Raise `NotPermitted` unless `principal` may have erased what is named."""
    is_own = (
        policy.erasure.own and named.person == principal.subject and principal.kind is PrincipalKind.HUMAN
    )
    if is_own and principal.only is None and not principal.within:
        return
    policy.require(principal, Verb.ERASE, named.scope)


def _require_within_reach(policy: Policy, principal: Principal, named: Named) -> None:
    """Raise `NotFound`, in the words for what is not there, unless `principal` may know of a record of that scope."""
    if policy.may_know(principal, Verb.READ, named.scope) or policy.allows(
        principal, Verb.ERASE, named.scope
    ):
        return
    raise NotFound(_UNKNOWN)


_UNKNOWN = "no such record or event within reach; take an id from recall, a list or a receipt"


def _require_a_person(principal: Principal) -> None:
    if principal.kind is PrincipalKind.AGENT:
        raise NotPermitted("an agent may ask for an erasure and decides on none; have a person do it")


async def _named(work: UnitOfWork, policy: Policy, target: Target) -> Named:
    """What the policy is asked about. Raises `NotFound` and `InvalidInput`."""
    match target:
        case RecordTarget() | EventTarget():
            look = reach.scope_of_record if isinstance(target, RecordTarget) else reach.scope_of_event
            scope = await look(work, target.id)
            if scope is None:
                raise NotFound(_UNKNOWN)
            return Named(Scope(scope), scope.get(PERSON))
        case ActivityTarget() | ScopeTarget():
            scope = parse_scope(target.scope, policy.dimensions)
            return Named(scope, scope.get(PERSON))
        case EntityTarget():
            return Named(parse_scope(target.scope, policy.dimensions))
        case PersonTarget():
            return Named(EVERYWHERE, target.subject)
        case ClassTarget() | TenantTarget():
            if isinstance(target, ClassTarget) and target.class_name not in policy.classes:
                known = ", ".join(sorted(policy.classes))
                raise InvalidInput(f"the policy declares no such class; it has {known}", field="class_name")
            return Named(EVERYWHERE)


async def enter(  # noqa: PLR0911 - a line for each kind of target
    work: UnitOfWork, policy: Policy, identity: UUID, target: Target
) -> bool:
    """Enter the records that a target names under an erasure, or a hold; False where there are none.

    Whether the policy knows its scope and class was asked when it was named: a hold outlives a change of the policy.
    """
    seeds = Seeds(work, identity)
    match target:
        case RecordTarget():
            return await seeds.records([target.id]) > 0
        case EventTarget():
            return await seeds.events([target.id]) > 0
        case ActivityTarget():
            found = await reach.activity(work, Scope(target.scope).key, target.activity_id)
            return found is not None and await seeds.activities([found]) > 0
        case EntityTarget():
            scope = Scope(target.scope)
            directory = await entities.look_up(work, scope, [target.entity])
            named = directory.resolve(target.entity)
            ids = [] if named.entity_id is None else [named.entity_id]
            names = [target.entity, *await reach.names_of(work, ids)]
            return await seeds.entity(ids, names, dict(scope)) > 0
        case PersonTarget():
            return await seeds.person(target.subject, catalogue(policy).personal) > 0
        case ScopeTarget():
            return await seeds.scope(target.scope) > 0
        case ClassTarget():
            declared = policy.classes.get(target.class_name)
            attributes = () if declared is None else declared.attributes
            return await seeds.facts_of(attributes, datetime.now(UTC) - target.older_than) > 0
        case TenantTarget():
            return await seeds.scope({}) > 0
