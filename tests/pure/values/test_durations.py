"""Durations: seconds are seconds however they are said; months are months."""

import pytest

from models.values import ValueType
from tests.pure.values.tables import BERLIN, NEW_YORK, read


def length(text: str, zone: str | None = None) -> str | None:
    return read(text, ValueType.DURATION, zone)


@pytest.mark.parametrize(
    ("key", "same"),
    [
        (
            "172800",
            ("48h", "48 h", "48 hours", "48 hrs", "2 days", "2d", "two days", "PT48H", "P2D", "48:00:00"),
        ),
        ("5400", ("1h30m", "1h 30m", "1 h 30 min", "90 min", "90m", "90 minutes", "1.5h", "1,5 h", "PT1.5H")),
        ("5400", ("1 hour and 30 minutes", "1 hour, 30 minutes", "PT1H30M", "PT90M", "1:30:00", "01:30:00")),
        ("5400", ("PT1,5H", "pt1h30m", "an hour and thirty minutes", "5,400.0 s", "1-hour 30-minute")),
        ("604800", ("1 week", "7 days", "P1W", "P7D", "a week", "168h")),
        ("1209600", ("a fortnight", "2 weeks")),
        ("93784", ("1d 2h 3m 4s", "1d2h3m4s", "P1DT2H3M4S", "1 day, 2 hours, 3 minutes and 4 seconds")),
        ("0.1", ("100 ms", "100ms", "0.1 s", "PT0.1S", "100000 µs", "100000 us", "0:00:00.1")),
        ("12mo", ("12 months", "1 year", "a year", "P1Y", "P12M", "4 quarters", "1y")),
        ("18mo", ("1.5 years", "P1.5Y", "1 year and 6 months", "1y 6mo")),
        ("1mo+172800", ("1 month and 2 days", "P1M2D", "1mo 2d", "1 month 48 hours")),
        ("0", ("0 s", "0 days", "PT0S", "0 months", "P0D", "0:00:00")),
        ("86400", ("24h0m0s", "1 day", "24 hours.", '"24 hours"', "٢٤ hours")),
    ],
)
def test_one_length_is_one_value(key: str, same: tuple[str, ...]) -> None:
    assert {text: length(text) for text in same} == dict.fromkeys(same, key)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 month", "30 days"),
        ("1 year", "365 days"),
        ("1 month", "1 minute"),
        ("P1M", "PT1M"),
        ("1 s", "1 ms"),
    ],
)
def test_another_length_is_another_value(one: str, other: str) -> None:
    first, second = length(one), length(other)
    assert first is not None
    assert second is not None
    assert first != second


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "days",
        "1:30",
        "1:75:00",
        "5M",
        "5 M",
        "-5 min",
        "minus 5 min",
        "2 hours 1 day",
        "2h 2h",
        "1h30",
        "2 business days",
        "half a month",
        "0.5 months",
        "P0.5M",
        "P",
        "PT",
        "P1",
        "PT1H30",
        "P1.5Y2M",
        "P2D1Y",
        "about 2 days",
        "2-3 days",
        "2 days ago",
        "within 2 days",
        "twenty four hours",
        "½ hour",
        "10² s",
        "1e999 s",
        "9" * 41 + " s",
        "1 day,, 2 hours",
        "forever",
        "until Friday",
    ],
)
def test_what_is_no_length_or_not_one_alone_is_kept_as_text(text: str) -> None:
    assert length(text) is None


def test_the_number_is_read_as_any_number_is() -> None:
    assert length("1.500 ms", BERLIN) == "1.5"
    assert length("1.500 ms", NEW_YORK) == "0.0015"
    assert length("1.500 ms") is None
    # ISO 8601 has marks of its own.
    assert length("PT1.500S", BERLIN) == "1.5"
