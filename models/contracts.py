"""Memory classes: a contract for each sort of memory, part of the policy.

A class says what may be remembered under it, on whose word, for whom, how long, and how it goes. A class that
names no owner, no decision that it could change, or no way in which it is deleted is refused: a record that
cannot change a decision has no claim on the store.
"""

from collections.abc import Iterable
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from models.authority import Authority, Standing
from models.scope import Scope
from models.values import ValueSpec

TENANT = "tenant"
"""The scope level of what holds for the whole tenant: the empty scope."""

PERSON = "user"
"""The dimension of a scope whose value is the subject of a person."""

SELF = "self"
"""The role that is recorded where somebody decides about a memory of themselves, by a control of its class."""

_LONGEST = timedelta(days=365_250)
Names = frozenset[Annotated[str, Field(min_length=1, max_length=100)]]


def _says_something(value: str) -> str:
    if not value.strip():
        raise ValueError("is blank; say it in words")
    return value


def _lasts(value: timedelta) -> timedelta:
    if value <= timedelta(0):
        raise ValueError("is no time at all; write a duration such as P90D")
    if value > _LONGEST:
        raise ValueError("is longer than 1,000 years; leave it out for what stays until something ends it")
    return value


Words = Annotated[str, AfterValidator(_says_something)]
Lasting = Annotated[timedelta, AfterValidator(_lasts)]


class Contract(BaseModel):
    """Base of the parts of a contract: immutable, and nothing beyond the declared fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Cardinality(StrEnum):
    """Whether an attribute has one value at a time or several side by side."""

    ONE = "one"
    MANY = "many"


class Attribute(ValueSpec):
    """A thing that can be said of an entity, or of a scope as a whole.

    `write` names the roles, and the declared systems, whose word counts; `confirm` those that may say that its
    end has come; for those in `authoritative` the system is the system of record. `synonyms` are other names
    under which it may be proposed.
    """

    cardinality: Cardinality = Cardinality.ONE
    synonyms: Names = frozenset()
    write: Names = frozenset()
    confirm: Names = frozenset()
    authoritative: Names = frozenset()


class Design(Contract):
    """The design record of a class: why it exists, which decision it changes, what ends it, how it is deleted."""

    why: Words
    decision: Words
    ends: Words
    deletion: Words


class Sensitivity(StrEnum):
    """How far a class is from what everybody may know."""

    PUBLIC = "public"
    NORMAL = "normal"
    PERSONAL = "personal"
    RESTRICTED = "restricted"


class LawfulBasis(StrEnum):
    """Why personal data may be held: the six bases of the GDPR, Article 6(1)."""

    CONSENT = "consent"
    CONTRACT = "contract"
    LEGAL_OBLIGATION = "legal_obligation"
    VITAL_INTERESTS = "vital_interests"
    PUBLIC_TASK = "public_task"
    LEGITIMATE_INTERESTS = "legitimate_interests"


class Personal(Contract):
    """For what personal data is held, and on what basis."""

    purpose: Words
    lawful_basis: LawfulBasis


class Prohibited(StrEnum):
    """Kinds of content that a class can refuse: the special categories of the GDPR, Articles 9 and 10."""

    HEALTH = "health"
    GENETICS = "genetics"
    BIOMETRICS = "biometrics"
    ETHNIC_ORIGIN = "ethnic_origin"
    POLITICS = "politics"
    RELIGION = "religion"
    TRADE_UNION = "trade_union"
    SEX_LIFE = "sex_life"
    CRIMINAL_RECORD = "criminal_record"


class ConflictRule(StrEnum):
    """What becomes of a permitted statement from a weaker kind of source than the fact that governs."""

    DISPUTE = "dispute"
    SUPERSEDE = "supersede"


class Precedence(StrEnum):
    """What can settle a disagreement between memories that govern in scopes which both apply to a request."""

    NARROWER_SCOPE = "narrower_scope"
    STRONGER_SOURCE = "stronger_source"
    LATER_START = "later_start"


class RecallPriority(StrEnum):
    """With what weight recall brings a memory back.

    A restriction comes first whenever its entity is in play; a standing instruction comes on every recall in
    its scope, as no likeness to a query would find it; a preference goes before background.
    """

    RESTRICTION = "restriction"
    INSTRUCTION = "instruction"
    PREFERENCE = "preference"
    BACKGROUND = "background"


class Control(StrEnum):
    """What the person whom a memory is about may do with it."""

    INSPECT = "inspect"
    CORRECT = "correct"
    EXPORT = "export"
    DISABLE = "disable"
    WITHDRAW = "withdraw"


class Review(Contract):
    """How held memories are reviewed. With `four_eyes` nobody accepts what they have said themselves."""

    four_eyes: bool = False


class Retention(Contract):
    """How long memories last: a fact `keep` beyond its latest statement, a claim `held` beyond its first.

    Without `keep` a fact stays until something ends it. A held claim always lapses.
    """

    held: Lasting
    keep: Lasting | None = None


class Widening(Contract):
    """When what several scopes have in common is proposed for the wider one, which leaves out dimensions of `over`.

    It takes the same fact in `scopes` scopes, said in `activities` distinct activities. `counter` is the share of
    scopes that may say otherwise.
    """

    over: Names = Field(min_length=1)
    scopes: int = Field(default=2, ge=2, le=100, strict=True)
    activities: int = Field(default=3, ge=2, le=100, strict=True)
    counter: float = Field(default=0.34, ge=0.0, lt=1.0)


class SystemOfRecord(Contract):
    """The system that has to be asked instead: what it holds is never remembered here."""

    system_of_record: Words


Fallback = Literal["abstain", "ask"] | SystemOfRecord
"""What an agent does where nothing of the class governs."""

Source = Literal[
    "untrusted", "model_inferred", "human_instruction", "verified_outcome", "authoritative_source"
]


class MemoryClass(Contract):
    """One class. `levels` are the dimensions of which a record's scope names one, or `tenant` for the empty scope.

    `confidence` is the least standing with which a memory governs; `readers` the roles, and declared systems,
    that may see it. `precedence` settles, by the first of its rules that tells them apart, which of two memories
    holds that apply to one request and disagree; without a rule the disagreement stays open. Without `widen` nothing
    is proposed for wider scopes.
    """

    version: int = Field(ge=1)
    owner: Words
    design: Design
    levels: Names = Field(min_length=1)
    sources: frozenset[Source] = Field(min_length=1)
    readers: Literal["any"] | Names = "any"
    representation: Literal["statement", "value", "reference"]
    sensitivity: Sensitivity = Sensitivity.NORMAL
    personal: Personal | None = None
    confidence: Standing = Standing.OBSERVED
    conflict: ConflictRule = ConflictRule.DISPUTE
    precedence: tuple[Precedence, ...] = ()
    review: Review = Review()
    retention: Retention
    widen: Widening | None = None
    controls: frozenset[Control] = frozenset()
    prohibited: frozenset[Prohibited] = frozenset()
    recall: RecallPriority = RecallPriority.BACKGROUND
    fallback: Fallback
    attributes: dict[str, Attribute] = Field(min_length=1)

    @model_validator(mode="after")
    def _accounts_for_personal_data(self) -> Self:
        if self.sensitivity is Sensitivity.PERSONAL and self.personal is None:
            raise ValueError("holds personal data; say for what purpose and on what lawful basis (personal)")
        return self

    @model_validator(mode="after")
    def _widens_over_levels_of_its_own(self) -> Self:
        if self.widen is not None and not self.widen.over <= self.levels - {PERSON, TENANT}:
            raise ValueError(
                f"widen.over names dimensions of levels alone, and never {PERSON}; leave out the others"
            )
        return self

    @property
    def system_of_record(self) -> str | None:
        """The system that holds what this class is about, where memory must not."""
        return self.fallback.system_of_record if isinstance(self.fallback, SystemOfRecord) else None

    def hears(self, authority: Authority) -> bool:
        """Whether the word of this kind of source may be a candidate at all."""
        return authority.name.lower() in self.sources

    def fits(self, scope: Scope) -> bool:
        """Whether a memory of this class may have this scope."""
        return TENANT in self.levels if not scope else not self.levels.isdisjoint(scope)

    def is_read_by(self, grants: Iterable[str]) -> bool:
        """Whether whoever holds these roles, or is this system, may see memories of this class."""
        return self.readers == "any" or not self.readers.isdisjoint(grants)
