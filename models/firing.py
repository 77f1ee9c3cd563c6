"""What comes of an intention when its time has come, or when something has happened that it waits for.

Pure: `now` is given, and each decision is a table. Whoever applies one writes it in the transaction that reads.
"""

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from models.cues import Cue
from models.errors import InvalidInput
from models.events import CLOCK_SKEW
from models.facts import Fact, Status
from models.ids import derived_id
from models.intentions import (
    GRACE,
    AtInstant,
    Change,
    Fate,
    Intention,
    Recurring,
    State,
    Trigger,
)
from models.recurrence import Recurrence, following

NEXT_INSTANTS = 3
"""How many instants of a recurrence are told ahead."""
ON_TIME = timedelta(seconds=30)
"""What comes within so much of its instant is on time, whatever the grace: a busy machine takes a moment to wake."""
_JUST = timedelta(microseconds=1)
MOST_SKIPPED = 100
"""So many missed instants are counted, and then no more: whoever reads this number reads "at least". All the others are
passed over without being looked at, however long ago the absence began."""


class Firing(NamedTuple):
    """An occurrence that comes about. `key` tells it from all others of its intention, however often it is tried.

    `cause_id` is what has happened, and `event_id` the same where that is an event.
    """

    key: str
    due_at: datetime
    fate: Fate
    cause_id: UUID | None = None
    event_id: UUID | None = None
    skipped: int = 0

    def id(self, intention_id: UUID) -> UUID:
        """The id of the occurrence, the same however often it is tried."""
        return derived_id("occurrence", intention_id, self.key)


class Turn(NamedTuple):
    """What becomes of an intention from `at` on: perhaps an occurrence, its state and why, and its next look."""

    at: datetime
    firing: Firing | None
    state: State
    reason: str
    next_at: datetime | None = None


class Cause(NamedTuple):
    """What has happened, from when on, and when that came to be known: an event, or a change of a fact."""

    id: UUID
    at: datetime
    known_at: datetime
    event_id: UUID | None = None

    @property
    def counts_at(self) -> datetime:
        """The instant that has to lie in the time of an intention: an event counts by when it happened, a change of a
        fact by when it was known and in effect.
        """
        return self.at if self.event_id is not None else max(self.at, self.known_at)


def grace_of(grace: timedelta | None) -> timedelta:
    """How late it may be delivered: what was said, or a day."""
    return GRACE if grace is None else grace


def first_look(
    trigger: Trigger,
    not_before: datetime | None,
    deadline: datetime | None,
    grace: timedelta | None,
    now: datetime,
) -> datetime | None:
    """When an intention that is set now is looked at first; None where it waits for something to happen.

    Raises `InvalidInput` for one that could never fire.

    | trigger | looked at first |
    | --- | --- |
    | an instant | then, or at `not_before` where that is later; refused in the past, unless a given `grace` covers it |
    | a recurrence | at its first instant from now and `not_before` on; refused where none lies before the deadline |
    | an event, a change | at the deadline, to expire |
    """
    if deadline is not None and deadline <= now:
        raise InvalidInput("lies in the past, so it would never fire; give a later one", field="deadline")
    match trigger:
        case AtInstant(at=at):
            due_at = at if not_before is None else max(at, not_before)
            if due_at < now - max(grace or timedelta(0), CLOCK_SKEW if grace is None else timedelta(0)):
                raise InvalidInput(
                    "lies in the past; give an instant to come, or a grace that covers how late it is",
                    field="at",
                )
            if _is_over(deadline, due_at):
                raise InvalidInput(
                    "lies before or at the instant when the intention is due; give a later one",
                    field="deadline",
                )
            return due_at
        case Recurring(recurrence=recurrence):
            since = now if not_before is None else max(now, not_before)
            first = _next(recurrence, since, deadline)
            if first is None:
                raise InvalidInput(
                    "never comes from now on and before the deadline; change rule or end", field="every"
                )
            return first
        case Cue() | Change():
            return deadline


def instants_from(
    trigger: Trigger, first: datetime | None, deadline: datetime | None
) -> tuple[datetime, ...]:
    """The instants at which a trigger comes from `first` on, as far as they are known: a few, or the one."""
    match trigger:
        case AtInstant() if first is not None:
            return (first,)
        case Recurring(recurrence=recurrence) if first is not None:
            return (first, *following(recurrence, first, NEXT_INSTANTS - 1, deadline))
        case _:
            return ()


LAPSES_AFTER = timedelta(days=30)
"""How long a recurrence that was proposed waits for its owner's yes."""


def lapses_at(trigger: Trigger, first: datetime | None, now: datetime) -> datetime | None:
    """When an intention that is proposed lapses unless it is confirmed.

    | trigger | lapses |
    | --- | --- |
    | an instant | then, since nothing of it is to come after |
    | a recurrence | thirty days from now on |
    | an event, a change | at the deadline, if it has one |
    """
    return now + LAPSES_AFTER if isinstance(trigger, Recurring) else first


def turn_at(intention: Intention, now: datetime) -> Turn:
    """What comes of an intention whose `next_at` has come.

    | trigger | how late | comes of it |
    | --- | --- | --- |
    | any of one that is only proposed | | it has expired: nobody has confirmed it |
    | an instant | within grace and before the deadline | it is due, and has fired |
    | an instant | later | it is missed |
    | a recurrence | within grace and before the deadline | it is due, and waits for its next instant, if there is one |
    | a recurrence | later | all that is too late is missed as one occurrence, and it waits for the one after them |
    | an event, a change | its deadline has come | it has expired |
    """
    due_at = intention.next_at
    assert due_at is not None
    if intention.state is State.PROPOSED:
        return Turn(due_at, None, State.EXPIRED, "not_confirmed")
    match intention.trigger:
        case AtInstant():
            fate = fate_of(intention, due_at, now)
            return Turn(due_at, Firing(due_at.isoformat(), due_at, fate), State.FIRED, _REASONS[fate])
        case Recurring(recurrence=recurrence):
            return _recur(intention, recurrence, due_at, now)
        case Cue() | Change():
            return Turn(due_at, None, State.EXPIRED, "deadline_passed")


def turn_by(intention: Intention, cause: Cause, now: datetime) -> Turn | None:
    """What comes of a pending intention for which has happened what it waits for; None where that does not count.

    | happened | comes of it |
    | --- | --- |
    | before it was set, before `not_before`, or from the deadline on | nothing |
    | and has been known for longer than the grace, or the deadline has come since | it is missed |
    | otherwise | it is due, and has fired unless its cue repeats |
    """
    if cause.counts_at < intention.starts or _is_over(intention.deadline, cause.counts_at):
        return None
    fate = fate_of(intention, max(cause.at, cause.known_at), now)
    firing = Firing(str(cause.id), cause.at, fate, cause.id, cause.event_id)
    if isinstance(intention.trigger, Cue) and intention.trigger.repeats:
        return Turn(cause.at, firing, State.PENDING, _REASONS[fate], intention.next_at)
    return Turn(cause.at, firing, State.FIRED, _REASONS[fate])


def fate_of(intention: Intention, due_at: datetime, now: datetime) -> Fate:
    """Whether what was due is due still, or missed."""
    too_late = due_at < _in_time_from(intention, now) or _is_over(intention.deadline, now)
    return Fate.MISSED if too_late else Fate.DUE


_REASONS = {Fate.DUE: "trigger_met", Fate.MISSED: "too_late"}


def _in_time_from(intention: Intention, now: datetime) -> datetime:
    """What was due before this instant is late by more than the grace."""
    return now - max(intention.grace, ON_TIME)


def _is_over(deadline: datetime | None, now: datetime) -> bool:
    """Whether a deadline has come: from that instant on nothing is due, and what is open expires."""
    return deadline is not None and now >= deadline


def _next(recurrence: Recurrence, since: datetime, deadline: datetime | None) -> datetime | None:
    """Its first instant from `since` on and before the deadline."""
    return next(iter(following(recurrence, since - _JUST, before=deadline)), None)


def _recur(intention: Intention, recurrence: Recurrence, due_at: datetime, now: datetime) -> Turn:
    fate = fate_of(intention, due_at, now)
    since, skipped = due_at + _JUST, 0
    if fate is Fate.MISSED:
        since = now if _is_over(intention.deadline, now) else _in_time_from(intention, now)
        missed_before = min(since, intention.deadline or since)
        skipped = len(following(recurrence, due_at, MOST_SKIPPED, missed_before))
    next_at = _next(recurrence, since, intention.deadline)
    firing = Firing(due_at.isoformat(), due_at, fate, skipped=skipped)
    state = State.FIRED if next_at is None else State.PENDING
    return Turn(due_at, firing, state, _REASONS[fate], next_at)


def changed_as_wanted(wanted: Change, fact: Fact, to_status: str, status: Status) -> bool:
    """Whether a change of `fact` is one that is waited for. `status` is that of the fact now.

    | waited for | what changed | |
    | --- | --- | --- |
    | another status than this change has come to | | no |
    | the fact with an id | another fact | no, unless that one disputes it |
    | a value | a fact with another value | no |
    | any | what was declared has been taken back since | no |
    """
    if to_status not in {each.status.value for each in wanted.becomes} or status.value != to_status:
        return False
    if wanted.fact_id is not None and wanted.fact_id != (
        fact.challenges if status is Status.DISPUTED else fact.id
    ):
        return False
    return wanted.canonical is None or wanted.canonical == fact.canonical


def ends_premise(status: Status) -> bool:
    """Whether a fact in this status no longer carries an intention that rests on it."""
    return status not in (Status.ACTIVE, Status.NOT_YET_VALID)
