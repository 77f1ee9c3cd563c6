"""Whom a policy lets reach a memory of some scope, whoever holds its roles: for telling what a change of it does."""

from models.contracts import MemoryClass
from models.policy import Declared, Grant, Policy
from models.scope import Scope
from models.verbs import Verb

_READING = frozenset({Verb.READ, Verb.RECALL})


def grant_of(policy: Policy, name: str) -> Grant | None:
    """What a role, or a system, may do; None where there is none of this name."""
    return policy.roles.get(name) or policy.systems.get(name)


def reaches_for_somebody(grant: Grant, scope: Scope) -> bool:
    """Whether the grant reaches the scope for whoever holds it, or for the one whom the scope names."""
    return any(grant.reaches(scope, subject) for subject in {"", *scope.values()})


def reads(policy: Policy, name: str, memory_class: MemoryClass, scope: Scope) -> bool:
    """Whether whoever has this role alone, or is this system, may read or recall such a memory.

    What holds for the whole tenant is read by everybody who may read anywhere.
    """
    grant = grant_of(policy, name)
    if grant is None or _READING.isdisjoint(grant.may) or not memory_class.is_read_by([name]):
        return False
    return not scope or reaches_for_somebody(grant, scope)


def may_read_anything(policy: Policy, name: str) -> bool:
    """Whether this role, or system, has a verb with which memories are read."""
    grant = grant_of(policy, name)
    return grant is not None and not _READING.isdisjoint(grant.may)


def is_confirmed(policy: Policy, declared: Declared, scope: Scope, *, by_verb: bool) -> bool:
    """Whether anybody could confirm the end of such a memory: a named role, or system, that reaches its scope.

    With `by_verb` it has to have the verb as well. Without, whoever holds the role may have that from another one.
    """
    grants = [grant_of(policy, name) for name in declared.attribute.confirm]
    return any(
        reaches_for_somebody(grant, scope) and (not by_verb or Verb.CONFIRM in grant.may)
        for grant in grants
        if grant is not None
    )
