"""The export: all that is held of one person, as one JSON document with provenance. Its shapes are a format.

Where a shape changes so that a reader of the old one would go wrong, `VERSION` is raised.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from models.authority import Standing
from models.conditions import ConfirmationState, GateState
from models.contracts import Source
from models.controls import SwitchState
from models.episodes import ExecutionStatus, GoalOutcome
from models.facts import Ending, Status
from models.principals import PrincipalKind
from models.recall import Advice
from models.triggers import Trigger
from models.withholding import Withholding

FORMAT = "keepwell.export"
VERSION = 1


class Part(BaseModel):
    """Base of all parts of an export."""

    model_config = ConfigDict(frozen=True)


class ExportedEntity(Part):
    """What a memory or an event is about, by canonical id and by name."""

    canonical: str | None
    name: str | None


class ExportedSpeaker(Part):
    """Who spoke, and in which roles."""

    subject: str
    kind: PrincipalKind
    roles: list[str]


class ExportedEvidence(Part):
    """One event that a memory rests on: who spoke in it, with what authority, and in which role if one permitted it."""

    event_id: UUID
    supports: str
    subject: str
    authority: Source
    authority_role: str | None
    occurred_at: datetime
    recorded_at: datetime


class ExportedChange(Part):
    """One declared change of status; `from_status` is None for a memory that begins."""

    id: UUID
    memory_id: UUID
    from_status: str | None
    to_status: str
    rule: str
    reason: str
    actor: str
    actor_role: str | None
    event_id: UUID | None
    effective_at: datetime
    recorded_at: datetime


class ExportedConfirmation(Part):
    """Somebody's word that the condition which ends a memory is met, and what became of it."""

    id: UUID
    memory_id: UUID
    event_id: UUID
    speaker: ExportedSpeaker
    state: ConfirmationState
    reason: str | None
    recorded_at: datetime
    decided_at: datetime | None


class ExportedMemory(Part):
    """A fact of any status, held claims included, with its whole life.

    `canonical` is the value in the form in which values are compared, `lapses_at` the end of the class's retention.
    `about_subject` says that it is about the person; else it rests on words of theirs among others. `key_id` is
    the same for all that is said of one attribute of one thing in one scope. `class_name` is None where the policy
    does not declare the attribute any more, `gate` where no condition ends it. It was `made_from` these records,
    and these were `made_into` others.
    """

    id: UUID
    key_id: UUID
    about_subject: bool
    class_name: str | None
    switched_off: bool
    scope: dict[str, str]
    entity: ExportedEntity
    attribute: str
    value: str
    canonical: str
    ends_when: str | None
    expires_at: datetime | None
    lapses_at: datetime | None
    status: Status
    valid_from: datetime
    ended_at: datetime | None
    ending: Ending | None
    stated_at: datetime
    restated_at: datetime
    recorded_at: datetime
    authority: Source
    authority_role: str | None
    standing: Standing
    challenges: UUID | None
    statement: str
    gate: GateState | None
    evidence: list[ExportedEvidence]
    changes: list[ExportedChange]
    confirmations: list[ExportedConfirmation]
    made_from: list[UUID]
    made_into: list[UUID]


class ExportedDecision(Part):
    """What was decided on a candidate: the memory that it made, and the one that it concerns."""

    verdict: str
    reason: str
    memory_id: UUID | None
    concerns: UUID | None
    recorded_at: datetime


class ExportedCandidate(Part):
    """What an event proposed to remember; without words where it was discarded, without a decision where it waits, or
    where that would tell of a memory which the person may not see.

    `doubt` is why it must not govern, `about` the memory that it names, `promotes` the one that it carries over to a
    wider scope, `reviews` the claim that it accepts or rejects, and `extraction` the call of a model that proposed it.
    """

    id: UUID
    key_id: UUID | None
    kind: str
    attribute: str
    entity: str | None
    value: str | None
    ends_when: str | None
    expires_at: datetime | None
    valid_from: datetime | None
    hedged: bool
    doubt: str | None
    quote: str
    extractor: str
    extraction: UUID | None
    about: UUID | None
    promotes: UUID | None
    reviews: UUID | None
    recorded_at: datetime
    decision: ExportedDecision | None


class Reason(StrEnum):
    """Why an event is in the export."""

    SPOKEN = "spoken"
    SCOPE = "scope"
    EVIDENCE = "evidence"


class ExportedEvent(Part):
    """An event that the person spoke, whose scope names them, or that a memory about them rests on.

    `activity` is the activity's id, `activity_id` what its publisher called it.
    """

    id: UUID
    because: list[Reason]
    activity: UUID
    activity_id: str
    seq: int
    type: str
    speaker: ExportedSpeaker
    authority: Source
    scope: dict[str, str]
    occurred_at: datetime
    recorded_at: datetime
    timezone: str | None
    text: str | None
    entities: list[ExportedEntity]
    evidence_ref: str | None
    data: dict[str, Any]
    idempotency_key: str | None
    candidates: list[ExportedCandidate]


class ExportedPassage(Part):
    """A part of an episode that was made from events of the person, or of a scope that names them."""

    id: UUID
    text: str
    sources: list[UUID]
    occurred_at: datetime


class ExportedEpisode(Part):
    """An episode that was made from such events among others."""

    id: UUID
    activity: UUID
    activity_id: str
    scope: dict[str, str]
    revision: int
    execution_status: ExecutionStatus
    goal_outcome: GoalOutcome
    narrative: str
    narrator: str
    authority: Source
    started_at: datetime
    ended_at: datetime
    recorded_at: datetime
    revised_at: datetime
    sources: list[UUID]
    passages: list[ExportedPassage]


class ExportedSwitch(Part):
    """A class that the person has switched, and when, with the attributes that it covers. The last one counts."""

    class_name: str
    state: SwitchState
    attributes: list[str]
    recorded_at: datetime


class ExportedPolicyChange(Part):
    """A change of the tenant's policy that the person made."""

    version: int
    digest: str
    reason: str
    recorded_at: datetime


class ExportedRecall(Part):
    """A recall that the person made, for as long as its trace is kept: what they asked, and what the answer advised.

    The trace itself, with the records that were found, is read by its id.
    """

    id: UUID
    recorded_at: datetime
    scope: dict[str, str]
    query: str
    entities: list[str]
    as_of: datetime
    triggers: list[Trigger]
    advice: Advice


class Withheld(Part):
    """A record that is held and not told, with the events of the person that it rests on.

    `beyond_reach`: it is not about the person, and lies where they may not read, or its scope does.
    `class_without_export`: its class does not let the person export it.
    """

    kind: Literal["memory", "event", "episode"]
    id: UUID
    reason: Withholding
    sources: list[UUID]


class ExportCounts(Part):
    """How many records of each kind the export has."""

    memories: int
    events: int
    candidates: int
    episodes: int
    passages: int
    confirmations: int
    changes: int
    switches: int
    policy_changes: int
    recalls: int
    withheld: int


class ExportHeader(Part):
    """Of whom the export is, and for whom and when it was made; all of it is as of one instant."""

    format: Literal["keepwell.export"] = FORMAT
    version: Literal[1] = VERSION
    tenant: str
    subject: str
    requested_by: str
    generated_at: datetime


class Export(ExportHeader):
    """All that is held of one person. `confirmations`, `changes` and `policy_changes` are what they brought about,
    `recalls` what they asked.

    `digest` is the BLAKE2b-256 of the header and then of each record in the order of the document, each as JSON
    with sorted keys and no spaces, in UTF-8, followed by a line feed.
    """

    memories: list[ExportedMemory]
    events: list[ExportedEvent]
    episodes: list[ExportedEpisode]
    confirmations: list[ExportedConfirmation]
    changes: list[ExportedChange]
    switches: list[ExportedSwitch]
    policy_changes: list[ExportedPolicyChange]
    recalls: list[ExportedRecall]
    withheld: list[Withheld]
    counts: ExportCounts
    digest: str
