"""Days and instants: what is written out, and what the zone and the instant of the event settle."""

from datetime import datetime

import pytest

from models.values import ValueType, canonical
from tests.pure.values.tables import (
    BERLIN,
    LONDON,
    NEW_YORK,
    NOWHERE,
    SUNDAY_NIGHT,
    TORONTO,
    read,
    spec,
)


@pytest.mark.parametrize("zone", [NOWHERE, BERLIN, NEW_YORK])
@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-03-02", "2026-03-02"),
        ("2026-3-2", "2026-03-02"),
        ("2026/03/02", "2026-03-02"),
        ("2026.03.02", "2026-03-02"),
        ("20260302", "2026-03-02"),
        ("２０２６-０３-０２", "2026-03-02"),
        ("2026年3月2日", "2026-03-02"),
        ("2 March 2026", "2026-03-02"),
        ("2 MAR 2026", "2026-03-02"),
        ("02-Mar-2026", "2026-03-02"),
        ("2nd March 2026", "2026-03-02"),
        ("the 2nd of March, 2026", "2026-03-02"),
        ("March 2, 2026", "2026-03-02"),
        ("March 2nd 2026.", "2026-03-02"),
        ("Sept 5, 2026", "2026-09-05"),
        ("25.12.2026", "2026-12-25"),
        ("12/25/2026", "2026-12-25"),
        ("03/03/2026", "2026-03-03"),
        ("29 February 2028", "2028-02-29"),
    ],
)
def test_a_day_with_one_reading_is_the_same_everywhere(text: str, day: str, zone: str | None) -> None:
    assert read(text, ValueType.DATE, zone) == day


@pytest.mark.parametrize(
    ("text", "zone", "day"),
    [
        ("02.03.2026", BERLIN, "2026-03-02"),
        ("02.03.2026", NEW_YORK, None),
        ("02.03.2026", LONDON, None),
        ("02.03.2026", NOWHERE, None),
        ("02/03/2026", LONDON, "2026-03-02"),
        ("02/03/2026", NEW_YORK, "2026-02-03"),
        ("02/03/2026", BERLIN, None),
        ("02/03/2026", TORONTO, None),
        ("02-03-2026", "Europe/Amsterdam", "2026-03-02"),
        ("02-03-2026", NEW_YORK, None),
        ("today", BERLIN, "2026-03-02"),
        ("Tomorrow", BERLIN, "2026-03-03"),
        ("yesterday", BERLIN, "2026-03-01"),
        ("today", NEW_YORK, "2026-03-01"),
        ("tomorrow", NEW_YORK, "2026-03-02"),
        ("today", NOWHERE, None),
        ("today", "Europe/Nowhere", None),
    ],
)
def test_a_day_that_the_zone_settles(text: str, zone: str | None, day: str | None) -> None:
    assert read(text, ValueType.DATE, zone) == day


@pytest.mark.parametrize("zone", [NOWHERE, BERLIN, NEW_YORK])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "2 March",
        "March 2026",
        "2026",
        "Friday",
        "next Friday",
        "Monday, 2 March 2026",
        "02.03.26",
        "31 February 2026",
        "29 February 2026",
        "2026-13-01",
        "2026-02-30",
        "0000-01-01",
        "2026-03/02",
        "2026-W10-1",
        "20261301",
        "2026-03-02T10:00Z",
        "by 2 March 2026",
        "2 March 2026 or later",
        "the day after tomorrow",
        "10²-03-02",
    ],
)
def test_what_leaves_a_day_open_is_kept_as_text(text: str, zone: str | None) -> None:
    assert read(text, ValueType.DATE, zone) is None


def test_relative_words_take_the_instant_of_the_event() -> None:
    day = spec(ValueType.DATE)
    assert not canonical("tomorrow", day, zone=BERLIN).read
    assert not canonical("tomorrow", day, zone=BERLIN, at=datetime(2026, 3, 1, 12)).read  # noqa: DTZ001
    assert not canonical(
        "tomorrow", day, zone=BERLIN, at=datetime.max.replace(tzinfo=SUNDAY_NIGHT.tzinfo)
    ).read


@pytest.mark.parametrize(
    ("text", "zone", "instant"),
    [
        ("2026-03-02T14:00:00+01:00", NOWHERE, "2026-03-02T13:00:00Z"),
        ("2026-03-02T13:00:00Z", NOWHERE, "2026-03-02T13:00:00Z"),
        ("2026-03-02T13:00Z", BERLIN, "2026-03-02T13:00:00Z"),
        ("2026-03-02 13:00:00.000Z", BERLIN, "2026-03-02T13:00:00Z"),
        ("2026-03-02 13:00 UTC", BERLIN, "2026-03-02T13:00:00Z"),
        ("20260302T130000Z", NOWHERE, "2026-03-02T13:00:00Z"),
        ("20260302T1300", BERLIN, "2026-03-02T12:00:00Z"),
        ("2026-03-02T14:00:00+0100", NOWHERE, "2026-03-02T13:00:00Z"),
        ("2026-03-02T14:00:00 -05:30", NOWHERE, "2026-03-02T19:30:00Z"),
        ("2026-03-02T14:00:00.5Z", NOWHERE, "2026-03-02T14:00:00.5Z"),
        ("2026-03-02T14:00:00,500Z", NOWHERE, "2026-03-02T14:00:00.5Z"),
        ("2026-03-02T14:00:00.123456789Z", NOWHERE, "2026-03-02T14:00:00.123456789Z"),
        ("2026-03-02 14:00", BERLIN, "2026-03-02T13:00:00Z"),
        ("2026-03-02 14:00", NEW_YORK, "2026-03-02T19:00:00Z"),
        ("2026-07-02 14:00", BERLIN, "2026-07-02T12:00:00Z"),
        ("2 March 2026 at 2pm", BERLIN, "2026-03-02T13:00:00Z"),
        ("2 March 2026, 14:00", BERLIN, "2026-03-02T13:00:00Z"),
        ("March 2, 2026 2:00 p.m.", BERLIN, "2026-03-02T13:00:00Z"),
        ("02.03.2026 14:00", BERLIN, "2026-03-02T13:00:00Z"),
        ("2 March 2026 at noon", BERLIN, "2026-03-02T11:00:00Z"),
        ("2 March 2026 12am", BERLIN, "2026-03-01T23:00:00Z"),
        ("tomorrow at 9am", BERLIN, "2026-03-03T08:00:00Z"),
        ("tomorrow 09:00", NEW_YORK, "2026-03-02T14:00:00Z"),
        ("2026-03-29 02:30 UTC", BERLIN, "2026-03-29T02:30:00Z"),
        ("2026-03-29 03:00", BERLIN, "2026-03-29T01:00:00Z"),
        # No zone to read it in, a local time that never was, and one that was twice.
        ("2026-03-02 14:00", NOWHERE, None),
        ("2026-03-29 02:30", BERLIN, None),
        ("2026-10-25 02:30", BERLIN, None),
        ("tomorrow at 9am", NOWHERE, None),
        ("2 March 2026", BERLIN, None),
        ("14:00", BERLIN, None),
        ("9am", BERLIN, None),
        ("tomorrow at 9", BERLIN, None),
        ("today at midnight", BERLIN, None),
        ("2026-03-02 24:00", BERLIN, None),
        ("2026-03-02 14:60", BERLIN, None),
        ("2026-03-02 14:00:60", BERLIN, None),
        ("2026-03-02 13pm", BERLIN, None),
        ("2026-03-02 0am", BERLIN, None),
        ("2026-03-02 14:00 EST", BERLIN, None),
        ("2026-03-02T14:00:00+25:00", BERLIN, None),
        ("2026-03-02T14Z", BERLIN, None),
        ("2026-02-30T14:00Z", BERLIN, None),
        ("02/03/2026 14:00", BERLIN, None),
        ("1767225600", BERLIN, None),
        ("0001-01-01T00:00+14:00", BERLIN, None),
        ("9999-12-31T23:59-12:00", BERLIN, None),
        ("0001-01-01T00:00", BERLIN, None),
        ("", BERLIN, None),
    ],
)
def test_instants(text: str, zone: str | None, instant: str | None) -> None:
    assert read(text, ValueType.INSTANT, zone) == instant
