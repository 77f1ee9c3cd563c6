"""What the board of LoCoMo reads and computes, on figures small enough to check by hand."""

from pathlib import Path

import pytest

from evals.bootstrap import interval_of_mean
from evals.read.board import as_text
from evals.read.data import FOLDER, Absent, data_file
from evals.read.locomo.questions import Question, gold_turns, read_questions
from evals.read.locomo.run import FIRST, Answered, measure, read_talks
from evals.read.measures import Share
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
    board = await measure(world.service, read_talks(path), world.tenant, None)
    figures = {row.label: row.cells["Keepwell"].value for row in board.rows}
    assert figures["recall@5 turns"] == figures["recall@10, 4 single-hop"] == 1
    assert figures["recall@10, 1 multi-hop"] is None
    assert "single-hop" in as_text(board)


def test_a_file_without_questions_is_refused_before_it_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "talks.json"
    path.write_bytes(packed(sample()))
    with pytest.raises(InvalidInput, match="nothing to measure"):
        read_talks(path)


def test_recall_counts_turns_and_sessions() -> None:
    turns = tuple(f"D{n // 4}:{n}" for n in range(24))
    answered = Answered(Question("talk-1", 4, "?", frozenset({"D1:4", "D5:22"})), turns)
    assert [answered.recall(first) for first in FIRST] == [Share(0.5, 1), Share(0.5, 1), Share(0.5, 1)]
    assert answered.recall_of_sessions(5) == Share(0.5, 1)
    assert answered._replace(cut=False).recall(5) == Share(1, 1)


def test_an_interval_is_the_same_each_time_and_takes_two_groups() -> None:
    groups = [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    interval = interval_of_mean(groups)
    assert interval is not None
    assert interval == interval_of_mean(groups)
    assert interval.low <= 0.5 <= interval.high
    assert interval_of_mean([[1.0], []]) is None


def test_absent_data_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    with pytest.raises(Absent, match=r"no locomo/absent\.json in .*; get the data set"):
        data_file("locomo", "absent.json")
