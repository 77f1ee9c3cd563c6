"""Words of time in a question, read in the asker's zone: "yesterday", "last March", "three weeks ago", "since 2024".

They say which part of the past is asked about. What lies in it is favoured; nothing is left out for lying beside it, as
what happened in March may have been told in April. What cannot be read is no word of time, and nothing is guessed:
"before the migration" names no date, and is for `models.anchors`.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from models.text import fold

_DAY = timedelta(days=1)


class Window(NamedTuple):
    """A part of time from `begin` to before `end`, in UTC; None where it is open."""

    begin: datetime | None
    end: datetime | None


class _Days(NamedTuple):
    """Whole local days from `first` to before `after`."""

    first: date
    after: date


def _either(*words: str) -> str:
    return "|".join(words)


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may",), ("june", "jun"),
            ("july", "jul"), ("august", "aug"), ("september", "sept", "sep"), ("october", "oct"),
            ("november", "nov"), ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}  # fmt: skip
_WEEKDAYS = {
    day: number
    for number, day in enumerate(
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    )
}
_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
        start=1,
    )
} | {"a": 1, "an": 1}
_MONTH = _either(*_MONTHS)
_YEAR = r"(?:19|20)\d\d"
_WHEN = re.compile(
    rf"""\b(?:(?P<side>before|until|since|after)\s+)?(?:
        (?P<iso>{_YEAR}-\d\d(?:-\d\d)?)\b
        |(?P<relative>the\ day\ before\ yesterday|yesterday|today)
        |(?P<many>{_either(*_NUMBERS)}|\d{{1,3}})\s+(?P<unit>day|week|month|year)s?\s+ago
        |(?P<which>last|past|this|previous)\s+(?P<span>week|month|year|{_MONTH}|{_either(*_WEEKDAYS)})\b
        |(?:on\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH})\b(?:,?\s+(?P<year>{_YEAR}))?
        |(?:on\s+)?(?P<month2>{_MONTH})\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<year2>{_YEAR}))?
        |(?:in\s+)?(?P<month3>{_MONTH}),?\s+(?:of\s+)?(?P<year3>{_YEAR})\b
        |in\s+(?P<month4>{_MONTH})\b
        |in\s+(?P<year4>{_YEAR})\b
        |(?<=since\ )(?P<year5>{_YEAR})\b
    )""",
    re.VERBOSE,
)


def window_of(query: str, now: datetime, zone: str = "UTC") -> Window | None:
    """The part of time that the first readable words of time in `query` name; None where there are none.

    | words, in the asker's zone | from | to before |
    | --- | --- | --- |
    | yesterday, on 3 March, 2024-03-03 | the start of that day | the start of the next |
    | last week, last March, in 2023, this month | the start of that week, month, year | its end |
    | three weeks ago | the start of that day's week | its end; days, months and years alike |
    | since, after … | the start of … (after: its end) | open |
    | before, until … | open | the start of … (until: its end) |

    A month without a year is the latest that has begun; a weekday with "last" the latest that is over.
    """
    try:
        return _window_of(query, now, ZoneInfo(zone))
    except OverflowError:
        # The first and the last day of the calendar have no instant in every zone.
        return None


def _window_of(query: str, now: datetime, local: ZoneInfo) -> Window | None:
    today = now.astimezone(local).date()
    for found in _WHEN.finditer(fold(query)):
        days = _days(found, today)
        if days is None:
            continue
        begin, end = (
            datetime.combine(day, time(), local).astimezone(UTC) for day in (days.first, days.after)
        )
        match found["side"]:
            case "since":
                return Window(begin, None)
            case "after":
                return Window(end, None)
            case "before":
                return Window(None, begin)
            case "until":
                return Window(None, end)
            case _:
                return Window(begin, end)
    return None


def _days(found: re.Match[str], today: date) -> _Days | None:
    try:
        for group, read in _READERS:
            if found[group] is not None:
                return read(found, today)
    except (ValueError, OverflowError):
        # The 31st of April names no day.
        return None
    return None


def _iso(found: re.Match[str], _: date) -> _Days:
    year, month, *day = map(int, found["iso"].split("-"))
    return _day(date(year, month, day[0])) if day else _month(year, month)


def _relative(found: re.Match[str], today: date) -> _Days:
    back = {"today": 0, "yesterday": 1}.get(found["relative"], 2)
    return _day(today - back * _DAY)


def _ago(found: re.Match[str], today: date) -> _Days:
    many = _NUMBERS.get(found["many"]) or int(found["many"])
    match found["unit"]:
        case "day":
            return _day(today - many * _DAY)
        case "week":
            return _week(today - 7 * many * _DAY)
        case "month":
            year, month = divmod(today.year * 12 + today.month - 1 - many, 12)
            return _month(year, month + 1)
        case _:
            return _year(today.year - many)


def _which(found: re.Match[str], today: date) -> _Days:
    span, back = found["span"], 0 if found["which"] == "this" else 1
    if span in _WEEKDAYS:
        since = (today.weekday() - _WEEKDAYS[span]) % 7
        return _day(today - (since or 7 * back) * _DAY)
    if span == "week":
        return _week(today - 7 * back * _DAY)
    if span == "month":
        year, month = divmod(today.year * 12 + today.month - 1 - back, 12)
        return _month(year, month + 1)
    if span == "year":
        return _year(today.year - back)
    return _month_begun(_MONTHS[span], today, over=bool(back))


def _month_begun(month: int, today: date, *, over: bool = False) -> _Days:
    """The latest such month that has begun, or that is `over`."""
    this_year = month < today.month or (month == today.month and not over)
    return _month(today.year if this_year else today.year - 1, month)


def _date(day: str, month: str, year: str | None, today: date) -> _Days:
    if year is not None:
        return _day(date(int(year), _MONTHS[month], int(day)))
    this_year = date(today.year, _MONTHS[month], int(day))
    return _day(this_year if this_year <= today else this_year.replace(year=today.year - 1))


def _day(day: date) -> _Days:
    return _Days(day, day + _DAY)


def _week(day: date) -> _Days:
    monday = day - day.weekday() * _DAY
    return _Days(monday, monday + 7 * _DAY)


def _month(year: int, month: int) -> _Days:
    return _Days(date(year, month, 1), date(year + month // 12, month % 12 + 1, 1))


def _year(year: int) -> _Days:
    return _Days(date(year, 1, 1), date(year + 1, 1, 1))


_READERS: tuple[tuple[str, Callable[[re.Match[str], date], _Days]], ...] = (
    ("iso", _iso),
    ("relative", _relative),
    ("unit", _ago),
    ("which", _which),
    ("day", lambda found, today: _date(found["day"], found["month"], found["year"], today)),
    ("day2", lambda found, today: _date(found["day2"], found["month2"], found["year2"], today)),
    ("month3", lambda found, _: _month(int(found["year3"]), _MONTHS[found["month3"]])),
    ("month4", lambda found, today: _month_begun(_MONTHS[found["month4"]], today)),
    ("year4", lambda found, _: _year(int(found["year4"]))),
    ("year5", lambda found, _: _year(int(found["year5"]))),
)


def temporal_fit(at: datetime, window: Window | None) -> float:
    """How well an instant fits: 1 in the window, less with its distance, halved at the window's own length from it.

    Without a window everything fits alike, as 0: nothing is added for anybody. An open window counts as a month long.
    """
    if window is None:
        return 0.0
    begin, end = window
    early = max(timedelta(0), begin - at) if begin is not None else timedelta(0)
    late = max(timedelta(0), at - end) if end is not None else timedelta(0)
    length = end - begin if begin is not None and end is not None else timedelta(days=30)
    return length / (length + early + late)
