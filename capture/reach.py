"""The fact that a caller speaks about: there, within reach, and open to the verb."""

from uuid import UUID

from models.errors import NotFound
from models.facts import Fact
from models.policy import Policy
from models.principals import Principal
from models.readers import readable_by
from models.scope import Scope
from models.verbs import Verb
from store import facts
from store.unit_of_work import UnitOfWork


async def fact_within_reach(
    work: UnitOfWork, policy: Policy, principal: Principal, fact_id: UUID, verb: Verb
) -> Fact:
    """The fact, if `principal` may do `verb` with it.

    | the fact | the principal | |
    | --- | --- | --- |
    | is not there | | `NotFound` |
    | is there | is not among the readers of its class | `NotFound`, in the same words |
    | is there | may neither do the verb in its scope nor know of it | `NotFound`, in the same words |
    | is there | may know of it | `NotPermitted` |
    | is there | may do the verb in the whole of its scope | the fact |
    """
    fact = await facts.seen(work, fact_id, readable_by(policy, principal))
    scope = None if fact is None else Scope(fact.scope)
    if fact is None or scope is None:
        raise NotFound(_UNKNOWN)
    if policy.allows(principal, verb, scope):
        return fact
    if not policy.may_know(principal, Verb.READ, scope):
        raise NotFound(_UNKNOWN)
    policy.require(principal, verb, scope)
    return fact


_UNKNOWN = "no such fact within reach; check the id, the tenant and the roles"
