"""What a second look changes, and what it leaves as it was."""

from uuid import UUID

import pytest

from models.recall import Reason
from models.reranking import MOST, in_place, looked_at_again, relevances, reranked
from models.scoring import Terms, Weights, score
from tests.pure.found import passage, recalled_fact

WEIGHTS = Weights()


def test_the_best_of_each_kind_are_looked_at_and_never_what_binds_or_yields() -> None:
    binds = recalled_fact(reasons=(Reason.RESTRICTION_IN_PLAY,))
    instructs = recalled_fact(reasons=(Reason.STANDING_INSTRUCTION,))
    restricts = recalled_fact(attribute="lifecycle_policy")
    yields = recalled_fact()
    facts = [recalled_fact() for _ in range(MOST + 3)]
    passages = [passage() for _ in range(MOST + 3)]
    ranked = [binds, instructs, restricts, yields, *facts, *passages]
    found = looked_at_again(ranked, {"lifecycle_policy"}, {yields.id})
    assert found == [*facts[:MOST], *passages[:MOST]]


@pytest.mark.parametrize("number", [0, 1])
def test_fewer_than_two_have_no_order(number: int) -> None:
    assert looked_at_again([passage()] * number, (), ()) == []


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([0.0, 0.25, 1.0], [0.0, 0.25, 1.0]),
        ([-2.0, 0.0, 2.0], [0.1192, 0.5, 0.8808]),
        ([0.5, 1.5], [0.6225, 0.8176]),
        ([-9e9, 9e9], [0.0, 1.0]),
    ],
)
def test_scores_are_from_nought_to_one_and_logits_are_read_as_such(
    given: list[float], told: list[float]
) -> None:
    ids = [UUID(int=number) for number in range(len(given))]
    assert list(relevances(dict(zip(ids, given, strict=True))).values()) == pytest.approx(told, abs=1e-4)


def test_the_score_takes_the_place_of_relevance_and_of_nothing_else() -> None:
    before = Terms(words=3, coverage=0.5, neighbours=0.2, relevance=0.9, entity=1, help=0.5, staleness=0.5)
    fact = recalled_fact(terms=before)
    [after] = reranked([fact], {fact.id: 0.3}, (), WEIGHTS)
    assert after.terms == before.model_copy(update={"relevance": 0.3, "reranked": 0.3})
    assert after.score == score(after.terms, WEIGHTS) == pytest.approx(score(before, WEIGHTS) - 0.6)


def test_what_was_not_shown_is_no_more_relevant_than_the_least_of_what_was() -> None:
    shown, strong, weak = (passage(terms=Terms(relevance=each)) for each in (0.9, 0.8, 0.1))
    restricts = recalled_fact(attribute="lifecycle_policy", terms=Terms(relevance=0.8))
    told = reranked([shown, strong, weak], {shown.id: 0.4}, (), WEIGHTS)
    assert [(each.terms.relevance, each.terms.reranked) for each in told] == [
        (0.4, 0.4),
        (0.4, None),
        (0.1, None),
    ]
    other = recalled_fact()
    [_, same] = reranked([other, restricts], {other.id: 0.1}, {"lifecycle_policy"}, WEIGHTS)
    assert same == restricts


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("abRcd", "Rdcba", "dcRba"),
        ("abRcd", "dcbaR", "dcRba"),
        ("RaSbT", "baTSR", "RbSaT"),
        ("Ia", "aI", "Ia"),
        ("RS", "SR", "RS"),
        ("abR", "bR", "bR"),
        ("aR", "Rcba", "cRba"),
        ("", "aRb", "aRb"),
    ],
)
def test_what_restricts_or_binds_keeps_its_rank_among_the_others(before: str, after: str, told: str) -> None:
    facts = {
        **{name: recalled_fact(value=name) for name in "abcd"},
        **{name: recalled_fact(value=name, attribute="lifecycle_policy") for name in "RST"},
        "I": recalled_fact(value="I", reasons=(Reason.STANDING_INSTRUCTION,)),
    }
    ranked = [*(facts[name] for name in before), passage()]
    placed = in_place([facts[name] for name in after], ranked, {"lifecycle_policy"})
    assert "".join(fact.value for fact in placed) == told


def test_where_nothing_was_shown_nothing_changes() -> None:
    items = [passage(terms=Terms(relevance=0.9))]
    assert reranked(items, {UUID(int=7): 0.1}, (), WEIGHTS) == items
