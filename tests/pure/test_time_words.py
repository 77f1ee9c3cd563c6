"""Words of time in a question, as the asker's calendar has them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.time_words import Window, temporal_fit, window_of

NOW = datetime(2026, 3, 18, 22, 30, tzinfo=UTC)
"""A Wednesday; in Auckland it is Thursday already."""


def days(begin: str | None, end: str | None) -> Window:
    def instant(day: str | None) -> datetime | None:
        return None if day is None else datetime.fromisoformat(day).replace(tzinfo=UTC)

    return Window(instant(begin), instant(end))


@pytest.mark.parametrize(
    ("query", "window"),
    [
        ("What did we decide yesterday?", days("2026-03-17", "2026-03-18")),
        ("anything today", days("2026-03-18", "2026-03-19")),
        ("the day before yesterday", days("2026-03-16", "2026-03-17")),
        ("3 days ago", days("2026-03-15", "2026-03-16")),
        ("two weeks ago", days("2026-03-02", "2026-03-09")),
        ("a month ago", days("2026-02-01", "2026-03-01")),
        ("four months ago", days("2025-11-01", "2025-12-01")),
        ("a year ago", days("2025-01-01", "2026-01-01")),
        ("last week", days("2026-03-09", "2026-03-16")),
        ("this week", days("2026-03-16", "2026-03-23")),
        ("last month", days("2026-02-01", "2026-03-01")),
        ("last year", days("2025-01-01", "2026-01-01")),
        ("last March", days("2025-03-01", "2025-04-01")),
        ("in March", days("2026-03-01", "2026-04-01")),
        ("in May", days("2025-05-01", "2025-06-01")),
        ("last Wednesday", days("2026-03-11", "2026-03-12")),
        ("last Monday", days("2026-03-16", "2026-03-17")),
        ("on 3 March", days("2026-03-03", "2026-03-04")),
        ("on 24 December", days("2025-12-24", "2025-12-25")),
        ("the 7th of May, 2023", days("2023-05-07", "2023-05-08")),
        ("May 7, 2023", days("2023-05-07", "2023-05-08")),
        ("in May 2023", days("2023-05-01", "2023-06-01")),
        ("in 2022", days("2022-01-01", "2023-01-01")),
        ("2024-02-29", days("2024-02-29", "2024-03-01")),
        ("2024-02", days("2024-02-01", "2024-03-01")),
        ("since 2024", days("2024-01-01", None)),
        ("since last week", days("2026-03-09", None)),
        ("after 3 March", days("2026-03-04", None)),
        ("before 3 March", days(None, "2026-03-03")),
        ("until yesterday", days(None, "2026-03-18")),
    ],
)
def test_words_of_time_name_a_part_of_the_calendar(query: str, window: Window) -> None:
    assert window_of(query, NOW) == window


@pytest.mark.parametrize(
    "query",
    [
        "",
        "before the migration",
        "it may fail",
        "march on",
        "on 31 April",
        "error 2024",
        "port 8080",
        "v2024.1",
        "1 day",
    ],
)
def test_what_names_no_date_is_no_word_of_time(query: str) -> None:
    assert window_of(query, NOW) is None


def test_a_day_is_that_of_the_asker() -> None:
    window = window_of("yesterday", NOW, "Pacific/Auckland")
    assert window is not None
    assert window.begin == datetime(2026, 3, 17, 11, tzinfo=UTC)
    assert window.end == datetime(2026, 3, 18, 11, tzinfo=UTC)


def test_what_lies_in_it_fits_best_and_the_rest_by_its_distance() -> None:
    march = days("2026-03-01", "2026-04-01")
    within, near, far = (datetime(2026, month, 15, tzinfo=UTC) for month in (3, 4, 8))
    assert temporal_fit(within, march) == 1
    assert 1 > temporal_fit(near, march) > temporal_fit(far, march) > 0
    assert temporal_fit(far, None) == 0
    assert temporal_fit(far, days("2026-03-01", None)) == 1


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
@pytest.mark.parametrize(
    "now", [datetime(1, 1, 1, 0, 0, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, tzinfo=UTC)]
)
def test_the_ends_of_the_calendar_name_nothing_that_breaks(zone: str, now: datetime) -> None:
    for query in ("yesterday", "today", "last year", "a month ago"):
        window = window_of(query, now, zone)
        assert window is None or window.begin is not None


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_the_reading(query: str) -> None:
    window = window_of(query, NOW)
    assert window is None or window.begin is not None or window.end is not None
