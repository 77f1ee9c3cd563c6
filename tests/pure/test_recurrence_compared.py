"""Recurrences against two others: a library of another make, and a walk through the calendar day by day.

Over both changes of the clocks in three zones, one of which moves by half an hour, and in one that changes its rules
with the moon.
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from models.recurrence import Recurrence, following
from tests.pure.calendars import CODES, walk

ZONES = ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca"]
CALENDAR_RULES = [
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3",
    "FREQ=DAILY;BYHOUR=2;BYMINUTE=30",
    "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=0,15,30,45",
    "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=10;BYSETPOS=-1",
    "FREQ=DAILY;BYMONTH=3,10,11;BYDAY=SU;BYHOUR=2;BYMINUTE=15",
    "FREQ=DAILY;INTERVAL=2;BYMONTHDAY=-1,1,15",
    "FREQ=WEEKLY",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR,SU",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=MO",
    "FREQ=WEEKLY;BYDAY=SU;BYHOUR=2;BYMINUTE=30",
    "FREQ=MONTHLY",
    "FREQ=MONTHLY;BYDAY=1MO",
    "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17;BYMINUTE=0",
    "FREQ=MONTHLY;BYDAY=1SU,2SU,-1SU;BYHOUR=2;BYMINUTE=30",
    "FREQ=MONTHLY;BYMONTHDAY=-1,-3,31",
    "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=15",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-2",
    "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR",
    "FREQ=MONTHLY;BYMONTHDAY=30,31;INTERVAL=2",
    "FREQ=YEARLY",
    "FREQ=YEARLY;BYMONTH=3,11",
    "FREQ=YEARLY;BYMONTH=3;BYDAY=SU;BYHOUR=2;BYMINUTE=30",
    "FREQ=YEARLY;BYMONTH=4,10;BYDAY=1SU,-1SU;BYHOUR=1,2;BYMINUTE=45",
    "FREQ=YEARLY;BYYEARDAY=1,60,-1",
    "FREQ=YEARLY;BYDAY=20MO,-1FR",
    "FREQ=YEARLY;BYMONTHDAY=29;BYMONTH=2",
    "FREQ=YEARLY;BYWEEKNO=1,20,53;BYDAY=MO,WE",
    "FREQ=YEARLY;BYDAY=TH;BYSETPOS=10,-10",
    "FREQ=DAILY;COUNT=400",
    "FREQ=MONTHLY;BYDAY=2TU;COUNT=17",
    "FREQ=DAILY;UNTIL=20261031T120000Z",
]
"""What both others know of."""
OURS = [
    "FREQ=YEARLY;BYWEEKNO=20",
    "FREQ=YEARLY;BYWEEKNO=-1,52;BYDAY=SU;WKST=SU",
    "FREQ=MONTHLY;BYDAY=MO,1TU",
    "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2",
    "FREQ=DAILY;UNTIL=20261101",
]
"""Of these the other library makes something else, and python-dateutil by itself would: all days of a week instead of
the start's, nothing of weekdays with and without a number, the second day of what is left of the first week."""
PASSING_RULES = [
    "FREQ=HOURLY",
    "FREQ=HOURLY;INTERVAL=5",
    "FREQ=HOURLY;INTERVAL=2;BYMINUTE=0,30",
    "FREQ=HOURLY;BYHOUR=1,2,3",
    "FREQ=MINUTELY;INTERVAL=30",
    "FREQ=MINUTELY;INTERVAL=45;BYDAY=SA,SU;BYHOUR=0,1,2,3",
    "FREQ=MINUTELY;INTERVAL=7;BYMONTHDAY=1,8,25;BYMINUTE=0,5,10",
    "FREQ=HOURLY;INTERVAL=25;COUNT=70",
    "FREQ=MINUTELY;INTERVAL=90;UNTIL=20261102",
]
STARTS = ["2025-01-15T02:30:00", "2025-10-31T01:45:30"]


def start_in(zone: str, local: str) -> datetime:
    return datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def all_of(recurrence: Recurrence, until: datetime) -> list[datetime]:
    """Asked for in pages, each from the last one's end on, as it is in service."""
    found: list[datetime] = []
    after = recurrence.starts - timedelta(minutes=1)
    while page := [at for at in following(recurrence, after, 250) if at <= until]:
        found += page
        after = page[-1]
    return found


@pytest.mark.parametrize("zone", ZONES[:3])
@pytest.mark.parametrize("rule", CALENDAR_RULES)
def test_a_library_of_another_make_comes_to_the_same(rule: str, zone: str) -> None:
    """It has daylight-saving rules of its own, of which those of these zones are the same; it tells twice of an instant
    that two local times come to."""
    library = pytest.importorskip(
        "rrule",
        reason="the other library has wheels for Python up to 3.12 on Linux alone, and is not installed",
    )
    utc = ZoneInfo("UTC")
    for local in STARTS:
        starts = start_in(zone, local)
        until = starts + timedelta(days=2_000)
        theirs = library.build_rruleset(starts.astimezone(ZoneInfo(zone)), [f"RRULE:{rule}"])
        found = theirs.between(starts.astimezone(utc) - timedelta(seconds=1), until.astimezone(utc), 60_000)
        expected = sorted({at.astimezone(UTC) for at in found})
        assert expected
        assert all_of(Recurrence(rule=rule, timezone=zone, starts=starts), until) == expected


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("rule", CALENDAR_RULES + OURS)
def test_a_walk_through_the_calendar_comes_to_the_same(rule: str, zone: str) -> None:
    for local in STARTS:
        starts = start_in(zone, local)
        until = starts + timedelta(days=1_300)
        expected = walk(rule, ZoneInfo(zone), starts, until)
        assert expected
        assert all_of(Recurrence(rule=rule, timezone=zone, starts=starts), until) == expected


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("rule", PASSING_RULES)
def test_a_walk_through_the_minutes_comes_to_the_same(rule: str, zone: str) -> None:
    """From two weeks before either change of the clocks to two weeks after it."""
    for local in ("2026-02-09T00:15:00", "2026-03-22T02:40:00", "2026-10-18T00:15:20"):
        starts = start_in(zone, local)
        until = starts + timedelta(days=24)
        expected = walk(rule, ZoneInfo(zone), starts, until)
        assert expected
        assert all_of(Recurrence(rule=rule, timezone=zone, starts=starts), until) == expected


def some(low: int, high: int, *, most: int = 3, signed: bool = False) -> st.SearchStrategy[str]:
    each = st.integers(low, high)
    if signed:
        each = st.one_of(each, st.integers(-high, -low))
    return st.lists(each, min_size=1, max_size=most, unique=True).map(lambda found: ",".join(map(str, found)))


@st.composite
def rules(draw: st.DrawFn) -> str:
    frequency = draw(st.sampled_from(["YEARLY", "MONTHLY", "WEEKLY", "DAILY"]))
    ordinals = ["", "", "1", "2", "-1", "5"] if frequency in {"YEARLY", "MONTHLY"} else [""]
    weekdays = st.lists(
        st.tuples(st.sampled_from(ordinals), st.sampled_from(CODES)).map("".join),
        min_size=1,
        max_size=3,
        unique=True,
    ).map(",".join)
    choices: dict[str, st.SearchStrategy[str]] = {
        "INTERVAL": st.integers(1, 4).map(str),
        "WKST": st.sampled_from(CODES),
        "BYMONTH": some(1, 12),
        "BYDAY": weekdays,
        "BYHOUR": some(0, 4),
        "BYMINUTE": some(0, 59, most=2),
        "BYSETPOS": some(1, 4, most=2, signed=True),
        "COUNT": st.integers(1, 40).map(str),
    }
    if frequency != "WEEKLY":
        choices["BYMONTHDAY"] = some(1, 31, signed=True)
    if frequency == "YEARLY":
        choices["BYYEARDAY"] = some(1, 366, signed=True)
    names = draw(st.lists(st.sampled_from(sorted(choices)), max_size=4, unique=True))
    if not any(name.startswith("BY") and name != "BYSETPOS" for name in names):
        names = [name for name in names if name != "BYSETPOS"]
    return ";".join([f"FREQ={frequency}", *(f"{name}={draw(choices[name])}" for name in names)])


@given(rules(), st.sampled_from(ZONES), st.integers(0, 525_600), st.integers(0, 700))
@settings(max_examples=200, deadline=None)
def test_whatever_the_rule_says_the_walk_comes_to_the_same(
    rule: str, zone: str, minutes: int, days_later: int
) -> None:
    """And from whatever instant on it is asked: what is passed over is what has been."""
    starts = datetime(2025, 6, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    until = starts + timedelta(days=900)
    expected = walk(rule, ZoneInfo(zone), starts, until)
    try:
        recurrence = Recurrence(rule=rule, timezone=zone, starts=starts)
    except ValidationError:
        assert expected == []
        return
    assert all_of(recurrence, until) == expected
    after = starts + timedelta(days=days_later)
    assert [at for at in following(recurrence, after) if at <= until] == [
        at for at in expected if at > after
    ][:1]
