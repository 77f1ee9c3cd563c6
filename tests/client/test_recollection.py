"""What concerns a decision, what it must heed of that, and when it is clear."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from keepwell.recollection import Recollection, concerns, with_required
from keepwell.retrieval import Trigger
from keepwell.types import RecalledFactTold

from tests.client.records import BENCH, SANDBOX, answer, conflict, fact

SANDBOX_KEYS = frozenset({"cloud-instance:i-04c21", "dev-sandbox-04"})
BENCH_KEYS = frozenset(BENCH.values())
NAMED = {"id": "named:workspace=staging/gpu-bench-01", "name": "GPU‑bench-01"}
NOBODY = frozenset[str]()
ON_BENCH = fact(BENCH, required=True)
UNATTRIBUTED = fact(NAMED, required=True, about=[])
INSTRUCTION = fact(required=True, reasons=["standing_instruction"])
ON_SCOPE = fact(required=True, reasons=["restriction_on_scope"])
UNKNOWN = fact(required=True, reasons=["a_word_of_a_newer_service"])


@pytest.mark.parametrize(
    ("told", "wanted", "others", "does"),
    [
        (ON_BENCH, NOBODY, NOBODY, True),
        (ON_BENCH, BENCH_KEYS, NOBODY, True),
        (ON_BENCH, SANDBOX_KEYS, BENCH_KEYS, False),
        (ON_BENCH, SANDBOX_KEYS, NOBODY, False),
        (fact(NAMED, required=True, about=["cloud-instance:i-09a8f"]), BENCH_KEYS, NOBODY, True),
        # Whose it is the service does not say.
        (UNATTRIBUTED, SANDBOX_KEYS, NOBODY, True),
        (UNATTRIBUTED, SANDBOX_KEYS, frozenset({"web-7"}), True),
        (UNATTRIBUTED, SANDBOX_KEYS, BENCH_KEYS, False),
        (UNATTRIBUTED, BENCH_KEYS, SANDBOX_KEYS, True),
        (fact(NAMED, about=[]), SANDBOX_KEYS, NOBODY, False),
        (fact(), SANDBOX_KEYS, BENCH_KEYS, True),
        (INSTRUCTION, SANDBOX_KEYS, BENCH_KEYS, True),
        (fact(BENCH, required=True, reasons=["standing_instruction"]), SANDBOX_KEYS, BENCH_KEYS, True),
        (ON_SCOPE, SANDBOX_KEYS, BENCH_KEYS, True),
    ],
)
def test_what_concerns_a_decision(
    told: RecalledFactTold, wanted: frozenset[str], others: frozenset[str], does: bool
) -> None:
    assert concerns(told, wanted, others) is does


@pytest.mark.parametrize(
    ("facts", "instructions", "restrictions", "clear"),
    [
        ((), (), (), True),
        ((INSTRUCTION,), (INSTRUCTION,), (), True),
        ((ON_SCOPE,), (), (ON_SCOPE,), False),
        ((UNKNOWN,), (), (UNKNOWN,), False),
        ((INSTRUCTION, UNATTRIBUTED), (INSTRUCTION,), (UNATTRIBUTED,), False),
        ((ON_BENCH, fact(BENCH)), (), (), True),
    ],
)
def test_instructions_are_for_the_prompt_and_restrictions_bind(
    facts: tuple[RecalledFactTold, ...], instructions: Any, restrictions: Any, clear: bool
) -> None:
    known = Recollection(
        "stop it", recalled=True, facts=facts, about=SANDBOX_KEYS, others=frozenset({"web-7"})
    )

    assert (known.instructions, known.restrictions, known.clear) == (instructions, restrictions, clear)
    assert {told.id for told in known.required} == {told.id for told in (*instructions, *restrictions)}


def test_a_restriction_that_is_an_instruction_too_is_both() -> None:
    both = fact(BENCH, required=True, reasons=["restriction_on_entity_in_play", "standing_instruction"])
    known = Recollection("stop it", recalled=True, facts=(both,), about=SANDBOX_KEYS)

    assert known.instructions == known.restrictions == (both,)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"recalled": True, "error": "deadline"},
        {"recalled": True, "missing": (uuid4(),)},
        {"recalled": True, "left_out": 1},
    ],
)
def test_what_was_not_heard_in_full_is_not_clear(said: dict[str, Any]) -> None:
    assert not Recollection("stop it", **said).clear


def test_why_says_what_an_error_says() -> None:
    known = Recollection(
        "x", (Trigger.STALE,), error="invalid_input", error_detail="scope: unknown dimension"
    )

    assert known.why.endswith("failed: invalid_input: scope: unknown dimension")


def test_of_two_answers_the_one_that_asked_about_more_says_whose_a_fact_is() -> None:
    told = fact(BENCH, required=True)
    unattributed = told.model_copy(update={"about": []})
    more = fact(NAMED, required=True)

    joined = with_required(answer(told, fact(), missing=(more.id,)), answer(unattributed, more))

    assert joined.facts[:2] == [told, more]
    assert joined.missing == []


def test_what_stands_against_what_must_be_heeded_comes_with_it() -> None:
    """The first answer had no room for the conflict, and for another one it had; the second has the first whole."""
    rule, partner = fact(BENCH, required=True), fact(BENCH, value="false")
    claim = fact(BENCH, value="maybe", status="disputed")
    one, other = fact(SANDBOX), fact(SANDBOX, value="false")
    first = answer(one, other, missing=(rule.id,)).model_copy(
        update={
            "conflicts": [
                conflict(rule, partner, claim, carried=False, challengers=[]),
                conflict(one, other),
            ]
        }
    )
    second = answer(rule, partner).model_copy(
        update={"conflicts": [conflict(rule, partner, claim), conflict(one, other, carried=False)]}
    )

    joined = with_required(first, second)

    assert [each.id for each in joined.facts] == [rule.id, partner.id, one.id, other.id]
    by_member = {each.members[0]: each for each in joined.conflicts}
    assert len(joined.conflicts) == len(by_member) == 2
    assert by_member[rule.id].challengers == [claim]
    assert all(each.carried for each in joined.conflicts)
    known = Recollection("stop it", facts=tuple(joined.facts), conflicts=tuple(joined.conflicts))
    assert len(known.questions) == 2
    assert str(claim.id) in known.visible
    assert not replace(known, recalled=True).clear
