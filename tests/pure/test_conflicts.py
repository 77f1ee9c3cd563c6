"""Who disagrees with whom, who gives way, and what stays open."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.authority import Authority
from models.conflicts import Disagreement, Settling, Side, disagreements
from models.contracts import Precedence
from models.scope import Scope
from tests.pure.samples import at, named

WIDE = {"workspace": "w"}
NARROW = {"workspace": "w", "task": "t"}
BESIDE = {"workspace": "w", "user": "u"}
SCOPE, SOURCE, START = Precedence
PERSON, CHECK = Authority.HUMAN_INSTRUCTION, Authority.VERIFIED_OUTCOME


def side(
    name: str,
    value: str,
    scope: dict[str, str] = WIDE,
    authority: Authority = PERSON,
    since: float = 0,
    **fields: Any,
) -> Side:
    filled: dict[str, Any] = {"thing": named("thing"), "attribute": "owner", "disputed": False, **fields}
    return Side(
        id=named(name), value=value, scope=Scope(scope), authority=authority, valid_from=at(since), **filled
    )


def settle(*sides: Side, by: tuple[Precedence, ...] = (), binding: bool = False) -> Disagreement:
    [found] = disagreements(sides, {"owner": Settling(by, binding)})
    return found


def test_what_says_the_same_or_speaks_of_other_things_does_not_disagree() -> None:
    apart = [
        side("a", "x"),
        side("b", "x", NARROW),
        side("c", "y", thing=named("other")),
        side("d", "y", attribute="uses"),
        side("e", "y", thing=None),
    ]
    assert disagreements(apart, {}) == []


@pytest.mark.parametrize(
    ("one", "other", "by", "binding", "loser"),
    [
        (side("a", "x"), side("b", "y", NARROW), (), False, None),
        (side("a", "x"), side("b", "y", NARROW), (SCOPE,), False, "a"),
        (side("a", "x", BESIDE), side("b", "y", NARROW), (SCOPE,), False, None),
        (side("a", "x", BESIDE, since=1), side("b", "y", NARROW), (SCOPE, START), False, "b"),
        (side("a", "x", authority=CHECK), side("b", "y", NARROW), (SCOPE,), False, "a"),
        (side("a", "x", authority=CHECK), side("b", "y", NARROW), (SCOPE,), True, None),
        (side("a", "x", authority=CHECK), side("b", "y", NARROW), (SCOPE, SOURCE), True, "b"),
        (side("a", "x", authority=CHECK), side("b", "y", NARROW, since=9), (SCOPE, START), True, None),
        (side("a", "x", authority=CHECK, since=9), side("b", "y", NARROW), (SCOPE, START), True, "b"),
        (side("a", "x"), side("b", "y", NARROW, CHECK), (SCOPE,), True, "a"),
        (side("a", "x"), side("b", "y", authority=CHECK), (SOURCE,), False, "a"),
        (side("a", "x", since=1), side("b", "y"), (SOURCE, START), False, "b"),
        (
            side("a", "x", disputed=True),
            side("b", "y", NARROW, CHECK, 9),
            (SCOPE, SOURCE, START),
            False,
            None,
        ),
    ],
)
def test_who_gives_way(
    one: Side, other: Side, by: tuple[Precedence, ...], binding: bool, loser: str | None
) -> None:
    for pair in ((one, other), (other, one)):
        found = settle(*pair, by=by, binding=binding)
        assert [lost.id for lost in found.yielding] == ([] if loser is None else [named(loser)])
        assert found.unsettled is (loser is None)


def test_a_circle_is_settled_by_nobody() -> None:
    """By scope a comes before b, by source b before c and c before a: whoever won would be arbitrary."""
    a = side("a", "x", NARROW, Authority.MODEL_INFERRED)
    b = side("b", "y", WIDE, CHECK)
    c = side("c", "z", {"user": "u"}, PERSON)
    found = settle(a, b, c, by=(SCOPE, SOURCE))
    assert (len(found.standing), found.yielding) == (3, ())


_SIDES = st.lists(
    st.builds(
        lambda value, scope, authority, since, disputed: (value, scope, authority, since, disputed),
        st.sampled_from("xyz"),
        st.sampled_from([WIDE, NARROW, BESIDE, {}]),
        st.sampled_from([Authority.MODEL_INFERRED, PERSON, CHECK]),
        st.integers(0, 3),
        st.booleans(),
    ),
    min_size=2,
    max_size=6,
)


@given(_SIDES, st.permutations(list(Precedence)), st.integers(0, 3), st.booleans())
@settings(max_examples=300, deadline=None)
def test_nobody_is_lost_and_somebody_is_left(
    rows: list[Any], rules: list[Precedence], used: int, binding: bool
) -> None:
    sides = [
        side(f"s{number}", value, scope, authority, since, disputed=disputed)
        for number, (value, scope, authority, since, disputed) in enumerate(rows)
    ]
    chosen = {"owner": Settling(tuple(rules[:used]), binding)}
    found = disagreements(sides, chosen)
    assert bool(found) is (len({each.value for each in sides}) > 1)
    for each in found:
        assert each.standing
        assert {*each.standing, *each.yielding} == set(sides)
        assert not {one.id for one in each.yielding if one.disputed}
        assert disagreements(reversed(sides), chosen) == found
