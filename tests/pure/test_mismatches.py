"""When observations and memory disagree often enough to ask a person."""

from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import UUID, uuid4

import pytest

from models.facts import Status
from models.mismatches import MOST_COUNTED, Before, asks, counts, mismatches_of
from models.observations import Observed
from models.recall import RecalledFact, RecallRequest
from tests.pure.found import NOW, recalled_fact

REQUEST = RecallRequest(scope={"workspace": "w"})


def contradicted(at: datetime = NOW, **fields: Any) -> RecalledFact:
    return recalled_fact(overridden_by=Observed(value="Bo", observed_at=at), **fields)


def occasion(request: RecallRequest = REQUEST, at: datetime = NOW) -> UUID:
    [found] = mismatches_of(request, [contradicted(at)], ())
    return found.occasion


@pytest.mark.parametrize(
    ("before", "enough", "asked"),
    [
        (Before(0, again=False, asked=False), 1, True),
        (Before(1, again=False, asked=False), 3, False),
        (Before(2, again=False, asked=False), 3, True),
        (Before(2, again=False, asked=True), 3, False),
        (Before(9, again=False, asked=False), 3, True),
    ],
)
def test_the_occasion_that_makes_it_enough_asks(before: Before, enough: int, asked: bool) -> None:
    assert asks(before, enough) is asked


@pytest.mark.parametrize(
    ("before", "counted"),
    [
        (Before(0, again=False, asked=False), True),
        (Before(5, again=True, asked=True), False),
        (Before(MOST_COUNTED - 1, again=False, asked=True), True),
        (Before(MOST_COUNTED, again=False, asked=True), False),
    ],
)
def test_an_occasion_counts_once_and_a_thousand_are_enough(before: Before, counted: bool) -> None:
    assert counts(before) is counted


def test_what_is_contradicted_is_what_governs_and_was_seen_otherwise() -> None:
    governs, yields = contradicted(), contradicted()
    others = [
        recalled_fact(),
        recalled_fact(confirmed_at=NOW),
        contradicted(status=Status.DISPUTED),
        yields,
    ]
    assert [each.fact_id for each in mismatches_of(REQUEST, [*others, governs], {yields.id})] == [governs.id]


def test_they_come_in_the_order_of_their_facts() -> None:
    facts = [contradicted(id=uuid4()) for _ in range(9)]
    assert [each.fact_id for each in mismatches_of(REQUEST, facts, ())] == sorted(fact.id for fact in facts)


def test_an_activity_is_one_occasion_and_without_one_an_instant_is() -> None:
    later = NOW + timedelta(hours=1)
    named, other = (REQUEST.model_copy(update={"activity_id": name}) for name in ("a", "b"))
    assert occasion(named) == occasion(named, later)
    assert len({occasion(named), occasion(other), occasion(), occasion(at=later)}) == 4
    assert occasion(at=NOW.astimezone(timezone(timedelta(hours=5)))) == occasion()
