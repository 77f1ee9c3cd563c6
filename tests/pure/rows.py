"""A row of the table of decisions, and how it is checked."""

from datetime import datetime
from typing import NamedTuple

from models.facts import Fact
from models.reconciliation import Claim, Verdict, decide
from tests.pure.samples import at


class Row(NamedTuple):
    """One row of the table: a claim, what is there, and what has to come of it."""

    claim: Claim
    there: tuple[Fact, ...]
    verdict: Verdict
    reason: str
    target: Fact | None = None
    valid_from: datetime | None = None
    closings: tuple[tuple[Fact, datetime], ...] = ()
    valid_until: datetime | None = None
    reopened: Fact | None = None


def assert_decided(row: Row) -> None:
    """What is decided at the minute 10 is what the row says, in every part."""
    decision = decide(row.claim, row.there, at(10))
    assert decision[:4] == (row.verdict, row.reason, row.target, row.valid_from)
    assert tuple((closing.fact, closing.at) for closing in decision.closings) == row.closings
    assert (decision.valid_until, decision.reopened) == (row.valid_until, row.reopened)
