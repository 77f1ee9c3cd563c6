"""What is merely a little like the query is left out; what binds, and what it is about, is not."""

from typing import Any

import pytest

from models.floor import Floor, facts_above, passages_above
from models.recall import Reason, RecalledFact, RecalledPassage
from models.scoring import Terms
from tests.pure.samples import at, named
from tests.pure.test_recall import found

FLOOR = Floor(
    coverage=0.2,
    likeness=0.3,
    coverage_beside_named=0.4,
    likeness_beside_named=0.5,
    coverage_of_passages=0.1,
    likeness_of_passages=0.2,
)
RESTRICTIONS = frozenset({"lifecycle_policy"})


def like(name: str, coverage: float = 0.0, likeness: float | None = None, **fields: Any) -> RecalledFact:
    terms = Terms(words=float(coverage > 0), coverage=coverage, likeness=likeness)
    return found(name, *fields.pop("reasons", (Reason.KEYWORDS,)), terms=terms, **fields)


def passage(
    name: str, episode: str, likeness: float, neighbours: float = 0.0, *reasons: Reason
) -> RecalledPassage:
    return RecalledPassage(
        id=named(name),
        episode_id=named(episode),
        occurred_at=at(0),
        text=name,
        sources=(),
        score=0,
        terms=Terms(likeness=likeness, neighbours=neighbours),
        reasons=reasons or (Reason.LIKENESS,),
    )


@pytest.mark.parametrize(
    ("fact", "words", "told", "beside_named"),
    [
        (like("covers", 0.2), 5, True, False),
        (like("covers more", 0.4), 5, True, True),
        (like("covers little", 0.19), 5, False, False),
        (like("two telling words of many", 0.03), 80, True, True),
        (like("is alike", likeness=0.3), 5, True, False),
        (like("is very alike", likeness=0.5), 5, True, True),
        (like("is a little alike", likeness=0.29), 5, False, False),
        (like("restricts", likeness=0.1, attribute="lifecycle_policy"), 5, True, True),
        (like("is in play", reasons=(Reason.ENTITY_IN_PLAY,)), 5, True, True),
        (like("binds", reasons=(Reason.STANDING_INSTRUCTION, Reason.KEYWORDS)), 5, True, True),
    ],
)
def test_who_is_told(fact: RecalledFact, words: int, told: bool, beside_named: bool) -> None:
    assert (fact in facts_above([fact], RESTRICTIONS, words, FLOOR)) is told
    other = like("named", reasons=(Reason.ENTITY_IN_PLAY,))
    assert (fact in facts_above([fact, other], RESTRICTIONS, words, FLOOR)) is beside_named


def test_a_passage_comes_for_itself_for_a_fact_or_with_one_that_stands_next_to_it() -> None:
    near = passage("near", "talk", 0.2)
    far = passage("far", "talk", 0.1)
    beside = passage("beside", "talk", 0.1, 0.2)
    brought = passage("brought", "talk", 0.1, 0.0, Reason.NEIGHBOUR)
    evidence = passage("evidence", "other", 0.0, 0.0, Reason.EVIDENCE)
    alone = passage("alone", "third", 0.1, 0.2)
    assert passages_above([near, far, beside, brought, evidence, alone], 5, FLOOR) == [
        near,
        beside,
        brought,
        evidence,
    ]
    assert passages_above([], 0, FLOOR) == []
