"""A recurrence in plain English: "every weekday at 9:30", "every first Monday at 9", "every 30 minutes until 1 March".

A small grammar of our own. The library for such words, recurrent, takes what it does not know for something else or
lets it fall: of "every first Monday at 9" it makes every Monday, of "every 3 March at noon" every third year, and of
"every Monday at 9 in the office" what it understands of it. Here every word counts.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from pydantic import ValidationError

from models.recurrence import Recurrence, following
from models.recurrence_rules import WEEKDAYS as CODES
from providers.time_phrases.instants import read_day
from providers.time_phrases.words import (
    CLOCK,
    MONTH,
    MONTHS,
    NUMBERS,
    PART,
    TH,
    WEEKDAY,
    WEEKDAYS,
    either,
    read_clock,
    unsure,
)

_UNKNOWN = (
    "this cannot be read as a recurrence for certain; say it such as: every weekday at 9:30,"
    " every first Monday at 9:00, every month on the 15th at noon, every 30 minutes"
)
_SHORT = {
    "hourly": "every hour", "daily": "every day", "weekly": "every week", "monthly": "every month",
    "yearly": "every year", "annually": "every year", "each": "every",
}  # fmt: skip
_SHORTENED = re.compile(rf"\b(?:{either(*_SHORT)})\b")
_COMES_AGAIN = re.compile(rf"(?:.* )?(?:every|{either(*_SHORT)})\b.*")
_CLOCKS = rf"{CLOCK}(?: and (?:at )?{CLOCK})*"
_TIMED = [
    re.compile(rf"(?P<days>every .+?) at (?P<clocks>{_CLOCKS})(?: in the (?P<part>{PART}))?(?P<on> on .+)?"),
    re.compile(rf"at (?P<clocks>{_CLOCKS})(?: in the (?P<part>{PART}))? (?P<days>every .+)"),
    re.compile(r"(?P<days>every .+)"),
]
_IN_A_PART = re.compile(rf"(?P<days>every(?: .+)?) (?P<part>{PART})s?")

_DAYS = rf"(?P<days>(?:{WEEKDAY})s?(?:(?: and | )(?:{WEEKDAY})s?)*)"
_EACH = rf"every (?:(?P<other>other) |(?P<many>\d{{1,3}}|{either(*NUMBERS)}) )?"
_OF_THE_MONTH = r"of (?:the|every|each) month"
_WHICH = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "last": -1,
}
_PLAIN_WHICH = either("first", "1st", "last")
_NTH = rf"(?P<which>{either(*_WHICH)}) (?P<weekday>{WEEKDAY})"
_DATE = (
    rf"(?:(?:the )?(?P<day>\d{{1,2}}){TH}?(?: of)? (?P<month>{MONTH})"
    rf"|(?P<month2>{MONTH}) (?:the )?(?P<day2>\d{{1,2}}){TH}?)"
)


def _interval(found: re.Match[str]) -> str:
    parts = found.groupdict()
    many = parts.get("many") or "1"
    number = 2 if parts.get("other") else NUMBERS.get(many) or int(many)
    if not number:
        raise unsure(_UNKNOWN)
    return f";INTERVAL={number}" if number > 1 else ""


def _elapsed(found: re.Match[str]) -> str:
    return f"FREQ={'HOURLY' if found['unit'] == 'hour' else 'MINUTELY'}{_interval(found)}"


def _weekly(found: re.Match[str]) -> str:
    named = {WEEKDAYS[_singular(word)] for word in found["days"].split() if word != "and"}
    return f"FREQ=WEEKLY{_interval(found)};BYDAY={','.join(CODES[day] for day in sorted(named))}"


def _singular(word: str) -> str:
    return word if word in WEEKDAYS else word.removesuffix("s")


def _on_a_weekday(found: re.Match[str]) -> str:
    return f"FREQ=MONTHLY{_interval(found)};BYDAY={_WHICH[found['which']]}{CODES[WEEKDAYS[found['weekday']]]}"


def _on_a_day(found: re.Match[str]) -> str:
    day = int(found["day"])
    if not 1 <= day <= 28:
        raise unsure("some months have no such day; say the last day of the month")
    return f"FREQ=MONTHLY{_interval(found)};BYMONTHDAY={day}"


def _yearly(found: re.Match[str]) -> str:
    day, month = int(found["day"] or found["day2"]), MONTHS[found["month"] or found["month2"]]
    if (month, day) == (2, 29):
        raise unsure("most years have no such day; say 28 February or 1 March")
    return f"FREQ=YEARLY{_interval(found)};BYMONTH={month};BYMONTHDAY={day}"


def _daily(found: re.Match[str]) -> str:
    return f"FREQ=DAILY{_interval(found)}"


def _on_weekdays(_: re.Match[str]) -> str:
    return "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"


def _on_the_last_day(found: re.Match[str]) -> str:
    return f"FREQ=MONTHLY{_interval(found)};BYMONTHDAY=-1"


_FORMS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (rf"{_EACH}(?P<unit>hour|minute)s?", _elapsed),
    (rf"{_EACH}days?", _daily),
    (r"every weekday", _on_weekdays),
    (rf"{_EACH}weeks? on {_DAYS}", _weekly),
    (rf"every (?:(?P<other>other) )?{_DAYS}", _weekly),
    (rf"{_EACH}months? on the {_NTH}", _on_a_weekday),
    (rf"every (?P<which>{_PLAIN_WHICH}) (?P<weekday>{WEEKDAY})(?: {_OF_THE_MONTH})?", _on_a_weekday),
    (rf"every {_NTH} {_OF_THE_MONTH}", _on_a_weekday),
    (rf"(?:{_EACH}months? on the last day|every last day {_OF_THE_MONTH})", _on_the_last_day),
    (rf"{_EACH}months? on the (?P<day>\d{{1,2}}){TH}", _on_a_day),
    (rf"every (?P<day>\d{{1,2}}){TH}(?: {_OF_THE_MONTH})?", _on_a_day),
    (rf"{_EACH}years? on {_DATE}", _yearly),
    (rf"every {_DATE}", _yearly),
)
"""Each way to say the days of a recurrence, whole, and the rule that it says."""


class _Timed(NamedTuple):
    """The days of a recurrence, in words, and its times of day as parts of a rule; none where it has none."""

    days: str
    clocks: str


def comes_again(said: str) -> bool:
    """Whether `said`, plain words, is about what comes again."""
    return _COMES_AGAIN.fullmatch(said) is not None


def read_recurrence(said: str, here: datetime) -> Recurrence:
    """What `said` says at `here`, the speaker's now in their zone; raises InvalidInput where that is unsure.

    It starts with the first instant that its days and times name after `here`: "every 2 weeks on Friday" with the
    coming Friday. What has no time of day, such as "every 30 minutes", starts at `here`.
    """
    words = _SHORTENED.sub(lambda found: _SHORT[found[0]], said)
    again, _, until = words.partition(" until ")
    timed = _timed(again)
    rule = next((rule(found) for form, rule in _FORMS if (found := re.fullmatch(form, timed.days))), None)
    if rule is None:
        raise unsure(_UNKNOWN)
    passing = "HOURLY" in rule or "MINUTELY" in rule
    if passing and timed.clocks:
        raise unsure("hours and minutes are counted from now on; leave the time of day out")
    if not passing and not timed.clocks:
        raise unsure("days alone have no time; say at what time of those days")
    end = f";UNTIL={read_day(until, here):%Y%m%d}" if until else ""
    return _from_the_first(f"{rule}{timed.clocks}", end, here)


def _timed(again: str) -> _Timed:
    found = next((match for form in _TIMED if (match := form.fullmatch(again))), None)
    if found is None:
        raise unsure(_UNKNOWN)
    words = found.groupdict()
    days, part = found["days"], words.get("part")
    if inner := _IN_A_PART.fullmatch(days):
        if part is not None:
            raise unsure("two parts of the day are named; name one")
        days, part = ("every day" if inner["days"] == "every" else inner["days"]), inner["part"]
    days += words.get("on") or ""
    if not words.get("clocks"):
        return _Timed(days, "")
    clocks = [read_clock(each.removeprefix("at "), part) for each in found["clocks"].split(" and ")]
    hours, minutes = {clock.hour for clock in clocks}, {clock.minute for clock in clocks}
    if min(len(hours), len(minutes)) > 1:
        raise unsure("these times do not make one rule; set one recurrence for each of them")
    listed = ",".join(map(str, sorted(hours))), ",".join(map(str, sorted(minutes)))
    return _Timed(days, f";BYHOUR={listed[0]};BYMINUTE={listed[1]}")


def _from_the_first(rule: str, end: str, here: datetime) -> Recurrence:
    zone, now = str(here.tzinfo), here.astimezone(UTC)
    try:
        if "BYHOUR" not in rule:
            return Recurrence(rule=f"{rule}{end}", timezone=zone, starts=now)
        each = Recurrence(rule=re.sub(r";INTERVAL=\d+", "", rule), timezone=zone, starts=_on_the_minute(now))
        first = following(each, now)[0]
        return Recurrence(rule=f"{rule}{end}", timezone=zone, starts=first)
    except (ValidationError, IndexError):
        raise unsure("it would never come; look at its days and its end") from None


def _on_the_minute(now: datetime) -> datetime:
    """A rule takes its seconds from its start."""
    return now - timedelta(seconds=now.second)
