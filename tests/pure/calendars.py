"""Recurrences once more, in the plainest way: walk the calendar day by day and ask of each what the rule says of it.

It shares nothing with what it checks: neither the reading of a rule, nor the library, nor how a local time becomes an
instant. It is slow, and is asked about a few years at most.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from zoneinfo import ZoneInfo

CODES = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


def parts_of(rule: str) -> dict[str, list[str]]:
    return {name: value.split(",") for name, value in (part.split("=") for part in rule.split(";"))}


def numbers(parts: dict[str, list[str]], name: str) -> list[int]:
    return [int(each) for each in parts.get(name, [])]


def instant_of(local: datetime, zone: ZoneInfo) -> datetime:
    """The first instant at which the clocks show `local`; of one never shown, by the clocks of the day before."""
    day_before = (local - DAY).replace(tzinfo=zone).utcoffset()
    day_after = (local + DAY).replace(tzinfo=zone).utcoffset()
    assert day_before is not None
    assert day_after is not None
    tries = {local.replace(tzinfo=UTC) - offset for offset in (day_before, day_after)}
    shown = [at for at in tries if at.astimezone(zone).replace(tzinfo=None) == local]
    return min(shown) if shown else local.replace(tzinfo=UTC) - day_before


def month_length(day: date) -> int:
    following = (day.replace(day=28) + timedelta(days=4)).replace(day=1)
    return (following - DAY).day


def week_of(day: date, begins: int) -> tuple[int, int, int]:
    """The year that a day's week belongs to, the week's number in it, and how many weeks that year has."""

    def first(year: int) -> date:
        fourth = date(year, 1, 4)
        return fourth - timedelta(days=(fourth.weekday() - begins) % 7)

    monday = day - timedelta(days=(day.weekday() - begins) % 7)
    year = (monday + timedelta(days=3)).year
    return year, (monday - first(year)).days // 7 + 1, (first(year + 1) - first(year)).days // 7


def is_day(day: date, parts: dict[str, list[str]], start: datetime, frequency: str) -> bool:
    """Whether the rule lets this day through, wherever in its period it is."""
    named = parts | implied(parts, start, frequency)
    length, year_length = month_length(day), (date(day.year + 1, 1, 1) - date(day.year, 1, 1)).days
    _, week, many = week_of(day, CODES.index(parts.get("WKST", ["MO"])[0]))
    number = day.timetuple().tm_yday
    numbered = {
        "BYMONTH": {day.month},
        "BYMONTHDAY": {day.day, day.day - length - 1},
        "BYYEARDAY": {number, number - year_length - 1},
        "BYWEEKNO": {week, week - many - 1},
    }
    by_month = frequency == "MONTHLY" or "BYMONTH" in named
    return all(own & set(numbers(named, name)) for name, own in numbered.items() if name in named) and (
        "BYDAY" not in named or any(is_weekday(day, each, by_month=by_month) for each in named["BYDAY"])
    )


def implied(parts: dict[str, list[str]], start: datetime, frequency: str) -> dict[str, list[str]]:
    """The days that a rule takes from its start."""
    if {"BYMONTHDAY", "BYYEARDAY", "BYDAY"} & set(parts):
        return {}
    if frequency == "WEEKLY" or (frequency == "YEARLY" and "BYWEEKNO" in parts):
        return {"BYDAY": [CODES[start.weekday()]]}
    if frequency == "YEARLY":
        return {"BYMONTHDAY": [str(start.day)], "BYMONTH": parts.get("BYMONTH", [str(start.month)])}
    return {"BYMONTHDAY": [str(start.day)]} if frequency == "MONTHLY" else {}


def is_weekday(day: date, named: str, *, by_month: bool) -> bool:
    which, code = named[:-2], named[-2:]
    if CODES[day.weekday()] != code:
        return False
    if not which:
        return True
    within = day.replace(day=1) if by_month else day.replace(month=1, day=1)
    span = month_length(day) if by_month else (date(day.year + 1, 1, 1) - within).days
    same = [
        within + timedelta(days=n)
        for n in range(span)
        if CODES[(within + timedelta(days=n)).weekday()] == code
    ]
    position = same.index(day)
    return int(which) in {position + 1, position - len(same)}


def period_of(day: date, frequency: str, begins: int) -> int:
    return {
        "YEARLY": day.year,
        "MONTHLY": day.year * 12 + day.month,
        "WEEKLY": (day - timedelta(days=(day.weekday() - begins) % 7)).toordinal() // 7,
        "DAILY": day.toordinal(),
    }[frequency]


def walk(rule: str, zone: ZoneInfo, starts: datetime, until: datetime) -> list[datetime]:
    """Every instant of the rule from its start up to `until`, in order."""
    parts = parts_of(rule)
    frequency = parts["FREQ"][0]
    found = passing(parts, zone, starts, until) if frequency in {"HOURLY", "MINUTELY"} else [
        instant_of(local, zone) for local in calendar_times(parts, frequency, zone, starts, until)
    ]  # fmt: skip
    inside = sorted({at for at in found if starts <= at <= until})
    if "COUNT" in parts:
        inside = inside[: int(parts["COUNT"][0])]
    if "UNTIL" in parts:
        end = parts["UNTIL"][0]
        if "T" in end:
            last = datetime.strptime(end, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            inside = [at for at in inside if at <= last]
        else:
            last_day = datetime.strptime(end, "%Y%m%d").replace(tzinfo=UTC).date()
            inside = [at for at in inside if at.astimezone(zone).date() <= last_day]
    return inside


def calendar_times(
    parts: dict[str, list[str]], frequency: str, zone: ZoneInfo, starts: datetime, until: datetime
) -> Iterator[datetime]:
    start = starts.astimezone(zone).replace(tzinfo=None)
    begins = CODES.index(parts.get("WKST", ["MO"])[0])
    interval = int(parts.get("INTERVAL", ["1"])[0])
    first = start.date().replace(month=1, day=1) - 7 * DAY
    last = until.date().replace(month=12, day=31) + 7 * DAY
    days = [first + timedelta(days=n) for n in range((last - first).days)]
    clocks = [
        time(hour, minute, second)
        for hour in sorted(numbers(parts, "BYHOUR") or [start.hour])
        for minute in sorted(numbers(parts, "BYMINUTE") or [start.minute])
        for second in numbers(parts, "BYSECOND") or [start.second]
    ]
    origin = period_of(start.date(), frequency, begins)
    for period, of_period in groupby(days, lambda day: period_of(day, frequency, begins)):
        if (period - origin) % interval:
            continue
        times = [
            datetime.combine(day, clock)
            for day in of_period
            if is_day(day, parts, start, frequency)
            for clock in clocks
        ]
        positions = numbers(parts, "BYSETPOS")
        yield from (
            local
            for at, local in enumerate(times)
            if not positions or at + 1 in positions or at - len(times) in positions
        )


def passing(
    parts: dict[str, list[str]], zone: ZoneInfo, starts: datetime, until: datetime
) -> Iterator[datetime]:
    """Minute after minute from the start, by what has passed since and by what the clocks show."""
    start = starts.astimezone(zone)
    hourly, interval = parts["FREQ"] == ["HOURLY"], int(parts.get("INTERVAL", ["1"])[0])
    hours, minutes = numbers(parts, "BYHOUR"), numbers(parts, "BYMINUTE")
    hour_of_start = starts - start.minute * MINUTE
    at = starts
    while at <= until:
        local = at.astimezone(zone)
        if not hourly:
            in_step = ((at - starts) // MINUTE) % interval == 0
        elif minutes:
            in_step = ((at - hour_of_start) // HOUR) % interval == 0
        else:
            in_step = (at - starts) % (interval * HOUR) == timedelta(0)
        by_clock = (not hours or local.hour in hours) and (not minutes or local.minute in minutes)
        if in_step and by_clock and is_day(local.date(), parts, start, parts["FREQ"][0]):
            yield at
        at += MINUTE
