"""Plain English for times: what is read, in the zone of whoever says it, and what is refused rather than guessed."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import InvalidInput
from models.recurrence import following
from providers.time_phrases import read_phrase

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]
NOW = "2026-12-01T10:00:20"
"""A Tuesday, as the clocks of each zone show it."""

INSTANTS = [
    ("in 40 minutes", "2026-12-01T10:40:20"),
    ("In 40 Minutes.", "2026-12-01T10:40:20"),
    ("in 1 minute", "2026-12-01T10:01:20"),
    ("in two hours", "2026-12-01T12:00:20"),
    ("in an hour", "2026-12-01T11:00:20"),
    ("in half an hour", "2026-12-01T10:30:20"),
    ("in 1.5 hours", "2026-12-01T11:30:20"),
    ("in 1 hour and 30 minutes", "2026-12-01T11:30:20"),
    ("40 minutes from now", "2026-12-01T10:40:20"),
    ("in 36 hours", "2026-12-02T22:00:20"),
    ("in 3 days", "2026-12-04T10:00:20"),
    ("in two weeks", "2026-12-15T10:00:20"),
    ("in a month", "2027-01-01T10:00:20"),
    ("in a year", "2027-12-01T10:00:20"),
    ("tomorrow at 9", "2026-12-02T09:00"),
    ("tomorrow at 9am", "2026-12-02T09:00"),
    ("tomorrow at 9 a.m.", "2026-12-02T09:00"),
    ("tomorrow at 9 o'clock", "2026-12-02T09:00"),
    ("tomorrow, 09:00", "2026-12-02T09:00"),
    ("tomorrow 9pm", "2026-12-02T21:00"),
    ("at 9 tomorrow", "2026-12-02T09:00"),
    ("tomorrow morning at 9", "2026-12-02T09:00"),
    ("tomorrow at 9 in the morning", "2026-12-02T09:00"),
    ("tomorrow evening at 6", "2026-12-02T18:00"),
    ("tomorrow at noon", "2026-12-02T12:00"),
    ("tomorrow at 05:00", "2026-12-02T05:00"),
    ("tomorrow at 00:30", "2026-12-02T00:30"),
    ("tomorrow at 12:30am", "2026-12-02T00:30"),
    ("tomorrow at 12:30pm", "2026-12-02T12:30"),
    ("the day after tomorrow at 7", "2026-12-03T07:00"),
    ("today at 18:00", "2026-12-01T18:00"),
    ("today at noon", "2026-12-01T12:00"),
    ("at 5pm", "2026-12-01T17:00"),
    ("17:00", "2026-12-01T17:00"),
    ("at 9", "2026-12-02T09:00"),
    ("at 9am", "2026-12-02T09:00"),
    ("noon", "2026-12-01T12:00"),
    ("midnight", "2026-12-02T00:00"),
    ("tonight at midnight", "2026-12-02T00:00"),
    ("tonight at 8", "2026-12-01T20:00"),
    ("tonight at 8pm", "2026-12-01T20:00"),
    ("tonight at 20:15", "2026-12-01T20:15"),
    ("this afternoon at 3", "2026-12-01T15:00"),
    ("this evening at 6:30", "2026-12-01T18:30"),
    ("next Tuesday at 14:30", "2026-12-08T14:30"),
    ("next Monday at 14:30", "2026-12-07T14:30"),
    ("on Friday at 5pm", "2026-12-04T17:00"),
    ("Friday 17:00", "2026-12-04T17:00"),
    ("this Friday at 17:00", "2026-12-04T17:00"),
    ("at 17:00 on Friday", "2026-12-04T17:00"),
    ("fri at 5 pm", "2026-12-04T17:00"),
    ("Saturday morning at 9", "2026-12-05T09:00"),
    ("Friday 4 December at 17:00", "2026-12-04T17:00"),
    ("on 3 March at noon", "2027-03-03T12:00"),
    ("3rd of March at 12:00", "2027-03-03T12:00"),
    ("March 3rd at noon", "2027-03-03T12:00"),
    ("on May 5 at noon", "2027-05-05T12:00"),
    ("2 December at 9", "2026-12-02T09:00"),
    ("December 24, 2026 18:00", "2026-12-24T18:00"),
    ("29 February 2028 at noon", "2028-02-29T12:00"),
    ("on the 15th at noon", "2026-12-15T12:00"),
    ("the 31st at 9:30", "2026-12-31T09:30"),
    ("2026-12-24 18:00", "2026-12-24T18:00"),
    ("on 2026-12-24 at 18:00", "2026-12-24T18:00"),
    ("2026-12-24T18:00", "2026-12-24T18:00"),
    ("2027-03-04 09:00", "2027-03-04T09:00"),
]
REFUSED = {
    "at what time": [
        "tomorrow", "tomorrow morning", "friday", "sat", "on 3 March", "2026-12-24", "the 15th",
        "tonight",
    ],
    "am or pm": [
        "at 5", "tomorrow at 3", "tomorrow at 5:30", "tomorrow at 6 o'clock",
    ],
    "part of the day": [
        "tonight at 3", "tonight at 8am", "tomorrow morning at 9pm", "tomorrow evening at noon",
        "this morning at 5pm",
    ],
    "two parts": [
        "tonight at 8 in the morning",
    ],
    "noon": [
        "12am", "12pm", "tomorrow at 12 am", "12pm on Friday",
    ],
    "00:00": [
        "tomorrow at midnight", "midnight on Friday",
    ],
    "no such time": [
        "24:00", "tomorrow 24:00", "at 9:75", "at 13pm",
    ],
    "today or in a week": [
        "Tuesday at 18:00", "on Tuesday at 9",
    ],
    "this week's or the next": [
        "next Friday at 14:30", "next Sunday at 14:30",
    ],
    "over": [
        "this Monday at 9",
    ],
    "today or in a month": [
        "the 1st at noon",
    ],
    "calendar": [
        "Friday 5 December at 17:00",
    ],
    "no such day": [
        "31 April at noon",
    ],
    "give the year": [
        "29 February at noon", "30 November at noon",
    ],
    "cannot be read": [
        "29 February 2027 at noon", "03/04 at noon", "03/04", "3.4. at noon", "03/04/2027 17:00",
        "2027-13-01 09:00", "3 march 20", "tomorrow 9", "9", "2027", "yesterday at 9", "3 hours ago",
        "last Friday at 9", "in 99999 hours", "may", "may at 5", "march on", "12:00 march on", "second",
        "in a second", "in a bit", "soon", "in a few minutes", "in a couple of hours", "in half a day",
        "in 2 business days", "in minutes", "in -5 minutes", "in 1e3 minutes", "in 5 m", "next year",
        "next week", "end of day", "EOD", "now", "asap", "when the freeze lifts",
        "tomorrow at 9 in the office", "call tomorrow at 9", "tomorrow at 9 or 10",
        "tomorrow between 9 and 10", "tomorrow at 9 EST", "tomorrow at 9 UTC", "about 9am",
        "morgen um 9", "demain à 9h", "Friday the 13th", "tomorrow at nine", "1796112000", "P1D",
    ],
    "past": [
        "today at 9", "2026-11-01 09:00", "3 March 2020 at noon", "1 December at 9",
        "2026-11-30T12:00:00Z", "in 0 minutes",
    ],
    "ten years": [
        "3 March 2099 at noon",
    ],
    "instant": [
        "in 5000 years",
    ],
    "1 to 120": [
        "", "   ", "in 40 minutes " * 20,
    ],
    "parts of days": [
        "in 1.5 days",
    ],
}  # fmt: skip
"""What the refusal says, and what it is said of."""


def now_in(zone: str, local: str = NOW) -> datetime:
    return datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def read_in(zone: str, words: str, local: str = NOW) -> str:
    at = read_phrase(words, now_in(zone, local), zone).at
    assert at is not None
    assert at.tzinfo is UTC
    return at.astimezone(ZoneInfo(zone)).replace(tzinfo=None).isoformat()


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(("words", "local"), INSTANTS)
def test_an_instant_is_read_by_the_clocks_of_the_zone(words: str, local: str, zone: str) -> None:
    assert read_in(zone, words) == datetime.fromisoformat(local).isoformat()


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(("why", "words"), [(why, words) for why, said in REFUSED.items() for words in said])
def test_what_is_unsure_is_refused_with_a_remedy_and_is_not_quoted(words: str, why: str, zone: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_phrase(words, now_in(zone), zone)
    assert why in str(refused.value)
    assert "ISO 8601" in str(refused.value)
    assert "RRULE" in str(refused.value)
    if len(words.strip()) > 6 and words != "2026-12-24":
        assert words.casefold() not in str(refused.value).casefold()


def test_an_instant_with_an_offset_is_itself_in_every_zone() -> None:
    for zone in ZONES:
        for words in ("2026-12-24T18:00:00+01:00", "2026-12-24T17:00Z", "2026-12-24 17:00:00.000+00:00"):
            assert read_phrase(words, now_in(zone), zone).at == datetime(2026, 12, 24, 17, tzinfo=UTC)


@pytest.mark.parametrize(
    ("today", "named", "then"),
    [
        ("2026-12-05", "next Monday", "2026-12-07"),
        ("2026-12-05", "next Sunday", None),
        ("2026-12-05", "next Saturday", "2026-12-12"),
        ("2026-12-05", "Monday", "2026-12-07"),
        ("2026-12-06", "next Monday", None),
        ("2026-12-06", "next Sunday", "2026-12-13"),
        ("2026-12-07", "next Monday", "2026-12-14"),
        ("2026-12-07", "next Tuesday", None),
        ("2026-12-11", "next Monday", "2026-12-14"),
        ("2026-12-11", "next Thursday", "2026-12-17"),
        ("2026-12-11", "this Saturday", "2026-12-12"),
        ("2026-12-11", "this Thursday", None),
    ],
)
def test_a_next_weekday_is_read_where_everybody_means_the_same(
    today: str, named: str, then: str | None
) -> None:
    if then is not None:
        assert read_in("Europe/Berlin", f"{named} at noon", f"{today}T10:00") == f"{then}T12:00:00"
        return
    with pytest.raises(InvalidInput, match="name the date"):
        read_in("Europe/Berlin", f"{named} at noon", f"{today}T10:00")


@pytest.mark.parametrize(
    ("zone", "eve", "skipped", "repeated_eve", "repeated"),
    [
        ("Europe/Berlin", "2027-03-27T12:00", "02:30", "2027-10-30T12:00", "02:30"),
        ("America/New_York", "2027-03-13T12:00", "02:30", "2027-11-06T12:00", "01:30"),
        ("Australia/Lord_Howe", "2027-10-02T12:00", "02:15", "2027-04-03T12:00", "01:45"),
    ],
)
def test_a_local_time_that_the_clocks_skip_or_repeat_is_refused(
    zone: str, eve: str, skipped: str, repeated_eve: str, repeated: str
) -> None:
    with pytest.raises(InvalidInput, match=r"skip that time.*offset"):
        read_in(zone, f"tomorrow at {skipped}", eve)
    with pytest.raises(InvalidInput, match=r"comes twice.*offset"):
        read_in(zone, f"tomorrow at {repeated}", repeated_eve)
    assert read_in(zone, "tomorrow at 9", eve)[11:] == "09:00:00"


def test_hours_pass_and_days_keep_the_time_of_day_over_a_change_of_the_clocks() -> None:
    zone, eve = "Europe/Berlin", "2027-03-27T20:00"
    assert read_phrase("in 12 hours", now_in(zone, eve), zone).at == now_in(zone, eve) + timedelta(hours=12)
    assert read_in(zone, "in 12 hours", eve) == "2027-03-28T09:00:00"
    assert read_in(zone, "in a day", eve) == "2027-03-28T20:00:00"


def test_a_month_that_has_no_such_day_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no such day"):
        read_in("UTC", "in a month", "2027-01-31T10:00")


def test_the_day_is_that_of_the_speaker() -> None:
    now = datetime(2026, 12, 1, 23, 30, tzinfo=UTC)
    assert read_phrase("tomorrow at 9", now, "America/New_York").at == datetime(2026, 12, 2, 14, tzinfo=UTC)
    assert read_phrase("tomorrow at 9", now, "Europe/Berlin").at == datetime(2026, 12, 3, 8, tzinfo=UTC)


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(InvalidInput, match="IANA"):
        read_phrase("in 40 minutes", now_in("UTC"), "Europe/Atlantis")


VOCABULARY = [
    "in", "at", "on", "the", "of", "and", "a", "an", "1", "2", "3", "5", "9", "12", "15", "31", "2027",
    "0", "tomorrow", "today", "tonight", "next", "this", "friday", "monday", "sat", "may", "march",
    "3rd", "15th", "noon", "midnight", "9am", "12pm", "09:00", "5:30", "24:00", "morning", "evening",
    "minutes", "hours", "days", "weeks", "months", "every", "other", "day", "week", "month", "weekday",
    "hour", "minute", "first", "second", "last", "until", "for", "from", "now", "half", "1.5",
    "2026-12-24", "t", "z", ":", "/", "-",
]  # fmt: skip


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(VOCABULARY), max_size=8).map(" ".join)))
@settings(max_examples=400, deadline=None)
def test_whatever_is_said_is_to_come_or_is_refused(words: str) -> None:
    now = now_in("America/New_York")
    try:
        read = read_phrase(words, now, "America/New_York")
    except InvalidInput:
        return
    assert (read.at is None) != (read.recurrence is None)
    if read.recurrence is not None:
        assert following(read.recurrence, now)
    else:
        assert read.at is not None
        assert read.at > now


def test_reading_writes_no_file_and_opens_no_connection(tmp_path: Path) -> None:
    """The library could load a cache of its own or learn of languages; it does neither."""
    watched = """
import os, sys
from datetime import UTC, datetime
from providers.time_phrases import read_phrase

def watch(event, args):
    if event.startswith("socket."):
        sys.exit(event)
    if event == "open" and (any(mark in str(args[1]) for mark in "wax+") or (args[2] or 0) & (os.O_WRONLY | os.O_RDWR)):
        sys.exit("writes")

assert "dateparser" not in sys.modules
sys.addaudithook(watch)
assert read_phrase("tomorrow at 9", datetime(2026, 12, 1, tzinfo=UTC), "Europe/Berlin").at
assert "dateparser" in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-B", "-c", watched],
        cwd=Path(__file__).parents[2],
        env={"HOME": str(tmp_path), "TZ": "Nowhere/Atlantis"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
