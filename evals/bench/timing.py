"""Time two things in turn, so that whatever else the machine does falls on both alike."""

import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

Timed = Callable[[int], Awaitable[float]]
"""Does one piece of work, told its number, and answers the seconds that it took."""


class Spread(NamedTuple):
    """A figure with the least and the greatest that single rounds gave for it."""

    value: float
    low: float
    high: float

    def scaled(self, factor: float) -> "Spread":
        """The same in another unit."""
        return Spread(self.value * factor, self.low * factor, self.high * factor)


class Round(NamedTuple):
    """Seconds of each piece of work in one round: ours and the floor's."""

    ours: Sequence[float]
    floor: Sequence[float]


Summary = Callable[[Sequence[float]], float]


def middle(times: Sequence[float]) -> float:
    """The median."""
    return statistics.median(times)


def tail(times: Sequence[float]) -> float:
    """The 95th percentile; the greatest where there are too few to tell."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]


class Race(NamedTuple):
    """All rounds of one comparison."""

    rounds: Sequence[Round]

    def ours(self, summary: Summary = middle) -> Spread:
        """Our seconds, over all rounds and by round."""
        return spread([each.ours for each in self.rounds], summary)

    def floor(self, summary: Summary = middle) -> Spread:
        """The floor's seconds, over all rounds and by round."""
        return spread([each.floor for each in self.rounds], summary)

    def ratio(self, summary: Summary = middle) -> Spread:
        """Our time over the floor's."""
        ratios = [summary(each.ours) / summary(each.floor) for each in self.rounds]
        return Spread(self.ours(summary).value / self.floor(summary).value, min(ratios), max(ratios))

    def throughput(self) -> Spread:
        """Our work in a given time over the floor's: the ratio the other way round."""
        ratio = self.ratio()
        return Spread(1 / ratio.value, 1 / ratio.high, 1 / ratio.low)

    def difference(self) -> Spread:
        """Our seconds beyond the floor's: the median over pairs of the same work."""
        beyond = [[a - b for a, b in zip(each.ours, each.floor, strict=True)] for each in self.rounds]
        return spread(beyond, middle)


def spread(rounds: Sequence[Sequence[float]], summary: Summary) -> Spread:
    """`summary` over all values, and its least and greatest over single rounds."""
    by_round = [summary(values) for values in rounds]
    return Spread(summary([value for values in rounds for value in values]), min(by_round), max(by_round))


async def race(ours: Timed, floor: Timed, *, rounds: int, each: int) -> Race:
    """Do both in turn, `each` times in each of `rounds`; an unmeasured round of either goes before."""
    warming = max(1, min(each, 8))
    for number in range(warming):
        await ours(number)
        await floor(number)
    number = warming
    measured: list[Round] = []
    for _ in range(rounds):
        mine: list[float] = []
        bare: list[float] = []
        for _ in range(each):
            mine.append(await ours(number))
            bare.append(await floor(number))
            number += 1
        measured.append(Round(mine, bare))
    return Race(measured)


async def seconds(work: Awaitable[object]) -> float:
    """How long `work` takes."""
    started = time.perf_counter()
    await work
    return time.perf_counter() - started
