"""Intentions: what is to be done later, what must come for it, and what is due."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BeforeValidator, Field

from keepwell.types.statements import Spoken
from keepwell.types.wire import Answer, Instant, Request
from keepwell.types.words import (
    ActionOutcome,
    Becomes,
    CueMatch,
    IntentionLife,
    IntentionState,
    OccurrenceFate,
    PrincipalKind,
)

_LONGEST = timedelta(days=3_660)


def _duration(value: object) -> object:
    if value is None or isinstance(value, timedelta) or (isinstance(value, str) and value.startswith("P")):
        return value
    raise ValueError("give a timedelta, or an ISO 8601 duration such as PT40M")


Delay = Annotated[timedelta, BeforeValidator(_duration), Field(gt=timedelta(0), le=_LONGEST)]
Duration = Annotated[timedelta, BeforeValidator(_duration), Field(ge=timedelta(0), le=_LONGEST)]


class Owner(Request):
    """Whose intention it is, and in whose inbox it comes."""

    subject: str = Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$")
    kind: PrincipalKind = "agent"


class Every(Request):
    """A recurrence (RFC 5545 `rule`). It counts from this minute, in the speaker's zone, unless it says so."""

    rule: str = Field(min_length=1, max_length=500)
    timezone: str | None = None
    starts: Instant | None = None
    exceptions: tuple[Instant, ...] = Field(default=(), max_length=1_000)


class Timing(Request):
    """When an intention is due: one of an instant, a delay, a recurrence, or plain words."""

    at: Instant | None = None
    after: Delay | None = None
    every: Every | None = None
    words: str | None = Field(default=None, min_length=1, max_length=200, pattern=r"\S")


class CueCondition(Request):
    """One field of an event and the value that it must have.

    `field` is `type`, `subject`, `entity`, or `data.` and a field that the policy declares under `cue_fields`.
    """

    field: str = Field(pattern=r"^(?:type|subject|entity|data\.[A-Za-z_][A-Za-z0-9_-]{0,99})$")
    value: str | bool | int | float


class Cue(Request):
    """An event to wait for: `all` or `any` of the conditions, about the `entity` if one is named.

    It fires once, or with `repeats` each time.
    """

    kind: Literal["cue"] = "cue"
    match: CueMatch = "all"
    conditions: tuple[CueCondition, ...] = Field(default=(), max_length=10)
    entity: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"\S")
    repeats: bool = False


class NewChange(Request):
    """A change of a fact to wait for: of the fact with this id, or of whichever has this attribute of this entity.

    `value` is what it has to be established with.
    """

    kind: Literal["change"] = "change"
    becomes: tuple[Becomes, ...] = Field(min_length=1, max_length=6)
    fact_id: UUID | None = None
    attribute: str | None = Field(default=None, min_length=1, max_length=100)
    entity: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"\S")
    value: str | None = Field(default=None, min_length=1, max_length=2_000)


class NewIntention(Spoken, Timing):
    """An intention with one trigger: `at`, `after`, `every`, `words`, `on` or `change`.

    It is the caller's own unless `owner` says whose. `not_before` and `deadline` bound when it may fire; `grace` is how
    late it may be delivered. It is cancelled when one of its `premises`, facts by id, no longer governs.
    """

    action: str = Field(max_length=2_000, pattern=r"\S")
    scope: dict[str, str]
    on: Cue | None = None
    change: NewChange | None = None
    owner: Owner | None = None
    not_before: Instant | None = None
    deadline: Instant | None = None
    grace: Duration | None = None
    premises: tuple[UUID, ...] = Field(default=(), max_length=20)
    deliver_to: str | None = Field(default=None, min_length=1, max_length=100)
    data: dict[str, Any] = Field(default_factory=dict[str, Any])


class IntentionQuery(Request):
    """Which intentions to list, the latest set first: one's own, or those of everybody in a scope.

    `before` is the `next` of the page before.
    """

    scope: dict[str, str] | None = None
    states: tuple[IntentionState, ...] = ("proposed", "pending")
    before: UUID | None = None
    limit: int = Field(default=50, ge=1, le=200)


class Cancellation(Spoken):
    """An intention is given up. `text` says why."""

    text: str | None = Field(default=None, max_length=20_000, pattern=r"\S")


class Confirmation(Spoken):
    """The owner's yes to an intention that was proposed."""


class Rescheduling(Spoken, Timing):
    """Another time for an intention that waits for one."""


class HandOver(Spoken):
    """Another owner for an intention."""

    owner: Owner


class Snooze(Spoken):
    """What is due comes again `until` an instant, or `after` a delay."""

    until: Instant | None = None
    after: Delay | None = None
    lease: UUID | None = None


class AcknowledgementGiven(Spoken):
    """What was due has been dealt with, and how. `lease` is that under which it was taken."""

    outcome: ActionOutcome = "done"
    text: str | None = Field(default=None, max_length=20_000, pattern=r"\S")
    lease: UUID | None = None


class Take(Request):
    """What to hand out of an inbox, under which lease, and how long to wait where nothing is due."""

    limit: int = Field(default=10, ge=1, le=100)
    lease_seconds: float = Field(default=60.0, ge=1, le=86_400.0)
    wait_seconds: float = Field(default=0.0, ge=0, le=60.0)


class IntentionTold(Answer):
    """An intention. `told` says in words what it waits for; `coming` are its next instants."""

    id: UUID
    status: IntentionLife
    action: str
    data: dict[str, Any]
    scope: dict[str, str]
    owner: Owner
    set_by: Owner
    trigger: dict[str, Any]
    told: str
    coming: list[datetime]
    not_before: datetime | None
    deadline: datetime | None
    grace_seconds: float
    timezone: str
    endpoint_id: UUID | None
    premises: list[UUID]
    reason: str | None
    fired: int
    event_id: UUID
    set_at: datetime


class OccurrenceTold(Answer):
    """One firing of an intention, and what became of it. A `skipped` of a hundred is a hundred or more."""

    id: UUID
    due_at: datetime
    fired_at: datetime
    cause_id: UUID | None
    fate: OccurrenceFate
    skipped: int
    leases: int
    available_at: datetime
    settled_at: datetime | None
    outcome: str | None
    event_id: UUID | None


class IntentionRead(Answer):
    """An intention with its occurrences, the latest first."""

    intention: IntentionTold
    occurrences: list[OccurrenceTold]


class IntentionPage(Answer):
    """One page of intentions. `next` is what to send as `before` for the page that follows."""

    intentions: list[IntentionTold]
    next: UUID | None


class IntentionChanged(Answer):
    """An intention after a word on it. `duplicate` says that the word had been said before."""

    intention: IntentionTold
    event_id: UUID
    duplicate: bool


class IntentionPreview(Answer):
    """What an intention would wait for, in words, and its next instants."""

    told: str
    coming: list[datetime]


class DueTold(Answer):
    """Something due, to be acknowledged under its `lease` before `lease_ends_at`; else it comes again.

    `set_by` is whose plan it is: one's own, or of somebody who may assign.
    """

    occurrence_id: UUID
    intention_id: UUID
    action: str
    data: dict[str, Any]
    scope: dict[str, str]
    set_by: Owner
    due_at: datetime
    fired_at: datetime
    cause_id: UUID | None
    leases: int
    lease: UUID
    lease_ends_at: datetime


class InboxTaken(Answer):
    """What was handed out, the oldest first."""

    due: list[DueTold]
