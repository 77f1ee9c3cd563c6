"""When an intention is due, of what a caller says: here, where a recurrence begins that has no `starts`."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from capture.triggers import timed
from models.firing import first_look
from models.intentions import Recurring, Timing
from models.recurrence import Recurrence, following

NOW = datetime(2026, 12, 1, 12, 0, 30, 250, tzinfo=UTC)


def set_now(zone: str = "UTC", **every: Any) -> Recurrence:
    trigger = timed(Timing.model_validate({"every": every}), zone, NOW)
    assert isinstance(trigger, Recurring)
    assert first_look(trigger, None, None, None, NOW) is not None
    return trigger.recurrence


def coming(recurrence: Recurrence) -> list[str]:
    """All that is still to come, ten at most, as UTC has it."""
    return [f"{at:%d %H:%M:%S}" for at in following(recurrence, NOW, 10)]


@pytest.mark.parametrize(
    ("rule", "instants"),
    [
        ("FREQ=DAILY;COUNT=3", ["02 12:00:00", "03 12:00:00", "04 12:00:00"]),
        ("FREQ=HOURLY;COUNT=1", ["01 13:00:00"]),
        ("FREQ=MINUTELY;COUNT=2", ["01 12:01:00", "01 12:02:00"]),
        ("count=2;freq=daily;interval=3", ["04 12:00:00", "07 12:00:00"]),
        ("FREQ=DAILY;BYHOUR=9,18;BYMINUTE=0;COUNT=3", ["01 18:00:00", "02 09:00:00", "02 18:00:00"]),
        ("FREQ=MINUTELY;BYSECOND=20;COUNT=1", ["01 12:01:20"]),
        ("FREQ=MINUTELY;BYSECOND=40;COUNT=2", ["01 12:00:40", "01 12:01:40"]),
        ("FREQ=WEEKLY;BYDAY=TU,TH;COUNT=2", ["03 12:00:00", "08 12:00:00"]),
    ],
)
@pytest.mark.parametrize("zone", ["UTC", "Africa/Abidjan"])
def test_as_many_come_as_are_counted(zone: str, rule: str, instants: list[str]) -> None:
    assert coming(set_now(zone, rule=rule)) == instants


def test_what_is_not_counted_begins_with_the_whole_minute() -> None:
    assert set_now(rule="FREQ=DAILY;INTERVAL=2").starts == NOW.replace(second=0, microsecond=0)


def test_a_start_that_is_given_is_the_start_and_what_has_passed_is_counted() -> None:
    started = NOW - timedelta(days=1)
    given = set_now(rule="FREQ=DAILY;COUNT=3", starts=started.isoformat())
    assert (given.starts, coming(given)) == (started.replace(microsecond=0), ["02 12:00:30"])
