"""What ends a fact that waits for a condition: a permitted confirmation with evidence, and nothing less.

Time passing is not a confirmation; neither are words such as "Y is done" in an event.
"""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from models.facts import Fact


class ConfirmationState(StrEnum):
    """What became of a confirmation. A refused one is kept as a claim."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REFUSED = "refused"


class GateState(StrEnum):
    """Whether somebody still waits for the condition."""

    OPEN = "open"
    CLOSED = "closed"


class ConfirmationVerdict(NamedTuple):
    """Accepted or refused, why, and from when the fact is over."""

    state: ConfirmationState
    reason: str
    ends_at: datetime | None = None


def decide_confirmation(
    fact: Fact,
    confirmer_role: str | None,
    evidence_at: datetime,
    now: datetime,
    *,
    is_statement: bool = False,
) -> ConfirmationVerdict:
    """Decide on a confirmation that `fact.ends_when` is met, shown by an event of `evidence_at`.

    `is_statement` says that the event is one of those that state the fact: it cannot prove the end as well.

    | confirmation | verdict |
    | --- | --- |
    | of a fact that has ended already, or that ends by then in any case | refused: `already_ended` |
    | without the grant (`confirmer_role` is None) | refused: `not_permitted` |
    | with an event as evidence that states the fact | refused: `evidence_is_the_statement` |
    | with evidence from before the fact's latest statement | refused: `evidence_older_than_fact` |
    | otherwise | accepted, from the instant of the evidence |
    """
    ends_at = max(evidence_at, fact.valid_from)
    if fact.ends_at is not None and fact.ends_at <= max(now, ends_at):
        return ConfirmationVerdict(ConfirmationState.REFUSED, "already_ended")
    if confirmer_role is None:
        return ConfirmationVerdict(ConfirmationState.REFUSED, "not_permitted")
    if is_statement:
        return ConfirmationVerdict(ConfirmationState.REFUSED, "evidence_is_the_statement")
    if evidence_at < fact.restated_at:
        return ConfirmationVerdict(ConfirmationState.REFUSED, "evidence_older_than_fact")
    return ConfirmationVerdict(ConfirmationState.ACCEPTED, "permitted_confirmation", ends_at)
