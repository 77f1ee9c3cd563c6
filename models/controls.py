"""User controls: what a person may do with the memories about themselves, whatever their roles are.

Such a right comes from the contract of the class and belongs to the person alone: no agent and no system ever
has one, and nobody has one for somebody else.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from models.authority import Authority
from models.contracts import PERSON, Control, MemoryClass
from models.errors import InvalidInput, NotPermitted
from models.policy import Policy
from models.principals import Principal, PrincipalKind, Speaker
from models.readers import readable_by
from models.scope import Scope
from models.verbs import Verb

CONTROL_OF = {Verb.READ: Control.INSPECT, Verb.CORRECT: Control.CORRECT, Verb.RETRACT: Control.WITHDRAW}
"""The control by which a person may do what no role lets them do."""

_LEFT_OVER = frozenset({Control.INSPECT, Control.EXPORT})
"""What a person may do with a memory whose attribute the policy of today does not declare."""


def class_of(policy: Policy, attribute: str) -> MemoryClass | None:
    """The class that declares this attribute today, or None."""
    declared = policy.declared(attribute)
    return None if declared is None else declared.memory_class


def controls_of(memory_class: MemoryClass | None) -> frozenset[Control]:
    """What a person may do with a memory about them of this class, None where no class declares its attribute."""
    return _LEFT_OVER if memory_class is None else memory_class.controls


class Word(NamedTuple):
    """One statement of a memory: who made it, and whether it counts for whom the memory is about.

    It counts where a role permitted it, where it was a claim that somebody with a role has accepted, and where the
    memory is no more than a claim itself.
    """

    subject: str
    kind: PrincipalKind
    authority: Authority
    counts: bool

    @property
    def is_own(self) -> bool:
        """Whether somebody has said it as a person: what comes from a tool or a page is nobody's own word."""
        return self.kind is PrincipalKind.HUMAN and self.authority is Authority.HUMAN_INSTRUCTION


def person_of(
    scope: Mapping[str, str], memory_class: MemoryClass | None, words: Sequence[Word]
) -> str | None:
    """The person whom a memory is about, or None. It is never about two.

    | its scope names, as `user` | its class holds personal data | it rests on | it is about |
    | --- | --- | --- | --- |
    | somebody | either | anybody's words | them |
    | nobody | yes | first, a person's own words | that person |
    | nobody | yes | first, words of an agent, a system, a tool or a page | nobody |
    | nobody | no | anybody's words | nobody: it is everybody's matter where it applies |

    `words` are in the order in which they were recorded, and the first that counts decides: so nobody makes a memory
    about somebody else their own, or nobody's, by repeating it. Of a fact there count the words of those who had a
    right to say so, and a claim's that a reviewer has accepted; of a claim all. The function `person_of` of the
    database says the same.
    """
    named = scope.get(PERSON)
    if named is not None or memory_class is None or memory_class.personal is None:
        return named
    first = next((word for word in words if word.counts), None)
    return first.subject if first is not None and first.is_own else None


class About(NamedTuple):
    """Whom a memory is about, None for nobody, and whether they have switched its class off."""

    person: str | None
    switched_off: bool


def permits(speaker: Speaker, control: Control, memory_class: MemoryClass | None, person: str | None) -> bool:
    """Whether `speaker` may do this with a memory about `person` because it is about themselves.

    | who speaks | the memory is about | its class | |
    | --- | --- | --- | --- |
    | an agent or a system | anybody | any | no |
    | a person | somebody else, or nobody | any | no |
    | a person | them | allows it | yes: the role that is recorded is `self` |
    | a person | them | does not | no |
    | a person | them | is not declared any more | to inspect and to export it, no more |
    """
    if speaker.kind is not PrincipalKind.HUMAN or person is None or speaker.subject != person:
        return False
    return control in controls_of(memory_class)


def permits_call(
    principal: Principal,
    verb: Verb,
    memory_class: MemoryClass | None,
    person: str | None,
    scope: Scope,
) -> bool:
    """Whether `principal` may do `verb` with a memory because it is about themselves.

    | the verb has a control | the credential leaves out the verb, or is narrowed to another scope | |
    | --- | --- | --- |
    | no | either | no |
    | yes | yes | no |
    | yes | no | as `permits` says |
    """
    control = CONTROL_OF.get(verb)
    left_out = principal.only is not None and verb not in principal.only
    if control is None or left_out or not Scope(principal.within).covers(scope):
        return False
    return permits(principal, control, memory_class, person)


def may_see(policy: Policy, principal: Principal, attribute: str, scope: Scope, about: About) -> bool:
    """Whether a fact is shown to whoever asks for it or for its kin.

    | it is about the caller themselves | that person has switched its class off | shown |
    | --- | --- | --- |
    | no | yes | no, whatever the caller's roles are |
    | no | no | to a reader of its class who may know of its scope by a role |
    | yes | either | to them as well, and where the class lets them inspect it; switched off, it is marked |
    """
    if permits_call(principal, Verb.READ, class_of(policy, attribute), about.person, scope):
        return True
    own = principal.kind is PrincipalKind.HUMAN and principal.subject == about.person
    if about.switched_off and not own:
        return False
    return readable_by(policy, principal).shows(attribute) and policy.may_know(principal, Verb.READ, scope)


def require_in_person(policy: Policy, principal: Principal, verb: Verb = Verb.READ) -> None:
    """Raise `NotPermitted` unless a person calls for themselves, about all that is held of them.

    | who calls | the credential | |
    | --- | --- | --- |
    | an agent or a system | any | refused: nobody decides for a person |
    | a person | is narrowed to a scope, or leaves out the verb | refused: it is for less than all |
    | a person | is not | may, where some role lets them read anything at all |
    """
    if principal.kind is not PrincipalKind.HUMAN:
        raise NotPermitted(
            "nobody decides this for a person; call as the person, with a credential of theirs"
        )
    if principal.within:
        raise NotPermitted(
            "this is about all that is held of a person, and the credential is narrowed to a scope; use another"
        )
    if principal.only is not None and verb not in principal.only:
        raise NotPermitted(f"this credential may not {verb.value}; use one that may")
    policy.require_anywhere(principal, Verb.READ)


class SwitchState(StrEnum):
    """Whether memories of a class are held about a person."""

    OFF = "off"
    ON = "on"


class Switch(NamedTuple):
    """How a person has a class: `since` is None where they have never switched it."""

    class_name: str
    state: SwitchState
    since: datetime | None


def switchable(policy: Policy) -> frozenset[str]:
    """The classes that a person may switch off for themselves."""
    return frozenset(name for name, each in policy.classes.items() if Control.DISABLE in each.controls)


def require_switchable(policy: Policy, class_name: str, state: SwitchState, current: SwitchState) -> None:
    """Raise `InvalidInput` for a class that cannot be switched so.

    | the class | is to be | it is | |
    | --- | --- | --- | --- |
    | allows `disable` | either | either | may be switched |
    | does not, or is not declared | on | off | may be: what was switched off while it could be is not stuck |
    | does not, or is not declared | else | | refused |
    """
    stuck = state is SwitchState.ON and current is SwitchState.OFF
    if class_name in switchable(policy) or stuck:
        return
    names = ", ".join(sorted(switchable(policy))) or "none"
    raise InvalidInput(f"is no class that a person can switch off; those are {names}", field="class")


class Catalogue(NamedTuple):
    """Of which class each attribute is, as two columns, and which attributes are of classes with personal data."""

    attributes: tuple[str, ...]
    classes: tuple[str, ...]
    personal: tuple[str, ...]


def catalogue(policy: Policy) -> Catalogue:
    """The attributes of a policy by all their names, for queries that have to know whom a memory is about."""
    pairs = [
        (known, class_name, memory_class.personal is not None)
        for class_name, memory_class in policy.classes.items()
        for name, attribute in memory_class.attributes.items()
        for known in (name, *sorted(attribute.synonyms))
    ]
    return Catalogue(
        tuple(name for name, _, _ in pairs),
        tuple(class_name for _, class_name, _ in pairs),
        tuple(name for name, _, personal in pairs if personal),
    )
