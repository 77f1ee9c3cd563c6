"""Which facts an observation bears on: of the same thing and attribute, in the form in which values are compared."""

from typing import Any

import pytest

from models.contracts import Cardinality
from models.errors import InvalidInput
from models.observations import LiveObservation
from models.overrides import marked, seen
from models.policy import Policy
from models.recall import RecalledFact
from models.values import canonical
from runtime.policy_file import load_policy
from runtime.settings import SHIPPED_POLICY
from tests.pure.samples import at, named
from tests.pure.test_recall import found

POLICY = load_policy(SHIPPED_POLICY)
BENCH = "gpu-bench-01"
MANY = next(
    name for name, attribute in POLICY.attributes.items() if attribute.cardinality is Cardinality.MANY
)


def observation(
    value: str, minute: float = 30, attribute: str = "owner", entity: str | None = BENCH
) -> LiveObservation:
    return LiveObservation(entity=entity, attribute=attribute, value=value, observed_at=at(minute))


def mark(
    fact: RecalledFact, *observations: LiveObservation, said: dict[Any, str] | None = None
) -> str | None:
    """What became of a fact: the value that overrides it, "yes" where it is confirmed, None where it is as it was."""
    [told] = marked([fact], seen(POLICY, observations, at(60)), POLICY, said or {})
    assert told.required == fact.required
    if told.overridden_by is not None:
        assert told.confirmed_at is None
        return told.overridden_by.value
    return None if told.confirmed_at is None else "yes"


OWNER = found("fact", value="Ana", about=(BENCH,))


@pytest.mark.parametrize(
    ("fact", "observations", "expected"),
    [
        (OWNER, [observation("Bo")], "Bo"),
        (OWNER, [observation("ANA.")], "yes"),
        (OWNER, [], None),
        (OWNER, [observation("Bo", entity="another-machine")], None),
        (OWNER, [observation("Bo", entity=None)], None),
        (OWNER, [observation("keep", attribute="lifecycle_policy")], None),
        (OWNER, [observation("Bo", 10), observation("Ana", 20)], "yes"),
        (OWNER, [observation("Ana", 20), observation("Bo", 10)], "yes"),
        (found("later", value="Ana", about=(BENCH,), since=40), [observation("Bo", 30)], None),
        (found("scope", value="Ana", canonical=None, entity=None), [observation("Bo", entity=None)], "Bo"),
        (
            found("many", attribute=MANY, value="one", about=(BENCH,)),
            [observation("two", attribute=MANY)],
            None,
        ),
        (
            found("many", attribute=MANY, value="one", about=(BENCH,)),
            [observation("One", 10, MANY), observation("two", 20, MANY)],
            "yes",
        ),
    ],
)
def test_an_observation_marks_what_it_bears_on(
    fact: RecalledFact, observations: list[LiveObservation], expected: str | None
) -> None:
    assert mark(fact, *observations) == expected


def test_a_synonym_is_the_same_attribute() -> None:
    name, synonym = next(
        (name, min(attribute.synonyms))
        for name, attribute in POLICY.attributes.items()
        if attribute.synonyms and attribute.cardinality is Cardinality.ONE
    )
    fact = found("fact", attribute=name, value="Ana", about=(BENCH,))
    assert mark(fact, observation("Bo", attribute=synonym)) == "Bo"


def test_a_value_that_is_known_as_it_is_compared_is_compared_so() -> None:
    assert mark(OWNER, observation("Bo"), said={named("fact"): "bo"}) == "yes"


BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"


@pytest.mark.parametrize(
    ("kind", "value", "zone", "observed", "asker", "expected"),
    [
        ("integer", "1.000", BERLIN, "1.000", None, "yes"),
        ("integer", "1.000", None, "1.000", BERLIN, "yes"),
        ("integer", "1.000", None, "1.000", None, "yes"),
        ("integer", "1.000", BERLIN, "1000", None, "yes"),
        ("integer", "1.000", BERLIN, "1.000", NEW_YORK, "1.000"),
        ("integer", "1.000", BERLIN, "2.000", None, "2.000"),
        ("instant", "2026-03-02 14:00", BERLIN, "2026-03-02  14:00", None, "yes"),
        ("instant", "2026-03-02 14:00", BERLIN, "2026-03-02 14:00+01:00", None, "yes"),
        ("instant", "2026-03-02 14:00", BERLIN, "2026-03-02 14:00", NEW_YORK, "2026-03-02 14:00"),
    ],
)
def test_the_same_words_say_the_same_where_a_zone_is_wanting(
    kind: str, value: str, zone: str | None, observed: str, asker: str | None, expected: str
) -> None:
    """Two zones may give one spelling two values; none at all gives it no other."""
    document = POLICY.model_dump(mode="json")
    for memory_class in document["classes"].values():
        if "owner" in memory_class["attributes"]:
            memory_class["attributes"]["owner"]["type"] = kind
    policy = Policy.model_validate(document)
    declared = policy.declared("owner")
    assert declared is not None
    fact = found("fact", value=value, about=(BENCH,))
    said = canonical(value, declared.attribute, zone=zone, at=fact.valid_from).key
    [told] = marked([fact], seen(policy, [observation(observed)], at(60), asker), policy, {fact.id: said})
    found_out = told.overridden_by.value if told.overridden_by is not None else None
    assert (found_out or ("yes" if told.confirmed_at else None)) == expected


def test_an_unknown_attribute_and_a_later_instant_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no class of the policy declares"):
        seen(POLICY, [observation("x", attribute="shoe_size")], at(60))
    with pytest.raises(InvalidInput, match="lies after the instant"):
        seen(POLICY, [observation("x", 66)], at(60))
