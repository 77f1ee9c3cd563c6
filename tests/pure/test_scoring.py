"""What puts one record before another: each term alone, all of them together, and nothing that is not among them."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.authority import Authority, Standing
from models.contracts import RecallPriority, Sensitivity
from models.policy import Policy
from models.scoring import (
    Terms,
    Weights,
    importance,
    score,
    sensitivity,
    staleness,
    strength,
    uncertainty,
)
from tests.pure.samples import at

ADDED = ("entity", "temporal", "task", "importance", "authority", "help")
TAKEN = ("staleness", "uncertainty", "sensitivity")
_SHARE = st.floats(0, 1)


def test_relevance_alone_is_the_score_where_nothing_else_is_known() -> None:
    assert score(Terms(relevance=0.7), Weights()) == pytest.approx(0.7)


@pytest.mark.parametrize("name", ADDED + TAKEN)
def test_each_term_counts_by_its_own_weight(name: str) -> None:
    weights = Weights(**dict.fromkeys((*ADDED, *TAKEN), 0.0) | {name: 0.4})
    sign = 1 if name in ADDED else -1
    assert score(Terms(**dict.fromkeys((*ADDED, *TAKEN), 0.5)), weights) == pytest.approx(sign * 0.2)


def test_every_weight_has_a_term() -> None:
    assert set(Weights.model_fields) == {*ADDED, *TAKEN}
    assert set(Terms.model_fields) == {
        *ADDED,
        *TAKEN,
        "relevance",
        "words",
        "likeness",
        "neighbours",
        "coverage",
        "reranked",
    }


@given(_SHARE, st.sampled_from(ADDED), _SHARE, _SHARE)
def test_more_of_a_good_thing_never_lowers_the_score(
    relevance: float, name: str, one: float, other: float
) -> None:
    less, more = sorted((one, other))
    low, high = (score(Terms(relevance=relevance, **{name: much}), Weights()) for much in (less, more))
    assert low <= high


def test_the_parts_run_from_nought_to_one() -> None:
    assert [importance(each) for each in RecallPriority] == [1.0, 0.8, 0.5, 0.0]
    assert [strength(each) for each in Authority] == [0, 0.25, 0.5, 0.75, 1]
    assert [uncertainty(each) for each in Standing] == [1, 0.5, 0]
    assert [sensitivity(each) for each in Sensitivity] == [0, 0, 0.5, 1]


def test_a_record_loses_half_of_its_freshness_in_its_half_life() -> None:
    day, half = 24 * 60, timedelta(days=3)
    assert staleness(at(0), at(day - 1), half) == 0, "the same all day"
    assert staleness(at(0), at(3 * day), half) == 0.5
    assert staleness(at(0), at(6 * day), half) == 0.75
    assert staleness(at(9), at(0), half) == 0, "what begins later is not stale"


def test_weights_are_policy() -> None:
    assert Policy(version=2, dimensions=frozenset()).ranking == Weights()
    stated = Policy.model_validate({"version": 2, "dimensions": [], "ranking": {"entity": 2}})
    assert stated.ranking.entity == 2
    with pytest.raises(ValueError, match="less than or equal"):
        Policy.model_validate({"version": 2, "dimensions": [], "ranking": {"entity": 200}})
