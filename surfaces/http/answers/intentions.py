"""Intentions as they stand, what came of them, and what is handed out of an inbox."""

from datetime import datetime
from typing import Any
from uuid import UUID

from models.intentions import Fate, Life, Owner
from surfaces.http.answers.base import Answer


class IntentionTold(Answer):
    """An intention. `trigger` is what it waits for, by `kind` an instant, a recurrence, a cue or a change; `told` says
    so in words, in its zone, and `coming` are its next instants.

    `grace_seconds` is how late it may be delivered. `reason` says why it is in its status.
    """

    id: UUID
    status: Life
    action: str
    data: dict[str, Any]
    scope: dict[str, str]
    owner: Owner
    set_by: Owner
    trigger: dict[str, Any]
    told: str
    coming: list[datetime]
    not_before: datetime | None
    deadline: datetime | None
    grace_seconds: float
    timezone: str
    endpoint_id: UUID | None
    premises: list[UUID]
    reason: str | None
    fired: int
    event_id: UUID
    set_at: datetime


class OccurrenceTold(Answer):
    """One firing. `cause_id` is the event or the change behind it, None where it was time; `skipped` counts later ones
    that were missed with it, up to a hundred: at that number it was at least so many. `event_id` is the event that
    acknowledged it.
    """

    id: UUID
    due_at: datetime
    fired_at: datetime
    cause_id: UUID | None
    fate: Fate
    skipped: int
    leases: int
    available_at: datetime
    settled_at: datetime | None
    outcome: str | None
    event_id: UUID | None


class IntentionRead(Answer):
    """An intention with its occurrences, the latest first."""

    intention: IntentionTold
    occurrences: list[OccurrenceTold]


class IntentionPage(Answer):
    """One page of intentions, the latest set first. `next` is what to send as `before` for the page that follows."""

    intentions: list[IntentionTold]
    next: UUID | None


class IntentionChanged(Answer):
    """An intention as it stands after a word on it. `duplicate` says that the word had been said before."""

    intention: IntentionTold
    event_id: UUID
    duplicate: bool


class IntentionPreview(Answer):
    """What an intention would wait for, in words, and its next instants. Nothing is set."""

    told: str
    coming: list[datetime]


class DueTold(Answer):
    """Something due, to be acknowledged under its `lease` before `lease_ends_at`; else it comes again.

    `set_by` is whose plan it is: one's own, or of somebody who may assign.
    """

    occurrence_id: UUID
    intention_id: UUID
    action: str
    data: dict[str, Any]
    scope: dict[str, str]
    set_by: Owner
    due_at: datetime
    fired_at: datetime
    cause_id: UUID | None
    leases: int
    lease: UUID
    lease_ends_at: datetime


class InboxTaken(Answer):
    """What was handed out, the oldest first; empty where nothing was due in time."""

    due: list[DueTold]
