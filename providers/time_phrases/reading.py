"""One phrase as an instant or as a recurrence, or the reason why it is neither. It quotes no word of it."""

from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from models.errors import InvalidInput
from models.recurrence import Recurrence
from models.values.dates import zone_info
from providers.time_phrases.instants import read_instant
from providers.time_phrases.recurrences import comes_again, read_recurrence
from providers.time_phrases.words import plain


class Read(NamedTuple):
    """What a phrase says: an instant in UTC, or a recurrence."""

    at: datetime | None = None
    recurrence: Recurrence | None = None


def read_phrase(words: str, now: datetime, timezone: str) -> Read:
    """What `words` say at `now` in the speaker's zone; raises InvalidInput with the remedy where that is unsure.

    | words, on Tuesday 1 December 2026, 10:00 | read as |
    | --- | --- |
    | in 40 minutes; in two hours; in an hour | that time from now on |
    | in 3 days; in two weeks; in a month | that day at the time that it is now |
    | tomorrow at 9; on Friday at 5pm; next Monday at 14:30; the 15th at noon; at 18:00; tonight at 8 | the next such |
    | on 3 March at noon; 24 December 2026 18:00; 2026-12-24 18:00; 2026-12-24T18:00+01:00 | that instant |
    | every day at 9; every Monday and Thursday at 10am; every 2 weeks on Friday at 17:00 | from the next such on |
    | every first Monday at 9; every month on the 15th at noon; every 3 March at noon | from the next such on |
    | every hour; every 30 minutes | from now on |
    | daily at 6pm until 1 March | the same, with the whole of that day |
    | tomorrow; every Friday (at what time?); at 5; at 12am (which half of the day?); 03/04 at noon | refused |
    | Tuesday at 9 (today or in a week?); next Friday at 9 (this week's?) | refused |
    | every second Friday at 9 (each other one, or the month's second?) | refused |
    | a past instant; a local time that the clocks skip or repeat; any other word | refused |

    A number alone is the hour of a day of 24, from 7 on: "at 9" is 09:00. "tonight at 8" is 20:00.
    """
    if zone_info(timezone) is None:
        raise InvalidInput("not an IANA zone; use one such as Europe/Berlin", field="timezone")
    zone = ZoneInfo(timezone)
    said, here = plain(words), now.astimezone(zone).replace(microsecond=0)
    if comes_again(said):
        return Read(recurrence=read_recurrence(said, here))
    return Read(at=read_instant(said, here).astimezone(UTC))
