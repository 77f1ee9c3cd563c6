"""How scores come about: each kind of likeness brought to one scale, and passages helped by what stands around them."""

from itertools import pairwise
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.ranking import ADJACENT, TWO_AWAY, Measured, scores


def named(name: str) -> UUID:
    return uuid5(UUID(int=0), name)


def found(
    name: str, words: float = 0, likeness: float | None = None, before: str = "", after: str = ""
) -> Measured:
    return Measured(
        named(name), words, 0.0, likeness, [named(each) for each in before], [named(each) for each in after]
    )


def fused(*rows: Measured) -> list[float]:
    by_id = scores(rows)
    return [round(by_id[row.id].fused, 9) for row in rows]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # Words count from zero to the best of those found; without any vector they are all that counts.
        ([("a", 4.0, None), ("b", 1.0, None), ("c", 0.0, None)], [1, 0.25, 0]),
        # Likeness counts from the least to the greatest of those found, and as much as words.
        ([("a", 4.0, 0.2), ("b", 1.0, 0.8), ("c", 0.0, 0.5)], [0.5, 0.625, 0.25]),
        # Without a vector a record is neither helped nor hurt: it gets the mean of the others.
        ([("a", 2.0, 0.2), ("b", 0.0, 0.6), ("c", 2.0, None)], [0.5, 0.5, 0.75]),
        # Where nothing differs, nothing is said by it.
        ([("a", 0.0, 0.4), ("b", 0.0, 0.4)], [0, 0]),
        ([("a", 3.0, 0.4)], [0.5]),
        ([("a", 0.0, None)], [0]),
        ([("a", 0.0, -0.1), ("b", 0.0, 0.1)], [0, 0.5]),
        ([], []),
    ],
)
def test_words_and_likeness_are_weighed_on_one_scale(
    rows: list[tuple[str, float, float | None]], expected: list[float]
) -> None:
    assert fused(*(found(*row) for row in rows)) == pytest.approx(expected)


def test_a_passage_helps_those_around_it_and_no_further() -> None:
    """Of an episode `abcdef` only `c` was found, with two on either side."""
    rows = [found("c", 1.0, before="ba", after="de"), *(found(name) for name in "abdef")]
    by_id = scores(rows)
    gained = {name: by_id[named(name)].neighbours for name in "abcdef"}
    assert gained == {"a": TWO_AWAY, "b": ADJACENT, "c": 0, "d": ADJACENT, "e": TWO_AWAY, "f": 0}
    assert by_id[named("b")].total == ADJACENT


def test_those_around_a_found_passage_help_it_and_each_other() -> None:
    rows = [found("c", 2.0, before="ba", after="d"), found("a", 1.0), found("b", 2.0), found("d", 1.0)]
    by_id = scores(rows)
    assert by_id[named("c")].neighbours == pytest.approx(ADJACENT * (1 + 0.5) + TWO_AWAY * 0.5)
    assert by_id[named("b")].neighbours == pytest.approx(ADJACENT * (1 + 0.5) + TWO_AWAY * 0.5)
    assert by_id[named("a")].neighbours == pytest.approx(ADJACENT * 1 + TWO_AWAY * 1)


def test_two_that_are_found_next_to_each_other_count_once_each() -> None:
    rows = [found("a", 1.0, after="b"), found("b", 1.0, before="a")]
    assert [each.neighbours for each in scores(rows).values()] == [ADJACENT, ADJACENT]


def test_what_stands_beside_and_was_not_brought_along_changes_nothing() -> None:
    assert scores([found("a", 1.0, before="x", after="yz")])[named("a")].neighbours == 0


_ROWS = st.lists(
    st.tuples(st.floats(0, 50), st.none() | st.floats(-1, 1)), max_size=12, unique_by=lambda row: row[0]
)


@given(_ROWS)
def test_more_words_at_the_same_likeness_never_rank_lower(rows: list[tuple[float, float | None]]) -> None:
    measured = [found(str(place), words, likeness) for place, (words, likeness) in enumerate(rows)]
    by_id = scores(measured)
    assert all(0 <= each.fused <= 1 for each in by_id.values())
    alike = sorted((each for each in measured if each.likeness is None), key=lambda each: each.words)
    assert all(by_id[less.id].fused <= by_id[more.id].fused for less, more in pairwise(alike))
