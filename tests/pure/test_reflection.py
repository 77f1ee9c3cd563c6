"""What recurs in experience: enough distinct incidents with the same failure and the same lesson, and nothing less."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.authority import Authority
from models.experiences import Experience, Signature
from models.procedure_rules import RecurrenceRules
from models.reflection import Finding, WhyNot, findings, same

NOW = datetime(2026, 6, 1, tzinfo=UTC)
RULES = RecurrenceRules()
LOST = Signature(words=frozenset({"batch", "lost", "stop"}))
LOOK = Signature(words=frozenset({"check", "batch", "schedul"}))


def lived(number: int, *, day: float | None = None, thing: int | None = None, **said: Any) -> Experience:
    """An experience: another machine each week, unless it is said."""
    at = NOW - timedelta(days=70) + timedelta(days=7 * number if day is None else day)
    whole = {
        "episode_id": UUID(int=number + 1),
        "scope": {"workspace": "w"},
        "task_class": "cleanup",
        "entity_type": "machine",
        "entities": frozenset({f"machine:{number if thing is None else thing}"}),
        "incident": None,
        "failure": LOST,
        "lesson": "Check the batch schedule.",
        "resolution": LOOK,
        "authority": Authority.HUMAN_INSTRUCTION,
        "helped": True,
        "started_at": at,
        "taught_at": at + timedelta(hours=1),
    }
    return Experience.model_validate({**whole, **said})


def proposed(*experiences: Experience) -> list[Finding]:
    return [each for each in findings(experiences, RULES, NOW) if each.why_not is None]


THREE = [lived(0), lived(1), lived(2)]


@pytest.mark.parametrize(
    ("experiences", "why_not"),
    [
        (THREE, None),
        (THREE[:2], WhyNot.TOO_FEW),
        ([lived(n, day=n * 0.3) for n in range(3)], WhyNot.TOO_SHORT),
        ([lived(n, incident="INC-7") for n in range(4)], WhyNot.TOO_FEW),
        # Told of within a day of the same thing it is one, whatever it is called.
        ([lived(n, day=n * 0.2, thing=1, incident=f"INC-{n}") for n in range(4)], WhyNot.TOO_FEW),
        ([*THREE, lived(3, helped=False)], None),
        ([*THREE, lived(3, helped=False), lived(4, helped=False)], WhyNot.CONTRADICTED),
    ],
)
def test_what_is_proposed_and_what_is_not(experiences: list[Experience], why_not: WhyNot | None) -> None:
    [found] = findings(experiences, RULES, NOW)
    assert found.why_not is why_not


def test_a_lesson_of_another_code_speaks_against_it() -> None:
    def coded(number: int, code: str) -> Experience:
        return lived(number, failure=Signature(code="batch-lost"), resolution=Signature(code=code))

    found = findings(
        [*(coded(n, "look") for n in range(3)), *(coded(n, "wait") for n in range(3, 6))], RULES, NOW
    )
    assert [(len(each.supporting), len(each.opposing), each.why_not) for each in found] == [
        (3, 3, WhyNot.CONTRADICTED),
        (3, 3, WhyNot.CONTRADICTED),
    ]


def test_other_words_may_be_a_translation_and_speak_against_nothing() -> None:
    german = Signature(words=frozenset({"zeitplan", "pruf"}))
    coded = Signature(code="batch-lost")
    told = [lived(n, failure=coded) for n in range(3)] + [
        lived(n, failure=coded, resolution=german) for n in (3, 4)
    ]
    [found] = proposed(*told)
    assert (len(found.supporting), found.opposing) == (3, ())


@pytest.mark.parametrize(
    "said",
    [
        {"lesson": None},
        {"failure": None},
        {"resolution": Signature()},
        {"scope": {"workspace": "other"}},
        {"task_class": "deploy"},
        {"entity_type": "database"},
        {"started_at": NOW - timedelta(days=400)},
        {"failure": Signature(words=frozenset({"disk", "full"}))},
    ],
)
def test_what_is_not_the_same_does_not_count(said: dict[str, Any]) -> None:
    assert proposed(*THREE[:2], lived(2, **said)) == []


def test_a_group_takes_what_is_like_its_first_one() -> None:
    chain = ["a b c d", "c d e f", "e f g h"]
    told = [lived(n, failure=Signature(words=frozenset(words.split()))) for n, words in enumerate(chain)]
    assert proposed(*told) == []


experiences = st.lists(
    st.builds(
        lambda number, day, thing, helped, code: lived(
            number, day=day, thing=thing, helped=helped, resolution=Signature(code=code)
        ),
        st.integers(0, 10_000),
        st.floats(0, 60),
        st.integers(0, 6),
        st.sampled_from((True, False, None)),
        st.sampled_from(("look", "wait")),
    ),
    max_size=12,
    unique_by=lambda each: each.episode_id,
)


@given(experiences, st.randoms())
def test_the_order_in_which_they_come_makes_no_difference(
    told: list[Experience], dice: random.Random
) -> None:
    other = list(told)
    dice.shuffle(other)
    assert findings(told, RULES, NOW) == findings(other, RULES, NOW)


@given(experiences)
def test_what_belongs_elsewhere_changes_nothing(told: list[Experience]) -> None:
    elsewhere = lived(20_000, day=30, task_class="deploy")
    assert [
        each for each in findings([*told, elsewhere], RULES, NOW) if each.task_class == "cleanup"
    ] == findings(told, RULES, NOW)


@given(experiences)
def test_an_incident_that_is_told_again_adds_nothing(told: list[Experience]) -> None:
    again = [each.model_copy(update={"episode_id": UUID(int=each.episode_id.int + 50_000)}) for each in told]
    once = {each.key: len(each.supporting) for each in findings(told, RULES, NOW)}
    assert {each.key: len(each.supporting) for each in findings([*told, *again], RULES, NOW)} == once


@settings(max_examples=1, deadline=None)
@given(st.just(3_000))
def test_many_are_looked_at_in_bearable_time(number: int) -> None:
    """Every one with words of its own, and a few that all have: nobody is compared with everybody."""
    told = [
        lived(n, day=n / 100, thing=n, resolution=Signature(words=frozenset({f"w{n}", f"v{n}", "check"})))
        for n in range(number)
    ]
    assert len(findings(told, RULES, NOW)) == number


def test_failures_without_words_are_the_same() -> None:
    assert same(Signature(), Signature())
    assert not same(Signature(), LOST)
    assert not same(None, LOST)
    assert same(None, None)
