"""An intention: an action that is to be taken later, whose it is, and what must come for it to fire.

Keepwell does not recall an intention, it schedules it. What fires it is an instant, a recurrence, an event or a change
of a fact; no likeness and no model has a part in it. What follows from its trigger is decided in `models.firing`.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple, Self
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from models.cues import Cue
from models.events import CLOCK_SKEW, MAX_DEPTH, aware, scrub, size_of, written_out, zone_name
from models.facts import Status
from models.principals import PrincipalKind, Speaker, SubjectName
from models.recurrence import Recurrence
from models.recurrence_rules import within_years
from models.statements import Spoken

GRACE = timedelta(days=1)
"""How late what is due may still be delivered, unless it is said."""
LONGEST = timedelta(days=366 * 10)
MOST_DATA_BYTES = 16 * 1024
MOST_PREMISES = 20


def _instant(value: object) -> object:
    return None if value is None else written_out(value)


def _duration(value: object) -> object:
    if value is None or isinstance(value, timedelta) or (isinstance(value, str) and value.startswith("P")):
        return value
    raise ValueError("give an ISO 8601 duration, such as PT40M")


Instant = Annotated[datetime, BeforeValidator(_instant), AfterValidator(within_years)]
Duration = Annotated[timedelta, BeforeValidator(_duration), Field(ge=timedelta(0), le=LONGEST)]
Delay = Annotated[timedelta, BeforeValidator(_duration), Field(gt=timedelta(0), le=LONGEST)]


class Owner(BaseModel):
    """Whose intention it is, and in whose inbox it comes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subject: SubjectName
    kind: PrincipalKind = PrincipalKind.AGENT


class AtInstant(BaseModel):
    """Fires at an instant."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["instant"] = "instant"
    at: datetime


class Recurring(BaseModel):
    """Fires at each instant of a recurrence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["recurrence"] = "recurrence"
    recurrence: Recurrence


class Becomes(StrEnum):
    """What can become of a fact that an intention waits for. `established` is a fact that begins to govern."""

    ESTABLISHED = "established"
    SUPERSEDED = "superseded"
    RETIRED = "retired"
    RETRACTED = "retracted"
    EXPIRED = "expired"
    DISPUTED = "disputed"

    @property
    def status(self) -> Status:
        """The status of the fact, or of its challenger where it is disputed."""
        return Status.ACTIVE if self is Becomes.ESTABLISHED else Status(self.value)


class NewChange(BaseModel):
    """A change of a fact to wait for: of the fact with this id, or of whichever has this attribute of this entity here.

    `value` is what it has to be established with. An attribute of many values takes the value.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["change"] = "change"
    becomes: tuple[Becomes, ...] = Field(min_length=1, max_length=len(Becomes))
    fact_id: UUID | None = None
    attribute: str | None = Field(default=None, min_length=1, max_length=100)
    entity: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"\S")
    value: str | None = Field(default=None, min_length=1, max_length=2_000)

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.fact_id is None) == (self.attribute is None):
            raise ValueError("name the fact by fact_id, or by attribute and entity")
        if self.fact_id is not None and (self.entity is not None or self.value is not None):
            raise ValueError("fact_id says which fact; leave entity and value out")
        if self.fact_id is not None and Becomes.ESTABLISHED in self.becomes:
            raise ValueError("a fact with an id is established already; wait for its attribute and entity")
        return self


class Change(NewChange):
    """Fires when a fact changes. `canonical` is the value in the form in which values are compared."""

    canonical: str | None = None


Trigger = Annotated[AtInstant | Recurring | Cue | Change, Field(discriminator="kind")]


class Every(BaseModel):
    """A recurrence as a caller gives it: from this minute on and in the speaker's zone, unless it says otherwise.

    A COUNT without `starts` counts the instants that are still to come.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: str = Field(min_length=1, max_length=500)
    timezone: str | None = None
    starts: Instant | None = None
    exceptions: tuple[Instant, ...] = Field(default=(), max_length=1_000)


class Timing(BaseModel):
    """When an intention is due: one of an instant, a delay in ISO 8601 (`PT40M`), a recurrence, or plain words.

    Words are read in the speaker's zone, and refused where they could mean two things.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: Instant | None = None
    after: Delay | None = None
    every: Every | None = None
    words: str | None = Field(default=None, min_length=1, max_length=200, pattern=r"\S")

    @field_validator("at")
    @classmethod
    def _at_with_an_offset(cls, value: datetime | None) -> datetime | None:
        return None if value is None else aware(value)

    @property
    def timed(self) -> list[str]:
        """Which of them are given."""
        return [name for name in ("at", "after", "every", "words") if getattr(self, name) is not None]


class NewIntention(Spoken, Timing):
    """An intention as a caller sets it, with one trigger: `at`, `after`, `every`, `words`, `on` or `change`.

    It is the caller's own unless `owner` says whose, and comes into the owner's inbox unless `deliver_to` names an
    endpoint. `not_before` and `deadline` bound when it may fire; `grace` is how late it may be delivered. It is
    cancelled when one of its `premises`, facts by id, no longer governs. `data` is for the program that acts on it.
    """

    action: Annotated[str, Field(max_length=2_000, pattern=r"\S"), BeforeValidator(scrub)]
    scope: dict[str, str]
    on: Cue | None = None
    change: NewChange | None = None
    owner: Owner | None = None
    not_before: Instant | None = None
    deadline: Instant | None = None
    grace: Duration | None = None
    premises: tuple[UUID, ...] = Field(default=(), max_length=MOST_PREMISES)
    deliver_to: str | None = Field(default=None, min_length=1, max_length=100)
    data: dict[str, Any] = Field(default_factory=dict[str, Any])

    @field_validator("not_before", "deadline")
    @classmethod
    def _bounded_with_an_offset(cls, value: datetime | None) -> datetime | None:
        return None if value is None else aware(value)

    @field_validator("timezone")
    @classmethod
    def _in_a_zone(cls, value: str | None) -> str | None:
        return None if value is None else zone_name(value)

    @field_validator("data", mode="before")
    @classmethod
    def _data_can_be_stored(cls, value: object) -> object:
        return scrub(value, MAX_DEPTH // 2)

    @model_validator(mode="after")
    def _can_come(self) -> Self:
        given = [*self.timed, *(name for name in ("on", "change") if getattr(self, name) is not None)]
        if len(given) != 1:
            raise ValueError("give one trigger: at, after, every, words, on or change")
        if self.not_before is not None and self.deadline is not None and self.not_before >= self.deadline:
            raise ValueError("not_before lies after the deadline, so it would never fire")
        if size_of(self.data) > MOST_DATA_BYTES:
            raise ValueError(f"data has more than {MOST_DATA_BYTES:,} bytes; keep it in its own store")
        return self


class State(StrEnum):
    """Where an intention is. What has `fired` has nothing more to come: its latest occurrence says the rest.

    `proposed` is what was taken from somebody's words and waits for the owner's yes.
    """

    PROPOSED = "proposed"
    PENDING = "pending"
    FIRED = "fired"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class Fate(StrEnum):
    """What became of one occurrence. `dead_lettered` was handed out as often as may be and never acknowledged."""

    DUE = "due"
    DELIVERED = "delivered"
    ACKNOWLEDGED = "acknowledged"
    CANCELLED = "cancelled"
    MISSED = "missed"
    EXPIRED = "expired"
    DEAD_LETTERED = "dead_lettered"


OPEN = frozenset({Fate.DUE, Fate.DELIVERED})
"""What is still to be acknowledged."""


class Intention(BaseModel):
    """An intention as the store holds it.

    `next_at` is the next instant at which something comes of it by itself: an occurrence, or the end of its time.
    `fired` counts occurrences. `revision` grows with each change that somebody makes.
    """

    model_config = ConfigDict(frozen=True)

    id: UUID
    scope: dict[str, str]
    event_id: UUID
    set_by: Speaker
    owner: Owner
    action: str
    data: dict[str, Any]
    trigger: Trigger
    not_before: datetime | None
    deadline: datetime | None
    grace: timedelta
    timezone: str
    endpoint_id: UUID | None
    premises: tuple[UUID, ...]
    state: State
    reason: str | None
    next_at: datetime | None
    fired: int
    revision: int
    recorded_at: datetime

    @property
    def starts(self) -> datetime:
        """From when on what happens counts. Without a `not_before` a clock that is a little behind is borne with."""
        return self.recorded_at - CLOCK_SKEW if self.not_before is None else self.not_before


class Occurrence(NamedTuple):
    """One firing of an intention. `cause_id` is the event or transition behind it, None where it was time.

    `skipped` counts later ones that were missed with it, up to a hundred: at that number it was at least so many.
    `leases` is how often it was handed out.
    """

    id: UUID
    intention_id: UUID
    due_at: datetime
    fired_at: datetime
    cause_id: UUID | None
    fate: Fate
    skipped: int
    leases: int
    available_at: datetime
    settled_at: datetime | None
    outcome: str | None
    event_id: UUID | None


class Life(StrEnum):
    """The status of an intention as it is told."""

    PROPOSED = "proposed"
    PENDING = "pending"
    DUE = "due"
    DELIVERED = "delivered"
    ACKNOWLEDGED = "acknowledged"
    CANCELLED = "cancelled"
    MISSED = "missed"
    EXPIRED = "expired"
    DEAD_LETTERED = "dead_lettered"


def life_of(state: State, latest: Fate | None) -> Life:
    """The status of an intention: its own, and that of its latest occurrence where nothing more is to come."""
    return Life(latest.value) if state is State.FIRED and latest is not None else Life(state.value)


class IntentionQuery(BaseModel):
    """Which intentions to list, the latest set first: one's own, or those of everybody in a scope.

    `scope` lists those of scopes that have its dimensions, `{}` all in reach, and takes the right to assign there.
    Without `states` those that are still to come are listed. `before` is the `next` of the page before.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scope: dict[str, str] | None = None
    states: tuple[State, ...] = (State.PROPOSED, State.PENDING)
    before: UUID | None = None
    limit: int = Field(default=50, ge=1, le=200, strict=True)
