"""When an intention fires, told in full for whoever confirms it: an instant in a zone, and a recurrence in English.

It tells what is scheduled and reads nothing. What it says of a rule is all of the rule: one that is none of the common
forms is told as it is written.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from models.cues import Cue, Match
from models.intentions import AtInstant, Change, Recurring, Trigger
from models.recurrence import Recurrence, following
from models.recurrence_rules import Day, Frequency, Rule, read_rule

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_SHOWN = 3
"""Instants of a recurrence that are told."""
_MOST_CLOCKS = 6
"""Times of day that are told one by one."""


def told(at: datetime, timezone: str, now: datetime) -> str:
    """Such as "Tuesday 1 December 2026, 09:00 America/Vancouver, in 22 h".

    A local time that the zone has twice that day is told with its offset.
    """
    return f"{_in_full(at, timezone)}, {_how_far(at - now)}"


def recurrence_told(recurrence: Recurrence, now: datetime) -> str:
    """Such as "every weekday at 09:30, Europe/Berlin; next: Tuesday 1 December 2026, 09:30 Europe/Berlin, in 22 h; …".

    | rule | words |
    | --- | --- |
    | FREQ=DAILY; FREQ=DAILY;INTERVAL=2 | every day at 09:00; every 2 days at 09:00 |
    | FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR | every weekday at 09:00 |
    | FREQ=WEEKLY;INTERVAL=2;BYDAY=FR | every 2 weeks on Friday at 17:00 |
    | FREQ=MONTHLY;BYDAY=1MO; FREQ=MONTHLY;BYMONTHDAY=-1 | every month on the first Monday, on the last day, at 09:00 |
    | FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=3 | every year on 3 March at 09:00 |
    | FREQ=MINUTELY;INTERVAL=30 | every 30 minutes |
    | … with UNTIL, with COUNT, with exceptions | …, until and including …; …, 10 times; …, with 2 exceptions |
    | any other | by the rule FREQ=…, from when it starts |
    """
    zone = recurrence.timezone
    coming = [told(at, zone, now) for at in following(recurrence, now, _SHOWN)]
    nexts = "; ".join(coming) if coming else "never again"
    return f"{rule_told(recurrence)}, {zone}; next: {nexts}"


def rule_told(recurrence: Recurrence) -> str:
    """What the rule says, without its zone and without its instants."""
    rule = read_rule(recurrence.rule)
    start = recurrence.starts.astimezone(ZoneInfo(recurrence.timezone))
    again = _again(rule, start)
    if again is None:
        again, end = f"by the rule {recurrence.rule} from {_in_full(start, recurrence.timezone)}", ""
    else:
        end = _end(rule, recurrence.timezone)
    many = len(recurrence.exceptions)
    except_for = f", with {many} exception{'' if many == 1 else 's'}" if many else ""
    return f"{again}{end}{except_for}"


def _in_full(at: datetime, timezone: str) -> str:
    here = at.astimezone(ZoneInfo(timezone))
    clock = f"{here:%H:%M:%S}" if here.second else f"{here:%H:%M}"
    twice = here.replace(fold=1 - here.fold).utcoffset() != here.utcoffset()
    offset = f" (UTC{here.isoformat()[-6:]})" if twice else ""
    return f"{WEEKDAYS[here.weekday()]} {_date_told(here)}, {clock}{offset} {timezone}"


def _date_told(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _how_far(ahead: timedelta) -> str:
    """In seconds under a minute, in minutes under an hour, in hours and minutes under two days, in days from then on;
    rounded to the nearest.
    """
    seconds = round(abs(ahead).total_seconds())
    minutes, days = round(seconds / 60), round(seconds / 86_400)
    if seconds == 0:
        return "now"
    if seconds < 60:
        length = f"{seconds} s"
    elif minutes < 60:
        length = f"{minutes} min"
    elif minutes < 2 * 24 * 60:
        length = f"{minutes // 60} h" + (f" {minutes % 60} min" if minutes % 60 else "")
    else:
        length = f"{days} days"
    return f"in {length}" if ahead > timedelta(0) else f"{length} ago"


_EACH = {
    Frequency.YEARLY: "year",
    Frequency.MONTHLY: "month",
    Frequency.WEEKLY: "week",
    Frequency.DAILY: "day",
    Frequency.HOURLY: "hour",
    Frequency.MINUTELY: "minute",
}
_LIMITS = {
    Frequency.YEARLY: {"months", "month_days"},
    Frequency.MONTHLY: {"month_days", "days"},
    Frequency.WEEKLY: {"days"},
    Frequency.DAILY: set[str](),
}
"""The parts that the words for this period tell of. With any other part, the rule is told as it is written."""


def _again(rule: Rule, start: datetime) -> str | None:
    """How often, on which days and when; None for what is none of the common forms."""
    every = f"every {_EACH[rule.frequency]}"
    if rule.interval > 1:
        every = f"every {rule.interval} {_EACH[rule.frequency]}s"
    named = {
        name
        for name in (
            "positions",
            "months",
            "month_days",
            "year_days",
            "weeks",
            "days",
            "hours",
            "minutes",
            "seconds",
        )
        if getattr(rule, name)
    }
    if rule.elapses:
        return every if not named else None
    if len(rule.hours or " ") * len(rule.minutes or " ") > _MOST_CLOCKS:
        return None
    if not named <= _LIMITS[rule.frequency] | {"hours", "minutes"} or rule.week_start:
        return None
    on = _on(rule, start)
    return None if on is None else f"{_weekly(every, on, rule)} at {_clocks(rule, start)}"


def _weekly(every: str, on: str, rule: Rule) -> str:
    """ "every Monday" for "every week on Monday"."""
    if rule.frequency is Frequency.WEEKLY and rule.interval == 1:
        return f"every {on.removeprefix('on ')}"
    return f"{every} {on}".rstrip()


def _on(rule: Rule, start: datetime) -> str | None:
    match rule.frequency:
        case Frequency.DAILY:
            return ""
        case Frequency.WEEKLY:
            days = rule.days or (Day(start.weekday()),)
            if [day.weekday for day in days] == [0, 1, 2, 3, 4]:
                return "weekday" if rule.interval == 1 else "on weekdays"
            return f"on {_and([WEEKDAYS[day.weekday] for day in days])}"
        case Frequency.MONTHLY if rule.days:
            return _on_weekdays_of_the_month(rule)
        case Frequency.MONTHLY:
            days = sorted(rule.month_days or (start.day,), key=lambda day: (day < 0, day))
            return f"on the {_and([_ordinal_day(day) for day in days])}"
        case _:
            return _on_days_of_the_year(rule, start)


_WHICH = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last"}


def _on_weekdays_of_the_month(rule: Rule) -> str | None:
    if rule.month_days or any(day.which not in _WHICH for day in rule.days):
        return None
    return f"on the {_and([f'{_WHICH[day.which]} {WEEKDAYS[day.weekday]}' for day in rule.days])}"


def _on_days_of_the_year(rule: Rule, start: datetime) -> str | None:
    if bool(rule.months) != bool(rule.month_days) or len(rule.months) > 1:
        return None
    month, days = (*rule.months, start.month)[0], rule.month_days or (start.day,)
    return f"on {_and([str(day) for day in days])} {MONTHS[month - 1]}" if min(days) > 0 else None


def _ordinal_day(day: int) -> str:
    if day < 0:
        return "last day" if day == -1 else f"{_ordinal(-day)} day from the end"
    return _ordinal(day)


def _ordinal(number: int) -> str:
    ending = "th" if number in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _clocks(rule: Rule, start: datetime) -> str:
    second = f":{start.second:02}" if start.second else ""
    hours, minutes = rule.hours or (start.hour,), rule.minutes or (start.minute,)
    return _and([f"{hour:02}:{minute:02}{second}" for hour in hours for minute in minutes])


def _end(rule: Rule, timezone: str) -> str:
    if rule.times is not None:
        return f", {rule.times} times" if rule.times > 1 else ", once"
    if isinstance(rule.until, datetime):
        return f", until and including {_in_full(rule.until.astimezone(UTC), timezone)}"
    if rule.until is not None:
        return f", until and including {_date_told(rule.until)}"
    return ""


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def trigger_told(trigger: Trigger, timezone: str, now: datetime) -> str:
    """What an intention waits for, in full, so that whoever set it can see whether that is what they meant."""
    match trigger:
        case AtInstant(at=at):
            return told(at, timezone, now)
        case Recurring(recurrence=recurrence):
            return recurrence_told(recurrence, now)
        case Cue():
            return _cue_told(trigger)
        case Change():
            what = (
                "that fact"
                if trigger.fact_id is not None
                else f"{trigger.attribute} of {trigger.entity or 'its scope'}"
            )
            value = "" if trigger.value is None else f" with the value {trigger.value}"
            return f"when {what} becomes {' or '.join(each.value for each in trigger.becomes)}{value}"


def _cue_told(cue: Cue) -> str:
    said = (" and " if cue.match is Match.ALL else " or ").join(
        f"{each.field} is {each.value}" for each in cue.conditions
    )
    about = "" if cue.entity is None else f" about {cue.entity}"
    each_time = "each time" if cue.repeats else "when"
    return f"{each_time} an event{about} comes" + (f" in which {said}" if said else "")
