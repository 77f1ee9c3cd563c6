"""When a call that failed is made again, and after how long."""

import random
from dataclasses import dataclass

from keepwell.errors import ApiError, ConnectionLost, KeepwellError

LONGEST_TOLD = 30.0
"""The longest pause in seconds that an answer can ask of what runs behind the caller's back: it may be anybody's."""


@dataclass(frozen=True)
class Retry:
    """How patient a call is: at most `attempts` attempts, and no new one after `deadline` seconds.

    Pauses double from `first_pause` to `longest_pause` seconds, each shortened at random by up to a half, so
    that many clients do not come back at once. A `Retry-After` of the service takes the place of a pause.
    """

    attempts: int = 5
    deadline: float = 30.0
    first_pause: float = 0.1
    longest_pause: float = 5.0

    def pause(self, attempt: int) -> float:
        """Seconds to wait after the attempt of this number, from 1."""
        longest = min(self.longest_pause, self.first_pause * 2.0 ** min(attempt - 1, 30))
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 - it spreads calls and keeps no secret

    def pause_after(
        self, error: KeepwellError, attempt: int, left: float, *, repeatable: bool
    ) -> float | None:
        """Seconds until the next attempt, None where there must not be one. `left` is left of the deadline.

        | the call ended with | repeatable | not repeatable |
        | --- | --- | --- |
        | no connection, or 429: the service did not take it | again | again |
        | a lost answer, 503, or another answer marked as retryable | again | no |
        | any other answer | no | no |

        A 503 does not say that nothing was done: the service answers so as well where it lost its database in the
        moment of the commit.
        """
        if not (error.retryable and (repeatable or not may_have_happened(error))) or attempt >= self.attempts:
            return None
        told = error.retry_after if isinstance(error, ApiError) else None
        pause = self.pause(attempt) if told is None else told
        return pause if pause < left else None


def may_have_happened(error: KeepwellError) -> bool:
    """Whether a call that ended with `error`, which is retryable, may have taken effect."""
    if isinstance(error, ConnectionLost):
        return error.may_have_happened
    return error.status != 429
