"""News: what the service tells of a caller's words as it happens."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from keepwell.types.wire import Answer
from keepwell.types.words import Verdict


class VerdictNews(Answer):
    """A decision on something that the caller said."""

    event_id: UUID
    kind: str
    attribute: str
    verdict: Verdict
    reason: str
    memory_id: UUID | None
    concerns: UUID | None
    recorded_at: datetime


class TransitionNews(Answer):
    """A change of status of a memory that rests on the caller's words."""

    memory_id: UUID
    from_status: str | None
    to_status: str
    rule: str
    reason: str
    effective_at: datetime
    recorded_at: datetime


class IntentionNews(Answer):
    """A change of status of an intention that the caller owns or has set."""

    intention_id: UUID
    from_status: str | None
    to_status: str
    rule: str
    reason: str
    effective_at: datetime
    recorded_at: datetime


class ProposalNews(Answer):
    """A change of a proposal that the caller has drafted, or may decide on. Its state can stay what it was."""

    proposal_id: UUID
    procedure_id: UUID
    from_status: str | None
    to_status: str
    rule: str
    reason: str
    effective_at: datetime
    recorded_at: datetime


class VersionNews(Answer):
    """A change of status of a version of a procedure that the caller may read."""

    version_id: UUID
    procedure_id: UUID
    from_status: str | None
    to_status: str
    rule: str
    reason: str
    effective_at: datetime
    recorded_at: datetime


Told = VerdictNews | TransitionNews | IntentionNews | ProposalNews | VersionNews


class News(NamedTuple):
    """One item of the stream. `id` is where to go on from: `news(after=id)`."""

    id: str
    told: Told
