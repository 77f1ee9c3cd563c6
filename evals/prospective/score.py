"""What a run has to fire against what it did: counts, precision, recall and F1. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class Score(NamedTuple):
    """How many firings were right, did not come, or came beyond what was wanted."""

    right: int = 0
    missed: int = 0
    extra: int = 0

    @property
    def precision(self) -> float:
        """Of what fired, the share that had to; 1 where nothing did."""
        return _share(self.right, self.right + self.extra)

    @property
    def recall(self) -> float:
        """Of what had to fire, the share that did; 1 where nothing had to."""
        return _share(self.right, self.right + self.missed)

    @property
    def f1(self) -> float:
        """Both in one figure: 1 where all fired that had to and nothing else."""
        return _share(2 * self.right, 2 * self.right + self.missed + self.extra)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def total(scores: Iterable[Score]) -> Score:
    """All of them as one."""
    counts = list(scores)
    return Score(
        sum(each.right for each in counts),
        sum(each.missed for each in counts),
        sum(each.extra for each in counts),
    )


def scored(wanted: Mapping[str, int], fired: Mapping[str, int]) -> dict[str, Score]:
    """The score of each intention: one that fires twice where once was wanted is right once, and once too much."""
    pairs = {name: (wanted.get(name, 0), fired.get(name, 0)) for name in {*wanted, *fired}}
    return {
        name: Score(min(want, came), max(0, want - came), max(0, came - want))
        for name, (want, came) in pairs.items()
    }


class Judged(NamedTuple):
    """A run that was played: its id, the score and the kind of the trigger of each intention, its near misses, and how
    late things came, in seconds: until each fired, and until it was taken from the inbox.
    """

    run_id: str
    scores: Mapping[str, Score]
    kinds: Mapping[str, str]
    near: Sequence[str]
    fired_late: Sequence[float] = ()
    taken_late: Sequence[float] = ()

    @property
    def score(self) -> Score:
        """The run's whole."""
        return total(self.scores.values())


def by_kind(judged: Iterable[Judged]) -> dict[str, Score]:
    """The scores by kind of trigger."""
    found: dict[str, list[Score]] = {}
    for each in judged:
        for name, score in each.scores.items():
            found.setdefault(each.kinds[name], []).append(score)
    return {kind: total(scores) for kind, scores in sorted(found.items())}


class Near(NamedTuple):
    """How many near misses of a kind there were, and how many stand in a run where something fired too much."""

    played: int
    loud: int


def by_near_miss(judged: Iterable[Judged]) -> dict[str, Near]:
    """The near misses by kind. One is silent if nothing in its run fired that should not have."""
    found: dict[str, Near] = {}
    for each in judged:
        loud = int(each.score.extra > 0)
        for kind in each.near:
            there = found.get(kind, Near(0, 0))
            found[kind] = Near(there.played + 1, there.loud + loud)
    return dict(sorted(found.items()))


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of `values` lies; 0 where there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
