"""What comes of an intention when its time has come, or when what it waits for has happened."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from models import recurrence as recurrences
from models.errors import InvalidInput
from models.firing import (
    LAPSES_AFTER,
    MOST_SKIPPED,
    Cause,
    first_look,
    instants_from,
    lapses_at,
    turn_at,
    turn_by,
)
from models.intentions import Fate, Intention, Owner, Recurring, State
from models.principals import PrincipalKind, Speaker
from models.recurrence import following

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
MICRO = timedelta(microseconds=1)
INSTANT = {"kind": "instant", "at": NOON}
CUE = {"kind": "cue", "conditions": [{"field": "type", "value": "milestone"}]}
DAILY = {"kind": "recurrence", "recurrence": {"rule": "FREQ=DAILY", "timezone": "UTC", "starts": NOON}}


def intention(trigger: dict[str, Any], **fields: Any) -> Intention:
    return Intention.model_validate(
        {
            "id": uuid4(),
            "scope": {},
            "event_id": uuid4(),
            "set_by": Speaker(subject="a", kind=PrincipalKind.AGENT),
            "owner": Owner(subject="a"),
            "action": "look",
            "data": {},
            "trigger": trigger,
            "not_before": None,
            "deadline": None,
            "grace": DAY,
            "timezone": "UTC",
            "endpoint_id": None,
            "premises": (),
            "state": State.PENDING,
            "reason": None,
            "next_at": NOON,
            "fired": 0,
            "revision": 1,
            "recorded_at": NOON - DAY,
            **fields,
        }
    )


@pytest.mark.parametrize(
    ("trigger", "fields", "late", "fate", "state", "next_at"),
    [
        (INSTANT, {}, timedelta(0), Fate.DUE, State.FIRED, None),
        (INSTANT, {}, DAY, Fate.DUE, State.FIRED, None),
        (INSTANT, {}, DAY + timedelta(microseconds=1), Fate.MISSED, State.FIRED, None),
        (INSTANT, {"grace": timedelta(0)}, timedelta(0), Fate.DUE, State.FIRED, None),
        (INSTANT, {"grace": timedelta(0)}, timedelta(seconds=30), Fate.DUE, State.FIRED, None),
        (INSTANT, {"grace": timedelta(0)}, timedelta(seconds=31), Fate.MISSED, State.FIRED, None),
        (INSTANT, {"deadline": NOON + HOUR}, HOUR - MICRO, Fate.DUE, State.FIRED, None),
        (INSTANT, {"deadline": NOON + HOUR}, HOUR, Fate.MISSED, State.FIRED, None),
        (INSTANT, {"deadline": NOON + HOUR}, 2 * HOUR, Fate.MISSED, State.FIRED, None),
        (DAILY, {}, HOUR, Fate.DUE, State.PENDING, NOON + DAY),
        (DAILY, {"deadline": NOON + HOUR}, HOUR - MICRO, Fate.DUE, State.FIRED, None),
        (DAILY, {"deadline": NOON + HOUR}, HOUR, Fate.MISSED, State.FIRED, None),
        (CUE, {}, timedelta(0), None, State.EXPIRED, None),
    ],
)
def test_when_its_time_has_come(
    trigger: dict[str, Any],
    fields: dict[str, Any],
    late: timedelta,
    fate: Fate | None,
    state: State,
    next_at: datetime | None,
) -> None:
    turn = turn_at(intention(trigger, **fields), NOON + late)
    assert (turn.firing.fate if turn.firing else None, turn.state, turn.next_at) == (fate, state, next_at)


def test_a_recurrence_that_was_away_misses_what_is_too_late_as_one_and_then_goes_on() -> None:
    daily = intention(DAILY, grace=HOUR)
    back = NOON + 5 * DAY + 2 * HOUR
    turn = turn_at(daily, back)
    assert turn.firing is not None
    assert (turn.firing.fate, turn.firing.due_at, turn.firing.skipped) == (Fate.MISSED, NOON, 5)
    assert (turn.state, turn.next_at) == (State.PENDING, NOON + 6 * DAY)


def test_a_recurrence_that_is_back_within_the_grace_of_the_latest_delivers_that_one() -> None:
    daily = intention(DAILY, grace=3 * HOUR)
    back = NOON + 5 * DAY + 2 * HOUR
    missed = turn_at(daily, back)
    assert (missed.firing.skipped if missed.firing else None, missed.next_at) == (4, NOON + 5 * DAY)
    then = turn_at(daily.model_copy(update={"next_at": missed.next_at}), back)
    assert then.firing is not None
    assert (then.firing.fate, then.next_at) == (Fate.DUE, NOON + 6 * DAY)


@pytest.mark.parametrize(
    "rule", ["FREQ=MINUTELY", "FREQ=HOURLY;BYHOUR=9,10,11", "FREQ=DAILY;BYHOUR=0,6,12,18;BYMINUTE=0,20,40"]
)
def test_however_long_it_was_away_few_of_the_missed_instants_are_looked_at(
    rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    visited = 0
    instants = recurrences._instants  # pyright: ignore[reportPrivateUsage]  # each that is looked at is counted

    def counted(*given: Any) -> Iterator[datetime]:
        nonlocal visited
        for at in instants(*given):
            visited += 1
            yield at

    there = {"rule": rule, "timezone": "Europe/Berlin", "starts": NOON}
    waiting = intention({"kind": "recurrence", "recurrence": there}, grace=HOUR)
    back = NOON + 366 * DAY
    monkeypatch.setattr(recurrences, "_instants", counted)
    turn = turn_at(waiting, back)
    assert turn.firing is not None
    assert (turn.firing.fate, turn.firing.skipped) == (Fate.MISSED, MOST_SKIPPED)
    assert turn.next_at is not None
    assert turn.next_at >= back - HOUR
    assert 0 < visited <= MOST_SKIPPED + 10


def test_it_goes_on_with_the_first_that_is_in_time_still() -> None:
    minutely = {"rule": "FREQ=MINUTELY", "timezone": "UTC", "starts": NOON}
    turn = turn_at(intention({"kind": "recurrence", "recurrence": minutely}, grace=HOUR), NOON + 10 * DAY)
    assert turn.next_at == NOON + 10 * DAY - HOUR


def test_one_that_was_away_until_after_its_deadline_has_missed_what_came_before_it() -> None:
    daily = intention(DAILY, deadline=NOON + 3 * DAY, grace=30 * DAY)
    turn = turn_at(daily, NOON + 9 * DAY)
    assert turn.firing is not None
    assert (turn.firing.fate, turn.firing.skipped) == (Fate.MISSED, 2)
    assert (turn.state, turn.next_at) == (State.FIRED, None)


@pytest.mark.parametrize("rule", ["FREQ=DAILY", "FREQ=HOURLY", "FREQ=MINUTELY;INTERVAL=90"])
@pytest.mark.parametrize("spare", [timedelta(0), timedelta(seconds=1)])
def test_what_is_told_as_coming_before_a_deadline_comes_when_it_is_looked_at_in_time(
    rule: str, spare: timedelta
) -> None:
    """Looking first, telling ahead, going on and firing go by one rule: at its deadline nothing comes any more."""
    trigger = {"kind": "recurrence", "recurrence": {"rule": rule, "timezone": "UTC", "starts": NOON}}
    every = intention(trigger).trigger
    assert isinstance(every, Recurring)
    first, second, third = following(every.recurrence, NOON - HOUR, 3)
    deadline = third + spare
    told = instants_from(every, first_look(every, None, deadline, None, NOON - HOUR), deadline)
    assert told == ((first, second, third) if spare else (first, second))
    came: list[datetime] = []
    waiting = intention(trigger, deadline=deadline)
    while waiting.next_at is not None:
        turn = turn_at(waiting, waiting.next_at)
        assert turn.firing is not None
        assert turn.firing.fate is Fate.DUE
        came.append(turn.firing.due_at)
        waiting = waiting.model_copy(update={"next_at": turn.next_at})
    assert tuple(came) == told


def test_a_recurrence_that_has_ended_has_fired() -> None:
    rule = {"rule": "FREQ=DAILY;COUNT=1", "timezone": "UTC", "starts": NOON}
    turn = turn_at(intention({"kind": "recurrence", "recurrence": rule}), NOON)
    assert (turn.state, turn.next_at) == (State.FIRED, None)


@pytest.mark.parametrize("trigger", [INSTANT, DAILY, CUE])
@pytest.mark.parametrize("late", [timedelta(0), DAY, 3 * DAY])
def test_what_is_only_proposed_lapses_and_never_fires(trigger: dict[str, Any], late: timedelta) -> None:
    turn = turn_at(intention(trigger, state=State.PROPOSED), NOON + late)
    assert (turn.firing, turn.state, turn.reason, turn.next_at) == (
        None,
        State.EXPIRED,
        "not_confirmed",
        None,
    )


@pytest.mark.parametrize(
    ("trigger", "first", "lapses"),
    [(INSTANT, NOON, NOON), (DAILY, NOON, NOON - DAY + LAPSES_AFTER), (CUE, None, None), (CUE, NOON, NOON)],
)
def test_when_it_lapses(trigger: dict[str, Any], first: datetime | None, lapses: datetime | None) -> None:
    assert lapses_at(intention(trigger).trigger, first, NOON - DAY) == lapses


def caused(at: datetime, known_at: datetime | None = None, *, by_event: bool = True) -> Cause:
    identity = UUID(int=7)
    return Cause(identity, at, known_at or at, identity if by_event else None)


@pytest.mark.parametrize(
    ("cause", "fields", "fate"),
    [
        (caused(NOON), {}, Fate.DUE),
        (caused(NOON - 2 * DAY, NOON), {}, None),
        (caused(NOON - 2 * DAY, NOON, by_event=False), {}, Fate.DUE),
        (caused(NOON - DAY - timedelta(minutes=4), NOON), {}, Fate.DUE),
        (caused(NOON), {"not_before": NOON + HOUR}, None),
        (caused(NOON), {"deadline": NOON + MICRO}, Fate.DUE),
        (caused(NOON), {"deadline": NOON}, None),
        (caused(NOON - MICRO), {"deadline": NOON}, Fate.MISSED),
        (caused(NOON - HOUR, NOON), {"deadline": NOON}, Fate.MISSED),
        (caused(NOON + HOUR), {"deadline": NOON}, None),
        (caused(NOON - HOUR, NOON), {"grace": timedelta(0)}, Fate.DUE),
        (caused(NOON, NOON - HOUR), {"grace": timedelta(0)}, Fate.DUE),
        (caused(NOON - 2 * HOUR), {"grace": HOUR}, Fate.MISSED),
    ],
)
def test_when_what_it_waits_for_has_happened(cause: Cause, fields: dict[str, Any], fate: Fate | None) -> None:
    turn = turn_by(intention(CUE, next_at=None, **fields), cause, NOON)
    assert (None if turn is None or turn.firing is None else turn.firing.fate) == fate


def test_one_that_repeats_goes_on_until_its_deadline() -> None:
    repeating = intention({**CUE, "repeats": True}, next_at=NOON + DAY, deadline=NOON + DAY)
    turn = turn_by(repeating, caused(NOON), NOON)
    assert turn is not None
    assert (turn.state, turn.next_at) == (State.PENDING, NOON + DAY)


def test_an_occurrence_has_one_id_however_often_it_is_tried() -> None:
    once = intention(INSTANT)
    tried = [turn_at(once, NOON + late) for late in (timedelta(0), HOUR, 2 * DAY)]
    assert len({turn.firing.id(once.id) for turn in tried if turn.firing}) == 1


@pytest.mark.parametrize(
    ("trigger", "fields", "looks_at"),
    [
        (INSTANT, {}, NOON),
        (INSTANT, {"not_before": NOON + HOUR}, NOON + HOUR),
        (INSTANT, {"now": NOON + HOUR, "grace": 2 * HOUR}, NOON),
        (DAILY, {}, NOON),
        (DAILY, {"now": NOON + HOUR}, NOON + DAY),
        (DAILY, {"not_before": NOON + HOUR}, NOON + DAY),
        (CUE, {}, None),
        (CUE, {"deadline": NOON + HOUR}, NOON + HOUR),
    ],
)
def test_when_it_is_looked_at_first(
    trigger: dict[str, Any], fields: dict[str, Any], looks_at: datetime | None
) -> None:
    whole: dict[str, Any] = {
        "not_before": None,
        "deadline": None,
        "grace": None,
        "now": NOON - HOUR,
        **fields,
    }
    assert first_look(intention(trigger).trigger, **whole) == looks_at


@pytest.mark.parametrize(
    ("trigger", "fields", "field"),
    [
        (INSTANT, {"now": NOON + HOUR}, "at"),
        (INSTANT, {"now": NOON + HOUR, "grace": timedelta(minutes=1)}, "at"),
        (INSTANT, {"deadline": NOON - timedelta(minutes=30)}, "deadline"),
        (INSTANT, {"deadline": NOON}, "deadline"),
        (INSTANT, {"not_before": NOON + HOUR, "deadline": NOON + HOUR}, "deadline"),
        (DAILY, {"deadline": NOON}, "every"),
        (CUE, {"deadline": NOON - 2 * HOUR}, "deadline"),
        (DAILY, {"now": NOON + HOUR, "deadline": NOON + 2 * HOUR}, "every"),
    ],
)
def test_what_could_never_fire_is_refused(
    trigger: dict[str, Any], fields: dict[str, Any], field: str
) -> None:
    whole: dict[str, Any] = {
        "not_before": None,
        "deadline": None,
        "grace": None,
        "now": NOON - HOUR,
        **fields,
    }
    with pytest.raises(InvalidInput) as refused:
        first_look(intention(trigger).trigger, **whole)
    assert refused.value.field == field
