"""How strong a source is, and how well supported a record."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.authority import Authority, Standing, standing_of

UNTRUSTED, MODEL, HUMAN, VERIFIED, SOURCE = Authority
RANK = {Standing.INFERRED: 0, Standing.OBSERVED: 1, Standing.CONFIRMED: 2}
EVIDENCE = st.lists(st.tuples(st.sampled_from(Authority), st.sampled_from(["dana", "sam", "robin"])))


@pytest.mark.parametrize(
    ("sources", "standing"),
    [
        pytest.param([], Standing.INFERRED, id="none at all"),
        pytest.param([(UNTRUSTED, "page")], Standing.INFERRED, id="a page"),
        pytest.param([(MODEL, "a"), (MODEL, "b"), (MODEL, "c")], Standing.INFERRED, id="many models"),
        pytest.param([(HUMAN, "dana")], Standing.OBSERVED, id="one person"),
        pytest.param([(HUMAN, "dana"), (HUMAN, "dana")], Standing.OBSERVED, id="one person, twice"),
        pytest.param([(HUMAN, "dana"), (MODEL, "agent")], Standing.OBSERVED, id="a person and a model"),
        pytest.param([(HUMAN, "dana"), (HUMAN, "sam")], Standing.CONFIRMED, id="two people"),
        pytest.param([(VERIFIED, "pipeline")], Standing.CONFIRMED, id="a verified outcome"),
        pytest.param([(SOURCE, "billing")], Standing.CONFIRMED, id="the system of record"),
    ],
)
def test_standing_from_the_evidence(sources: list[tuple[Authority, str]], standing: Standing) -> None:
    assert standing_of(sources) is standing


@given(EVIDENCE, EVIDENCE)
def test_more_evidence_never_lowers_the_standing(
    some: list[tuple[Authority, str]], more: list[tuple[Authority, str]]
) -> None:
    assert RANK[standing_of([*some, *more])] >= RANK[standing_of(some)]


@given(EVIDENCE, st.randoms(use_true_random=False))
def test_the_order_of_the_evidence_changes_nothing(sources: list[tuple[Authority, str]], chance) -> None:
    shuffled = list(sources)
    chance.shuffle(shuffled)
    assert standing_of(shuffled) is standing_of(sources)


def test_the_weakest_cited_source_is_the_least() -> None:
    assert sorted([SOURCE, HUMAN, UNTRUSTED, VERIFIED, MODEL]) == list(Authority)
    assert min([SOURCE, UNTRUSTED, HUMAN]) is UNTRUSTED
    assert min([VERIFIED, HUMAN]) is HUMAN
