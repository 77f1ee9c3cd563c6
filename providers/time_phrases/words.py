"""The words that times are said in, and the time of day that a phrase names. What may be two times is refused."""

import re
import unicodedata
from datetime import time
from typing import Final

from models.errors import InvalidInput

_LONGEST = 120
WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("monday", "mon"), ("tuesday", "tues", "tue"), ("wednesday", "wed"), ("thursday", "thurs", "thur", "thu"),
            ("friday", "fri"), ("saturday", "sat"), ("sunday", "sun"),
        )
    )
    for name in names
}  # fmt: skip
MONTHS: Final = {
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
NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
        start=1,
    )
}
PARTS: Final = {"morning": (4, 11), "afternoon": (12, 18), "evening": (17, 23), "night": (18, 23)}
"""The hours, first and last, that a part of the day has."""


def either(*words: str) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


WEEKDAY: Final = either(*WEEKDAYS)
MONTH: Final = either(*MONTHS)
PART: Final = either(*PARTS)
TH: Final = "(?:st|nd|rd|th)"
CLOCK: Final = r"(?:noon|midday|\d{1,2}(?::\d\d)?(?: ?[ap]m| o'?clock)?)"
CLEAR_CLOCK: Final = r"(?:noon|midday|\d{1,2}(?::\d\d(?: ?[ap]m)?| ?[ap]m| o'?clock))"
"""What is a time of day without "at" before it; a number alone may be a year or a day."""
_CLOCK = re.compile(r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?(?: ?(?P<half>[ap]m)| o'?clock)?")


def unsure(why: str) -> InvalidInput:
    """The refusal: why, and what leaves no doubt."""
    return InvalidInput(
        f"{why}; or give an ISO 8601 instant with an offset, such as 2026-12-24T18:00:00+01:00, or an RRULE"
    )


UNKNOWN: Final = "this cannot be read as a time for certain; say it such as: in 40 minutes, tomorrow at 9:00"


def plain(words: str) -> str:
    """In small letters, with single blanks and without commas; raises InvalidInput where there is too much of it."""
    if not words.strip() or len(words) > _LONGEST:
        raise unsure(f"say when in 1 to {_LONGEST} characters")
    folded = unicodedata.normalize("NFKC", words).casefold().replace(",", " ").replace("’", "'")
    dotless = re.sub(r"\b([ap])\.m\b\.?", r"\1m", folded)
    return " ".join(dotless.split()).rstrip(".!? ")


def read_clock(words: str, part: str | None = None) -> time:
    """The time of day that `words`, such as match `CLOCK`, name in this part of the day."""
    if words in {"noon", "midday"}:
        hour, minute = 12, 0
    else:
        hour, minute = _figures(words, part)
    low, high = PARTS[part] if part else (0, 23)
    if not low <= hour <= high:
        raise unsure("the time is not in that part of the day; leave one of the two out")
    return time(hour, minute)


def _figures(words: str, part: str | None) -> tuple[int, int]:
    found = _CLOCK.fullmatch(words)
    if found is None:
        raise unsure(UNKNOWN)
    digits, half = found["hour"], found["half"]
    hour, minute = int(digits), int(found["minute"] or 0)
    if hour > 23 or minute > 59 or (half and not 1 <= hour <= 12):
        raise unsure("there is no such time of day; say it from 00:00 to 23:59")
    if half and hour == 12 and not minute:
        raise unsure("12 am and 12 pm are read as either; say noon, or 00:00 with its day")
    if half:
        return hour % 12 + (12 if half == "pm" else 0), minute
    of_24 = hour > 12 or (found["minute"] and len(digits) == 2)
    if part in {"afternoon", "evening", "night"} and not of_24 and hour < 12:
        return hour + 12, minute
    if not of_24 and part != "morning" and hour < 7:
        raise unsure(
            "the hour may be before noon or after it; say am or pm, or write it such as 05:00 or 17:00"
        )
    return hour, minute
