"""Ends in words: "Friday", "1 December 2026" and "6pm" as instants, anything else as a condition.

There is no clock here: words are read relative to the instant at which the event happened, in the event's
zone. A local time that daylight saving skips or repeats is resolved by `fold=0`: the first of two, and for a
skipped one the offset from before the change.
"""

import re
import unicodedata
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_LONGEST = 60
"""A longer phrase is a condition."""

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAY = {name[:n]: i for i, name in enumerate(WEEKDAYS) for n in (3, len(name))} | {"tues": 1, "thurs": 3}
_MONTH = {name[:n]: i + 1 for i, name in enumerate(MONTHS) for n in (3, len(name))} | {"sept": 9}


def _either(names: dict[str, int]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_D = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_M = rf"(?P<month>{_either(_MONTH)})"
_Y = r"(?: (?P<year>\d{4}))?"
_W = rf"(?:(?P<weekday>{_either(_WEEKDAY)}) )?"
_ZONE = r"(?P<zone> ?(?:z|utc|gmt|[+-]\d\d:?\d\d))?"

_DATES = [
    re.compile(r"(?P<iso>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"),
    re.compile(rf"{_W}(?:the )?{_D} (?:of )?{_M}{_Y}"),
    re.compile(rf"{_W}{_M} (?:the )?{_D}{_Y}"),
    re.compile(r"the (?P<day>\d{1,2})(?:st|nd|rd|th)"),
    re.compile(rf"(?:on |this |next |this coming |coming )?(?P<weekday>{_either(_WEEKDAY)})"),
    re.compile(rf"(?:next )?{_M}{_Y}"),
    re.compile(
        r"(?P<relative>today|the day|day|tomorrow|the day after tomorrow|next week|next month|next year)"
    ),
    re.compile(r"(?P<current>(?:the|this) (?:month|year))"),
    re.compile(r"(?P<wholeyear>20\d\d)"),
]
_TIMES = [
    re.compile(rf"(?P<hour>\d{{1,2}})(?::(?P<minute>\d\d))? ?(?P<half>am|pm|a\.m\.?|p\.m\.?){_ZONE}"),
    re.compile(rf"(?P<hour>\d{{1,2}}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.\d+)?)?(?P<half>){_ZONE}"),
    re.compile(r"(?P<noon>noon|midday)"),
]
_SHAPED = re.compile(r"\d{1,4}-\d{1,2}-\d{1,2}(?:[t ].*)?|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}.*|\d+|\d{1,2}:\d\d.*")
"""Looks like a date or a time, in a form that words seldom take: never a condition."""


_UNDER_WAY = {"the month", "the year", "this month", "this year"}
"""Spans that have begun: "until this month" has no start ahead of it."""


class End(NamedTuple):
    """How long something holds: to an instant in UTC, or until a condition in words, or without an end."""

    ends_when: str | None = None
    expires_at: datetime | None = None


class _Span(NamedTuple):
    start: datetime
    end: datetime


class _Unreadable(Exception):
    """The phrase has the form of a date and is none."""


def read_end(connective: str, phrase: str, occurred_at: datetime, timezone: str | None) -> End | None:
    """What "`connective` `phrase`" says; None where it looks like a date and cannot be one.

    | phrase | until, before | through |
    | --- | --- | --- |
    | 2026-12-01, 1 December 2026, the 1st, tomorrow, next month | start of that local day, month | its end |
    | Friday, next Friday | start of the next such day strictly after the event's local date | its end |
    | 6pm, noon, 18:00 | the next such time strictly after the event | the same |
    | Friday at 6pm, 2026-12-01 18:00, 2026-12-01T18:00Z | that instant | the same |
    | the end of the day, of Friday, of December; after Friday; today | its end | its end |
    | midnight | the end of the event's local day | the same |
    | 2026-13-45, 31 February 2026, 25:00, 01/12/2026 (two readings), 6 | None | None |
    | anything else | a condition in words | the same |
    """
    words = _plain(phrase)
    if not words:
        return None
    if len(words) > _LONGEST:
        return End(ends_when=phrase)
    try:
        zone = ZoneInfo(timezone) if timezone else ZoneInfo("UTC")
        instant = _instant(words, connective == "through", occurred_at.astimezone(zone))
        if instant is None:
            return None if _SHAPED.fullmatch(words) else End(ends_when=phrase)
        return End(expires_at=instant.astimezone(UTC))
    except (_Unreadable, ValueError, OverflowError, ZoneInfoNotFoundError, OSError):
        return None


def _plain(phrase: str) -> str:
    folded = unicodedata.normalize("NFKC", phrase).casefold().replace(",", " ")
    return " ".join(folded.split()).strip(" .;:!?\"'()")


def _instant(words: str, through: bool, now: datetime) -> datetime | None:
    if words in {"midnight", "tonight at midnight", "midnight tonight", "eod"}:
        return _day(now.date()).end.replace(tzinfo=now.tzinfo)
    whole = re.fullmatch(
        r"(?:the )?end of (?:the )?day(?: on)? (.+)|(?:the )?(?:very )?end of (.+)|after (.+)", words
    )
    if whole:
        span = _span(next(group for group in whole.groups() if group), now)
        return None if span is None else span.end.replace(tzinfo=now.tzinfo)
    span = _span(words, now)
    if span is not None:
        if words in _UNDER_WAY and not through:
            return None
        late = through or words in {"today", "the day", "day"}
        return (span.end if late else span.start).replace(tzinfo=now.tzinfo)
    clock = _clock(words)
    if clock is not None:
        return _next(clock, now)
    return _day_and_time(words, now)


def _next(clock: time, now: datetime) -> datetime:
    zone = clock.tzinfo or now.tzinfo
    here = now.astimezone(zone)
    at = datetime.combine(here.date(), clock.replace(tzinfo=zone))
    return at if at > here else datetime.combine(here.date() + timedelta(days=1), clock.replace(tzinfo=zone))


def _day_and_time(words: str, now: datetime) -> datetime | None:
    """A day and a time of it, in either order and however joined."""
    for cut in _cuts(words):
        left, right = words[: cut[0]], words[cut[1] :]
        for day_words, clock_words in ((left, right), (right, left)):
            clock = _clock(clock_words)
            span = None if clock is None else _span(day_words, now)
            if clock is not None and span is not None:
                if span.end - span.start != timedelta(days=1):
                    raise _Unreadable
                return datetime.combine(span.start.date(), clock, clock.tzinfo or now.tzinfo)
    return None


def _cuts(words: str) -> list[tuple[int, int]]:
    return [(m.start(), m.end()) for m in re.finditer(r" at | on | by | |(?<=\d)t(?=\d)", words)]


def _clock(words: str) -> time | None:
    for pattern in _TIMES:
        match = pattern.fullmatch(words)
        if match is None:
            continue
        parts = match.groupdict()
        if parts.get("noon"):
            return time(12)
        hour, half = int(parts["hour"]), parts["half"]
        if half:
            if not 1 <= hour <= 12:
                raise _Unreadable
            hour = hour % 12 + (12 if half.startswith("p") else 0)
        zone = None
        if suffix := (parts.get("zone") or "").strip():
            zone = UTC if suffix in {"z", "utc", "gmt"} else datetime.strptime(suffix, "%z").tzinfo
        return time(hour, int(parts.get("minute") or 0), int(parts.get("second") or 0), tzinfo=zone)
    return None


def _span(words: str, now: datetime) -> _Span | None:
    for pattern in _DATES:
        match = pattern.fullmatch(words)
        if match is not None:
            return _interval({name: value for name, value in match.groupdict().items() if value}, now.date())
    return None


def _interval(parts: dict[str, str], today: date) -> _Span:
    if relative := parts.get("relative"):
        return _relative(relative, today)
    if current := parts.get("current"):
        return _month(today.year, today.month) if "month" in current else _year(today.year)
    if year := parts.get("wholeyear"):
        return _year(int(year))
    if "day" not in parts:
        if "month" in parts:
            return _named_month(parts, today)
        ahead = (_WEEKDAY[parts["weekday"]] - today.weekday() - 1) % 7 + 1
        return _day(today + timedelta(days=ahead))
    return _day(_calendar_day(parts, today))


def _calendar_day(parts: dict[str, str], today: date) -> date:
    number = int(parts["day"])
    year = parts.get("iso") or parts.get("year")
    month = parts.get("month")
    if year and month:
        found = date(int(year), _MONTH.get(month) or int(month), number)
    elif month:
        found = _first_after(today, [(today.year + n, _MONTH[month]) for n in range(9)], number)
    else:
        found = _first_after(today, [_months_on(today, n) for n in range(13)], number)
    weekday = parts.get("weekday")
    if weekday is not None and found.weekday() != _WEEKDAY[weekday]:
        raise _Unreadable
    return found


def _first_after(today: date, months: list[tuple[int, int]], number: int) -> date:
    for year, month in months:
        try:
            found = date(year, month, number)
        except ValueError:
            continue
        if found > today:
            return found
    raise _Unreadable


def _relative(words: str, today: date) -> _Span:
    match words:
        case "today" | "the day" | "day":
            return _day(today)
        case "tomorrow":
            return _day(today + timedelta(days=1))
        case "next week":
            monday = today + timedelta(days=7 - today.weekday())
            return _Span(_day(monday).start, _day(monday + timedelta(days=6)).end)
        case "next month":
            return _month(*_months_on(today, 1))
        case "next year":
            return _year(today.year + 1)
        case _:
            return _day(today + timedelta(days=2))


def _named_month(parts: dict[str, str], today: date) -> _Span:
    month = _MONTH[parts["month"]]
    if "year" in parts:
        return _month(int(parts["year"]), month)
    return _month(today.year + (month <= today.month), month)


def _months_on(today: date, count: int) -> tuple[int, int]:
    months = today.year * 12 + today.month - 1 + count
    return months // 12, months % 12 + 1


def _day(day: date) -> _Span:
    start = datetime.combine(day, time())
    return _Span(start, start + timedelta(days=1))


def _month(year: int, month: int) -> _Span:
    following = date(year + month // 12, month % 12 + 1, 1)
    return _Span(_day(date(year, month, 1)).start, _day(following).start)


def _year(year: int) -> _Span:
    return _Span(_month(year, 1).start, _month(year, 12).end)
