"""Procedures, their versions, what is proposed for them, what was decided on it, and how runs went."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from models.attribution import PairedEffect
from models.procedure_changes import ChangeKind
from models.procedures import (
    Origin,
    ProcedureContent,
    ProcedureStep,
    Trial,
    TriggerIntent,
    VersionStatus,
    Who,
)
from models.proposals import Choice, DecisionResult, DecisionState, ProposalState
from surfaces.http.answers.base import Answer
from surfaces.http.answers.memories import EpisodeTold


class ApprovalTold(Answer):
    """Who approved, in which role, and when."""

    by: Who
    role: str
    at: datetime


class VersionTold(Answer):
    """A version of a procedure. `reason` says why it stands where it stands, and `episodes` are those that it rests on.

    `trial` says with whom it is, or was, tried.
    """

    id: UUID
    number: int
    status: VersionStatus
    content: ProcedureContent
    origin: Origin
    proposal_id: UUID | None
    drafters: list[Who]
    approved: list[ApprovalTold]
    episodes: list[UUID]
    trial: Trial | None
    reason: str
    recorded_at: datetime


class ProcedureTold(Answer):
    """A procedure, with the version in force and the one on trial; None where there is none."""

    id: UUID
    scope: dict[str, str]
    name: str
    class_name: str
    versions: int
    current: VersionTold | None
    trial: VersionTold | None


class ProcedureRead(Answer):
    """A procedure with all its versions, the first one first."""

    procedure: ProcedureTold
    versions: list[VersionTold]


class ProcedurePage(Answer):
    """One page of procedures. `next` is what to send as `after` for the page that follows."""

    procedures: list[ProcedureTold]
    next: UUID | None


class RolledBackTold(Answer):
    """A procedure that says again what it said before. `duplicate` says that this had been asked for before."""

    procedure: ProcedureTold
    event_id: UUID
    duplicate: bool


class GroundTold(Answer):
    """What speaks for and against a change: episodes by their ids, of so many runs of this class of task."""

    change: str
    because: str
    supporting: list[UUID]
    opposing: list[UUID]
    runs: int


class ProposalTold(Answer):
    """A proposal. `base` is the number of the version that it changes, None where there is none in force.

    A decision is on a `revision`. `version_id` is the version that it became, or that it asks about.
    """

    id: UUID
    procedure_id: UUID
    name: str
    scope: dict[str, str]
    class_name: str
    base: int | None
    content: ProcedureContent
    origin: Origin
    drafters: list[Who]
    because: str | None
    episodes: list[UUID]
    state: ProposalState
    reason: str
    revision: int
    recorded_at: datetime
    lapses_at: datetime | None
    version_id: UUID | None


class ProcedureChangeTold(Answer):
    """One change: what it changes, and what speaks for and against it. `before` and `after` are words, or a step."""

    what: str
    kind: ChangeKind
    before: ProcedureStep | str | None
    after: ProcedureStep | str | None
    grounds: list[GroundTold]


class ReviewerDecisionTold(Answer):
    """What a reviewer has decided, and what it came to; `outcome` is None until it is counted."""

    id: UUID
    by: Who
    revision: int
    choice: Choice
    reason: str | None
    state: DecisionState
    outcome: DecisionResult | None
    recorded_at: datetime


class ProposalRead(Answer):
    """A proposal as a reviewer decides on it: what it changes, the episodes behind it, and who has said what.

    `approvals` are those of this revision, of the `reviewers` that its class asks for.
    """

    proposal: ProposalTold
    base: VersionTold | None
    changes: list[ProcedureChangeTold]
    episodes: list[EpisodeTold]
    decisions: list[ReviewerDecisionTold]
    approvals: list[ApprovalTold]
    reviewers: int


class ProposalPage(Answer):
    """One page of proposals, the oldest first. `next` is what to send as `after` for the page that follows."""

    proposals: list[ProposalTold]
    next: UUID | None


class ProposalChanged(Answer):
    """A proposal as it stands after a word on it. `duplicate` says that the word had been said before."""

    proposal: ProposalTold
    event_id: UUID
    duplicate: bool


class DecisionCounted(Answer):
    """What a decision came to, and the proposal as it stands; `pending` where nobody has counted it in time."""

    decision_id: UUID
    outcome: DecisionResult | Literal["pending"]
    meaning: str
    proposal: ProposalTold
    event_id: UUID
    duplicate: bool


class RunKept(Answer):
    """A report on a run that is kept. `duplicate` says that it was there before."""

    event_id: UUID
    activity_id: UUID
    duplicate: bool


class StepTallyTold(Answer):
    """How often a step was done, skipped and failed."""

    id: str
    done: int
    skipped: int
    failed: int


class TallyTold(Answer):
    """What came of the runs with a version: of all that were reported, those that succeeded and failed."""

    number: int
    runs: int
    succeeded: int
    failed: int
    steps: list[StepTallyTold]


class RunsTold(Answer):
    """What came of runs with the version in force, and with the one on trial.

    `pairs` compares pairs of runs: a rescue is one that went well with the version on trial and not with the other.
    """

    current: TallyTold | None
    trial: TallyTold | None
    pairs: PairedEffect | None


class ReflectionTold(Answer):
    """What came of a reflection: episodes that were read, what recurs, and how much of it was proposed now.

    `widened` are facts of several scopes that were proposed for the wider one, `lapsed` facts and claims found at
    their end.
    """

    read: int
    found: int
    proposed: int
    widened: int
    lapsed: int


class EpisodeRetractedTold(Answer):
    """An episode that is retracted. `duplicate` says that this had been said before."""

    episode_id: UUID
    event_id: UUID
    duplicate: bool


class RecalledProcedureTold(Answer):
    """The procedure in force that fits, whole. `id` is that of its version, under whose `version` runs are reported."""

    id: UUID
    procedure_id: UUID
    name: str
    version: int
    status: VersionStatus
    scope: dict[str, str]
    trigger: TriggerIntent
    preconditions: list[str]
    applies_to: list[str]
    steps: list[ProcedureStep]
    approved_by: list[str]
    approved_at: datetime
