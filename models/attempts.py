"""What an endpoint's answer to a webhook comes to, and when a failed one is sent again. Pure: instants are told.

The same message is sent at the same times whoever decides: what spreads messages out follows from their ids.
"""

import hashlib
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

DELAYS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
"""How long after each failure the next attempt comes, as Standard Webhooks suggests: ten attempts in three days."""

SPREAD = 0.2
"""By so much of itself a delay may be longer, so that what failed together is not sent again together."""

LASTING = timedelta(days=5)
"""So long after its first attempt a message is given up, whatever its endpoint asks for."""

MOST_PATIENCE = timedelta(days=1)
"""So long at most an endpoint can put an attempt off."""


class Ending(StrEnum):
    """How an attempt ended."""

    ANSWERED = "answered"
    TIMED_OUT = "timed_out"
    BROKEN_OFF = "broken_off"
    UNREACHABLE = "unreachable"
    UNTRUSTED = "untrusted"
    NOT_PUBLIC = "not_public"
    SIGNALLED = "signalled"
    NO_WORKFLOW = "no_workflow"
    NOT_ALLOWED = "not_allowed"


class Answer(NamedTuple):
    """What came of an attempt. `status` and `retry_after`, in seconds, are those of an answer, where it has them."""

    ending: Ending
    status: int | None = None
    retry_after: float | None = None


class Verdict(StrEnum):
    """What happens next."""

    DELIVERED = "delivered"
    SWITCH_OFF = "switch_off"
    TRY_AGAIN = "try_again"


_SAYS: dict[Ending, str] = {
    Ending.TIMED_OUT: "the endpoint did not answer in time; have it answer first and work afterwards",
    Ending.BROKEN_OFF: "the endpoint closed the connection before it answered, or speaks no HTTP",
    Ending.UNREACHABLE: "nobody answers where the endpoint should be; check its host and port",
    Ending.UNTRUSTED: "the endpoint's certificate is not good for its host, or it speaks no TLS there",
    Ending.NOT_PUBLIC: (
        "the endpoint's name leads to an address that webhooks do not go to; name a public host, or have the operator"
        " allow it by KEEPWELL_WEBHOOK_ALLOWED_HOSTS"
    ),
    Ending.SIGNALLED: "the workflow has the signal",
    Ending.NO_WORKFLOW: "Temporal takes no signal for this workflow; see that one of its id is running",
    Ending.NOT_ALLOWED: (
        "no signal goes to this workflow; have the operator allow the tenant its id by KEEPWELL_SIGNAL_TARGETS"
    ),
}


def verdict_on(answer: Answer) -> Verdict:
    """What an attempt comes to.

    | it ended with | then |
    | --- | --- |
    | 200 to 299, or a signal that Temporal has taken | delivered |
    | 410 | the endpoint is switched off: it wants no more |
    | 300 to 399 | tried again: a redirect is never followed, its target was never checked |
    | 429, 503 or another failure with a time to come back | tried again, not before that time, see `next_attempt` |
    | any other status | tried again |
    | no answer in time, a broken connection, nobody there | tried again |
    | a certificate that is not good, an address that is not public | tried again: both are mended outside of Keepwell |
    | a workflow that does not run, or that the operator does not allow | likewise |
    """
    if answer.ending is Ending.SIGNALLED:
        return Verdict.DELIVERED
    if answer.status is None:
        return Verdict.TRY_AGAIN
    if 200 <= answer.status < 300:
        return Verdict.DELIVERED
    return Verdict.SWITCH_OFF if answer.status == 410 else Verdict.TRY_AGAIN


def told(answer: Answer) -> str:
    """An attempt in one line, for the one who keeps the endpoint; it quotes nothing of what was sent or answered."""
    status = answer.status
    if status is None:
        return _SAYS[answer.ending]
    if 300 <= status < 400:
        return f"the endpoint answered {status}: redirects are not followed; register the address that it leads to"
    if status == 410:
        return "the endpoint answered 410: it wants no more, and was switched off"
    if 200 <= status < 300:
        return f"the endpoint answered {status}"
    return f"the endpoint answered {status}; see its log"


def next_attempt(
    message_id: UUID, attempts: int, first_at: datetime, now: datetime, retry_after: float | None
) -> datetime | None:
    """When a message is sent again that has failed `attempts` times, at `first_at` for the first time and just `now`.

    | | it is sent |
    | --- | --- |
    | the endpoint names no time | after the delay of this attempt, and up to a fifth of that |
    | it names an earlier time | likewise |
    | it names a later time | then, but after `MOST_PATIENCE` at the latest |
    | the delays are used up, or the time is later than `LASTING` from the first attempt | no more: None |
    """
    if attempts > len(DELAYS):
        return None
    delay = DELAYS[attempts - 1] * (1 + SPREAD * _share(message_id, attempts))
    if retry_after is not None:
        delay = max(delay, timedelta(seconds=min(retry_after, MOST_PATIENCE.total_seconds())))
    at = now + delay
    return at if at <= first_at + LASTING else None


def _share(message_id: UUID, attempts: int) -> float:
    """A number from 0 to 1 that is the same for the same attempt of the same message, and looks random otherwise."""
    digest = hashlib.blake2b(message_id.bytes + attempts.to_bytes(2), digest_size=4).digest()
    return int.from_bytes(digest) / 2**32


def seconds_until(retry_after: str, now: datetime) -> float | None:
    """The seconds that the header `Retry-After` asks for, which may name a date; None where it cannot be read."""
    text = retry_after.strip()[:100]
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    # HTTP knows no zone but GMT; a date that says nothing of its zone is taken for one of GMT.
    return max(0.0, ((at if at.tzinfo else at.replace(tzinfo=UTC)) - now).total_seconds())
