"""The speed report: that every line is there and reads as it should. No figure is judged, as no test is timed."""

import json
import subprocess
import sys

import pytest

from evals.bench.line import Bar, Line, Side, table
from evals.bench.timing import Race, Round, Spread, middle, tail
from evals.bench.wording import Wording, worst_query

LINES = {
    "publish_one",
    "publish_one_keyed",
    "publish_checkpoint",
    "publish_one_of_8",
    "publish_batch",
    "recall_p50",
    "recall_p95",
    "recall_planned",
    "recall_worst",
    "recall_worst_over_usual",
    "sqlalchemy",
    "walls_recall",
    "walls_publish",
    "http_publish",
    "http_recall",
    "http_load_publish",
    "http_load_recall",
    "memory",
    "gates_p50",
    "gates_p95",
    "idle_p50",
    "idle_p95",
    "load",
    "load_with_facts",
    "herd_fired",
    "herd_taken",
    "one_timer",
    "minute_fired",
    "minute_taken",
    "temporal_memory",
    "cues_one",
    "cues_batch",
    "crowd_p95",
    "among_p50",
    "among_p95",
    "largest_p50",
    "largest_p95",
    "largest_worst",
}
WITHOUT_A_FLOOR = {
    "gates_p50",
    "gates_p95",
    "idle_p50",
    "idle_p95",
    "load",
    "load_with_facts",
    "herd_fired",
    "herd_taken",
    "minute_fired",
    "minute_taken",
    "temporal_memory",
}


@pytest.mark.timeout(300)
def test_a_quick_run_has_every_line() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "evals.bench", "--quick", "--json"],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["quick"] is True
    lines = {line["key"]: line for line in report["lines"]}
    assert lines.keys() == LINES
    for key, line in lines.items():
        assert line["title"], key
        assert line["figure"]["low"] <= line["figure"]["high"], key
        assert (line["floor"] is None) == (key in WITHOUT_A_FLOOR), key
        assert (line["met"] is None) == (line["bar"] is None), key
        # A difference, or what is left of a time after the quiet period, may be anything on a busy machine.
        if line["unit"] not in {"ms a call", "s"}:
            assert line["figure"]["value"] > 0, key
            assert line["figure"]["low"] > 0, key


RACE = Race([Round([2.0, 4.0, 6.0], [1.0, 2.0, 3.0]), Round([9.0, 9.0, 9.0], [3.0, 3.0, 3.0])])


def test_a_ratio_is_taken_over_all_rounds_and_shown_for_each() -> None:
    assert RACE.ratio() == Spread(7.5 / 3.0, 2.0, 3.0)
    assert RACE.throughput() == Spread(3.0 / 7.5, 1 / 3, 1 / 2)
    assert RACE.difference() == Spread(4.5, 2.0, 6.0)
    assert RACE.ours(tail).value == 9.0


def test_the_tail_is_the_ninety_fifth_of_a_hundred() -> None:
    assert tail([float(n) for n in range(100)]) == 95.0
    assert middle([3.0, 1.0, 2.0]) == 2.0


@pytest.mark.parametrize(
    ("side", "value", "met"),
    [
        (Side.AT_LEAST, 0.6, True),
        (Side.AT_LEAST, 0.4, False),
        (Side.AT_MOST, 0.5, True),
        (Side.AT_MOST, 0.6, False),
    ],
)
def test_a_line_says_whether_its_bar_is_met(side: Side, value: float, met: bool) -> None:
    part = Spread(1.0, 1.0, 1.0)
    line = Line("k", "some work", Spread(value, value, value), "x floor", Bar(side, 0.5), part, part, "ms")
    assert line.met is met
    assert line.as_json()["met"] is met
    row = table([line]).splitlines()[2]
    assert f"{side.value} 0.5" in row
    assert ("yes" in row, "NO" in row) == (met, not met)


def test_the_same_seed_gives_the_same_text() -> None:
    one, other = Wording(3), Wording(3)
    assert [one.sentence(9) for _ in range(5)] == [other.sentence(9) for _ in range(5)]
    assert one.usual_query() == other.usual_query() != Wording(4).usual_query()
    assert len(worst_query().split()) == 8
