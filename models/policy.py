"""Who may do what: roles, systems and attributes, as one declared document.

Default deny: what no role grants is refused. A grant holds as a whole: the role that allows an attribute
must also be the role that allows the scope, so two narrow roles never add up to a wide one.
"""

from enum import StrEnum
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from models.authority import Authority
from models.errors import NotPermitted
from models.events import EventType
from models.principals import Principal, PrincipalKind, Speaker
from models.scope import Scope
from models.verbs import Verb

ScopeValues = Literal["any", "self"] | frozenset[str]
"""`any` value, the caller's own subject (`self`), or these values to the letter."""


class Cardinality(StrEnum):
    """Whether an attribute has one value at a time or several side by side."""

    ONE = "one"
    MANY = "many"


class Attribute(BaseModel):
    """A thing that can be said of an entity.

    A restriction comes first whenever its entity is in play; a standing instruction comes on every recall in
    its scope, as no likeness to a query would find it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cardinality: Cardinality = Cardinality.ONE
    restriction: bool = False
    standing_instruction: bool = False


class Grant(BaseModel):
    """What one role, or one named system, may do: `may` names the verbs, within the scopes that it reaches."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    may: frozenset[Verb] = frozenset()
    scopes: dict[str, ScopeValues] = Field(default_factory=dict[str, ScopeValues])
    tenant_wide: bool = False
    write: frozenset[str] = frozenset()
    confirm: frozenset[str] = frozenset()
    authoritative_for: frozenset[str] = frozenset()

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


class Policy(BaseModel):
    """The whole document. `version` is the version of its format."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1]
    dimensions: frozenset[str]
    attributes: dict[str, Attribute]
    roles: dict[str, Grant] = Field(default_factory=dict[str, Grant])
    systems: dict[str, Grant] = Field(default_factory=dict[str, Grant])

    @model_validator(mode="after")
    def _names_are_declared(self) -> Self:
        for name, grant in (*self.roles.items(), *self.systems.items()):
            for attribute in grant.write | grant.confirm | grant.authoritative_for:
                if attribute not in self.attributes:
                    raise ValueError(
                        f"{name} names the attribute {attribute}, which attributes does not declare"
                    )
            for dimension in grant.scopes:
                if dimension not in self.dimensions:
                    raise ValueError(
                        f"{name} names the dimension {dimension}, which dimensions does not declare"
                    )
        return self

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
        return any(
            verb in grant.may and grant.reaches(scope, principal.subject)
            for _, grant in self._grants(principal)
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
        if not self.may_know(principal, verb, Scope({})):
            self.require(principal, verb, Scope(principal.within))
            raise NotPermitted(f"{self._lack(principal)} may {verb.value}; ask for one that does")

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
        if speaker.kind is PrincipalKind.AGENT:
            return None
        for role, grant in self._grants(speaker):
            if attribute in grant.write and grant.reaches(scope, speaker.subject):
                return role
        return None

    def permitted_confirmer(self, speaker: Speaker, attribute: str, scope: Scope) -> str | None:
        """The role in which `speaker` may confirm the end of a fact of `attribute`, or None. No agent may."""
        if speaker.kind is PrincipalKind.AGENT:
            return None
        for role, grant in self._grants(speaker):
            if attribute in grant.confirm and grant.reaches(scope, speaker.subject):
                return role
        return None

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
            grant = self.systems.get(speaker.subject)
            if grant is not None and attribute in grant.authoritative_for:
                return Authority.AUTHORITATIVE_SOURCE
        return recorded
