"""Why a record is not in an answer: the step that dropped it, named."""

from uuid import UUID

import pytest

from models.explanation import Explanation, Placing, Step, explain
from models.facts import Admission, Ending, Fact
from models.recall import Advice, Reason, RecallAnswer, RecalledFact, RecalledPassage
from tests.pure.samples import at, fact, named
from tests.pure.test_recall import AS_OF, found, passage

KEEP = fact("keep", name="keep")
FOUND = found("keep", Reason.KEYWORDS, Reason.ENTITY_IN_PLAY)
REQUIRED = found("keep", Reason.RESTRICTION_IN_PLAY)


def answer(
    *items: RecalledFact | RecalledPassage, limit: int = 10, over_budget: tuple[UUID, ...] = ()
) -> RecallAnswer:
    return RecallAnswer(
        facts=tuple(item for item in items if isinstance(item, RecalledFact)),
        passages=tuple(item for item in items if isinstance(item, RecalledPassage)),
        advice=Advice.USE,
        missing=(),
        over_budget=over_budget,
        tokens=42,
        limit=limit,
        left_out=0,
        as_of=AS_OF,
    )


def walked(told: Explanation) -> list[tuple[Step, bool]]:
    return [(check.step, check.passed) for check in told.checks]


def told_of(
    known: Fact | None,
    *placings: Placing,
    within: bool = True,
    readers: bool = True,
    among: RecallAnswer | None = None,
) -> Explanation:
    return explain(named("keep"), known, within, readers, placings, among or answer())


def test_what_is_in_the_answer_passed_every_step() -> None:
    told = told_of(KEEP, Placing(1, FOUND), among=answer(FOUND))
    assert walked(told) == [(step, True) for step in Step]
    assert told.included
    assert told.dropped_at is None
    details = {check.step: check.detail for check in told.checks}
    assert details[Step.CANDIDATE] == "keywords, about_entity_in_play; score 0.000"
    assert details[Step.LIMIT] == "rank 1"
    assert details[Step.BUDGET] == "42 tokens used in all"


def test_another_scope_ends_the_walk_at_once() -> None:
    told = told_of(KEEP, Placing(1, FOUND), within=False, among=answer(FOUND))
    assert walked(told) == [(Step.SCOPE, False)]
    assert told.dropped_at is Step.SCOPE


def test_what_no_class_declares_any_more_has_no_readers() -> None:
    told = told_of(KEEP, readers=False)
    assert walked(told) == [(Step.SCOPE, True), (Step.READERS, False)]
    assert told.dropped_at is Step.READERS


@pytest.mark.parametrize(
    ("known", "detail"),
    [
        (fact(until=9), f"superseded since {at(9).isoformat()}"),
        (fact(until=9, ending=Ending.RETIRED), f"retired since {at(9).isoformat()}"),
        (fact(until=9, ending=Ending.RETRACTED), f"retracted since {at(9).isoformat()}"),
        (fact(expires=9), f"expired since {at(9).isoformat()}"),
        (fact(since=99), f"not_yet_valid before {at(99).isoformat()}"),
        (fact(admission=Admission.UNVERIFIED), "quarantined: held unverified"),
        (
            fact(admission=Admission.UNVERIFIED, challenges=named("other")),
            f"quarantined: held unverified, challenges {named('other')}",
        ),
        (
            fact(admission=Admission.DISPUTED, challenges=named("other")),
            f"disputed: a stronger source says otherwise, challenges {named('other')}",
        ),
    ],
)
def test_a_fact_that_is_not_active_is_dropped_by_its_status(known: Fact, detail: str) -> None:
    told = told_of(known)
    assert walked(told) == [(Step.SCOPE, True), (Step.READERS, True), (Step.STATUS, False)]
    assert told.checks[-1].detail == detail


@pytest.mark.parametrize("placings", [()])
def test_what_nothing_brought_up_was_no_candidate(placings: tuple[Placing, ...]) -> None:
    told = told_of(KEEP, *placings)
    assert told.dropped_at is Step.CANDIDATE
    assert walked(told)[-1] == (Step.CANDIDATE, False)


def test_what_came_too_late_for_a_place_is_dropped_by_the_limit() -> None:
    told = told_of(KEEP, Placing(3, FOUND), among=answer(found("a"), found("b"), limit=2))
    assert told.dropped_at is Step.LIMIT
    assert told.checks[-1].detail == "rank 3 of at most 2 places"


def test_what_did_not_fit_is_dropped_by_the_budget() -> None:
    told = told_of(KEEP, Placing(1, FOUND), among=answer(found("a"), limit=2, over_budget=(FOUND.id,)))
    assert walked(told)[-2:] == [(Step.LIMIT, True), (Step.BUDGET, False)]
    assert told.dropped_at is Step.BUDGET


def test_no_limit_drops_what_must_be_heeded() -> None:
    full = answer(found("a"), found("b"), limit=2, over_budget=(REQUIRED.id,))
    told = told_of(KEEP, Placing(3, REQUIRED), among=full)
    assert told.dropped_at is Step.BUDGET


def test_an_episode_is_judged_by_its_best_passage() -> None:
    second, third = passage("second"), passage("third")
    placings = (Placing(7, third), Placing(4, second))
    full = answer(found("a"), limit=1)
    told = told_of(None, *placings, among=full)
    assert walked(told)[:3] == [(Step.SCOPE, True), (Step.READERS, True), (Step.STATUS, True)]
    assert told.checks[-1].detail == "rank 4 of at most 1 places"
    assert told_of(None, *placings, among=answer(third)).included


def test_no_detail_holds_content() -> None:
    told = told_of(KEEP, Placing(1, FOUND), among=answer(FOUND))
    assert not any("keep" in check.detail or "gpu" in check.detail for check in told.checks)
