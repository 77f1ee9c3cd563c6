"""What ends a fact that waits for a condition, and what does not."""

from datetime import datetime

import pytest

from models.conditions import ConfirmationState, decide_confirmation
from models.facts import Ending, Fact
from tests.pure.samples import at, fact

ROLE = "infra_lead"
WAITS = fact(since=5, ends_when="the tests are done")
TO_COME = fact(since=50, stated=5, ends_when="the tests are done")


@pytest.mark.parametrize(
    ("known", "role", "evidence", "reason"),
    [
        pytest.param(fact(until=9), ROLE, 10, "already_ended", id="superseded already"),
        pytest.param(fact(until=9, ending=Ending.RETIRED), ROLE, 10, "already_ended", id="retired already"),
        pytest.param(fact(expires=10), ROLE, 8, "already_ended", id="expired at this very instant"),
        pytest.param(fact(until=9), None, 10, "already_ended", id="ended, and no grant either"),
        pytest.param(WAITS, None, 10, "not_permitted", id="without the grant"),
        pytest.param(WAITS, None, 1, "not_permitted", id="without the grant, in old evidence"),
        pytest.param(WAITS, ROLE, 4.99, "evidence_older_than_fact", id="evidence from before the statement"),
        pytest.param(fact(until=11), ROLE, 12, "already_ended", id="ends before the evidence in any case"),
        pytest.param(fact(until=11), ROLE, 11, "already_ended", id="ends with the evidence in any case"),
        pytest.param(fact(expires=11), ROLE, 12, "already_ended", id="expires before the evidence"),
        pytest.param(
            fact(since=50, until=50, stated=5), ROLE, 8, "already_ended", id="called off before it began"
        ),
    ],
)
def test_a_confirmation_is_refused(known: Fact, role: str | None, evidence: float, reason: str) -> None:
    verdict = decide_confirmation(known, role, at(evidence), now=at(10))
    assert verdict == (ConfirmationState.REFUSED, reason, None)


@pytest.mark.parametrize(
    ("known", "evidence", "ends_at"),
    [
        pytest.param(WAITS, 9, at(9), id="from the instant of the evidence"),
        pytest.param(WAITS, 5, at(5), id="evidence from the instant of the statement"),
        pytest.param(WAITS, 12, at(12), id="evidence a little ahead of our clock"),
        pytest.param(TO_COME, 8, at(50), id="a fact yet to come ends as it would have begun"),
        pytest.param(fact(until=50), 9, at(9), id="earlier than the end that was planned"),
        pytest.param(fact(expires=50), 9, at(9), id="earlier than the term"),
    ],
)
def test_a_permitted_confirmation_ends_the_fact(known: Fact, evidence: float, ends_at: datetime) -> None:
    verdict = decide_confirmation(known, ROLE, at(evidence), now=at(10))
    assert verdict == (ConfirmationState.ACCEPTED, "permitted_confirmation", ends_at)


def test_time_alone_confirms_nothing() -> None:
    years = 60 * 24 * 365 * 10
    assert decide_confirmation(WAITS, None, at(years), now=at(years)).state is ConfirmationState.REFUSED
