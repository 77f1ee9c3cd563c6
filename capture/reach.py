"""The fact that a caller speaks about: there, within reach, and open to the verb."""

from uuid import UUID

from models.controls import class_of, may_see, permits_call
from models.errors import NotFound
from models.facts import Fact
from models.policy import Policy
from models.principals import Principal
from models.readers import readable_by
from models.scope import Scope
from models.verbs import Verb
from store import facts, persons
from store.unit_of_work import UnitOfWork


async def fact_within_reach(
    work: UnitOfWork, policy: Policy, principal: Principal, fact_id: UUID, verb: Verb
) -> Fact:
    """The fact, if `principal` may do `verb` with it.

    | the fact | the principal | |
    | --- | --- | --- |
    | is not there | | `NotFound` |
    | is there | is not among the readers of its class | `NotFound`, in the same words |
    | is about somebody else, who has switched its class off | may do whatever else | `NotFound`, in the same words |
    | is there | may neither do the verb in its scope nor see it | `NotFound`, in the same words |
    | is there | may see it | `NotPermitted` |
    | is there | may do the verb in the whole of its scope | the fact |
    | is about the principal, a person | is let do it by its class | the fact |
    """
    fact = await facts.get(work, fact_id)
    if fact is None:
        raise NotFound(_UNKNOWN)
    scope = Scope(fact.scope)
    about = (await persons.about(work, policy, [fact_id]))[fact_id]
    if about.switched_off and about.person != principal.subject:
        raise NotFound(_UNKNOWN)
    if readable_by(policy, principal).shows(fact.attribute) and policy.allows(principal, verb, scope):
        return fact
    if permits_call(principal, verb, class_of(policy, fact.attribute), about.person, scope):
        return fact
    if not may_see(policy, principal, fact.attribute, scope, about):
        raise NotFound(_UNKNOWN)
    policy.require(principal, verb, scope)
    return fact


_UNKNOWN = "no such fact within reach; check the id, the tenant and the roles"
