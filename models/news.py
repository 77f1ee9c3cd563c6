"""News for one caller: what was decided on their words, what became of the memories that rest on them, of their
intentions, and of the procedures and proposals that they have to do with.

News come in the order of the transactions that wrote them, and only once no earlier one can still appear; so
whoever asks for what comes after a position misses nothing and is told nothing twice.
"""

import re
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from models.errors import InvalidInput
from models.reconciliation import Verdict

_POSITION = re.compile(r"([0-9]{1,20})-([0-9a-f]{32})")
_LAST_TRANSACTION = 2**64 - 1


class NewsPosition(NamedTuple):
    """A place in the order of news: the transaction that wrote the last one seen, and its id."""

    transaction: int
    id: UUID

    def __str__(self) -> str:
        return f"{self.transaction}-{self.id.hex}"


class VerdictTold(NamedTuple):
    """A decision on a candidate of the caller's."""

    event_id: UUID
    kind: str
    attribute: str
    verdict: Verdict
    reason: str
    fact_id: UUID | None
    target_id: UUID | None
    recorded_at: datetime


class TransitionTold(NamedTuple):
    """A change of status of a fact that rests on the caller's words."""

    record_id: UUID
    from_status: str | None
    to_status: str
    rule: str
    reason: str
    effective_at: datetime
    recorded_at: datetime


class IntentionTold(NamedTuple):
    """A change of status of an intention that the caller owns or has set."""

    intention_id: UUID
    from_status: str | None
    to_status: str
    rule: str
    reason: str
    effective_at: datetime
    recorded_at: datetime


class ProposalTold(NamedTuple):
    """A change of a proposal that the caller has drafted, or may decide on. Its state can stay what it was."""

    proposal_id: UUID
    procedure_id: UUID
    from_status: str | None
    to_status: str
    rule: str
    reason: str
    effective_at: datetime
    recorded_at: datetime


class VersionTold(NamedTuple):
    """A change of status of a version of a procedure that the caller may read."""

    version_id: UUID
    procedure_id: UUID
    from_status: str | None
    to_status: str
    rule: str
    reason: str
    effective_at: datetime
    recorded_at: datetime


Told = VerdictTold | TransitionTold | IntentionTold | ProposalTold | VersionTold


class News(NamedTuple):
    """One piece of news, and where it stands."""

    position: NewsPosition
    told: Told


def parse_position(text: str) -> NewsPosition:
    """Read the id of a piece of news; raises `InvalidInput`."""
    matched = _POSITION.fullmatch(text)
    if matched is None or int(matched[1]) > _LAST_TRANSACTION:
        raise InvalidInput(
            "is not the id of an event of this stream; leave it out to begin now", field="Last-Event-ID"
        )
    return NewsPosition(int(matched[1]), UUID(matched[2]))
