"""Answers to statements and confirmations."""

from typing import Literal
from uuid import UUID

from models.conditions import ConfirmationState
from models.reconciliation import Verdict
from surfaces.http.answers.base import Answer


class StatementOutcome(Answer):
    """What came of a statement. While `verdict` is `pending` it is stored and will be decided.

    `memory_id` is the fact that the statement made, or the one that it restated; `concerns` the fact that it
    was held against. `governs` says whether what was stated holds now.
    """

    event_id: UUID
    activity: UUID
    duplicate: bool
    verdict: Verdict | Literal["pending"]
    reason: str | None
    governs: bool
    memory_id: UUID | None
    concerns: UUID | None


class ConfirmationTold(Answer):
    """What became of a confirmation. While it is `pending` it is stored and will be decided."""

    state: ConfirmationState
    reason: str
