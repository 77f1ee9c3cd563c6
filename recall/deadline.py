"""How long a recall may take: what is late is left out and said so, all but what binds.

Restrictions and standing instructions are looked up exactly whatever the time, as an answer without them would mislead.
"""

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from store.unit_of_work import TooLate, UnitOfWork

FOR_THE_QUERY = 0.4
"""The part of the time by the end of which the query has to be a vector, or is done without."""

FOR_THE_SEARCH = 0.8
"""The part by the end of which all searches have to be done; the rest is for what is looked up exactly."""

FOR_THE_SECOND_LOOK = 0.95
"""The part by the end of which a reranker has to have answered."""

T = TypeVar("T")


class Deadline:
    """An instant by which an answer is wanted, as long from now as a caller asks; None for no deadline."""

    def __init__(self, milliseconds: int | None = None) -> None:
        self._began = time.monotonic()
        self._seconds = None if milliseconds is None else milliseconds / 1_000

    def left(self, share: float) -> float | None:
        """Seconds until `share` of the time is over, not below 0; None without a deadline."""
        if self._seconds is None:
            return None
        return max(0.0, self._began + share * self._seconds - time.monotonic())

    async def search(self, work: UnitOfWork, run: Callable[[], Awaitable[T]]) -> T | None:
        """What `run` finds, or None where that is late: then all that it did is undone, and `work` goes on."""
        left = self.left(FOR_THE_SEARCH)
        if left is None:
            return await run()
        if left == 0.0:
            return None
        try:
            async with work.within(left):
                return await run()
        except TooLate:
            return None


NO_DEADLINE = Deadline()
