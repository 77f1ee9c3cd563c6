"""How often one principal may call, how much they may send, and how many streams they may hold open."""

import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import NamedTuple

from models.errors import TooLarge, TooManyRequests
from models.principals import Principal

MAX_BODY_BYTES = 8 * 1024 * 1024
"""What a batch of events may measure here. To read it takes up to twenty-five times that in memory."""

MAX_CALL_BYTES = 2 * 1024 * 1024
"""What any other call may measure: more than the largest sound one with every character escaped. Whoever sends
more would have everybody else wait while it is read."""

MAX_HEAD_BYTES = 64 * 1024
"""A token has at most 16 KB; what comes with the first packet of a request is not counted."""

MOST_STREAMS = 1_000
MOST_STREAMS_EACH = 20

MOST_EXPORTS = 4
MOST_EXPORTS_EACH = 1
"""An export holds a connection to Postgres for as long as it is made, of which a process has twenty."""

_MOST_BUCKETS = 10_000


def too_large(most: int) -> TooLarge:
    """What to say of a body that is larger than `most` bytes."""
    return TooLarge(f"the body has more than {most // 2**20} MB; send it in several")


class Bucket(NamedTuple):
    """Tokens that were left at an instant (monotonic seconds)."""

    tokens: float
    at: float


def drawn(bucket: Bucket | None, now: float, per_second: float, size: float) -> tuple[Bucket, float]:
    """The bucket after one call, and the seconds to wait, 0 where the call may go on.

    | there | after one call | wait |
    | --- | --- | --- |
    | no bucket yet | a full one, less one | 0 |
    | at least one token, with those that came since | one less | 0 |
    | less than one | as it is | until there is one |
    """
    tokens = size if bucket is None else min(size, bucket.tokens + (now - bucket.at) * per_second)
    if tokens >= 1:
        return Bucket(tokens - 1, now), 0.0
    return Bucket(tokens, now), (1 - tokens) / per_second


class RateLimit:
    """Counts calls by tenant, kind and subject. A burst may be twice what a second allows, and at least 10."""

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._size = max(10.0, 2 * per_second)
        self._clock = clock
        self._buckets: dict[tuple[str, str, str], Bucket] = {}

    def require(self, principal: Principal) -> None:
        """Count a call; raises `TooManyRequests` where it is one too many."""
        who = _who(principal)
        # Taken out and put back, so that the first bucket is that of whoever has been silent for longest.
        bucket = self._buckets.pop(who, None)
        if len(self._buckets) >= _MOST_BUCKETS:
            self._buckets.pop(next(iter(self._buckets)))
        self._buckets[who], wait = drawn(bucket, self._clock(), self._per_second, self._size)
        if wait:
            raise TooManyRequests(
                f"more than {self._per_second:g} calls a second; wait and send it again", retry_after=wait
            )


class Places:
    """Places for what goes on for long, of which one principal may take so many and all together so many."""

    def __init__(
        self, most: int = MOST_STREAMS, most_each: int = MOST_STREAMS_EACH, what: str = "streams"
    ) -> None:
        self._what = what
        self._most = most
        self._most_each = most_each
        self._taken: Counter[tuple[str, str, str]] = Counter()

    def taken_by(self, principal: Principal) -> int:
        """How many places a principal has."""
        return self._taken[_who(principal)]

    @contextmanager
    def taken(self, principal: Principal) -> Generator[None]:
        """A place for as long as the context lasts; raises `TooManyRequests` where there is none."""
        who = _who(principal)
        if self._taken[who] >= self._most_each or self._taken.total() >= self._most:
            raise TooManyRequests(
                f"at most {self._most_each} {self._what} each, and {self._most} in all; end one, or come again",
                retry_after=5.0,
            )
        self._taken[who] += 1
        try:
            yield
        finally:
            self._taken[who] -= 1
            if not self._taken[who]:
                del self._taken[who]


def export_places() -> Places:
    """The places for exports of one process."""
    return Places(MOST_EXPORTS, MOST_EXPORTS_EACH, "exports")


def _who(principal: Principal) -> tuple[str, str, str]:
    return (principal.tenant, principal.kind.value, principal.subject)
