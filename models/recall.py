"""What to bring back: the request, the answer, and the order of what was found."""

from collections.abc import Collection, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, field_validator

from models.authority import Authority, Standing
from models.contracts import Precedence
from models.due import DueIntention
from models.events import counted, scrub, written_out, zone_name
from models.facts import Status
from models.observations import LiveObservations, Observed
from models.procedure_choice import RecalledProcedure
from models.scoring import Terms
from models.sessions import SessionEvent
from models.text import terms
from models.triggers import Trigger

DEFAULT_BUDGET_TOKENS = 2_000
DEFAULT_LIMIT = 10


class RecallRequest(BaseModel):
    """One recall. `entities` are the canonical ids or names in play; `as_of` is None for now.

    With `known_at` the answer is what it would have been then: what was recorded later, ends included, does not count.

    Words of time in the query ("yesterday") are read in the IANA zone `timezone`, UTC unless it is given. `triggers`
    are what called for it: None where the caller just wants to know, and empty where nothing did, so that
    only what binds is looked up. `needs` names attributes that the decision depends on: of one that nothing governs,
    the answer says what to do instead. With `unverified` the answer has claims that wait for somebody to settle them
    as well, apart from what governs. `activity_id` is the running activity, by its own name: then what was said in it
    and stands in no passage yet comes as well. `observations` are what the runtime has just verified: they mark the
    facts that they bear on, and become no memory. What takes longer than `deadline_ms` milliseconds is left out and
    named in `without`; restrictions and standing instructions are looked up in any case.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scope: dict[str, str]
    query: str = Field(default="", max_length=20_000)
    entities: tuple[Annotated[str, Field(max_length=300)], ...] = Field(default=(), max_length=1_000)
    as_of: datetime | None = None
    known_at: datetime | None = None
    budget_tokens: int = Field(default=DEFAULT_BUDGET_TOKENS, ge=1, le=200_000)
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=100)
    unverified: bool = Field(default=False, strict=True)
    triggers: Annotated[tuple[Trigger, ...], Field(max_length=100)] | None = None
    timezone: str | None = None
    needs: tuple[Annotated[str, Field(min_length=1, max_length=100)], ...] = Field(default=(), max_length=100)
    activity_id: str | None = Field(default=None, min_length=1, max_length=200)
    observations: LiveObservations = ()
    deadline_ms: int | None = Field(default=None, ge=1, le=600_000)

    @field_validator("query", "entities", "needs", "activity_id", mode="before")
    @classmethod
    def _can_be_looked_up(cls, value: object) -> object:
        return scrub(value)

    @field_validator("timezone")
    @classmethod
    def _is_a_zone(cls, value: str | None) -> str | None:
        return None if value is None else zone_name(value)

    @field_validator("budget_tokens", "limit", "deadline_ms", mode="before")
    @classmethod
    def _is_a_number(cls, value: object) -> object:
        return counted(value)

    @field_validator("as_of", "known_at", mode="before")
    @classmethod
    def _is_an_instant(cls, value: object) -> object:
        return None if value is None else written_out(value)


class Reason(StrEnum):
    """Why an item is in the answer."""

    RESTRICTION_IN_PLAY = "restriction_on_entity_in_play"
    RESTRICTION_ON_SCOPE = "restriction_on_scope"
    ENTITY_IN_PLAY = "about_entity_in_play"
    ABOUT_SCOPE = "about_scope"
    STANDING_INSTRUCTION = "standing_instruction"
    KEYWORDS = "keywords"
    LIKENESS = "likeness"
    NEIGHBOUR = "next_to_found_passage"
    EVIDENCE = "evidence_of_selected_fact"
    PARTNER = "conflict_partner"


_RESTRICTIONS = frozenset({Reason.RESTRICTION_IN_PLAY, Reason.RESTRICTION_ON_SCOPE})
_REQUIRED = _RESTRICTIONS | {Reason.STANDING_INSTRUCTION}
_IN_PLAY = frozenset({Reason.RESTRICTION_IN_PLAY, Reason.ENTITY_IN_PLAY})
_CONCERNS = _REQUIRED | {Reason.ENTITY_IN_PLAY}


class Advice(StrEnum):
    """What the caller should do with the answer.

    | advice | when |
    | --- | --- |
    | `defer` | what must be heeded, or its open conflict, is larger than the whole budget: decide with more room |
    | `narrow` | not all that must be heeded fits: ask about fewer things at a time |
    | `abstain` | memory cannot decide this: a conflict is open, or nothing governs what the decision needs |
    | `use` | none of these |

    Where several hold, the first of these is told.
    """

    DEFER = "defer"
    NARROW = "narrow"
    ABSTAIN = "abstain"
    USE = "use"


class Without(StrEnum):
    """What an answer had to do without.

    | | |
    | --- | --- |
    | `likeness` | the query could not be compared by what it means: the embedder failed or was late |
    | `search` | it was too late to search at all: only what is looked up exactly is there |
    | `reranking` | the reranker failed or was late: what was found is in recall's own order |
    | `session`, `claims` | it was too late for what was said in the running activity, or for claims |
    """

    LIKENESS = "likeness"
    SEARCH = "search"
    RERANKING = "reranking"
    SESSION = "session"
    CLAIMS = "claims"


def most_in_play(limit: int) -> int:
    """How many facts at most come for being about what is in play and nothing else, at this limit.

    Those that share words with the query are among them first, then the latest. What binds, and what the decision
    needs, comes whatever its number.
    """
    return max(200, 4 * limit)


_MARKS = {Status.QUARANTINED: "unverified: ", Status.DISPUTED: "disputed, not in force: "}


class RecalledFact(BaseModel):
    """A fact as it goes into an answer. `entity` is what to call the thing, `canonical` its id.

    `about` names those of the request's own `entities`, observed ones among them, that mean this thing, by whatever
    name or id. Of a claim, which governs nothing, `status` says whether it is held or disputed. `terms` are what
    `score` is the sum of. Where the runtime has just observed something else, `overridden_by` says what; where it has
    observed the same, `confirmed_at` says when.
    """

    model_config = ConfigDict(frozen=True)

    id: UUID
    canonical: str | None
    entity: str | None
    attribute: str
    value: str
    ends_when: str | None
    expires_at: datetime | None
    valid_from: datetime
    authority: Authority
    authority_role: str | None
    standing: Standing
    statement: str
    sources: tuple[UUID, ...]
    episodes: tuple[UUID, ...]
    about: tuple[str, ...] = ()
    score: float
    terms: Terms = Terms()
    reasons: tuple[Reason, ...]
    status: Status = Status.ACTIVE
    overridden_by: Observed | None = None
    confirmed_at: datetime | None = None

    @property
    def in_play(self) -> bool:
        """Whether it is about a thing that the request names."""
        return not _IN_PLAY.isdisjoint(self.reasons)

    @property
    def concerns(self) -> bool:
        """Whether it is about what the decision is about, and not merely like it."""
        return not _CONCERNS.isdisjoint(self.reasons)

    @property
    def required(self) -> bool:
        """Whether it must not be left out. A claim never is, whatever brought it up."""
        return self.status is Status.ACTIVE and not _REQUIRED.isdisjoint(self.reasons)

    @property
    def text(self) -> str:
        """One line for a model or a person, whatever line breaks are in what was said."""
        until = f" until {self.ends_when}" if self.ends_when else ""
        expiry = f" (expires {self.expires_at.isoformat()})" if self.expires_at else ""
        role = f" as {self.authority_role}" if self.authority_role else ""
        about = f"{self.entity}: " if self.entity else ""
        mark = _MARKS.get(self.status, "")
        line = (
            f"{mark}{about}{self.attribute} = {self.value}{until}{expiry}; "
            f"since {self.valid_from.date().isoformat()}, {self.authority.name.lower()}{role}: "
            f'"{self.statement}"'
        )
        return " ".join(line.split())


class RecalledPassage(BaseModel):
    """A passage of an episode as it goes into an answer."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    episode_id: UUID
    occurred_at: datetime
    text: str
    sources: tuple[UUID, ...]
    score: float
    terms: Terms = Terms()
    reasons: tuple[Reason, ...]

    required: bool = False


class Conflict(BaseModel):
    """Memories that apply to the request and do not say the same of one thing.

    `members` are those that stand against each other, with `challengers` among them, which govern nothing; `yielded`
    gave way by the class's rule `settled_by`, and are not in the answer. While more than one value stands it is
    `unsettled`, and where it concerns the decision has a `question` to put to a person; `carried` says that all its
    members are in the answer: they come whole or not at all.
    """

    model_config = ConfigDict(frozen=True)

    entity: str | None
    attribute: str
    members: tuple[UUID, ...]
    yielded: tuple[UUID, ...] = ()
    settled_by: tuple[Precedence, ...] = ()
    unsettled: bool
    carried: bool
    question: str | None = None
    challengers: tuple[RecalledFact, ...] = ()


class Unmet(BaseModel):
    """An attribute that the decision needs and that nothing governs: what its class says to do instead.

    `fallback` is `abstain`, `ask` (a person) or `system_of_record`, which `system` names.
    """

    model_config = ConfigDict(frozen=True)

    attribute: str
    fallback: Literal["abstain", "ask", "system_of_record"]
    system: str | None = None


class RecallAnswer(BaseModel):
    """What came back.

    `left_out` counts found items beyond limit or budget; `over_budget` names those among them for which
    there were places but not enough tokens, and `missing` the required ones of these. `unverified` has claims,
    where they were asked for: they govern nothing, are in no count but that of `tokens`, and none is required.
    `conflicts` are all that what was found takes part in, `unmet` the needs that nothing governs. `triggers` are what
    called for the recall. `session` has what was said in the running activity, where that was named, the newest last:
    it binds nobody, and is in no count but that of `tokens`. `intentions` are those of the asker's own that are due and
    not acknowledged, the oldest first, and `procedure` is the one in force that fits, whole; both are in no count but
    that of `tokens`. A procedure that does not fit into the tokens is named by `procedure_over_budget`. `trace_id` is
    that of the record of how it came about; None where none is kept. `without` names what was to help and could not, so
    that the answer may lack what it would have found.
    """

    model_config = ConfigDict(frozen=True)

    facts: tuple[RecalledFact, ...]
    passages: tuple[RecalledPassage, ...]
    advice: Advice
    missing: tuple[UUID, ...]
    over_budget: tuple[UUID, ...]
    tokens: int
    limit: int
    left_out: int
    as_of: datetime
    unverified: tuple[RecalledFact, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    unmet: tuple[Unmet, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    without: tuple[Without, ...] = ()
    session: tuple[SessionEvent, ...] = ()
    intentions: tuple[DueIntention, ...] = ()
    procedure: RecalledProcedure | None = None
    procedure_over_budget: UUID | None = None
    trace_id: UUID | None = None

    @property
    def required(self) -> tuple[RecalledFact, ...]:
        """The facts that must be heeded."""
        return tuple(fact for fact in self.facts if fact.required)


def ranked_facts(facts: Sequence[RecalledFact]) -> list[RecalledFact]:
    """Restrictions on entities in play and on the scope first, then standing instructions, then by score and age.

    Where nothing else tells two apart their ids do, so that the same records always come in one order.
    """

    def order(fact: RecalledFact) -> tuple[bool, bool, float, int, float, UUID]:
        return (
            _RESTRICTIONS.isdisjoint(fact.reasons),
            Reason.STANDING_INSTRUCTION not in fact.reasons,
            -fact.score,
            -fact.authority,
            -fact.valid_from.timestamp(),
            fact.id,
        )

    return sorted(facts, key=order)


def found_by_words(claim: RecalledFact, wanted: Collection[str]) -> RecalledFact:
    """`claim` with the number of search terms that it shares with a query as its score, where it shares any."""
    said = (claim.entity, claim.canonical, claim.attribute, claim.value, claim.ends_when, claim.statement)
    shared = terms(" ".join(words for words in said if words)).keys() & set(wanted)
    if not shared:
        return claim
    return claim.model_copy(
        update={"score": float(len(shared)), "reasons": (*claim.reasons, Reason.KEYWORDS)}
    )


def ranked_claims(claims: Sequence[RecalledFact]) -> list[RecalledFact]:
    """Claims about entities in play first, then about the scope, then by shared words; of equal ones the latest."""

    def order(claim: RecalledFact) -> tuple[bool, bool, float, float]:
        return (
            Reason.ENTITY_IN_PLAY not in claim.reasons,
            Reason.ABOUT_SCOPE not in claim.reasons,
            -claim.score,
            -claim.valid_from.timestamp(),
        )

    return sorted(claims, key=order)


def ranked_passages(passages: Sequence[RecalledPassage]) -> list[RecalledPassage]:
    """Evidence of selected facts first, then by score; of equal ones the latest."""
    return sorted(
        passages,
        key=lambda passage: (
            Reason.EVIDENCE not in passage.reasons,
            -passage.score,
            -passage.occurred_at.timestamp(),
            passage.id,
        ),
    )
