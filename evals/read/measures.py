"""Shares, and how many of them become one figure with an interval. Pure."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from evals.bootstrap import Interval, interval_of_share

T = TypeVar("T")


class Share(NamedTuple):
    """A part of a whole, as one case adds it to a figure. A case with nothing to see adds no whole."""

    part: float
    whole: float


NOTHING = Share(0, 0)


class Cell(NamedTuple):
    """A figure: the sum of parts by the sum of wholes, with its interval. No value where there was nothing to see."""

    part: float
    whole: float
    interval: Interval | None

    @property
    def value(self) -> float | None:
        """The share."""
        return self.part / self.whole if self.whole else None


def figure(cases: Sequence[T], measure: Callable[[T], Share], group: Callable[[T], str]) -> Cell:
    """`measure` over all cases. Those of one `group` are drawn together for the interval."""
    sums: dict[str, Share] = {}
    for case in cases:
        so_far, more = sums.get(group(case), NOTHING), measure(case)
        sums[group(case)] = Share(so_far.part + more.part, so_far.whole + more.whole)
    part, whole = (sum(share[place] for share in sums.values()) for place in (0, 1))
    return Cell(part, whole, interval_of_share(list(sums.values())))


def found(wanted: frozenset[str], shown: Sequence[str]) -> Share:
    """How many of `wanted` are shown."""
    return Share(len(wanted.intersection(shown)), len(wanted))


def recall_of(wanted: frozenset[str], shown: Sequence[str]) -> Share:
    """The share of `wanted` that is shown, for a mean over cases; nothing where nothing is wanted."""
    return Share(len(wanted.intersection(shown)) / len(wanted), 1) if wanted else NOTHING


def quantiles(milliseconds: Sequence[float]) -> Mapping[str, float]:
    """The median and the 95th centile, by nearest rank."""
    ordered = sorted(milliseconds)
    return {f"p{p}": round(ordered[math.ceil(len(ordered) * p / 100) - 1], 1) for p in (50, 95)}
