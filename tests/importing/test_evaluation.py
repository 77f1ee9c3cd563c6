"""What the LoCoMo report reads and computes, on figures small enough to check by hand."""

import subprocess
import sys
from pathlib import Path

import pytest

from evals.bootstrap import interval_of_mean
from evals.locomo import Asked, as_text, measure, scores
from evals.questions import Question, gold_turns, read_questions
from models.errors import InvalidInput
from tests.importing.samples import packed, sample
from tests.world import World

TURNS = ["D1:1", "D1:2", "D1:3", "D10:19"]


@pytest.mark.parametrize(
    ("evidence", "gold"),
    [
        (["D1:1"], {"D1:1"}),
        (["D1:1; D1:2", "D1:3,D1:1"], {"D1:1", "D1:2", "D1:3"}),
        (["D:10:019"], {"D10:19"}),
        (["D1:01 D1:02"], {"D1:1", "D1:2"}),
        (["D9:9", "D"], set()),
        ([], set()),
        (None, set()),
    ],
)
def test_evidence_is_read_in_its_odd_spellings(evidence: object, gold: set[str]) -> None:
    assert gold_turns(evidence, TURNS) == gold


def test_a_question_without_an_existing_gold_turn_is_left_out(tmp_path: Path) -> None:
    asked = [
        {"question": "Which glaze?", "category": 4, "evidence": ["D1:3"]},
        {"question": "Which oven?", "category": 5, "evidence": ["D7:1"]},
    ]
    path = tmp_path / "talks.json"
    path.write_bytes(packed(sample(qa=asked), sample(sample_id="talk-2", qa=asked)))
    assert read_questions(path, {"talk-1": TURNS}) == [
        Question("talk-1", 4, "Which glaze?", frozenset({"D1:3"}))
    ]


@pytest.mark.parametrize("broken", [{"category": 4}, {"question": "?"}, {"question": "?", "category": 6}])
def test_a_question_that_cannot_be_read_is_named(tmp_path: Path, broken: dict[str, object]) -> None:
    path = tmp_path / "talks.json"
    path.write_bytes(packed(sample(qa=[broken])))
    with pytest.raises(InvalidInput, match="talk-1, qa, question 1"):
        read_questions(path, {"talk-1": TURNS})


async def test_a_small_file_is_measured_to_the_end(world: World, tmp_path: Path) -> None:
    asked = [{"question": "Which glaze goes first, cobalt?", "category": 4, "evidence": ["D1:2", "D1:3"]}]
    path = tmp_path / "talks.json"
    path.write_bytes(packed(sample(qa=asked)))
    report = await measure(world.service, world.tenant, path, None)
    assert (report["turns"], report["events"], report["episodes"], report["questions"]) == (6, 8, 2, 1)
    assert report["scores"][0]["recall@10 passages"]["percent"] == 100.0
    assert "single-hop" in as_text(report)


async def test_a_file_without_questions_is_refused_before_it_is_imported(
    world: World, tmp_path: Path
) -> None:
    path = tmp_path / "talks.json"
    path.write_bytes(packed(sample()))
    with pytest.raises(InvalidInput, match="nothing to measure"):
        await measure(world.service, world.tenant, path, None)


def test_scores_count_passages_and_turns() -> None:
    gold = frozenset({"D1:1", "D1:22"})
    rounds = tuple((f"D1:{2 * n + 1}", f"D1:{2 * n + 2}") for n in range(12))
    asked = Asked(Question("talk-1", 4, "?", gold), rounds, 0, 1.0)
    assert (asked.recall, asked.all_found, asked.recall_of_turns) == (0.5, 0.0, 0.5)
    found = Asked(Question("talk-2", 1, "?", frozenset({"D1:12"})), rounds, 0, 1.0)
    assert (found.recall, found.all_found, found.recall_of_turns) == (1.0, 1.0, 0.0)
    rows = scores([asked, found])
    assert [(row["category"], row["questions"]) for row in rows] == [
        ("all", 2),
        ("1 multi-hop", 1),
        ("4 single-hop", 1),
    ]
    assert rows[0]["recall@10 passages"] == {"percent": 75.0, "interval": [50.0, 100.0]}
    assert rows[1]["recall@10 passages"] == {"percent": 100.0, "interval": None}


def test_an_interval_is_the_same_each_time_and_takes_two_groups() -> None:
    groups = [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    interval = interval_of_mean(groups)
    assert interval is not None
    assert interval == interval_of_mean(groups)
    assert interval.low <= 0.5 <= interval.high
    assert interval_of_mean([[1.0], []]) is None


def test_absent_data_is_named_and_ends_with_2(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "evals.locomo", str(tmp_path / "absent.json")],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert ended.returncode == 2
    assert "absent.json: no such file" in ended.stderr
    assert "snap-research/locomo" in ended.stderr
