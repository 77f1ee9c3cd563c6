"""The boards of the read path without a service: their data, their figures, and their plain baselines."""

from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from evals.read import baselines
from evals.read.board import Board, Row, as_text
from evals.read.fixed import score
from evals.read.fixed.cases import Cases, Query, Stated, Told, read_cases
from evals.read.fixed.score import Answered
from evals.read.halves import half_of, require_halves
from evals.read.measures import Cell, Share, figure, found, quantiles, recall_of
from evals.write.floors import Floor
from models.errors import InvalidInput
from models.facts import Status


@pytest.fixture(scope="module")
def cases() -> Cases:
    return read_cases()


def test_there_is_enough_of_everything(cases: Cases) -> None:
    stated = [each for each in cases.records.values() if isinstance(each, Stated)]
    assert len(cases.records) >= 150
    assert len(cases.queries) >= 80
    assert sum(isinstance(each, Told) for each in cases.records.values()) >= 10
    assert {each.status for each in stated} == set(Status)
    assert len({(each.tenant, *each.scope.items()) for each in stated}) >= 10
    assert sum(bool(query.conflicts) for query in cases.queries) >= 8
    assert sum(bool(query.restrictions) for query in cases.queries) >= 20
    assert sum(not query.expect for query in cases.queries) >= 5


def test_both_halves_have_about_as_many(cases: Cases) -> None:
    halves = Counter(query.half for query in cases.queries)
    assert abs(halves["tuning"] - halves["reporting"]) <= 1


def test_nothing_that_is_wanted_lies_out_of_reach(cases: Cases) -> None:
    """A label that no filter may let through would count against whoever filters."""
    wrong = [
        (query.id, name)
        for query in cases.queries
        for name in query.expect | query.restrictions
        if cases.records[name].tenant != query.tenant
        or not cases.records[name].scope.items() <= query.scope.items()
    ]
    assert wrong == []


def test_halves_that_name_what_is_not_there_are_refused() -> None:
    with pytest.raises(InvalidInput, match="not there"):
        require_halves("fixed", ["refund"])
    assert half_of("fixed", "no-such-case") == "reporting"


def answered(**fields: object) -> Answered:
    query = Query.model_validate(
        {
            "id": "q",
            "in": {"workspace": "w"},
            "by": "dana",
            "ask": "?",
            "expect": ["a", "b"],
            "also": ["c"],
            "conflicts": [["a", "d"]],
        }
    )
    blank: dict[str, frozenset[str]] = dict.fromkeys(
        ("missing", "told", "required", "stale", "beyond"), frozenset()
    )
    return Answered(**{"query": query, "shown": (), "dropped": {}, **blank, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("measure", "fields", "share"),
    [
        (score.eligible_recall, {"dropped": {"a": "limit", "b": "scope"}}, Share(1, 2)),
        (score.eligible_recall, {"dropped": None}, Share(0, 0)),
        (score.recall_of_first, {"shown": ("1", "2", "3", "4", "a", "b")}, Share(1, 2)),
        (score.recall, {"shown": ("1", "2", "3", "4", "a", "b")}, Share(2, 2)),
        (score.precision, {"shown": ("a", "c", "x")}, Share(1, 2)),
        (score.precision, {"shown": ("x",), "required": frozenset({"x"})}, Share(1, 1)),
        (score.precision, {"shown": ("c",)}, Share(0, 0)),
        (score.stale_rate, {"shown": ("a", "x"), "stale": frozenset({"x"})}, Share(1, 2)),
        (score.scope_violations, {"shown": ("a", "x"), "beyond": frozenset({"x"})}, Share(1, 2)),
        (score.conflict_partners, {"shown": ("a",)}, Share(0, 1)),
        (score.conflict_partners, {"shown": ("a", "d")}, Share(1, 1)),
        (score.conflict_partners, {"shown": ("a",), "told": frozenset({"d"})}, Share(1, 1)),
        (score.conflict_partners, {"shown": ("b",)}, Share(0, 0)),
        (score.dropped_restrictions, {"required": frozenset({"a", "b"}), "shown": ("a",)}, Share(1, 2)),
        (
            score.dropped_restrictions,
            {"required": frozenset({"a"}), "missing": frozenset({"a"})},
            Share(0, 1),
        ),
    ],
)
def test_a_figure_counts_what_it_says(
    measure: Callable[[Answered], Share], fields: dict[str, object], share: Share
) -> None:
    assert measure(answered(**fields)) == share


def test_a_figure_is_the_share_over_all_cases() -> None:
    cell = figure([Share(1, 2), Share(3, 4), Share(0, 0)], lambda share: share, str)
    assert cell.value == pytest.approx(4 / 6)
    assert cell.interval is not None
    assert cell.interval.low == 0.5
    assert cell.interval.high == 0.75
    assert figure([Share(0, 0)], lambda share: share, str).value is None


def test_recall_of_a_case_and_of_all_gold() -> None:
    assert found(frozenset("ab"), ["a", "c"]) == Share(1, 2)
    assert recall_of(frozenset("ab"), ["a", "c"]) == Share(0.5, 1)
    assert recall_of(frozenset(), ["a"]) == Share(0, 0)
    assert quantiles([4, 1, 3, 2]) == {"p50": 2, "p95": 4}


def test_bm25_ranks_by_rare_words_and_by_length() -> None:
    texts = {
        "long": "the cache of the shop is warm and the cache is full of things that nobody needs",
        "short": "the cache is warm",
        "rare": "gpu-bench-01 is idle",
        "other": "lunch is at noon",
    }
    rank = baselines.by_words(texts)
    assert list(rank("warm")) == ["short", "long"]
    assert next(iter(rank("gpu-bench-01 cache"))) == "rare"
    assert list(rank("whales")) == []


async def test_by_meaning_takes_the_nearest_first() -> None:
    vectors = {"north": [0.0, 1.0], "east": [1.0, 0.0], "up": [0.6, 0.8]}

    async def embed(texts: Sequence[str]) -> list[list[float]]:
        return [vectors[text] for text in texts]

    rank = await baselines.by_meaning({name: name for name in ("east", "north")}, ["up"], embed)
    assert rank("up") == ["north", "east"]
    assert baselines.unfiltered({"b": "", "a": ""})("anything") == ["b", "a"]


def test_a_board_says_which_floor_is_missed() -> None:
    kept, missed = Cell(0, 4, None), Cell(1, 4, None)
    rows = [
        Row("stale", {"Keepwell": kept}, Floor("so", at_most=0)),
        Row("beyond", {"Keepwell": missed, "plain": kept}, Floor("so", at_most=0)),
    ]
    board = Board("t", ["Keepwell", "plain"], rows, {"p50": 1.0})
    assert board.missed == ["beyond"]
    assert "MISSED" in as_text(board)
