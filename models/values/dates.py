"""Days of the calendar, written out in full. What leaves out the year, or which number is the month, is not read."""

import re
from datetime import date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from models.values.places import place_of

_MONTHS = """
    january february march april may june july august september october november december
"""
_MONTH = {name[:n]: i + 1 for i, name in enumerate(_MONTHS.split()) for n in (3, len(name))} | {"sept": 9}
_NAME = "|".join(sorted(_MONTH, key=len, reverse=True))

_YEAR_FIRST = re.compile(r"(\d{4})(?:([-/.])(\d{1,2})\2(\d{1,2})|(\d\d)(\d\d)|年(\d{1,2})月(\d{1,2})日)")
_DAY_FIRST = re.compile(rf"(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?[ .-]*(?:of )?({_NAME})[ ,.-]+(\d{{4}})")
_MONTH_FIRST = re.compile(rf"({_NAME})[ .-]*(\d{{1,2}})(?:st|nd|rd|th)?[ ,-]+(\d{{4}})")
_FIGURES = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
_RELATIVE = {"yesterday": -1, "today": 0, "tomorrow": 1}


@lru_cache(maxsize=1_024)
def zone_info(zone: str | None) -> ZoneInfo | None:
    """The rules of an IANA zone; None without one, and for a name that is none."""
    try:
        return ZoneInfo(zone) if zone else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def read_day(words: str, zone: str | None, at: datetime | None) -> date | None:
    """The day that `words`, plain and folded, name.

    | words | day |
    | --- | --- |
    | 2026-03-02; 20260302; 2 march 2026; march 2nd, 2026; 2026年3月2日 | that day |
    | 25.12.2026; 03/03/2026 | that day: there is one reading |
    | 02.03.2026; 02/03/2026 | by the zone, where dates are written with that mark there; else None |
    | today, tomorrow, yesterday | in the zone, from the instant of the event; None without both |
    | 2 march; friday; 02.03.26; 31 february 2026; march 2026 | None |
    """
    if (shift := _RELATIVE.get(words)) is not None:
        return _from_today(shift, zone, at)
    try:
        if found := _YEAR_FIRST.fullmatch(words):
            year, _, *numbers = found.groups()
            month, day = (int(number) for number in numbers if number)
            return date(int(year), month, day)
        if found := _DAY_FIRST.fullmatch(words):
            return date(int(found[3]), _MONTH[found[2]], int(found[1]))
        if found := _MONTH_FIRST.fullmatch(words):
            return date(int(found[3]), _MONTH[found[1]], int(found[2]))
        if found := _FIGURES.fullmatch(words):
            return _from_figures(int(found[1]), int(found[3]), int(found[4]), found[2], zone)
    except ValueError:
        pass
    return None


def _from_today(shift: int, zone: str | None, at: datetime | None) -> date | None:
    rules = zone_info(zone)
    if rules is None or at is None or at.tzinfo is None:
        return None
    try:
        return at.astimezone(rules).date() + timedelta(days=shift)
    except (OverflowError, ValueError):
        return None


def _from_figures(first: int, second: int, year: int, mark: str, zone: str | None) -> date | None:
    """The day of two numbers and a year: day first, month first, or not to be told."""
    place = place_of(zone)
    if first > 12 or first == second:
        order = "dmy"
    elif second > 12:
        order = "mdy"
    else:
        order = place.date_order if mark in place.date_marks else ""
    match order:
        case "dmy":
            return date(year, second, first)
        case "mdy":
            return date(year, first, second)
        case _:
            return None


def read_date(words: str, zone: str | None, at: datetime | None) -> str | None:
    """The key of a day, in ISO 8601."""
    day = read_day(words, zone, at)
    return None if day is None else day.isoformat()
