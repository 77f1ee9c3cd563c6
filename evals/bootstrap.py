"""Confidence intervals by resampling whole groups, as questions on one conversation are not independent."""

import random
from collections.abc import Sequence
from typing import NamedTuple

RESAMPLES = 10_000
SEED = 20_260_302
LEVEL = 0.95


class Interval(NamedTuple):
    """The ends of a percentile interval at `LEVEL`."""

    low: float
    high: float


def interval_of_mean(groups: Sequence[Sequence[float]]) -> Interval | None:
    """The interval of the mean over all values, resampling groups; None for fewer than two groups.

    Each resample draws as many groups as there are, with replacement, and takes the mean of all their
    values. The same groups give the same interval: the seed is fixed.
    """
    filled = [group for group in groups if group]
    if len(filled) < 2:
        return None
    sums = [(sum(group), len(group)) for group in filled]
    draw = random.Random(SEED)
    means: list[float] = []
    for _ in range(RESAMPLES):
        drawn = draw.choices(sums, k=len(sums))
        means.append(sum(total for total, _ in drawn) / sum(count for _, count in drawn))
    means.sort()
    tail = int(RESAMPLES * (1 - LEVEL) / 2)
    return Interval(means[tail], means[-tail - 1])
