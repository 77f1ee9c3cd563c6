"""How often one principal may call: a bucket of tokens that fills at a steady rate."""

import time
from collections.abc import Callable
from typing import NamedTuple

from models.errors import TooManyRequests
from models.principals import Principal

MAX_BODY_BYTES = 32 * 1024 * 1024
"""Twice what a batch of events may measure: text may come with escapes."""

MAX_HEAD_BYTES = 64 * 1024
"""A token has at most 16 KB; what comes with the first packet of a request is not counted."""

_MOST_BUCKETS = 10_000


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
        who = (principal.tenant, principal.kind.value, principal.subject)
        # Taken out and put back, so that the first bucket is that of whoever has been silent for longest.
        bucket = self._buckets.pop(who, None)
        if len(self._buckets) >= _MOST_BUCKETS:
            self._buckets.pop(next(iter(self._buckets)))
        self._buckets[who], wait = drawn(bucket, self._clock(), self._per_second, self._size)
        if wait:
            raise TooManyRequests(
                f"more than {self._per_second:g} calls a second; wait and send it again", retry_after=wait
            )
