"""Plain English for what comes again: the rule that is read, and where it starts."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from models.errors import InvalidInput
from models.intention_words import rule_told
from models.recurrence import following
from providers.time_phrases import read_phrase

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]
NOW = "2026-12-01T10:00:20"
"""A Tuesday."""
NINE, NOON = "BYHOUR=9;BYMINUTE=0", "BYHOUR=12;BYMINUTE=0"

READ = [
    ("every day at 9", f"FREQ=DAILY;{NINE}", "2026-12-02T09:00"),
    ("daily at 9am", f"FREQ=DAILY;{NINE}", "2026-12-02T09:00"),
    ("at 9 every day", f"FREQ=DAILY;{NINE}", "2026-12-02T09:00"),
    ("every day at noon", f"FREQ=DAILY;{NOON}", "2026-12-01T12:00"),
    ("every morning at 9", f"FREQ=DAILY;{NINE}", "2026-12-02T09:00"),
    ("every evening at 8", "FREQ=DAILY;BYHOUR=20;BYMINUTE=0", "2026-12-01T20:00"),
    ("every other day at 9", f"FREQ=DAILY;INTERVAL=2;{NINE}", "2026-12-02T09:00"),
    ("every three days at 9", f"FREQ=DAILY;INTERVAL=3;{NINE}", "2026-12-02T09:00"),
    ("every day at 9 and 17:00", "FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0", "2026-12-01T17:00"),
    ("every weekday at 9:30", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=30", "2026-12-02T09:30"),
    ("every Monday at 9", f"FREQ=WEEKLY;BYDAY=MO;{NINE}", "2026-12-07T09:00"),
    ("every Tuesday at noon", f"FREQ=WEEKLY;BYDAY=TU;{NOON}", "2026-12-01T12:00"),
    ("every Tuesday at 9", f"FREQ=WEEKLY;BYDAY=TU;{NINE}", "2026-12-08T09:00"),
    ("every Monday and Thursday at 10am", "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=10;BYMINUTE=0", "2026-12-03T10:00"),
    ("Every Monday, Wednesday, and Friday at 9", f"FREQ=WEEKLY;BYDAY=MO,WE,FR;{NINE}", "2026-12-02T09:00"),
    ("every mon and thu at 9", f"FREQ=WEEKLY;BYDAY=MO,TH;{NINE}", "2026-12-03T09:00"),
    ("weekly on Friday at 17:00", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=17;BYMINUTE=0", "2026-12-04T17:00"),
    ("every Friday evening at 6", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=18;BYMINUTE=0", "2026-12-04T18:00"),
    (
        "every 2 weeks on Friday at 17:00",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=17;BYMINUTE=0",
        "2026-12-04T17:00",
    ),
    (
        "every 2 weeks at 17:00 on Friday",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=17;BYMINUTE=0",
        "2026-12-04T17:00",
    ),
    ("every other Friday at 9", f"FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;{NINE}", "2026-12-04T09:00"),
    ("every first Monday at 9", f"FREQ=MONTHLY;BYDAY=1MO;{NINE}", "2026-12-07T09:00"),
    ("every last Friday at 9", f"FREQ=MONTHLY;BYDAY=-1FR;{NINE}", "2026-12-25T09:00"),
    ("every second Friday of the month at 9", f"FREQ=MONTHLY;BYDAY=2FR;{NINE}", "2026-12-11T09:00"),
    ("every month on the third Thursday at 9", f"FREQ=MONTHLY;BYDAY=3TH;{NINE}", "2026-12-17T09:00"),
    ("every month on the 15th at noon", f"FREQ=MONTHLY;BYMONTHDAY=15;{NOON}", "2026-12-15T12:00"),
    ("monthly on the 1st at 9", f"FREQ=MONTHLY;BYMONTHDAY=1;{NINE}", "2027-01-01T09:00"),
    ("every 15th at noon", f"FREQ=MONTHLY;BYMONTHDAY=15;{NOON}", "2026-12-15T12:00"),
    (
        "every 3 months on the 15th at noon",
        f"FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=15;{NOON}",
        "2026-12-15T12:00",
    ),
    ("monthly on the last day at 9", f"FREQ=MONTHLY;BYMONTHDAY=-1;{NINE}", "2026-12-31T09:00"),
    ("every last day of the month at 9", f"FREQ=MONTHLY;BYMONTHDAY=-1;{NINE}", "2026-12-31T09:00"),
    ("every 3 March at noon", f"FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=3;{NOON}", "2027-03-03T12:00"),
    ("every year on March 3rd at noon", f"FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=3;{NOON}", "2027-03-03T12:00"),
    ("yearly on 24 December at 9", f"FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24;{NINE}", "2026-12-24T09:00"),
    ("every hour", "FREQ=HOURLY", "2026-12-01T11:00:20"),
    ("hourly", "FREQ=HOURLY", "2026-12-01T11:00:20"),
    ("every 30 minutes", "FREQ=MINUTELY;INTERVAL=30", "2026-12-01T10:30:20"),
    ("every two hours", "FREQ=HOURLY;INTERVAL=2", "2026-12-01T12:00:20"),
    ("every minute", "FREQ=MINUTELY", "2026-12-01T10:01:20"),
    (
        "daily at 6pm until 1 March",
        "FREQ=DAILY;BYHOUR=18;BYMINUTE=0;UNTIL=20270301",
        "2026-12-01T18:00",
    ),
    ("every 30 minutes until Friday", "FREQ=MINUTELY;INTERVAL=30;UNTIL=20261204", "2026-12-01T10:30:20"),
    ("every day at 9 until 2027-01-31", f"FREQ=DAILY;{NINE};UNTIL=20270131", "2026-12-02T09:00"),
]
REFUSED = {
    "at what time": [
        "every day", "every last Friday", "every Monday", "daily", "every first Monday",
        "every morning",
    ],
    "am or pm": [
        "every day at 5",
    ],
    "noon": [
        "every day at 12pm",
    ],
    "part of the day": [
        "every evening at 9am",
    ],
    "two parts": [
        "every evening at 8 in the morning",
    ],
    "no such time": [
        "every day at 24:00",
    ],
    "cannot be read": [
        "every day at midnight", "every second Friday at 9", "every third Monday at 9",
        "every 2nd Friday at 9", "every fifth Monday at 9", "every second", "every 10 seconds",
        "every 0 minutes", "every week", "weekly at 9", "every month at 9", "every weekend at 9",
        "every business day at 9", "every quarter at 9", "biweekly", "bimonthly on the 1st at 9",
        "every blue moon", "every now and then", "every", "every Monday at 9 in the office",
        "remind me every Monday at 9", "every Monday at 9 except in June",
        "every Monday at 9 from March", "every day at 9 until", "every may at 9",
        "every jeden Montag um 9",
    ],
    "one rule": [
        "every day at 9:15 and 17:00",
    ],
    "no such day": [
        "every 31st at noon", "every month on the 30th at 9", "every 29 February at noon",
    ],
    "never come": [
        "every 30 February at noon", "every day at 9 until 2026-11-01", "every day at 9 until today",
    ],
    "leave the time of day out": [
        "every hour at 9",
    ],
    "last day": [
        "daily at 6pm until yesterday", "daily at 6pm until 1/3", "daily at 6pm until spring",
    ],
}  # fmt: skip
"""What the refusal says, and what it is said of."""


def now_in(zone: str) -> datetime:
    return datetime.fromisoformat(NOW).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(("words", "rule", "first"), READ)
def test_a_recurrence_is_read_and_comes_first_when_its_words_say(
    words: str, rule: str, first: str, zone: str
) -> None:
    recurrence = read_phrase(words, now_in(zone), zone).recurrence
    assert recurrence is not None
    assert (recurrence.rule, recurrence.timezone) == (rule, zone)
    (coming,) = following(recurrence, now_in(zone))
    assert coming.astimezone(ZoneInfo(zone)).replace(tzinfo=None) == datetime.fromisoformat(first)
    assert not rule_told(recurrence).startswith("by the rule"), "what can be said can be told"


@pytest.mark.parametrize(("why", "words"), [(why, words) for why, said in REFUSED.items() for words in said])
def test_what_is_unsure_is_refused_with_a_remedy_and_is_not_quoted(words: str, why: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_phrase(words, now_in("Europe/Berlin"), "Europe/Berlin")
    assert why in str(refused.value)
    assert "RRULE" in str(refused.value)
    if len(words) > 10:
        assert words.casefold() not in str(refused.value).casefold()


def test_what_is_told_of_a_recurrence_is_read_as_the_same() -> None:
    zone = "Europe/Berlin"
    for words, *_ in READ:
        recurrence = read_phrase(words, now_in(zone), zone).recurrence
        assert recurrence is not None
        if "until" in words:
            continue
        assert read_phrase(rule_told(recurrence), now_in(zone), zone).recurrence == recurrence


def test_the_last_day_is_in_as_a_whole() -> None:
    zone = "Europe/Berlin"
    daily = read_phrase("daily at 6pm until 3 December", now_in(zone), zone).recurrence
    assert daily is not None
    assert [at.day for at in following(daily, now_in(zone), 9)] == [1, 2, 3]


def test_a_first_time_that_the_clocks_skip_does_not_move_those_after_it() -> None:
    zone = ZoneInfo("Europe/Berlin")
    now = datetime(2027, 3, 27, 12, 0, tzinfo=zone)
    nightly = read_phrase("every day at 02:30", now, "Europe/Berlin").recurrence
    assert nightly is not None
    assert [f"{at.astimezone(zone):%d %H:%M}" for at in following(nightly, now, 2)] == [
        "28 03:30",
        "29 02:30",
    ]
