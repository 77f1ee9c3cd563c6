"""RFC 5545 recurrence rules, read strictly: what each part says, or why the rule is refused and what to write instead.

A rule is the value of RRULE alone, such as `FREQ=WEEKLY;BYDAY=MO`. What the RFC forbids is refused here, since the
library that counts the days would read some of it as something else. No message quotes the rule.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple

LONGEST: Final = 500
"""Characters. What a calendar can ask for fits in fewer; a list of single days is no rule."""
MOST_TIMES: Final = 5_000
MOST_APART: Final = 10_000
FIRST_YEAR: Final = 1970
LAST_YEAR: Final = 2200
"""What is scheduled lies from the one on and before the other: far enough from the ends of Python's calendar for every
zone and every search."""

WEEKDAYS: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_DAY = re.compile(rf"([+-]?[1-9]\d?)?({'|'.join(WEEKDAYS)})")
_NUMBER = re.compile(r"[+-]?\d{1,6}")
_UNTIL = re.compile(r"(\d{8})(?:T(\d{6})(Z?))?")


class Frequency(IntEnum):
    """The period that a rule repeats, longest first."""

    YEARLY = 0
    MONTHLY = 1
    WEEKLY = 2
    DAILY = 3
    HOURLY = 4
    MINUTELY = 5


class Day(NamedTuple):
    """A weekday, Monday 0, and which of its month or year, from its end where negative; 0 for each of them."""

    weekday: int
    which: int = 0


class Rule(NamedTuple):
    """The parts of a rule. What it does not name is empty, and is then taken from where the recurrence starts."""

    frequency: Frequency
    interval: int = 1
    times: int | None = None
    until: datetime | date | None = None
    """An instant, or the last local day."""
    week_start: int = 0
    positions: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    month_days: tuple[int, ...] = ()
    year_days: tuple[int, ...] = ()
    weeks: tuple[int, ...] = ()
    days: tuple[Day, ...] = ()
    hours: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()
    seconds: tuple[int, ...] = ()

    @property
    def elapses(self) -> bool:
        """Whether it counts hours or minutes that have passed, and not days of the calendar."""
        return self.frequency in {Frequency.HOURLY, Frequency.MINUTELY}


def _numbers(low: int, high: int, *, signed: bool = False) -> Callable[[str], tuple[int, ...]]:
    """A reader of numbers from `low` to `high`, or with a minus before them where they may be counted from the end."""

    def read(value: str) -> tuple[int, ...]:
        found = [int(each) for each in value.split(",") if _NUMBER.fullmatch(each)]
        if len(found) != value.count(",") + 1:
            raise ValueError("give whole numbers with commas between them")
        if not all(low <= (abs(number) if signed else number) <= high for number in found):
            minus = ", or with a minus before them" if signed else ""
            raise ValueError(f"give numbers from {low} to {high}{minus}")
        return tuple(sorted(set(found)))

    return read


def _one(low: int, high: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        if not value.isdecimal() or not low <= int(value[:9]) <= high or len(value) > 9:
            raise ValueError(f"give one whole number from {low} to {high}")
        return int(value)

    return read


def _frequency(value: str) -> Frequency:
    if value == "SECONDLY":
        raise ValueError("fires more often than once a minute; use MINUTELY or a longer period")
    if value not in Frequency.__members__:
        raise ValueError("give YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY or MINUTELY")
    return Frequency[value]


def _days(value: str) -> tuple[Day, ...]:
    found = [_DAY.fullmatch(each) for each in value.split(",")]
    days = {Day(WEEKDAYS.index(day[2]), int(day[1] or 0)) for day in found if day is not None}
    if None in found or any(abs(day.which) > 53 for day in days):
        raise ValueError("give weekdays such as MO,WE or with a number before them such as 1MO or -1FR")
    return tuple(sorted(days))


def _week_start(value: str) -> int:
    if value not in WEEKDAYS:
        raise ValueError("give one weekday, such as MO")
    return WEEKDAYS.index(value)


def _until(value: str) -> datetime | date:
    found = _UNTIL.fullmatch(value)
    try:
        if found is not None and found[2] is None:
            return datetime.strptime(value, "%Y%m%d").replace(tzinfo=UTC).date()
        if found is not None and found[3]:
            return datetime.strptime(value, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        pass
    raise ValueError("give an instant in UTC such as 20270301T170000Z, or the last day such as 20270301")


_SIXTY = _numbers(0, 59)
_PARTS: Final[dict[str, tuple[str, Callable[[str], object]]]] = {
    "FREQ": ("frequency", _frequency),
    "INTERVAL": ("interval", _one(1, MOST_APART)),
    "COUNT": ("times", _one(1, MOST_TIMES)),
    "UNTIL": ("until", _until),
    "WKST": ("week_start", _week_start),
    "BYSETPOS": ("positions", _numbers(1, 366, signed=True)),
    "BYMONTH": ("months", _numbers(1, 12)),
    "BYMONTHDAY": ("month_days", _numbers(1, 31, signed=True)),
    "BYYEARDAY": ("year_days", _numbers(1, 366, signed=True)),
    "BYWEEKNO": ("weeks", _numbers(1, 53, signed=True)),
    "BYDAY": ("days", _days),
    "BYHOUR": ("hours", _numbers(0, 23)),
    "BYMINUTE": ("minutes", _SIXTY),
    "BYSECOND": ("seconds", _SIXTY),
}


@lru_cache(maxsize=4_096)
def read_rule(text: str) -> Rule:
    """The parts of the rule that `text` writes; raises ValueError with the remedy where it is none that is served.

    An UNTIL beyond the years in which anything is scheduled, such as 99991231, is no end.
    """
    if len(text) > LONGEST:
        raise ValueError(f"a rule has at most {LONGEST} characters; give single days as exceptions")
    if not text.isascii() or ":" in text or any(mark.isspace() for mark in text):
        raise ValueError(
            "give the value of one RRULE alone, such as FREQ=WEEKLY;BYDAY=MO: where it starts and its exceptions are"
            " fields of their own"
        )
    parts: dict[str, object] = {}
    for written in text.upper().removesuffix(";").split(";"):
        name, _, value = written.partition("=")
        if name not in _PARTS:
            raise ValueError(f"a rule is made of {', '.join(_PARTS)}, each as NAME=value with ; between them")
        field, read = _PARTS[name]
        if field in parts:
            raise ValueError(f"{name} is given twice; give it once, with commas between its values")
        try:
            parts[field] = read(value)
        except ValueError as wrong:
            raise ValueError(f"{name}: {wrong}") from None
    if "frequency" not in parts:
        raise ValueError("a rule needs FREQ, such as FREQ=DAILY")
    rule = Rule(**parts)  # pyright: ignore[reportArgumentType]  # each reader gives what its field takes
    _refuse_what_does_not_go_together(rule)
    return rule._replace(until=None) if rule.until is not None and rule.until.year >= LAST_YEAR else rule


def within_years(value: datetime) -> datetime:
    """`value` if something can be scheduled then; raises ValueError with the remedy otherwise."""
    if not FIRST_YEAR <= value.year < LAST_YEAR:
        raise ValueError(f"give an instant from {FIRST_YEAR} on and before {LAST_YEAR}")
    return value


_YEARLY, _MONTHLY = {Frequency.YEARLY}, {Frequency.YEARLY, Frequency.MONTHLY}


def _refuse_what_does_not_go_together(rule: Rule) -> None:
    """Raises ValueError for what section 3.3.10 of the RFC forbids, or what would fire twice within a minute."""
    frequency = rule.frequency
    wrong = (
        (rule.times is not None and rule.until is not None, "give COUNT or UNTIL, not both"),
        (len(rule.seconds) > 1, "fires more often than once a minute; give one BYSECOND"),
        (
            any(day.which for day in rule.days) and (frequency not in _MONTHLY or bool(rule.weeks)),
            "weekdays with a number, such as 1MO, go with MONTHLY or with YEARLY without BYWEEKNO",
        ),
        (
            bool(rule.month_days) and frequency is Frequency.WEEKLY,
            "BYMONTHDAY does not go with WEEKLY; use MONTHLY",
        ),
        (bool(rule.weeks) and frequency not in _YEARLY, "BYWEEKNO goes with YEARLY alone"),
        (
            bool(rule.year_days) and frequency in {Frequency.MONTHLY, Frequency.WEEKLY, Frequency.DAILY},
            "BYYEARDAY does not go with MONTHLY, WEEKLY or DAILY; use YEARLY",
        ),
        (bool(rule.positions) and rule.elapses, "BYSETPOS goes with DAILY or a longer period; use BYMINUTE"),
        (
            bool(rule.positions) and not any(rule[6:]),
            "BYSETPOS chooses among what other parts name; give one of them, such as BYDAY",
        ),
        (
            bool(rule.month_days) and not _has_such_a_day(rule),
            "never fires: no month that is named has such a day; change BYMONTH or BYMONTHDAY",
        ),
    )
    for is_so, remedy in wrong:
        if is_so:
            raise ValueError(remedy)


_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _has_such_a_day(rule: Rule) -> bool:
    months = rule.months or range(1, 13)
    return any(abs(day) <= _LENGTHS[month - 1] for month in months for day in rule.month_days)
