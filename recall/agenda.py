"""The agenda: intentions as they stand, what came of them, and the instants at which they come next."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from models.errors import InvalidInput, NotFound, NotPermitted
from models.firing import first_look, instants_from
from models.intention_reach import may_see
from models.intentions import (
    Intention,
    IntentionQuery,
    Life,
    Occurrence,
    Owner,
    State,
)
from models.policy import Policy
from models.principals import Principal
from models.scope import parse_scope
from models.verbs import Verb
from store import intentions, occurrences
from store.engine import Database
from store.intentions import Listed
from store.policies import Policies
from store.tenants import KnownTenants

MOST_OCCURRENCES = 100


class Planned(NamedTuple):
    """An intention, its status, and the instants at which it comes next."""

    intention: Intention
    life: Life
    coming: tuple[datetime, ...]


class AgendaPage(NamedTuple):
    """One page, the latest set first. `next` is the cursor of the following one, None on the last."""

    planned: list[Planned]
    next: UUID | None


class Agenda:
    """Reads intentions for any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies
        self._tenants = KnownTenants()

    async def page(self, principal: Principal, query: IntentionQuery) -> AgendaPage:
        """One page of intentions.

        Raises `NotPermitted` for who may have none anywhere, or may not assign in the scope that is asked for, and
        `InvalidInput` for a cursor that is none.
        """
        policy = await self._policies.of(principal.tenant_id)
        states, most = query.states, query.limit + 1
        if query.scope is None:
            policy.require_anywhere(principal, Verb.INTEND)
        else:
            _require_all(policy, principal, query.scope)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            if query.before is not None and await intentions.get(work, query.before) is None:
                raise InvalidInput("is no cursor of this list; begin without it", field="before")
            if query.scope is None:
                owner = Owner(subject=principal.subject, kind=principal.kind)
                found = await intentions.of_owner(work, owner, states, query.before, most)
            else:
                found = await intentions.in_scopes(work, query.scope, states, query.before, most)
        shown = found[: query.limit]
        more = shown[-1].intention.id if len(found) > query.limit else None
        return AgendaPage(
            [_planned(each) for each in shown if may_see(policy, principal, each.intention)], more
        )

    async def one(self, principal: Principal, identity: UUID) -> tuple[Planned, list[Occurrence]]:
        """One intention with its latest occurrences, the latest first. Raises `NotFound`."""
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            found = await intentions.one(work, identity)
            if found is None or not may_see(policy, principal, found.intention):
                raise NotFound("no such intention within reach; check the id, the tenant and the roles")
            return _planned(found), await occurrences.of_intentions(work, [identity], MOST_OCCURRENCES)


def _require_all(policy: Policy, principal: Principal, scope: dict[str, str]) -> None:
    """Raise `NotPermitted` for who may not see everybody's intentions of a scope, or of any where it is empty."""
    try:
        if scope:
            policy.require(principal, Verb.ASSIGN, parse_scope(scope, policy.dimensions))
        else:
            policy.require_anywhere(principal, Verb.ASSIGN)
    except NotPermitted as refused:
        raise NotPermitted(
            "lists everybody's intentions there, which takes the right to assign; leave it out for your own",
            field="scope",
        ) from refused


def _planned(found: Listed) -> Planned:
    return Planned(found.intention, found.life, coming(found.intention))


def coming(intention: Intention) -> tuple[datetime, ...]:
    """The instants at which an intention comes next, as far as they are known."""
    if intention.state is State.PROPOSED:
        since = intention.recorded_at
        try:
            first = first_look(
                intention.trigger, intention.not_before, intention.deadline, intention.grace, since
            )
        except InvalidInput:
            first = None
    else:
        first = intention.next_at if intention.state is State.PENDING else None
    return instants_from(intention.trigger, first, intention.deadline)
