"""How firings are scored: what is missed, what comes twice, and what should have been silent each lower the figures."""

import pytest

from evals.prospective.report import Board, as_json, as_text
from evals.prospective.score import Judged, Near, Score, by_kind, by_near_miss, percentile, scored, total


def judged(fired: dict[str, int], *, near: tuple[str, ...] = ()) -> Judged:
    """A run in which `one` has to fire once, `often` three times, and `never` not at all."""
    wanted = {"one": 1, "often": 3, "never": 0}
    kinds = {"one": "instant", "often": "event", "never": "event"}
    return Judged("run", scored(wanted, fired), kinds, near, [0.1], [0.2])


RIGHT = {"one": 1, "often": 3}


def test_all_that_had_to_and_nothing_else_is_one() -> None:
    score = judged(RIGHT).score
    assert score == Score(right=4)
    assert (score.precision, score.recall, score.f1) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("fired", "score", "lowered"),
    [
        ({"often": 3}, Score(3, 1, 0), {"recall"}),
        ({"one": 1, "often": 2}, Score(3, 1, 0), {"recall"}),
        ({"one": 2, "often": 3}, Score(4, 0, 1), {"precision"}),
        ({**RIGHT, "never": 1}, Score(4, 0, 1), {"precision"}),
        ({"never": 4}, Score(0, 4, 4), {"precision", "recall"}),
        ({}, Score(0, 4, 0), {"recall"}),
    ],
)
def test_one_that_is_missed_doubled_or_should_be_silent_lowers_the_figures(
    fired: dict[str, int], score: Score, lowered: set[str]
) -> None:
    found = judged(fired).score
    assert found == score
    assert {name for name in ("precision", "recall") if getattr(found, name) < 1} == lowered
    assert found.f1 < 1


def test_one_that_nobody_asked_for_counts_against_it() -> None:
    assert scored({}, {"stranger": 1}) == {"stranger": Score(extra=1)}


def test_nothing_wanted_and_nothing_fired_is_right() -> None:
    assert total([]).f1 == 1.0


def test_kinds_are_told_apart() -> None:
    kinds = by_kind([judged({"one": 1, "often": 1}), judged(RIGHT)])
    assert kinds == {"event": Score(4, 2, 0), "instant": Score(2, 0, 0)}


def test_a_near_miss_is_loud_where_something_fired_too_much() -> None:
    loud, silent = (
        judged({**RIGHT, "never": 1}, near=("other_entity",)),
        judged(RIGHT, near=("other_entity",) * 2),
    )
    missed = judged({}, near=("too_early",))
    assert by_near_miss([loud, silent, missed]) == {"other_entity": Near(3, 1), "too_early": Near(1, 0)}


def test_a_percentile_is_a_value_that_there_is() -> None:
    assert [percentile([3.0, 1.0, 2.0], share) for share in (0.5, 0.99)] == [2.0, 3.0]
    assert percentile([], 0.5) == 0.0


def test_the_report_says_what_went_amiss() -> None:
    board = Board("Runs", [judged({"one": 2, "often": 3}, near=("other_scope",))], "a note")
    written = as_text(board)
    assert "run: one: 0 missed, 1 too many" in written
    assert "other scope" in written
    report = as_json(board)
    assert report["near_misses"] == {"other_scope": {"played": 1, "loud": 1}}
    assert report["all"]["precision"] == pytest.approx(0.8)
