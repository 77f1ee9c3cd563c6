"""The report of a board of runs: figures with their counts, by kind of trigger and of near miss, and lateness."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from evals.prospective.score import Judged, Near, Score, by_kind, by_near_miss, percentile, total

SHARES = {"p50": 0.50, "p95": 0.95, "p99": 0.99}


class Board(NamedTuple):
    """The runs of a board, and what has to be said of them."""

    title: str
    judged: Sequence[Judged]
    note: str = ""

    @property
    def score(self) -> Score:
        """The whole."""
        return total(each.score for each in self.judged)

    @property
    def failures(self) -> list[str]:
        """What went amiss, by run and intention."""
        return [
            f"{each.run_id}: {name}: {score.missed} missed, {score.extra} too many"
            for each in self.judged
            for name, score in sorted(each.scores.items())
            if score.missed or score.extra
        ]


def as_json(board: Board) -> dict[str, Any]:
    """The board for programs."""
    return {
        "title": board.title,
        "note": board.note,
        "runs": len(board.judged),
        "all": _score_json(board.score),
        "kinds": {kind: _score_json(score) for kind, score in by_kind(board.judged).items()},
        "near_misses": {kind: near._asdict() for kind, near in by_near_miss(board.judged).items()},
        "seconds_late": {name: _late(values) for name, values in _lateness(board).items()},
        "failures": board.failures,
    }


def _score_json(score: Score) -> dict[str, float]:
    return {**score._asdict(), "precision": score.precision, "recall": score.recall, "f1": score.f1}


def _lateness(board: Board) -> dict[str, list[float]]:
    return {
        "fired": [late for each in board.judged for late in each.fired_late],
        "taken from the inbox": [late for each in board.judged for late in each.taken_late],
    }


def _late(values: Sequence[float]) -> dict[str, float]:
    return {name: round(percentile(values, share), 3) for name, share in SHARES.items()}


def as_text(board: Board) -> str:
    """The board for people."""
    rows = [f"{board.title}: {len(board.judged)} runs", ""]
    rows.append(f"{'':<22}{'precision':>10}{'recall':>8}{'F1':>8}{'right':>8}{'missed':>8}{'extra':>7}")
    scores = {"all": board.score, **{f"  {kind}": score for kind, score in by_kind(board.judged).items()}}
    rows += [_score_row(label, score) for label, score in scores.items()]
    near = by_near_miss(board.judged)
    if near:
        rows += ["", f"{'near misses':<22}{'played':>10}{'silent':>8}"]
        rows += [_near_row(kind, each) for kind, each in near.items()]
    rows += ["", f"{'seconds late':<22}" + "".join(f"{name:>8}" for name in SHARES)]
    for name, values in _lateness(board).items():
        rows.append(f"{'  ' + name:<22}" + "".join(f"{late:>8.2f}" for late in _late(values).values()))
    return "\n".join([*rows, *([f"\n{board.note}"] if board.note else []), *board.failures])


def _score_row(label: str, score: Score) -> str:
    figures = f"{score.precision:>10.3f}{score.recall:>8.3f}{score.f1:>8.3f}"
    return f"{label:<22}{figures}{score.right:>8}{score.missed:>8}{score.extra:>7}"


def _near_row(kind: str, near: Near) -> str:
    return f"{'  ' + kind.replace('_', ' '):<22}{near.played:>10}{near.played - near.loud:>8}"
