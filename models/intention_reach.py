"""Who sees an intention, and who may change it: its owner, whoever set it, and whoever may assign in its scope."""

from models.errors import NotFound
from models.intentions import Intention, Owner
from models.policy import Policy
from models.principals import Principal
from models.scope import Scope
from models.verbs import Verb

UNKNOWN = "no such intention within reach; check the id, the tenant and the roles"


def is_own(principal: Principal, there: Intention) -> bool:
    """Whether it is the principal's own intention, or one that they have set."""
    return (principal.subject, principal.kind) in (
        (there.owner.subject, there.owner.kind),
        (there.set_by.subject, there.set_by.kind),
    )


def may_see(policy: Policy, principal: Principal, there: Intention) -> bool:
    """Whether an intention is told to the principal: their own, and all of a scope to who may assign there."""
    return policy.may_know(
        principal, Verb.INTEND if is_own(principal, there) else Verb.ASSIGN, Scope(there.scope)
    )


def verb_for(principal: Principal, owner: Owner) -> Verb:
    """What it takes to set an intention for `owner`."""
    own = (owner.subject, owner.kind) == (principal.subject, principal.kind)
    return Verb.INTEND if own else Verb.ASSIGN


def require_reach(policy: Policy, principal: Principal, there: Intention, verb: Verb | None = None) -> None:
    """Raise `NotFound`, and `NotPermitted` for who may see an intention and not change it.

    `verb` says what it takes in any case; else it takes less to change one's own.
    """
    if not may_see(policy, principal, there):
        raise NotFound(UNKNOWN)
    own = is_own(principal, there)
    policy.require(principal, verb or (Verb.INTEND if own else Verb.ASSIGN), Scope(there.scope))
