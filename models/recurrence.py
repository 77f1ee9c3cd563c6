"""What comes again: an RFC 5545 rule in a zone, and the instants that it comes to. There is no clock here.

Days and the times of day are those of the zone's own calendar; python-dateutil counts them, as local times without a
zone, and the rules of the zone make instants of them here. So "every day at nine" is nine o'clock in summer and in
winter.

| a local time that | is |
| --- | --- |
| daylight saving skips | taken with the offset from before the change: 02:30 becomes 03:30 (RFC 5545, 3.3.5) |
| daylight saving repeats | the first of the two |
| comes to the same instant as another one | one with it |

HOURLY and MINUTELY count the time that has passed since the start, whatever the clocks do meanwhile: no hour is lost
in spring or doubled in autumn. Their other parts (BYDAY, BYHOUR, BYMINUTE …) let those instants through that the local
calendar and clock say so of.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from datetime import MAXYEAR, UTC, date, datetime, time, timedelta
from functools import lru_cache
from heapq import heappop, heappush
from itertools import dropwhile, islice, takewhile
from typing import Final, Literal, Self
from zoneinfo import ZoneInfo

from dateutil.rrule import DAILY, MONTHLY, WEEKLY, YEARLY, rrule, weekday
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, field_validator, model_validator

from models.recurrence_rules import LAST_YEAR, Day, Frequency, Rule, read_rule, within_years
from models.values.dates import zone_info

_YEARS_AHEAD: Final = 50
"""What has not come in fifty years does not come: the calendar's rarest day, a 29 February on a given weekday, takes
forty at most. It bounds the search."""
_FOUR_CENTURIES: Final = timedelta(days=146_097)
_CALENDAR: Final = (YEARLY, MONTHLY, WEEKLY, DAILY)
_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


class Recurrence(BaseModel):
    """A rule, the zone whose calendar it speaks of, the instant it starts, and the instants that are left out.

    The start is not an instant of it unless the rule says so: "every Monday" from a Thursday on begins on the Monday.
    COUNT counts instants from the start on, those that are left out among them. UNTIL is the last instant that may be,
    in UTC; where it is a day, all that day is in, as the zone has it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: str
    timezone: str
    starts: AwareDatetime
    exceptions: tuple[AwareDatetime, ...] = Field(default=(), max_length=1_000)

    @field_validator("rule")
    @classmethod
    def _is_a_rule(cls, value: str) -> str:
        read_rule(value)
        return value

    @field_validator("timezone")
    @classmethod
    def _is_a_zone(cls, value: str) -> str:
        if zone_info(value) is None:
            raise ValueError("not an IANA zone; use one such as Europe/Berlin")
        return value

    @field_validator("starts")
    @classmethod
    def _starts_on_a_second(cls, value: datetime) -> datetime:
        return within_years(value).replace(microsecond=0)

    @field_validator("exceptions")
    @classmethod
    def _leaves_out_what_can_come(cls, value: tuple[datetime, ...]) -> tuple[datetime, ...]:
        return tuple(within_years(each) for each in value)

    @model_validator(mode="after")
    def _comes_at_all(self) -> Self:
        if not following(self, self.starts - _MINUTE):
            raise ValueError("never fires; change the rule's parts, where it starts, or its exceptions")
        return self


def following(
    recurrence: Recurrence, after: datetime, most: int = 1, before: datetime | None = None
) -> list[datetime]:
    """Its first instants strictly after `after`, and before `before` if it is given, in UTC; `most` of them at most.

    There are none when it has ended. However long ago it started, only the time from `after` on is searched.
    """
    if after.year >= LAST_YEAR + _YEARS_AHEAD:
        return []
    zone = ZoneInfo(recurrence.timezone)
    rule = read_rule(recurrence.rule)
    last = _last(rule, recurrence.starts.astimezone(UTC), zone)
    left_out = {each.astimezone(UTC) for each in recurrence.exceptions}
    coming = dropwhile(
        lambda at: at <= after, _instants(rule, recurrence.starts.astimezone(UTC), zone, after)
    )
    within = takewhile(lambda at: (last is None or at <= last) and (before is None or at < before), coming)
    return list(islice((at for at in within if at not in left_out), most))


def counted_after(recurrence: Recurrence, now: datetime) -> Recurrence:
    """The same recurrence, which was begun by `now`; where it has a COUNT, with its first instant after `now` the first
    of these, so that all of them are still to come.
    """
    rule = read_rule(recurrence.rule)
    if rule.times is None:
        return recurrence
    coming = _instants(rule, recurrence.starts.astimezone(UTC), ZoneInfo(recurrence.timezone), now)
    first = next((at for at in coming if at > now), recurrence.starts)
    return recurrence.model_copy(update={"starts": first})


@lru_cache(maxsize=4_096)
def _last(rule: Rule, starts: datetime, zone: ZoneInfo) -> datetime | None:
    """The last instant that may be; None without an end. Its start is it where there is not one instant."""
    if rule.times is not None:
        counted = deque(islice(_instants(rule, starts, zone, starts), rule.times), maxlen=1)
        return counted.pop() if counted else starts
    if isinstance(rule.until, datetime):
        return rule.until
    if rule.until is not None:
        return _instant(datetime.combine(rule.until + _DAY, time()), zone) - timedelta(seconds=1)
    return None


def _instants(rule: Rule, starts: datetime, zone: ZoneInfo, since: datetime) -> Iterator[datetime]:
    """The rule's instants, ascending and each once, from the first that is neither before the start nor long before
    `since`; those before `since` are of its day or period."""
    since = max(since, starts)
    found = (
        _elapsed(rule, starts, zone, since)
        if rule.elapses
        else _in_order(_local_times(rule, starts.astimezone(zone), since.astimezone(zone)), zone)
    )
    return dropwhile(lambda at: at < starts, found)


def _instant(local: datetime, zone: ZoneInfo) -> datetime:
    """Of a local time without a zone. `fold=0` is the first of two, and the offset from before a gap."""
    return local.replace(tzinfo=zone, fold=0).astimezone(UTC)


def _in_order(local_times: Iterable[datetime], zone: ZoneInfo) -> Iterator[datetime]:
    """The instants of ascending local times. What a gap moves is held back until those that it moves past are told."""
    held: list[datetime] = []
    told: datetime | None = None
    for local in local_times:
        at = _instant(local, zone)
        heappush(held, at)
        if at.astimezone(zone).replace(tzinfo=None) != local:
            continue
        while held and held[0] <= at:
            if (first := heappop(held)) != told:
                yield first
            told = first
    yield from sorted(set(held))


def _local_times(rule: Rule, starts: datetime, since: datetime) -> Iterator[datetime]:
    """The rule's local times from `since` on, or from the day before it where a gap may have moved them past it.

    The library would count from the start up to now. It is given the period that is as many steps from the start's
    own as to be one of the rule's instead, and all that it would have taken from the start is spelled out.
    """
    shifted = (since - _DAY).utcoffset() != since.utcoffset()
    start, now = starts.replace(tzinfo=None, fold=0), since.replace(tzinfo=None, fold=0) - shifted * _DAY
    first = _period(rule, start)
    steps = max(0, _period(rule, now) - first) // rule.interval
    begin = _begin(rule, first + steps * rule.interval)
    spelled_out = _days_of(rule, start)._replace(
        hours=rule.hours or (start.hour,),
        minutes=rule.minutes or (start.minute,),
        seconds=rule.seconds or (start.second,),
    )
    found = _counted(_CALENDAR[rule.frequency], spelled_out, begin, until=_horizon(max(start, now)))
    return dropwhile(lambda local: local < now, found)


def _counted(period: Literal[0, 1, 2, 3], rule: Rule, begin: datetime, until: datetime) -> Iterator[datetime]:
    """What the library counts from `begin` on.

    Where nothing comes, it looks up to the year 9999, whatever the end. The calendar is the same again, to the weekday,
    after 400 years: so it is asked about as late a time as there is room for, and has little left to look through.
    """
    later = (MAXYEAR - _YEARS_AHEAD - begin.year) // 400 * _FOUR_CENTURIES
    found = rrule(
        period,
        dtstart=begin + later,
        until=until + later,
        interval=rule.interval,
        wkst=rule.week_start,
        bysetpos=rule.positions or None,
        bymonth=rule.months or None,
        bymonthday=rule.month_days or None,
        byyearday=rule.year_days or None,
        byweekno=rule.weeks or None,
        byweekday=_weekdays(rule),
        byhour=rule.hours,
        byminute=rule.minutes,
        bysecond=rule.seconds,
    )
    return (local - later for local in found)


def _horizon(local: datetime) -> datetime:
    return local.replace(year=local.year + _YEARS_AHEAD, month=12, day=31)


def _period(rule: Rule, local: datetime) -> int:
    """The number of the year, month, week or day that a local time is in."""
    match rule.frequency:
        case Frequency.YEARLY:
            return local.year
        case Frequency.MONTHLY:
            return local.year * 12 + local.month - 1
        case Frequency.WEEKLY:
            return (local.toordinal() - 1 - rule.week_start) // 7
        case _:
            return local.toordinal()


def _begin(rule: Rule, period: int) -> datetime:
    match rule.frequency:
        case Frequency.YEARLY:
            return datetime.fromordinal(date(period, 1, 1).toordinal())
        case Frequency.MONTHLY:
            return datetime.fromordinal(date(period // 12, period % 12 + 1, 1).toordinal())
        case Frequency.WEEKLY:
            return datetime.fromordinal(period * 7 + 1 + rule.week_start)
        case _:
            return datetime.fromordinal(period)


def _days_of(rule: Rule, start: datetime) -> Rule:
    """The rule with the days that it takes from its start spelled out."""
    if rule.days or rule.month_days or rule.year_days:
        return rule
    match rule.frequency:
        case Frequency.YEARLY if rule.weeks:
            return rule._replace(days=(Day(start.weekday()),))
        case Frequency.YEARLY:
            return rule._replace(months=rule.months or (start.month,), month_days=(start.day,))
        case Frequency.MONTHLY:
            return rule._replace(month_days=(start.day,))
        case Frequency.WEEKLY:
            return rule._replace(days=(Day(start.weekday()),))
        case _:
            return rule


def _weekdays(rule: Rule) -> list[weekday] | None:
    """For the library, which takes weekdays with a number or without one, and finds none where both are given."""
    if not any(day.which for day in rule.days):
        return [weekday(day.weekday) for day in rule.days] or None
    every = range(1, 6 if rule.months or rule.frequency is Frequency.MONTHLY else 54)
    return [weekday(day.weekday, n) for day in rule.days for n in ([day.which] if day.which else every)]


def _elapsed(rule: Rule, starts: datetime, zone: ZoneInfo, since: datetime) -> Iterator[datetime]:
    """The instants of an HOURLY or MINUTELY rule, day by local day.

    A day that finds nothing is known by where in the rule's step it begins: the next one like it is passed over. So a
    rule that never lets one through is known as such within one round of its steps.
    """
    local = starts.astimezone(zone)
    second = rule.seconds[0] if rule.seconds else local.second
    anchor = starts.replace(second=second)
    step = rule.interval * (_HOUR if rule.frequency is Frequency.HOURLY else _MINUTE)
    in_vain: set[tuple[timedelta, timedelta | None]] = set()
    for day in _days_let_through(rule, since.astimezone(zone).date()):
        begin, end = _instant(day, zone), _instant(day + _DAY, zone)
        unbroken = end - begin == _DAY
        kind = ((begin - anchor) % step, begin.astimezone(zone).utcoffset())
        if unbroken and kind in in_vain:
            continue
        first = max(since, begin)
        found = first != begin
        for at in _steps(rule, anchor, local.minute, step, first, end):
            here = at.astimezone(zone)
            if (not rule.hours or here.hour in rule.hours) and (
                not rule.minutes or here.minute in rule.minutes
            ):
                found = True
                yield at
        if unbroken and not found:
            in_vain.add(kind)


def _days_let_through(rule: Rule, first: date) -> Iterator[datetime]:
    begin, midnight = datetime.combine(first, time()), (0,)
    days = rule._replace(interval=1, hours=midnight, minutes=midnight, seconds=midnight)
    return _counted(DAILY, days, begin, until=_horizon(begin))


def _steps(
    rule: Rule, anchor: datetime, minute: int, step: timedelta, begin: datetime, end: datetime
) -> Iterator[datetime]:
    """The rule's instants from `begin` to before `end`, its days, hours and minutes aside.

    BYMINUTE with HOURLY takes each minute of the hours that are counted, and these begin with the start's own.
    """
    spread = rule.frequency is Frequency.HOURLY and bool(rule.minutes)
    hours_from = anchor - minute * _MINUTE if spread else anchor
    width = _MINUTE if spread else step
    at = anchor + -((anchor - begin) // width) * width
    while at < end:
        if not spread or (at - hours_from) % step < _HOUR:
            yield at
        at += width
