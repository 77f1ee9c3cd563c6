"""One instant in plain English. The form is checked here and the day is found by dateparser; both must agree.

Left alone, the library is confidently wrong: it reads "tonight at 8" as ten o'clock where it is ten, "sat at 9" as the
9th, "12:00 march on" as the first of the month, and a Friday that is none by its number. So it is given words of known
forms alone, each with a whole time of day, and what it says must be what the words name.
"""

import re
from collections.abc import Callable, Collection
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Final, NamedTuple

from providers.time_phrases.words import (
    CLEAR_CLOCK,
    CLOCK,
    MONTH,
    MONTHS,
    NUMBERS,
    PART,
    TH,
    UNKNOWN,
    WEEKDAY,
    WEEKDAYS,
    either,
    read_clock,
    unsure,
)

_PAST: Final = "that is in the past; name a time to come"
_MOST_DAYS_AHEAD: Final = 3_660
_YEARLESS_DAYS_AHEAD: Final = 335
"""A day without a year is the next such. One of the last month is more likely a slip than eleven months off."""

_WITH_OFFSET = re.compile(r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:z|[+-]\d\d:\d\d)")
_COUNTED = rf"(?P<many>\d{{1,4}}(?:\.\d)?|an?|half an|{either(*NUMBERS)})"
_UNIT = r"(?P<unit>minute|min|hour|hr|day|week|month|year)s?"
_DELAY = re.compile(rf"in {_COUNTED} {_UNIT}(?: and (?P<rest>\d\d?) minutes?)?")
_FROM_NOW = re.compile(r"(?P<delay>.+) from now")

_DATE = rf"""(?:
    (?P<iso>\d{{4}}-\d\d-\d\d)
    |(?:(?P<weekday>{WEEKDAY})\ )?(?:(?:the\ )?(?P<day>\d{{1,2}}){TH}?\ (?:of\ )?(?P<month>{MONTH})
        |(?P<month2>{MONTH})\ (?:the\ )?(?P<day2>\d{{1,2}}){TH}?)(?:\ (?P<year>\d{{4}}))?
    |the\ (?P<nth>\d{{1,2}}){TH}
)"""
_DAY = rf"""(?:
    (?P<relative>today|tonight|tomorrow|(?:the\ )?day\ after\ tomorrow|this\ (?:morning|afternoon|evening))
    |(?:(?P<which>on|this|next)\ )?(?P<named>{WEEKDAY})
    |(?:on\ )?{_DATE}
)"""
_IN_THE = rf"(?:\ in\ the\ (?P<part2>{PART}))?"
_TIME = rf"(?:at\ (?P<clock>{CLOCK})|(?P<clear>{CLEAR_CLOCK}))".replace(" o'", r"\ o'").replace(
    " ?[", r"\ ?["
)
_FORMS = [
    re.compile(form, re.VERBOSE)
    for form in (
        rf"{_DAY}(?:\ (?:in\ the\ )?(?P<part>{PART}))?(?:\ |(?<=\d)t(?=\d)){_TIME}{_IN_THE}",
        rf"{_TIME}{_IN_THE}\ {_DAY}(?:\ (?P<part>{PART}))?",
        rf"{_TIME}{_IN_THE}",
    )
]
_WHOLE_DAY = re.compile(rf"{_DAY}(?:\ (?:in\ the\ )?(?:{PART}))?", re.VERBOSE)
_MIDNIGHT = {"at midnight", "midnight", "tonight at midnight", "at midnight tonight", "midnight tonight"}


class Day(NamedTuple):
    """A day as the library is told it, and the days of which one was said."""

    told: str
    days: Collection[date]


def read_instant(said: str, here: datetime) -> datetime:
    """The instant that `said`, plain words, names at `here`, the speaker's now in their zone; else InvalidInput."""
    try:
        at = _with_offset(said) or _delay(said, here) or _local(said, here)
    except (ValueError, OverflowError):
        raise unsure(UNKNOWN) from None
    if at <= here:
        raise unsure(_PAST)
    if at - here > timedelta(days=_MOST_DAYS_AHEAD):
        raise unsure("that is more than ten years ahead; name a nearer time")
    return at


def read_day(said: str, here: datetime) -> date:
    """The day that `said` names, today or to come."""
    found = _WHOLE_DAY.fullmatch(said)
    if found is None:
        raise unsure("the last day cannot be read for certain; say it such as: until 1 March 2027")
    return _at(_day(found.groupdict(), here.date()), time(23, 59), here).date()


def _with_offset(said: str) -> datetime | None:
    return datetime.fromisoformat(said.upper()) if _WITH_OFFSET.fullmatch(said) else None


def _delay(said: str, here: datetime) -> datetime | None:
    """Minutes and hours are time that passes. The library would add them to what the clock shows, an hour wrong where
    the clocks are changed on the way. Days, weeks and months keep the time of day."""
    from_now = _FROM_NOW.fullmatch(said)
    found = _DELAY.fullmatch(f"in {from_now['delay']}" if from_now else said)
    if found is None:
        return None
    many, unit, rest = found["many"], found["unit"], found["rest"]
    number = {"a": 1.0, "an": 1.0, "half an": 0.5}.get(many) or float(NUMBERS.get(many, many))
    if unit in {"minute", "min", "hour", "hr"}:
        if (rest and unit[0] == "m") or (many == "half an" and unit != "hour"):
            raise unsure(UNKNOWN)
        length = timedelta(minutes=number * (60 if unit[0] == "h" else 1) + int(rest or 0))
        return here.astimezone(UTC) + length
    if not number.is_integer() or rest or number == 0:
        raise unsure("parts of days are read as either; say it in hours or minutes")
    later = _library(f"in {int(number)} {unit}s", here)
    if later is None or (unit in {"month", "year"} and later.day != here.day):
        raise unsure("that month has no such day; name the day and its time")
    return _in_zone(later, here)


def _local(said: str, here: datetime) -> datetime:
    if said in _MIDNIGHT:
        return _in_zone(_at(_ahead(1, here.date()), time(), here), here)
    if "midnight" in said:
        raise unsure("midnight may begin that day or end it; write 00:00 with the day that begins")
    found = next((match for form in _FORMS if (match := form.fullmatch(said))), None)
    if found is None:
        if _WHOLE_DAY.fullmatch(said):
            raise unsure("a day alone has no time; say at what time of that day")
        raise unsure(UNKNOWN)
    words = found.groupdict()
    parts = {words.get("part"), words.get("part2"), _part_of(words.get("relative"))} - {None}
    if len(parts) > 1:
        raise unsure("two parts of the day are named; name one")
    clock = read_clock(words["clock"] or words["clear"] or "", next(iter(parts), None))
    if not any(words.get(name) for name in ("relative", "named", "iso", "day", "day2", "nth")):
        soon = {here.date(), here.date() + timedelta(days=1)}
        return _in_zone(_at(Day("", soon), clock, here), here)
    return _in_zone(_at(_day(words, here.date()), clock, here), here)


def _part_of(relative: str | None) -> str | None:
    if relative == "tonight":
        return "evening"
    return relative.removeprefix("this ") if relative and relative.startswith("this ") else None


def _day(words: dict[str, str | None], today: date) -> Day:
    if relative := words.get("relative"):
        return _ahead(2 if "day after" in relative else int(relative == "tomorrow"), today)
    if named := words.get("named"):
        return _weekday(WEEKDAYS[named], words.get("which"), today)
    if iso := words.get("iso"):
        written = date.fromisoformat(iso)
        return Day(f"{written:%d %B %Y}", {written})
    if nth := words.get("nth"):
        return _day_of_the_month(int(nth), today)
    return _date(words, today)


def _ahead(days: int, today: date) -> Day:
    return Day(("today", "tomorrow", "in 2 days")[days], {today + timedelta(days=days)})


def _weekday(number: int, which: str | None, today: date) -> Day:
    """The coming day of this name, where nobody could mean another one.

    "next Friday" on a Tuesday is this week's to some and the next week's to others; on a Saturday it is one day to all.
    Whether a week begins on Sunday or on Monday must not matter either.
    """
    ahead = (number - today.weekday() - 1) % 7 + 1
    is_today = ahead == 7
    if is_today and which != "next":
        raise unsure("that may be today or in a week; say today, or name the date")
    in_next_week = today.weekday() + ahead >= 7
    if which == "next" and not (in_next_week and (today.weekday() + 1) % 7 + ahead >= 7):
        raise unsure("that may be this week's or the next one's; name the date")
    if which == "this" and in_next_week:
        raise unsure("this week's such day is over; name the date")
    return Day(_name(WEEKDAYS, number), {today + timedelta(days=ahead)})


def _name(names: dict[str, int], number: int) -> str:
    return next(name for name, each in names.items() if each == number)


def _day_of_the_month(number: int, today: date) -> Day:
    if number == today.day:
        raise unsure("that may be today or in a month; say today, or name the month")
    soon = (today + timedelta(days=ahead) for ahead in range(1, 32))
    return Day(f"{number}th", {day for day in soon if day.day == number})


def _date(words: dict[str, str | None], today: date) -> Day:
    number, month = int(words["day"] or words["day2"] or 0), MONTHS[words["month"] or words["month2"] or ""]
    named = f"{number} {_name(MONTHS, month)}"
    if year := words.get("year"):
        days = {date(int(year), month, number)}
        named = f"{named} {year}"
    else:
        soon = (today + timedelta(days=ahead) for ahead in range(_YEARLESS_DAYS_AHEAD))
        days = {day for day in soon if (day.day, day.month) == (number, month)}
        if not days:
            raise unsure("there is no such day in the eleven months to come; give the year")
    if weekday := words.get("weekday"):
        days = {day for day in days if day.weekday() == WEEKDAYS[weekday]}
    return Day(named, days)


def _at(day: Day, clock: time, here: datetime) -> datetime:
    """The local time that the library makes of a day and a time of day, where it is the one that was said."""
    if list(day.days) == [here.date()] and clock <= here.time():
        raise unsure(_PAST)
    at = _library(f"{day.told} {clock:%H:%M}".strip(), here)
    if at is None or at.date() not in day.days or at.time() != clock:
        raise unsure("there is no such day, or its weekday is another; look at the calendar")
    return at


def _library(words: str, here: datetime) -> datetime | None:
    """What the library reads, a local time without a zone."""
    return _reader()(words, here.replace(tzinfo=None))


@cache
def _reader() -> Callable[[str, datetime], datetime | None]:
    """dateparser for English, in local times without a zone: of a time that the clocks skip or repeat it makes one
    without a word. It takes an eighth of a second to load, and is loaded with the first phrase."""
    from dateparser.date import DateDataParser  # noqa: PLC0415

    def read(words: str, now: datetime) -> datetime | None:
        settings = {
            "RELATIVE_BASE": now,
            "PREFER_DATES_FROM": "future",
            "DATE_ORDER": "DMY",
            "TIMEZONE": "UTC",
        }
        return DateDataParser(languages=["en"], settings=settings).get_date_data(words).date_obj

    return read


def _in_zone(local: datetime, here: datetime) -> datetime:
    at = local.replace(tzinfo=here.tzinfo, fold=0)
    if at.astimezone(UTC).astimezone(here.tzinfo).replace(tzinfo=None) != local:
        raise unsure("the clocks are put forward then and skip that time; name another one")
    if at.replace(fold=1).utcoffset() != at.utcoffset():
        raise unsure("the clocks are put back then and that time comes twice; name another one")
    return at
