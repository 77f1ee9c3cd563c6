"""Who may do what: roles, systems and memory classes, as one declared document.

Default deny: what no role grants is refused. A grant holds as a whole: the role that may write an attribute
must also be the role that reaches the scope, so two narrow roles never add up to a wide one.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from models.authority import Authority
from models.captures import IntentionRules
from models.conflicts import Settling
from models.contracts import SELF, TENANT, Attribute, Cardinality, MemoryClass, RecallPriority
from models.erasure.rules import ErasureRules
from models.errors import NotPermitted
from models.events import EventType
from models.floor import Floor
from models.mismatches import MOST_COUNTED
from models.principals import Principal, PrincipalKind, Speaker
from models.procedure_rules import ProcedureClass
from models.scope import Scope
from models.scoring import HALF_LIFE, Standards, Weights
from models.verbs import Verb

CueField = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,99}$")]
"""The name of a field of events' data that an intention may wait for."""

ScopeValues = Literal["any", "self"] | frozenset[str]
"""`any` value, the caller's own subject (`self`), or these values to the letter."""


class Grant(BaseModel):
    """What one role, or one named system, may do: `may` names the verbs, within the scopes that it reaches."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    may: frozenset[Verb] = frozenset()
    scopes: dict[str, ScopeValues] = Field(default_factory=dict[str, ScopeValues])
    tenant_wide: bool = False

    def reaches(self, scope: Scope, subject: str) -> bool:
        """Whether every dimension that `scope` names is allowed; the empty scope takes `tenant_wide`."""
        if not scope:
            return self.tenant_wide
        return all(self._allows(dimension, value, subject) for dimension, value in scope.items())

    def _allows(self, dimension: str, value: str, subject: str) -> bool:
        match self.scopes.get(dimension, frozenset[str]()):
            case "any":
                return True
            case "self":
                return value == subject
            case values:
                return value in values


class Declared(NamedTuple):
    """An attribute with the class that it belongs to."""

    name: str
    attribute: Attribute
    class_name: str
    memory_class: MemoryClass


def _standards(memory_class: MemoryClass) -> Standards:
    keep = memory_class.retention.keep
    half_life = HALF_LIFE if keep is None else keep / 2
    return Standards(memory_class.recall, memory_class.sensitivity, half_life)


class Misdeclared(ValueError):
    """A name that is not declared, or declared twice; `location` leads to it in the document."""

    def __init__(self, message: str, *location: str) -> None:
        super().__init__(message)
        self.location = location


class Policy(BaseModel):
    """The whole document. `version` is the version of its format."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[2]
    dimensions: frozenset[str]
    roles: dict[str, Grant] = Field(default_factory=dict[str, Grant])
    systems: dict[str, Grant] = Field(default_factory=dict[str, Grant])
    ranking: Weights = Weights()
    relevance_floor: Floor = Floor()
    cue_fields: frozenset[CueField] = frozenset()
    intentions: IntentionRules = IntentionRules()
    erasure: ErasureRules = ErasureRules()
    mismatches_to_review: int = Field(default=3, ge=1, le=MOST_COUNTED, strict=True)
    procedures: dict[str, ProcedureClass] = Field(default_factory=dict[str, ProcedureClass])
    classes: dict[str, MemoryClass] = Field(default_factory=dict[str, MemoryClass])

    @model_validator(mode="after")
    def _names_are_declared_once(self) -> Self:
        for wrong in self._misdeclared():
            raise wrong
        return self

    def _misdeclared(self) -> Iterator[Misdeclared]:
        if TENANT in self.dimensions:
            raise Misdeclared(f"{TENANT} is the level of the empty scope and no dimension", "dimensions")
        yield from self._misdeclared_grants()
        yield from self._misdeclared_procedures()
        taken: dict[str, str] = {}
        for name, memory_class in self.classes.items():
            yield from self._misdeclared_in(name, memory_class)
            for attribute, spec in memory_class.attributes.items():
                where = ("classes", name, "attributes", attribute)
                for known in (attribute, *sorted(spec.synonyms)):
                    if known in taken:
                        yield Misdeclared(f"{known} is declared already, in the class {taken[known]}", *where)
                    taken[known] = name

    def _misdeclared_grants(self) -> Iterator[Misdeclared]:
        for both in sorted(self.roles.keys() & self.systems.keys()):
            yield Misdeclared("is a role and a system; give one of them another name", "systems", both)
        for section, grants in (("roles", self.roles), ("systems", self.systems)):
            if SELF in grants:
                yield Misdeclared("is whoever decides about themselves; choose another name", section, SELF)
            for name, grant in grants.items():
                for dimension in sorted(grant.scopes.keys() - self.dimensions):
                    message = f"names the dimension {dimension}, which dimensions does not declare"
                    yield Misdeclared(message, section, name, "scopes", dimension)

    def _misdeclared_procedures(self) -> Iterator[Misdeclared]:
        speakers = self.roles.keys() | self.systems.keys()
        for name, rules in self.procedures.items():
            for level in sorted(rules.levels - self.dimensions - {TENANT}):
                message = f"names the level {level}, which dimensions does not declare"
                yield Misdeclared(message, "procedures", name, "levels")
            readers = frozenset[str]() if rules.readers == "any" else rules.readers
            for use, named in (("readers", readers), ("draft", rules.draft), ("approve", rules.approve)):
                for unknown in sorted(named - speakers):
                    message = f"names {unknown}, which neither roles nor systems declare"
                    yield Misdeclared(message, "procedures", name, use)

    def _misdeclared_in(self, name: str, memory_class: MemoryClass) -> Iterator[Misdeclared]:
        speakers = self.roles.keys() | self.systems.keys()
        for level in sorted(memory_class.levels - self.dimensions - {TENANT}):
            message = f"names the level {level}, which dimensions does not declare"
            yield Misdeclared(message, "classes", name, "levels")
        if memory_class.readers != "any":
            for reader in sorted(memory_class.readers - speakers):
                message = f"names {reader}, which neither roles nor systems declare"
                yield Misdeclared(message, "classes", name, "readers")
        for attribute, spec in memory_class.attributes.items():
            for use, named, known in (
                ("write", spec.write, speakers),
                ("confirm", spec.confirm, speakers),
                ("authoritative", spec.authoritative, self.systems.keys()),
            ):
                for unknown in sorted(named - known):
                    declared_in = "systems do not" if use == "authoritative" else "neither roles nor systems"
                    message = f"names {unknown}, which {declared_in} declare"
                    yield Misdeclared(message, "classes", name, "attributes", attribute, use)

    @cached_property
    def _declared(self) -> dict[str, Declared]:
        """Every attribute by its own name and by its synonyms."""
        found: dict[str, Declared] = {}
        for class_name, memory_class in self.classes.items():
            for name, attribute in memory_class.attributes.items():
                declared = Declared(name, attribute, class_name, memory_class)
                found |= dict.fromkeys((name, *attribute.synonyms), declared)
        return found

    def declared(self, attribute: str) -> Declared | None:
        """What the policy declares under this name or synonym; None where it declares nothing."""
        return self._declared.get(attribute)

    @cached_property
    def attributes(self) -> dict[str, Attribute]:
        """Every attribute that some class declares, by its own name."""
        return {each.name: each.attribute for each in self._declared.values()}

    @cached_property
    def known_names(self) -> frozenset[str]:
        """Every attribute by its own name and by its synonyms: memories may be stored under a former name."""
        return frozenset(self._declared)

    def recalled_as(self, priority: RecallPriority) -> frozenset[str]:
        """The attributes, and their synonyms, of the classes that recall brings back with this weight."""
        return frozenset(
            name for name, each in self._declared.items() if each.memory_class.recall is priority
        )

    def names_of(self, attributes: Iterable[str]) -> frozenset[str]:
        """These attributes, by their own names, and their synonyms."""
        wanted = frozenset(attributes)
        return frozenset(known for known, each in self._declared.items() if each.name in wanted)

    @cached_property
    def widened(self) -> frozenset[str]:
        """The attributes of which what several scopes have in common is proposed for the wider one."""
        return frozenset(name for name, each in self._declared.items() if each.memory_class.widen is not None)

    @cached_property
    def single_valued(self) -> dict[str, str]:
        """Every attribute that has one value at a time, by its own name and by its synonyms, with its own name."""
        return {
            known: each.name
            for known, each in self._declared.items()
            if each.attribute.cardinality is Cardinality.ONE
        }

    @cached_property
    def standards(self) -> dict[str, Standards]:
        """What the worth of memories of each attribute rests on, by its own name and by its synonyms."""
        return {known: _standards(each.memory_class) for known, each in self._declared.items()}

    @cached_property
    def settling(self) -> dict[str, Settling]:
        """How disagreements on each attribute are settled, by its own name."""
        return {
            each.name: Settling(
                each.memory_class.precedence, each.memory_class.recall is RecallPriority.RESTRICTION
            )
            for each in self._declared.values()
        }

    def readable(self, principal: Speaker) -> frozenset[str]:
        """The attributes, and their synonyms, of which `principal` may see memories, by their classes' readers."""
        held = [name for name, _ in self._grants(principal)]
        return frozenset(name for name, each in self._declared.items() if each.memory_class.is_read_by(held))

    @property
    def administrators(self) -> frozenset[str]:
        """The roles and systems that may change the policy: who administers less than the whole tenant may not."""
        grants = [*self.roles.items(), *self.systems.items()]
        return frozenset(name for name, grant in grants if grant.tenant_wide and Verb.ADMINISTER in grant.may)

    def _grants(self, speaker: Speaker) -> list[tuple[str, Grant]]:
        held = [(role, self.roles[role]) for role in speaker.roles if role in self.roles]
        if speaker.kind is PrincipalKind.SYSTEM and speaker.subject in self.systems:
            held.append((speaker.subject, self.systems[speaker.subject]))
        return held

    def allows(self, principal: Principal, verb: Verb, scope: Scope) -> bool:
        """Whether `principal` may do `verb` in `scope`. The one check that every verb goes through.

        | the credential | one role that | allowed |
        | --- | --- | --- |
        | leaves out the verb | | no |
        | is narrowed to a scope that `scope` does not lie in | | no |
        | covers both | may do the verb and reaches the whole of `scope` | yes |
        | covers both | there is none | no |
        """
        if principal.only is not None and verb not in principal.only:
            return False
        if not Scope(principal.within).covers(scope):
            return False
        return self.grants(principal, verb, scope)

    def grants(self, speaker: Speaker, verb: Verb, scope: Scope) -> bool:
        """Whether a role of `speaker` may do `verb` and reaches the whole of `scope`, whatever credential they held."""
        return any(
            verb in grant.may and grant.reaches(scope, speaker.subject) for _, grant in self._grants(speaker)
        )

    def may_know(self, principal: Principal, verb: Verb, scope: Scope) -> bool:
        """Whether `principal` may do `verb` with a record of this scope: it applies to requests that are allowed.

        What holds for the whole tenant applies to everybody who may do the verb in any scope at all.
        """
        within = principal.within
        if any(scope.get(dimension, value) != value for dimension, value in within.items()):
            return False
        if not scope and not within:
            by_role = any(verb in grant.may for _, grant in self._grants(principal))
            return by_role and (principal.only is None or verb in principal.only)
        return self.allows(principal, verb, Scope({**scope, **within}))

    def require_anywhere(self, principal: Principal, verb: Verb) -> None:
        """Raise `NotPermitted` unless `principal` may do `verb` somewhere."""
        if self.may_know(principal, verb, Scope({})):
            return
        if principal.within or principal.only is not None:
            self.require(principal, verb, Scope(principal.within))
        raise NotPermitted(f"{self._lack(principal)} may {verb.value} anywhere; ask for one that does")

    def require(self, principal: Principal, verb: Verb, scope: Scope) -> None:
        """Raise `NotPermitted` unless `principal` may do `verb` in `scope`."""
        if self.allows(principal, verb, scope):
            return
        if principal.only is not None and verb not in principal.only:
            raise NotPermitted(f"this credential may not {verb.value}; use one that may")
        if not Scope(principal.within).covers(scope):
            raise NotPermitted(
                "this credential is narrowed to another scope; name that one, or use another credential",
                field="scope",
            )
        what = "this scope" if scope else "the whole tenant (an empty scope)"
        raise NotPermitted(
            f"{self._lack(principal)} may {verb.value} in {what}; ask for one that does", field="scope"
        )

    def _lack(self, principal: Principal) -> str:
        """What is amiss with the roles of a principal, as the beginning of a sentence."""
        unknown = sorted(set(principal.roles) - set(self.roles))
        if unknown:
            known = ", ".join(sorted(self.roles))
            return f"the policy knows no role {', '.join(unknown)} (it knows {known}), and no other"
        return "no role of this principal" if principal.roles else "this principal has no role, so none"

    def permitted_writer(self, speaker: Speaker, attribute: str, scope: Scope) -> str | None:
        """The role in which `speaker` may write `attribute` in `scope`, or None. An agent only proposes."""
        declared = self.declared(attribute)
        return None if declared is None else self._heard(speaker, declared.attribute.write, scope)

    def permitted_confirmer(self, speaker: Speaker, attribute: str, scope: Scope) -> str | None:
        """The role in which `speaker` may confirm the end of a fact of `attribute`, or None. No agent may."""
        declared = self.declared(attribute)
        return None if declared is None else self._heard(speaker, declared.attribute.confirm, scope)

    def permitted_drafter(self, speaker: Speaker, class_name: str, scope: Scope) -> str | None:
        """The role in which `speaker` may draft procedures of a class in `scope`, or None. An agent's may, too."""
        rules = self.procedures.get(class_name)
        return None if rules is None else self._named(speaker, rules.draft, scope)

    def permitted_approver(self, speaker: Speaker, class_name: str, scope: Scope) -> str | None:
        """The role in which `speaker` may decide on procedures of a class in `scope`, or None. No agent may."""
        rules = self.procedures.get(class_name)
        return None if rules is None else self._heard(speaker, rules.approve, scope)

    def readable_procedures(self, speaker: Speaker) -> frozenset[str]:
        """The classes of which `speaker` may see procedures, by their readers."""
        held = frozenset(name for name, _ in self._grants(speaker))
        return frozenset(name for name, rules in self.procedures.items() if rules.is_read_by(held))

    def decided_procedures(self, speaker: Speaker) -> frozenset[str]:
        """The classes on whose procedures `speaker` may decide somewhere."""
        held = (
            frozenset(name for name, _ in self._grants(speaker))
            if self._decides(speaker)
            else frozenset[str]()
        )
        return frozenset(
            name for name, rules in self.procedures.items() if not held.isdisjoint(rules.approve)
        )

    def _heard(self, speaker: Speaker, named: frozenset[str], scope: Scope) -> str | None:
        """The role, or system, among `named` as which `speaker` is heard in `scope`, or None."""
        return self._named(speaker, named, scope) if self._decides(speaker) else None

    def _named(self, speaker: Speaker, named: frozenset[str], scope: Scope) -> str | None:
        """The first role, or system, of `speaker` among `named` that reaches `scope`, or None."""
        held = (name for name, grant in self._grants(speaker) if grant.reaches(scope, speaker.subject))
        return next((name for name in held if name in named), None)

    def _decides(self, speaker: Speaker) -> bool:
        """Whether a role gives the word of `speaker` any weight: an agent's has none, nor an undeclared system's."""
        if speaker.kind is PrincipalKind.SYSTEM:
            return speaker.subject in self.systems
        return speaker.kind is PrincipalKind.HUMAN

    def authority_of(self, speaker: Speaker, event_type: EventType) -> Authority:
        """What kind of source speaks in an event.

        | who | in what | authority |
        | --- | --- | --- |
        | anyone | a tool's result: text from a page, a ticket, a program | untrusted |
        | a system that the policy declares | anything | verified outcome |
        | a system that it does not declare | anything | untrusted |
        | a person | anything | human instruction |
        | an agent | anything | model inferred |

        For the attributes that the policy declares a system authoritative for, see `authority_for`.
        """
        if event_type is EventType.TOOL_RESULT:
            return Authority.UNTRUSTED
        match speaker.kind:
            case PrincipalKind.SYSTEM:
                declared = speaker.subject in self.systems
                return Authority.VERIFIED_OUTCOME if declared else Authority.UNTRUSTED
            case PrincipalKind.HUMAN:
                return Authority.HUMAN_INSTRUCTION
            case PrincipalKind.AGENT:
                return Authority.MODEL_INFERRED

    def authority_for(self, speaker: Speaker, attribute: str, recorded: Authority) -> Authority:
        """The authority of an event for one attribute: higher where the speaker is its system of record."""
        if recorded is Authority.VERIFIED_OUTCOME and speaker.kind is PrincipalKind.SYSTEM:
            declared = self.declared(attribute)
            if declared is not None and speaker.subject in declared.attribute.authoritative:
                return Authority.AUTHORITATIVE_SOURCE
        return recorded
