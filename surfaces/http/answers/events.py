"""Answers about events: acknowledged, and what became of them."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from models.gates import Gate
from models.reconciliation import Disposition, Verdict
from models.statements import Stage
from surfaces.http.answers.base import Answer


class Acknowledgement(Answer):
    """One stored event. It is durable; whether recall can find it yet, and what became of it, is said as it is.

    `activity` is the activity's internal id, `seq` the event's number there, from 1 and without gaps. `masked` names
    the kinds of secrets that were found in the event: each stands there as a mask now. One that was there before and
    was `erased` since does not come in again: nothing of what was sent is stored.
    """

    event_id: UUID
    activity: UUID
    seq: int
    duplicate: bool
    erased: bool = False
    durable: Literal[True] = True
    readable: bool
    verdict: Literal["pending", "decided"]
    masked: list[str]


class Acknowledgements(Answer):
    """One acknowledgement for each event of a batch, in order."""

    events: list[Acknowledgement]


class DecisionMade(Answer):
    """What was decided on one candidate that an event proposed.

    `memory_id` is the fact that was made, `concerns` the fact that was there. `disposition` is what the verdict
    comes to; `gate` the one that stopped or doubted the candidate, None where it has passed all five; `meaning`
    what the reason means, None for one of another version.
    """

    kind: str
    attribute: str
    disposition: Disposition
    gate: Gate | None
    verdict: Verdict
    reason: str
    meaning: str | None
    memory_id: UUID | None
    concerns: UUID | None
    recorded_at: datetime


class EventVerdictTold(Answer):
    """What became of an event. Once `episode_id` is set, recall can find the event's words."""

    event_id: UUID
    activity: UUID
    stage: Stage
    episode_id: UUID | None
    decisions: list[DecisionMade]
