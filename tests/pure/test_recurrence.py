"""Recurrences: what the clocks do to them, where they end, and what is refused with which remedy."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from time import perf_counter
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from models.recurrence import Recurrence, following

NEW_YORK, BERLIN, LORD_HOWE = "America/New_York", "Europe/Berlin", "Australia/Lord_Howe"


def again(rule: str, starts: str, zone: str = NEW_YORK, *left_out: str) -> Recurrence:
    """From `starts`, an instant, or a local time of the zone."""
    local = datetime.fromisoformat(starts)
    at = local if local.tzinfo else local.replace(tzinfo=ZoneInfo(zone))
    exceptions = tuple(datetime.fromisoformat(each) for each in left_out)
    return Recurrence(rule=rule, timezone=zone, starts=at, exceptions=exceptions)


def shown(recurrence: Recurrence, after: str, most: int) -> list[str]:
    """What the clocks of the zone show then, and their offset."""
    zone = ZoneInfo(recurrence.timezone)
    found = following(recurrence, datetime.fromisoformat(after).replace(tzinfo=zone), most)
    return [at.astimezone(zone).isoformat(timespec="minutes") for at in found]


def test_nine_is_nine_in_winter_and_in_summer() -> None:
    every_day = again("FREQ=DAILY", "2026-01-01T09:00")
    assert shown(every_day, "2026-03-07T10:00", 2) == ["2026-03-08T09:00-04:00", "2026-03-09T09:00-04:00"]
    assert shown(every_day, "2026-10-31T10:00", 2) == ["2026-11-01T09:00-05:00", "2026-11-02T09:00-05:00"]


@pytest.mark.parametrize(
    ("zone", "clock", "eve", "moved"),
    [
        (NEW_YORK, "02:30", "2026-03-07T12:00", "2026-03-08T03:30-04:00"),
        (BERLIN, "02:00", "2026-03-28T12:00", "2026-03-29T03:00+02:00"),
        (LORD_HOWE, "02:15", "2026-10-03T12:00", "2026-10-04T02:45+11:00"),
    ],
)
def test_a_local_time_that_is_skipped_comes_by_the_offset_from_before(
    zone: str, clock: str, eve: str, moved: str
) -> None:
    assert shown(again("FREQ=DAILY", f"2026-01-01T{clock}", zone), eve, 1) == [moved]


@pytest.mark.parametrize(
    ("zone", "clock", "eve", "first"),
    [
        (NEW_YORK, "01:30", "2026-10-31T12:00", "2026-11-01T01:30-04:00"),
        (BERLIN, "02:30", "2026-10-24T12:00", "2026-10-25T02:30+02:00"),
        (LORD_HOWE, "01:45", "2026-04-04T12:00", "2026-04-05T01:45+11:00"),
    ],
)
def test_a_local_time_that_is_repeated_comes_at_the_first_of_the_two(
    zone: str, clock: str, eve: str, first: str
) -> None:
    next_day = first[:8] + f"{int(first[8:10]) + 1:02}"
    found = shown(again("FREQ=DAILY", f"2026-01-01T{clock}", zone), eve, 2)
    assert found[0] == first
    assert found[1].startswith(next_day)


def test_two_local_times_that_come_to_one_instant_are_one_and_none_is_out_of_order() -> None:
    twice = again("FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,30,45", "2026-01-01T02:00")
    assert shown(twice, "2026-03-08T00:00", 4) == [
        "2026-03-08T03:00-04:00", "2026-03-08T03:30-04:00", "2026-03-08T03:45-04:00", "2026-03-09T02:00-04:00",
    ]  # fmt: skip


def test_what_a_gap_moves_into_the_next_day_is_not_passed_over() -> None:
    """In Greenland the clocks skip the last hour of a Saturday, on one island they skipped a whole Friday."""
    nightly = again("FREQ=DAILY", "2026-01-01T23:30", "America/Nuuk")
    assert shown(nightly, "2026-03-29T00:10", 2) == ["2026-03-29T00:30-01:00", "2026-03-29T23:30-01:00"]
    on_samoa = again("FREQ=DAILY;INTERVAL=2", "2011-12-28T09:00", "Pacific/Apia")
    assert shown(on_samoa, "2011-12-31T01:00", 2) == ["2011-12-31T09:00+14:00", "2012-01-01T09:00+14:00"]


def test_hours_and_minutes_pass_whatever_the_clocks_show() -> None:
    hours = following(
        again("FREQ=HOURLY", "2026-10-31T00:30"), datetime.fromisoformat("2026-11-01T00:00-04:00"), 48
    )
    assert {later - earlier for earlier, later in pairwise(hours)} == {timedelta(hours=1)}
    assert shown(again("FREQ=MINUTELY;INTERVAL=30", "2026-03-08T01:30"), "2026-03-08T01:30", 2) == [
        "2026-03-08T03:00-04:00", "2026-03-08T03:30-04:00",
    ]  # fmt: skip
    assert shown(again("FREQ=HOURLY;BYHOUR=1", "2026-10-31T00:00"), "2026-10-31T12:00", 3) == [
        "2026-11-01T01:00-04:00", "2026-11-01T01:00-05:00", "2026-11-02T01:00-05:00",
    ]  # fmt: skip


def test_the_start_is_an_instant_of_it_only_if_the_rule_says_so() -> None:
    assert shown(again("FREQ=WEEKLY;BYDAY=MO", "2026-12-03T09:00"), "2026-12-01T00:00", 1) == [
        "2026-12-07T09:00-05:00"
    ]
    in_step = again("FREQ=WEEKLY", "2026-12-03T09:00")
    assert following(in_step, in_step.starts - timedelta(seconds=1)) == [in_step.starts]
    assert following(in_step, in_step.starts) == [in_step.starts + timedelta(days=7)]


def test_count_counts_from_the_start_and_counts_what_is_left_out() -> None:
    thrice = again("FREQ=DAILY;COUNT=3", "2026-12-01T09:00", NEW_YORK, "2026-12-02T14:00:00+00:00")
    assert shown(thrice, "2026-11-01T00:00", 9) == ["2026-12-01T09:00-05:00", "2026-12-03T09:00-05:00"]
    assert following(thrice, datetime(2026, 12, 3, 14, 0, tzinfo=UTC)) == []


@pytest.mark.parametrize(
    ("until", "last"),
    [
        ("20261203T140000Z", "2026-12-03T09:00-05:00"),
        ("20261203T135959Z", "2026-12-02T09:00-05:00"),
        ("20261203", "2026-12-03T09:00-05:00"),
    ],
)
def test_until_is_the_last_instant_or_the_whole_of_the_last_local_day(until: str, last: str) -> None:
    assert shown(again(f"FREQ=DAILY;UNTIL={until}", "2026-12-01T09:00"), "2026-11-01T00:00", 9)[-1] == last


@pytest.mark.parametrize("until", ["99991231", "99991231T235959Z", "22000101"])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_until_for_ever_is_no_end(until: str, zone: str) -> None:
    for_ever = again(f"FREQ=YEARLY;UNTIL={until}", "2026-12-01T09:00", zone)
    without = again("FREQ=YEARLY", "2026-12-01T09:00", zone)
    assert following(for_ever, for_ever.starts, 30) == following(without, without.starts, 30)


def test_an_exception_is_an_instant_in_whatever_offset_it_is_written() -> None:
    two_left_out = again(
        "FREQ=DAILY", "2026-12-01T09:00", NEW_YORK, "2026-12-02T15:00:00+01:00", "2026-12-03T09:00:00-05:00"
    )
    assert shown(two_left_out, "2026-12-01T12:00", 1) == ["2026-12-04T09:00-05:00"]


def test_nothing_is_searched_for_beyond_the_calendar() -> None:
    assert following(again("FREQ=DAILY", "2026-12-01T09:00"), datetime.max.replace(tzinfo=UTC)) == []
    assert following(again("FREQ=DAILY", "2026-12-01T09:00"), datetime.min.replace(tzinfo=UTC)) != []


REFUSED = [
    ("FREQ=SECONDLY", "more often than once a minute"),
    ("FREQ=MINUTELY;BYSECOND=0,30", "more often than once a minute"),
    ("FREQ=DAILY;BYSECOND=1,2", "more often than once a minute"),
    ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "never fires"),
    ("FREQ=DAILY;BYMONTH=4;BYMONTHDAY=31", "never fires"),
    ("FREQ=DAILY;INTERVAL=7;BYDAY=MO", "never fires"),
    ("FREQ=DAILY;BYHOUR=9;BYSETPOS=2", "never fires"),
    ("FREQ=YEARLY;BYYEARDAY=366;BYMONTH=3", "never fires"),
    ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=40", "never fires"),
    ("FREQ=HOURLY;INTERVAL=2;BYHOUR=4", "never fires"),
    ("FREQ=MINUTELY;INTERVAL=2;BYMINUTE=1", "never fires"),
    ("FREQ=HOURLY;BYYEARDAY=366;BYMONTH=3", "never fires"),
    ("FREQ=DAILY;UNTIL=20200101", "never fires"),
    ("", "NAME=value"),
    ("tomorrow", "NAME=value"),
    ("every day", "the value of one RRULE"),
    ("INTERVAL=2", "needs FREQ"),
    ("FREQ=FORTNIGHTLY", "MONTHLY"),
    ("RRULE:FREQ=DAILY", "the value of one RRULE"),
    ("DTSTART:20260101T090000Z\nRRULE:FREQ=DAILY", "fields of their own"),
    ("FREQ=DAILY\nEXDATE:20260101T090000Z", "fields of their own"),
    ("RSCALE=CHINESE;FREQ=DAILY", "a rule is made of"),
    ("FREQ=DAILY;BYEASTER=1", "a rule is made of"),
    ("FREQ=DAILY;X-EVERY=2", "a rule is made of"),
    ("FREQ=DAILY;FREQ=WEEKLY", "twice"),
    ("FREQ=DAILY;COUNT=2;UNTIL=20270101", "COUNT or UNTIL"),
    ("FREQ=DAILY;COUNT=0", "from 1"),
    ("FREQ=DAILY;COUNT=1000000", "from 1 to 5000"),
    ("FREQ=DAILY;INTERVAL=0", "from 1"),
    ("FREQ=DAILY;INTERVAL=1.5", "one whole number"),
    ("FREQ=DAILY;UNTIL=20270101T090000", "UTC"),
    ("FREQ=DAILY;UNTIL=20271301", "UTC"),
    ("FREQ=DAILY;BYHOUR=24", "from 0 to 23"),
    ("FREQ=DAILY;BYHOUR=", "whole numbers"),
    ("FREQ=DAILY;BYMINUTE=9,x", "whole numbers"),
    ("FREQ=MONTHLY;BYMONTHDAY=0", "from 1 to 31"),
    ("FREQ=MONTHLY;BYMONTHDAY=32", "from 1 to 31"),
    ("FREQ=MONTHLY;BYDAY=0MO", "weekdays"),
    ("FREQ=MONTHLY;BYDAY=54MO", "weekdays"),
    ("FREQ=MONTHLY;BYDAY=XX", "weekdays"),
    ("FREQ=WEEKLY;BYDAY=1MO", "MONTHLY"),
    ("FREQ=YEARLY;BYWEEKNO=3;BYDAY=1MO", "without BYWEEKNO"),
    ("FREQ=WEEKLY;BYMONTHDAY=3", "use MONTHLY"),
    ("FREQ=MONTHLY;BYWEEKNO=3", "YEARLY alone"),
    ("FREQ=DAILY;BYYEARDAY=3", "use YEARLY"),
    ("FREQ=DAILY;BYSETPOS=1", "such as BYDAY"),
    ("FREQ=HOURLY;BYMINUTE=1,2;BYSETPOS=1", "BYMINUTE"),
    ("FREQ=WEEKLY;WKST=1", "one weekday"),
    ("FREQ=DAILY;BYHOUR=" + ",".join(["9"] * 3_000), "500 characters"),
]


@pytest.mark.parametrize(("rule", "remedy"), REFUSED, ids=[rule[:40] for rule, _ in REFUSED])
def test_what_is_refused_says_what_to_write_and_is_refused_at_once(rule: str, remedy: str) -> None:
    began = perf_counter()
    with pytest.raises(ValidationError) as refused:
        again(rule, "2026-01-02T09:00", "UTC")
    (error,) = refused.value.errors()
    assert remedy in error["msg"]
    assert perf_counter() - began < 2, "the search has a bound: the slowest takes a fifth of a second"


@pytest.mark.parametrize(
    ("field", "value", "remedy"),
    [
        ("timezone", "Europe/Atlantis", "IANA"),
        ("timezone", "", "IANA"),
        ("timezone", "../etc/passwd", "IANA"),
        ("starts", datetime(1969, 1, 1, tzinfo=UTC), "1970"),
        ("starts", datetime(2200, 1, 1, tzinfo=UTC), "2200"),
        ("exceptions", (datetime.fromisoformat("0001-01-01T00:00:00+14:00"),), "1970"),
        ("exceptions", (datetime.fromisoformat("9999-12-31T23:00:00-05:00"),), "2200"),
        ("exceptions", (datetime(2026, 12, 1, 9, tzinfo=UTC),), "exceptions"),
    ],
)
def test_the_other_fields_are_refused_with_a_remedy_too(field: str, value: object, remedy: str) -> None:
    fields = {
        "rule": "FREQ=DAILY;COUNT=1", "timezone": "UTC", "starts": datetime(2026, 12, 1, 9, tzinfo=UTC), field: value,
    }  # fmt: skip
    with pytest.raises(ValidationError) as refused:
        Recurrence.model_validate(fields)
    assert remedy in refused.value.errors()[0]["msg"]


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY",
        "FREQ=MINUTELY",
        "FREQ=MINUTELY;INTERVAL=7",
        "FREQ=WEEKLY;INTERVAL=3;BYDAY=TU",
        "FREQ=MONTHLY;BYDAY=1MO",
    ],
)
def test_how_long_ago_it_began_makes_no_difference(rule: str) -> None:
    """What is counted from the start on would take the longer for it: ten years of minutes are five million."""
    now = datetime(2026, 12, 1, 10, tzinfo=UTC)
    following(old := again(rule, "2006-01-01T09:00", BERLIN), now)
    began = perf_counter()
    for _ in range(20):
        following(old, now)
    assert (perf_counter() - began) / 20 < 0.02, "it takes half a thousandth of a second or less"


@given(
    st.sampled_from(
        ["DAILY", "WEEKLY", "MONTHLY", "HOURLY", "MINUTELY;INTERVAL=40", "DAILY;BYHOUR=1,2,3;BYMINUTE=5,35"]
    ),
    st.sampled_from([NEW_YORK, BERLIN, LORD_HOWE, "Africa/Casablanca"]),
    st.datetimes(datetime(2020, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    st.timedeltas(timedelta(0), timedelta(days=800)),
)
@settings(deadline=None)
def test_instants_ascend_after_the_given_one_each_once(
    frequency: str, zone: str, starts: datetime, later: timedelta
) -> None:
    recurrence = Recurrence(rule=f"FREQ={frequency}", timezone=zone, starts=starts)
    after = starts + later
    found = following(recurrence, after, 60)
    assert len(found) == 60
    assert all(at > after and at.tzinfo is UTC for at in found)
    assert found == sorted(set(found))
    assert found[1:] == following(recurrence, found[0], 59)


@given(
    st.sampled_from([NEW_YORK, BERLIN, LORD_HOWE, "Africa/Casablanca"]),
    st.integers(0, 24 * 60 - 1),
    st.integers(0, 700),
)
@settings(deadline=None)
def test_the_clocks_show_the_time_of_the_rule_or_the_gap_moved_it(zone: str, minute: int, day: int) -> None:
    hour, minute = divmod(minute, 60)
    daily = again(f"FREQ=DAILY;BYHOUR={hour};BYMINUTE={minute};BYSECOND=0", "2025-01-01T00:00:00", zone)
    rules = ZoneInfo(zone)
    for at in following(daily, daily.starts + timedelta(days=day), 40):
        here = at.astimezone(rules).replace(tzinfo=None)
        before, after = (at.astimezone(rules) + timedelta(days=n) for n in (-1, 1))
        gap = (after.utcoffset() or timedelta(0)) - (before.utcoffset() or timedelta(0))
        moved = here - here.replace(hour=hour, minute=minute)
        assert moved == timedelta(0) or moved == gap > timedelta(0)
