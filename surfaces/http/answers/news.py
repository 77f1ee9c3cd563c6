"""What the stream tells."""

from datetime import datetime
from uuid import UUID

from models.reconciliation import Verdict
from surfaces.http.answers.base import Answer


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
