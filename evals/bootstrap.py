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
    """The interval of the mean over all values, resampling groups; None for fewer than two groups."""
    return interval_of_share([(sum(group), len(group)) for group in groups])


def interval_of_share(groups: Sequence[tuple[float, float]]) -> Interval | None:
    """The interval of the sum of parts by the sum of wholes, resampling groups; None for fewer than two.

    Each resample draws as many groups as there are, with replacement. A group without a whole is left out. The
    same groups give the same interval: the seed is fixed.
    """
    filled = [group for group in groups if group[1]]
    if len(filled) < 2:
        return None
    draw = random.Random(SEED)
    shares: list[float] = []
    for _ in range(RESAMPLES):
        drawn = draw.choices(filled, k=len(filled))
        shares.append(sum(part for part, _ in drawn) / sum(whole for _, whole in drawn))
    shares.sort()
    tail = int(RESAMPLES * (1 - LEVEL) / 2)
    return Interval(shares[tail], shares[-tail - 1])
