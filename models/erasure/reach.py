"""Who may know of an erasure."""

from models.erasure.erasures import Erasure
from models.policy import Policy
from models.principals import Principal
from models.scope import Scope
from models.verbs import Verb

EVERYWHERE = Scope({})
UNKNOWN_ERASURE = "no such erasure within reach; take an id from the list"


def is_own(principal: Principal, erasure: Erasure) -> bool:
    """Whether the principal has asked for an erasure."""
    return (erasure.asked_by, erasure.asked_by_kind) == (principal.subject, principal.kind.value)


def may_see(policy: Policy, principal: Principal, erasure: Erasure) -> bool:
    """Whether the principal may know of an erasure: who asked for it, and who may erase for the whole tenant."""
    return is_own(principal, erasure) or policy.allows(principal, Verb.ERASE, EVERYWHERE)
