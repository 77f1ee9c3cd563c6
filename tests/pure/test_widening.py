"""What several scopes have in common is found for the scope above them, and nothing less is."""

from typing import Any

import pytest

from models.contracts import Cardinality, MemoryClass
from models.facts import Fact, Subject
from models.scope import Scope
from models.widening import Held, wider
from tests.contracts import memory_class
from tests.pure.samples import fact, named

ABOVE = {"workspace": "a"}


def declared(**widen: Any) -> MemoryClass:
    rules = {"over": ["project"], **widen}
    fields = {"levels": ["tenant", "workspace", "project", "task"], "widen": rules}
    return MemoryClass.model_validate(memory_class({"owner": {"write": ["lead"]}}, **fields))


def held(
    place: str, value: str = "Ana", activities: int = 2, scope: dict[str, str] | None = None, **said: Any
) -> Held:
    """A fact of the project `place` of one workspace, unless of another scope, with activities of its own."""
    where = {**ABOVE, "project": place} if scope is None else scope
    known = fact(value, name=f"{place}-{value}", scope=where, **said)
    return Held(known, frozenset(named(f"{place}-{number}") for number in range(activities)))


TWO = (held("x"), held("y"))
NAMED_IN_X = Subject(canonical=f"named:{Scope({**ABOVE, 'project': 'x'}).key}/cart", name="cart")


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        pytest.param(TWO, [(ABOVE, "Ana")], id="the same in two projects"),
        pytest.param((held("x", activities=9),), [], id="one scope, however often it is said there"),
        pytest.param((held("x", activities=1), held("y", activities=1)), [], id="too few activities"),
        pytest.param((*TWO, held("z", "Eve")), [(ABOVE, "Ana")], id="one of three says otherwise"),
        pytest.param((*TWO, held("z", "Eve"), held("w", "Eve")), [], id="half of them say otherwise"),
        pytest.param((*TWO, held("", "Eve", scope=ABOVE)), [], id="something governs there"),
        pytest.param((*TWO, held("", "Ana", scope={})), [], id="something governs above it"),
        pytest.param((held("x", expires=99), held("y", expires=99)), [], id="the same up to a date"),
        pytest.param((held("x", ends_when="it ends"), held("y")), [], id="the same up to a condition"),
        pytest.param(
            (held("x", subject=NAMED_IN_X), held("y", subject=NAMED_IN_X)), [], id="known in a project alone"
        ),
        pytest.param(
            (held("x"), held("y", scope={"workspace": "b", "project": "y"})),
            [],
            id="nothing above both but the tenant",
        ),
        pytest.param(
            (held("x", scope={**ABOVE, "task": "1"}), held("y", scope={**ABOVE, "task": "2"})),
            [],
            id="they differ by what may not be left out",
        ),
        pytest.param(
            (held("x", scope={"project": "x"}), held("y", scope={"project": "y"})),
            [({}, "Ana")],
            id="for the tenant",
        ),
    ],
)
def test_what_is_borne_out(facts: tuple[Held, ...], found: list[tuple[dict[str, str], str]]) -> None:
    told = wider(facts, declared(), Cardinality.ONE)
    assert [(dict(each.scope), each.facts[0].terms.value) for each in told] == found


def test_values_side_by_side_do_not_speak_against_each_other() -> None:
    facts = (*TWO, held("z", "Eve"), held("w", "Eve"), held("", "Eve", scope=ABOVE))
    [told] = wider(facts, declared(), Cardinality.MANY)
    assert (told.facts[0].terms.value, told.opposing) == ("Ana", ())


def test_what_is_found_names_all_of_it() -> None:
    other = held("z", "Eve")
    [told] = wider((*TWO, other), declared(), Cardinality.ONE)
    assert {each.id for each in told.facts} == {each.fact.id for each in TWO}
    assert told.opposing == (other.fact,)
    assert told.activities == TWO[0].activities | TWO[1].activities


def test_a_wider_scope_adds_nothing_that_a_narrower_one_has() -> None:
    facts = [held(place, scope={**ABOVE, "project": place, "task": "1"}) for place in ("x", "y")]
    told = wider(facts, declared(over=["project", "task"]), Cardinality.ONE)
    assert [dict(each.scope) for each in told] == [{**ABOVE, "task": "1"}]


def test_without_rules_nothing_is_found() -> None:
    plain = MemoryClass.model_validate(memory_class({"owner": {"write": ["lead"]}}))
    assert wider(TWO, plain, Cardinality.ONE) == []


@pytest.mark.parametrize("over", [["user"], ["tenant"], ["team"]])
def test_rules_leave_out_dimensions_of_the_class_alone(over: list[str]) -> None:
    with pytest.raises(ValueError, match=r"widen\.over"):
        declared(over=over)


def test_the_strongest_source_comes_first() -> None:
    weak: Fact = TWO[0].fact
    strong = held("y", authority=max(weak.authority, weak.authority.__class__.VERIFIED_OUTCOME))
    [told] = wider((TWO[0], strong), declared(), Cardinality.ONE)
    assert told.facts == (strong.fact, weak)
