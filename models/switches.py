"""What a person has switched off, and what that covers under the policy of today.

A switch covers the class by its name, and the attributes that the class declared when it was switched. So no change
of policy brings back what a person did not want: not another name of the class, nor its end, nor that it is no longer
said to hold personal data.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple

from models.controls import Switch, SwitchState, Word, person_of
from models.policy import Declared, Policy


class Turned(NamedTuple):
    """The last switch of a class, with the attributes that it covers, or of an attribute.

    `as_personal` says that the class of the attribute held personal data then.
    """

    state: SwitchState
    since: datetime
    attributes: frozenset[str] = frozenset()
    as_personal: bool = False


class Switched(NamedTuple):
    """All that one person has ever switched, by the name of the class and of the attribute."""

    classes: Mapping[str, Turned]
    attributes: Mapping[str, Turned]

    def is_off(self, declared: Declared) -> bool:
        """Whether memories of this attribute about the person are switched off.

        | the last switch of its class | of the attribute, by any of its names | |
        | --- | --- | --- |
        | off | any | off |
        | on, or there is none | off | off: under another class, or another name of this one |
        | on, or there is none | on, or there is none | on |
        """
        return _is_off(self.classes.get(declared.class_name)) or any(
            _is_off(self.attributes.get(name)) for name in names_of(declared)
        )

    def keeps_off(self, declared: Declared) -> bool:
        """Whether the person has this attribute switched off from when its class held personal data.

        Then their own words stay theirs, although the class of today holds none.
        """
        turned = [self.attributes.get(name) for name in names_of(declared)]
        return any(each is not None and each.as_personal and _is_off(each) for each in turned)

    def of_class(self, policy: Policy, class_name: str) -> Switch:
        """How the person has a class: off where its own last switch is, or where all that it declares is off.

        A class that is not declared any more is off until its own switch is, or all of its attributes have been
        switched on under another class.
        """
        own, memory_class = self.classes.get(class_name), policy.classes.get(class_name)
        since = None if own is None else own.since
        if memory_class is None:
            covered = frozenset[str]() if own is None else own.attributes
            off = _is_off(own) and (
                not covered or any(_is_off(self.attributes.get(name)) for name in covered)
            )
            return Switch(class_name, SwitchState.OFF if off else SwitchState.ON, since)
        if _is_off(own):
            return Switch(class_name, SwitchState.OFF, since)
        off_since = [self._off_since(name, *spec.synonyms) for name, spec in memory_class.attributes.items()]
        known = [each for each in off_since if each is not None]
        if len(known) == len(off_since):
            return Switch(class_name, SwitchState.OFF, max(known))
        return Switch(class_name, SwitchState.ON, since)

    def _off_since(self, *names: str) -> datetime | None:
        """Since when an attribute of these names is off by its own switch; None where it is not."""
        turned = [self.attributes[name] for name in names if name in self.attributes]
        return max((each.since for each in turned if _is_off(each)), default=None)

    def is_settled(self, policy: Policy, class_name: str, state: SwitchState) -> bool:
        """Whether another switch of the class to `state` would say nothing that is not said already."""
        own = self.classes.get(class_name)
        names = declared_by(policy, class_name) or (frozenset[str]() if own is None else own.attributes)
        off = [_is_off(own), *(_is_off(self.attributes.get(name)) for name in names)]
        return all(off) if state is SwitchState.OFF else not any(off)

    def covered_by(self, policy: Policy, class_name: str, state: SwitchState) -> frozenset[str]:
        """The attributes that a switch of the class covers now; one to `on` undoes all that the last one covered."""
        own = self.classes.get(class_name)
        before = own.attributes if own is not None and state is SwitchState.ON else frozenset[str]()
        return declared_by(policy, class_name) | before


class Concern(NamedTuple):
    """Whom a statement of an attribute concerns: whom its memory would be about, else whose own word it is, if any."""

    declared: Declared
    about: str | None
    own_word_of: str | None

    @property
    def people(self) -> frozenset[str]:
        """Whose switches count."""
        return frozenset(each for each in (self.about, self.own_word_of) if each is not None)

    def is_off(self, there: Mapping[str, Switched]) -> bool:
        """Whether the person whom it would be about, or was about when its class held personal data, wants none.

        `there` has what each of its people has switched.
        """
        if self.about is not None:
            return there[self.about].is_off(self.declared)
        return self.own_word_of is not None and there[self.own_word_of].keeps_off(self.declared)


def concern_of(declared: Declared, scope: Mapping[str, str], word: Word | None) -> Concern:
    """The concern of what is said by `word`; None for what somebody else has said first."""
    about = person_of(scope, declared.memory_class, [] if word is None else [word])
    is_own = about is None and word is not None and word.is_own
    return Concern(declared, about, word.subject if word is not None and is_own else None)


def _is_off(turned: Turned | None) -> bool:
    return turned is not None and turned.state is SwitchState.OFF


def names_of(declared: Declared) -> Collection[str]:
    """An attribute's own name and its synonyms."""
    return (declared.name, *sorted(declared.attribute.synonyms))


def declared_by(policy: Policy, class_name: str) -> frozenset[str]:
    """The attributes of a class by all their names; none where it is not declared."""
    memory_class = policy.classes.get(class_name)
    if memory_class is None:
        return frozenset()
    return frozenset(
        known for name, spec in memory_class.attributes.items() for known in (name, *spec.synonyms)
    )
