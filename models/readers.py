"""Class readers: of which attributes somebody may see memories. The store turns it into a filter of every read."""

from collections.abc import Collection
from typing import NamedTuple

from models.policy import Policy
from models.principals import Principal
from models.scope import Scope
from models.verbs import Verb


class Readable(NamedTuple):
    """What a reader may see: memories of `attributes`, and with `undeclared` those that no class has any more.

    `unreadable` are all others that the policy declares.

    | a memory's attribute | the reader | seen |
    | --- | --- | --- |
    | is declared by a class whose readers they are among | any | yes |
    | is declared by another class | any | no |
    | is declared by no class | may administer the tenant, and does not recall | yes |
    | is declared by no class | any other | no |

    Names count with their synonyms: a memory that is stored under a former name is one of its attribute.
    `hides` says that there may be memories that are not seen. Where there are none, no words need to be looked
    at for whether they speak of one.
    """

    attributes: frozenset[str]
    unreadable: frozenset[str]
    undeclared: bool
    hides: bool

    def shows(self, attribute: str) -> bool:
        """Whether a memory of this attribute may be seen."""
        return attribute in self.attributes or (self.undeclared and attribute not in self.unreadable)


def readable_by(policy: Policy, principal: Principal, present: Collection[str] | None = None) -> Readable:
    """What `principal` may see in lists and in single reads, whatever the scope.

    `present` are the attributes of which the tenant has memories, None where nobody has looked.
    """
    administers = policy.allows(principal, Verb.ADMINISTER, Scope({}))
    return _readable(policy, principal, present, undeclared=administers)


def everything(policy: Policy) -> Readable:
    """All that there is, for whoever sees it by another right than that of a reader."""
    return Readable(policy.known_names, frozenset(), undeclared=True, hides=False)


def recalled_for(policy: Policy, principal: Principal, present: Collection[str] | None = None) -> Readable:
    """What `principal` may recall: what no class declares has no readers, and influences nobody."""
    return _readable(policy, principal, present, undeclared=False)


def _readable(
    policy: Policy, principal: Principal, present: Collection[str] | None, *, undeclared: bool
) -> Readable:
    attributes = policy.readable(principal)
    unreadable = policy.known_names - attributes
    seen = Readable(attributes, unreadable, undeclared, hides=True)
    # Words can speak of what is hidden without a memory of it; a class that hides is enough.
    hides = bool(unreadable) or (not undeclared and (present is None or not all(map(seen.shows, present))))
    return seen._replace(hides=hides)
