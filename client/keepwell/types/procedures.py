"""Procedures, what is proposed for them, what is decided on it, and how runs went."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from keepwell.types.memories import EpisodeTold
from keepwell.types.statements import Spoken
from keepwell.types.traces import PairedEffect
from keepwell.types.wire import Answer, Request
from keepwell.types.words import (
    ChangeKind,
    Choice,
    ChoiceTold,
    DecisionResult,
    DecisionState,
    Origin,
    Outcome,
    PrincipalKind,
    ProposalState,
    ProposalStateTold,
    StepFate,
    VersionStatus,
)

_PLAIN = r"^[^\x00-\x1f\x7f-\x9f]+$"
_Subject = Annotated[str, Field(min_length=1, max_length=200, pattern=_PLAIN)]
_Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,99}$")]
_StepId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,99}$")]
_Said = Annotated[str, Field(max_length=4_000, pattern=r"\S")]
_Words = Annotated[str, Field(max_length=20_000, pattern=r"\S")]
_AppliesTo = Annotated[str, Field(max_length=300, pattern=r"^[a-z][a-z0-9_-]*(:\S+)?$")]


class TriggerIntent(Request):
    """What calls for a procedure: an intent in words, and the class of task by the name that agents give it."""

    intent: str = Field(max_length=500, pattern=r"\S")
    task_class: Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")] | None = None


class ProcedureStep(Request):
    """One step: what to do, and how to see that it is done. `because` says which experience it comes from."""

    id: _StepId
    do: _Said
    verify: _Said
    because: _Said | None = None


class ProcedureContent(Request):
    """What a version says."""

    trigger: TriggerIntent
    preconditions: Annotated[tuple[_Said, ...], Field(max_length=50)] = ()
    applies_to: Annotated[tuple[_AppliesTo, ...], Field(max_length=50)] = ()
    steps: Annotated[tuple[ProcedureStep, ...], Field(min_length=1, max_length=500)]


class Who(Request):
    """Somebody who drafted or decided."""

    subject: _Subject
    kind: PrincipalKind


class Trial(Request):
    """With whom a version is tried: agents by their subjects, and a share of runs from 0 to 1."""

    agents: Annotated[tuple[_Subject, ...], Field(max_length=100)] = ()
    share: float = Field(default=0.0, ge=0.0, le=1.0)


class NewProposal(Spoken):
    """A procedure as somebody proposes it. `base` is the number of the version that it was written against."""

    scope: dict[str, str]
    procedure: _Name
    class_name: Annotated[str, Field(min_length=1, max_length=100)]
    content: ProcedureContent
    base: int | None = Field(default=None, ge=1)
    because: _Words | None = None


class Revision(Spoken):
    """Other content for a proposal that waits. `revision` is the one that it was written on."""

    revision: int = Field(ge=1)
    content: ProcedureContent
    because: _Words | None = None


class Retreat(Spoken):
    """A proposal is taken back by one of its drafters."""

    because: _Words | None = None


class NewDecision(Spoken):
    """A reviewer's decision on one revision. To reject, and to ask for changes, takes a `reason`."""

    revision: int = Field(ge=1)
    choice: Choice
    content: ProcedureContent | None = None
    reason: _Words | None = None
    trial: Trial | None = None


class Rollback(Spoken):
    """A procedure is to say again what it said in an earlier version. `because` says why."""

    to: int = Field(ge=1)
    because: _Words


class _Query(Request):
    scope: dict[str, str]
    after: UUID | None = None
    limit: int = Field(default=50, ge=1, le=200)


class ProcedureQuery(_Query):
    """Procedures of scopes that have these dimensions; `{}` for all within reach."""


class ProposalQuery(_Query):
    """Proposals for procedures of scopes that have these dimensions, the oldest first; `{}` for all within reach."""

    states: tuple[ProposalState, ...] = ("open", "changes_asked", "conflicted", "on_trial")


class StepReport(Request):
    """What became of one step, and why."""

    id: _StepId
    fate: StepFate
    note: _Words | None = None


class NewRun(Spoken):
    """A run: with which version, in which scope and activity, and what became of its steps."""

    scope: dict[str, str]
    version: int = Field(ge=1)
    steps: Annotated[tuple[StepReport, ...], Field(max_length=500)] = ()
    outcome: Outcome = "unknown"
    pair: Annotated[str, Field(min_length=1, max_length=200, pattern=_PLAIN)] | None = None


class ApprovalTold(Answer):
    """Who approved, in which role, and when."""

    by: Who
    role: str
    at: datetime


class VersionTold(Answer):
    """A version of a procedure. `reason` says why it stands where it stands."""

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
    """A procedure that says again what it said before."""

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
    """A proposal. A decision is on a `revision`."""

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
    state: ProposalStateTold
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
    choice: ChoiceTold
    reason: str | None
    state: DecisionState
    outcome: DecisionResult | None
    recorded_at: datetime


class ProposalRead(Answer):
    """A proposal as a reviewer decides on it. `approvals` are of this revision, of the `reviewers` that it takes."""

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
    """A proposal after a word on it. `duplicate` says that the word had been said before."""

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
    """A report on a run that is kept."""

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
    """What came of the runs with a version."""

    number: int
    runs: int
    succeeded: int
    failed: int
    steps: list[StepTallyTold]


class RunsTold(Answer):
    """What came of runs with the version in force, and with the one on trial; `pairs` compares pairs of runs."""

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
    """An episode that is retracted."""

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
