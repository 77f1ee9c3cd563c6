"""Instants: a day and a time of it, with an offset or in the speaker's zone."""

import re
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo

from models.values.dates import read_day, zone_info

_CLOCK = (
    r"(?:(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?)?)?"
    r" ?(?P<half>am|pm|a\.m\.?|p\.m\.?)?|(?P<noon>noon))"
)
_OFFSET = r"(?: ?(?P<zone>z|utc|gmt|[+-]\d\d(?::?\d\d)?))?"
_WRITTEN = re.compile(rf"(?P<day>.*?)(?:(?<=\d)t(?=\d)|,? at |, ?| ){_CLOCK}{_OFFSET}")
_BASIC = re.compile(
    rf"(?P<day>\d{{8}})t(?P<hour>\d\d)(?P<minute>\d\d)(?:(?P<second>\d\d)(?:[.,](?P<part>\d{{1,9}}))?)?"
    rf"(?P<half>)(?P<noon>){_OFFSET}"
)


def read_instant(words: str, zone: str | None, at: datetime | None) -> str | None:
    """The key of an instant, in UTC, from `words`, plain and folded.

    | words | key |
    | --- | --- |
    | 2026-03-02t14:00:00+01:00; 2026-03-02 13:00z; 20260302t130000z | 2026-03-02T13:00:00Z |
    | 2 march 2026 at 2pm, in Berlin | 2026-03-02T13:00:00Z |
    | 2026-03-02 14:00, without a zone | None |
    | 2026-03-29 02:30 in Berlin (skipped), 2026-10-25 02:30 (twice) | None |
    | 2 march 2026; 14:00; 2026-03-02 24:00; 2026-03-02 14:00 est | None |
    """
    found = _BASIC.fullmatch(words) or _WRITTEN.fullmatch(words)
    if found is None:
        return None
    clock = _clock(found)
    day = None if clock is None else read_day(found["day"], zone, at)
    if clock is None or day is None:
        return None
    try:
        local = datetime.combine(day, clock)
        instant = _with_offset(local, found["zone"]) if found["zone"] else _in_zone(local, zone)
        if instant is None:
            return None
        utc = instant.astimezone(UTC).replace(tzinfo=None)
    except (OverflowError, ValueError):
        return None
    part = (found["part"] or "").rstrip("0")
    return f"{utc.isoformat()}{'.' if part else ''}{part}Z"


def _clock(found: re.Match[str]) -> time | None:
    """The time of day, in whole seconds; None for what no clock shows."""
    if found["noon"]:
        return time(12)
    if not found["minute"] and not found["half"]:
        return None
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"].startswith("p") else 0)
    return time(hour, minute, second) if hour < 24 and minute < 60 and second < 60 else None


def _with_offset(local: datetime, offset: str) -> datetime:
    zone: tzinfo = UTC
    if offset[0] in "+-":
        hours, minutes = int(offset[1:3]), int(offset[3:].lstrip(":") or 0)
        if hours > 14 or minutes > 59:
            raise ValueError("no offset in use is that large")
        size = timedelta(hours=hours, minutes=minutes)
        zone = timezone(-size if offset[0] == "-" else size)
    return local.replace(tzinfo=zone)


def _in_zone(local: datetime, zone: str | None) -> datetime | None:
    """The instant of a local time; None where clocks skip it, and where they show it twice."""
    rules = zone_info(zone)
    if rules is None:
        return None
    first, second = (local.replace(tzinfo=rules, fold=fold) for fold in (0, 1))
    return first if first.utcoffset() == second.utcoffset() else None
