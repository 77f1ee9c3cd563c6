"""What an event must say for a cue: compared to the letter, and found by an index that no match escapes."""

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from models.cues import Cue, Said, key_of, keys_of, matches, require_declared, waits_under
from models.errors import InvalidInput
from models.events import EntityMention

DECLARED = frozenset({"job", "state"})
SAID = Said(
    type="milestone",
    subject="dana",
    entities=(EntityMention(id="service:api", name="the API"), EntityMention(name="K8s")),
    data={"job": "migration", "state": 7, "undeclared": "x"},
)


def cue(*conditions: tuple[str, Any], **fields: Any) -> Cue:
    return Cue.model_validate(
        {"conditions": [{"field": field, "value": value} for field, value in conditions], **fields}
    )


def meets(wanted: Cue, said: Said = SAID) -> bool:
    return matches(wanted, keys_of(said, DECLARED))


@pytest.mark.parametrize(
    ("wanted", "met"),
    [
        (cue(("type", "milestone")), True),
        (cue(("type", "Milestone")), False),
        (cue(("subject", "dana")), True),
        (cue(("subject", "dan")), False),
        (cue(("data.job", "migration")), True),
        (cue(("data.job", "migrations")), False),
        (cue(("data.job", " migration")), False),
        (cue(("data.state", 7)), True),
        (cue(("data.state", 7.0)), True),
        (cue(("data.state", "7")), False),
        (cue(("data.state", True)), False),
        (cue(("data.undeclared", "x")), False),
        (cue(("entity", "service:api")), True),
        (cue(("entity", "service:ap")), False),
        (cue(("entity", "the api")), True),
        (cue(("entity", "k8s")), True),
        (cue(("entity", "kubernetes")), False),
        (cue(("type", "milestone"), ("data.job", "migration")), True),
        (cue(("type", "note"), ("data.job", "migration")), False),
        (cue(("type", "note"), ("data.job", "migration"), match="any"), True),
        (cue(("type", "note"), ("data.job", "other"), match="any"), False),
        (cue(entity="service:api"), True),
        (cue(entity="service:web"), False),
        (cue(("type", "milestone"), entity="service:web"), False),
        (cue(("type", "note"), ("data.state", 7), match="any", entity="service:api"), True),
    ],
)
def test_a_cue_is_met_to_the_letter(wanted: Cue, met: bool) -> None:
    assert meets(wanted) is met


VALUES = st.one_of(st.sampled_from(["a", "b", "migration"]), st.booleans(), st.integers(-2, 2))
CONDITIONS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["data.job", "data.state"]), VALUES),
        st.tuples(st.sampled_from(["type", "subject", "entity"]), st.sampled_from(["a", "b", "x:1"])),
    ),
    min_size=1,
    max_size=4,
)
EVENTS = st.builds(
    Said,
    type=st.sampled_from(["a", "b"]),
    subject=st.sampled_from(["a", "b"]),
    entities=st.lists(st.sampled_from([EntityMention(id="x:1"), EntityMention(name="a")]), max_size=2),
    data=st.dictionaries(st.sampled_from(["job", "state"]), VALUES),
)


@given(CONDITIONS, st.sampled_from(["all", "any"]), st.sampled_from([None, "x:1"]), EVENTS)
def test_whatever_matches_is_found_by_the_index(
    conditions: list[tuple[str, Any]], match: str, entity: str | None, said: Said
) -> None:
    wanted = cue(*conditions, match=match, entity=entity)
    keys = keys_of(said, DECLARED)
    if matches(wanted, keys):
        assert waits_under(wanted) & keys


def test_all_of_several_wait_under_the_rarest() -> None:
    wanted = cue(("type", "milestone"), ("data.job", "migration"), ("subject", "dana"))
    assert waits_under(wanted) == {key_of("data.job", "migration")}


def test_values_of_different_sorts_have_different_keys() -> None:
    values: list[Any] = ["1", 1, True, "True", 1.5, "1.5", float("inf"), "inf", ""]
    assert len({key_of("data.job", value) for value in values}) == len(values)
    assert all(isinstance(key_of("data.job", value), UUID) for value in values)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"conditions": [{"field": "text", "value": "x"}]},
        {"conditions": [{"field": "data.", "value": "x"}]},
        {"conditions": [{"field": "data.a.b", "value": "x"}]},
        {"conditions": [{"field": "type", "value": 3}]},
        {"conditions": [{"field": "data.job", "value": ""}]},
        {"conditions": [{"field": "data.job", "value": ["x"]}]},
        {"conditions": [{"field": "data.job", "value": "x", "like": True}]},
        {"conditions": [{"field": "data.job", "value": "x"}] * 11},
    ],
)
def test_what_nobody_could_say_is_no_cue(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Cue.model_validate(wrong)


def test_a_field_that_the_policy_does_not_declare_is_refused_by_its_place() -> None:
    with pytest.raises(InvalidInput, match="cue_fields") as refused:
        require_declared(cue(("type", "note"), ("data.owner", "x")), DECLARED)
    assert refused.value.field == "on.conditions.1.field"


def test_a_type_that_no_event_has_is_refused_with_those_that_there_are() -> None:
    cue = Cue.model_validate({"conditions": [{"field": "type", "value": "milestonee"}]})
    with pytest.raises(InvalidInput, match=r"one of .*milestone"):
        require_declared(cue, ())
