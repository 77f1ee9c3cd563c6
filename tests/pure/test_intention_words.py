"""What a person is shown before they confirm: an instant in full, and a recurrence in English."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from models.intention_words import recurrence_told, rule_told, told
from models.recurrence import Recurrence

NOW = datetime(2026, 11, 30, 19, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("at", "zone", "words"),
    [
        (
            "2026-12-01T17:00Z",
            "America/Vancouver",
            "Tuesday 1 December 2026, 09:00 America/Vancouver, in 22 h",
        ),
        ("2026-11-30T19:40Z", "Europe/Berlin", "Monday 30 November 2026, 20:40 Europe/Berlin, in 40 min"),
        ("2026-11-30T20:30Z", "UTC", "Monday 30 November 2026, 20:30 UTC, in 1 h 30 min"),
        ("2026-12-02T18:59Z", "UTC", "Wednesday 2 December 2026, 18:59 UTC, in 47 h 59 min"),
        ("2026-12-02T19:00Z", "UTC", "Wednesday 2 December 2026, 19:00 UTC, in 2 days"),
        ("2027-11-30T19:00Z", "UTC", "Tuesday 30 November 2027, 19:00 UTC, in 365 days"),
        ("2026-11-30T19:00:59Z", "UTC", "Monday 30 November 2026, 19:00:59 UTC, in 59 s"),
        ("2026-11-30T19:00:59.6Z", "UTC", "Monday 30 November 2026, 19:00:59 UTC, in 1 min"),
        ("2026-11-30T19:39:59.9Z", "UTC", "Monday 30 November 2026, 19:39:59 UTC, in 40 min"),
        ("2026-11-30T20:59:59.9Z", "UTC", "Monday 30 November 2026, 20:59:59 UTC, in 2 h"),
        ("2026-11-30T19:00:00.2Z", "UTC", "Monday 30 November 2026, 19:00 UTC, now"),
        ("2026-11-30T18:59Z", "UTC", "Monday 30 November 2026, 18:59 UTC, 1 min ago"),
        ("2026-11-30T16:00Z", "UTC", "Monday 30 November 2026, 16:00 UTC, 3 h ago"),
        ("2026-11-20T19:00Z", "UTC", "Friday 20 November 2026, 19:00 UTC, 10 days ago"),
        (
            "2027-11-07T05:30Z",
            "America/New_York",
            "Sunday 7 November 2027, 01:30 (UTC-04:00) America/New_York, in 341 days",
        ),
        (
            "2027-11-07T06:30Z",
            "America/New_York",
            "Sunday 7 November 2027, 01:30 (UTC-05:00) America/New_York, in 341 days",
        ),
    ],
)
def test_an_instant_is_told_in_full(at: str, zone: str, words: str) -> None:
    assert told(datetime.fromisoformat(at), zone, NOW) == words


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("FREQ=DAILY", "every day at 09:00"),
        ("FREQ=DAILY;INTERVAL=2", "every 2 days at 09:00"),
        ("FREQ=DAILY;BYHOUR=9,17;BYMINUTE=30", "every day at 09:30 and 17:30"),
        ("FREQ=WEEKLY", "every Tuesday at 09:00"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=30", "every weekday at 09:30"),
        ("FREQ=WEEKLY;BYDAY=MO,WE,FR", "every Monday, Wednesday and Friday at 09:00"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "every 2 weeks on Friday at 09:00"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU,WE,TH,FR", "every 2 weeks on weekdays at 09:00"),
        ("FREQ=MONTHLY", "every month on the 1st at 09:00"),
        ("FREQ=MONTHLY;BYDAY=1MO", "every month on the first Monday at 09:00"),
        ("FREQ=MONTHLY;INTERVAL=3;BYDAY=-1FR", "every 3 months on the last Friday at 09:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day at 09:00"),
        (
            "FREQ=MONTHLY;BYMONTHDAY=2,13,21,-3",
            "every month on the 2nd, 13th, 21st and 3rd day from the end at 09:00",
        ),
        ("FREQ=YEARLY", "every year on 1 December at 09:00"),
        ("FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=3", "every year on 3 March at 09:00"),
        ("FREQ=HOURLY", "every hour"),
        ("FREQ=MINUTELY;INTERVAL=30", "every 30 minutes"),
        ("FREQ=DAILY;COUNT=10", "every day at 09:00, 10 times"),
        ("FREQ=DAILY;COUNT=1", "every day at 09:00, once"),
        ("FREQ=DAILY;UNTIL=20270301", "every day at 09:00, until and including 1 March 2027"),
        (
            "FREQ=DAILY;UNTIL=20270301T080000Z",
            "every day at 09:00, until and including Monday 1 March 2027, 09:00 Europe/Berlin",
        ),
        ("FREQ=DAILY;UNTIL=99991231T235959Z", "every day at 09:00"),
    ],
)
def test_the_common_rules_are_told_in_english(rule: str, words: str) -> None:
    starts = datetime(2026, 12, 1, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    assert rule_told(Recurrence(rule=rule, timezone="Europe/Berlin", starts=starts)) == words


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
        "FREQ=MONTHLY;BYDAY=MO",
        "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
        "FREQ=YEARLY;BYWEEKNO=20",
        "FREQ=YEARLY;BYMONTH=3,4;BYMONTHDAY=1",
        "FREQ=YEARLY;BYMONTHDAY=1",
        "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=-1",
        "FREQ=DAILY;BYMONTH=3",
        "FREQ=DAILY;BYHOUR=1,2,3,4;BYMINUTE=0,30",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;WKST=SU",
        "FREQ=MINUTELY;INTERVAL=30;BYHOUR=9",
        "FREQ=DAILY;BYSECOND=30",
    ],
)
def test_any_other_rule_is_told_as_it_is_written(rule: str) -> None:
    starts = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
    found = rule_told(Recurrence(rule=rule, timezone="UTC", starts=starts))
    assert found == f"by the rule {rule} from Tuesday 1 December 2026, 09:00 UTC"


def test_a_recurrence_is_told_with_its_next_three_instants() -> None:
    starts = datetime(2026, 12, 1, 9, 0, tzinfo=ZoneInfo("America/Vancouver"))
    left_out = (datetime(2026, 12, 2, 17, 0, tzinfo=UTC),)
    daily = Recurrence(rule="FREQ=DAILY", timezone="America/Vancouver", starts=starts, exceptions=left_out)
    assert recurrence_told(daily, NOW) == (
        "every day at 09:00, with 1 exception, America/Vancouver; next:"
        " Tuesday 1 December 2026, 09:00 America/Vancouver, in 22 h;"
        " Thursday 3 December 2026, 09:00 America/Vancouver, in 3 days;"
        " Friday 4 December 2026, 09:00 America/Vancouver, in 4 days"
    )


def test_one_that_is_over_says_so() -> None:
    once = Recurrence(rule="FREQ=DAILY;COUNT=1", timezone="UTC", starts=datetime(2026, 1, 1, tzinfo=UTC))
    assert recurrence_told(once, NOW) == "every day at 00:00, once, UTC; next: never again"
