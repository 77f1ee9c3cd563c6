"""A proposal: a change of a procedure that waits for people, and what each of their decisions comes to.

A decision is about the revision that its reviewer has seen. Who is permitted is asked of the policy by the caller.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, NamedTuple, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from models.errors import Conflict, KeepwellError, NotPermitted
from models.principals import PrincipalKind, Speaker
from models.procedure_rules import ProcedureClass
from models.procedures import Approval, Name, Origin, ProcedureContent, Trial, Who
from models.statements import Spoken, Words

MOST_EPISODES = 1_000


class ProposalState(StrEnum):
    """Where a proposal is.

    | state | means |
    | --- | --- |
    | `open` | waits for a reviewer |
    | `changes_asked` | a reviewer has asked for changes; a revision opens it again |
    | `conflicted` | the version in force has changed in the same places; a revision, or an edit, settles what holds |
    | `on_trial` | is tried, and waits for the decision whether it holds for all |
    | `approved` | has become a version in force, or has confirmed the one that is |
    | `rejected` | was rejected, with a reason that teaches |
    | `lapsed` | nobody decided in time |
    | `withdrawn` | whoever drafted it has taken it back |
    """

    OPEN = "open"
    CHANGES_ASKED = "changes_asked"
    CONFLICTED = "conflicted"
    ON_TRIAL = "on_trial"
    APPROVED = "approved"
    REJECTED = "rejected"
    LAPSED = "lapsed"
    WITHDRAWN = "withdrawn"


WAITING = frozenset(
    {
        ProposalState.OPEN,
        ProposalState.CHANGES_ASKED,
        ProposalState.CONFLICTED,
        ProposalState.ON_TRIAL,
    }
)
"""The states in which somebody has still to do something."""


class Ground(BaseModel):
    """What speaks for and against one change: episodes by their ids, and of how many runs in all.

    `change` names what is changed, as `models.procedure_changes` does: `steps/check-schedules`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    change: str
    because: str
    supporting: tuple[UUID, ...] = ()
    opposing: tuple[UUID, ...] = ()
    runs: int = 0


class Proposal(NamedTuple):
    """A proposal as the store holds it.

    `base` is the number of the version that it changes, None for a procedure without one in force. `finding` is the key
    of the recurrence that it was drafted from. `wakes_at` is when something comes of it by itself.
    """

    id: UUID
    procedure_id: UUID
    base: int | None
    content: ProcedureContent
    origin: Origin
    drafters: tuple[Who, ...]
    because: str | None
    grounds: tuple[Ground, ...]
    episodes: tuple[UUID, ...]
    finding: UUID | None
    state: ProposalState
    reason: str
    revision: int
    event_id: UUID | None
    recorded_at: datetime
    remind_at: datetime | None
    escalate_at: datetime | None
    lapses_at: datetime | None
    version_id: UUID | None

    @property
    def wakes_at(self) -> datetime | None:
        """When something comes of it by itself, None where nothing does."""
        return min(filter(None, (self.remind_at, self.escalate_at, self.lapses_at)), default=None)

    @property
    def by(self) -> Sequence[Who]:
        """Who may not decide on it."""
        return self.drafters


class NewProposal(Spoken):
    """A procedure as somebody proposes it: a new one, or other content for one that there is.

    `base` is the number of the version that it was written against, None where there was none in force.
    """

    scope: dict[str, str]
    procedure: Name
    class_name: Annotated[str, Field(min_length=1, max_length=100)]
    content: ProcedureContent
    base: int | None = Field(default=None, ge=1)
    because: Words | None = None


class Revision(Spoken):
    """Other content for a proposal that waits, by whoever may draft. `revision` is the one that it was written on."""

    revision: int = Field(ge=1)
    content: ProcedureContent
    because: Words | None = None


class Retreat(Spoken):
    """A proposal is taken back by one of its drafters."""

    because: Words | None = None


class Choice(StrEnum):
    """What a reviewer decides."""

    APPROVE = "approve"
    TRY = "try"
    REQUEST_CHANGES = "request_changes"
    REJECT = "reject"


class NewDecision(Spoken):
    """A reviewer's decision on one revision of a proposal.

    `content` edits what is approved or tried. `reason` says why; to reject, and to ask for changes, takes one. `trial`
    says with whom it is tried.
    """

    revision: int = Field(ge=1)
    choice: Choice
    content: ProcedureContent | None = None
    reason: Words | None = None
    trial: Trial | None = None

    @model_validator(mode="after")
    def _says_enough(self) -> Self:
        if self.choice in (Choice.REJECT, Choice.REQUEST_CHANGES):
            if self.reason is None:
                raise ValueError("say why, so that whoever drafted it learns from it: give reason")
            if self.content is not None:
                raise ValueError("content edits what is approved or tried; propose a revision instead")
        if (self.trial is not None) != (self.choice is Choice.TRY):
            raise ValueError("trial says with whom it is tried; give it with the choice try, and only then")
        return self


class Rollback(Spoken):
    """A procedure is to say again what it said in an earlier version. `because` says why."""

    to: int = Field(ge=1)
    because: Words


class DecisionState(StrEnum):
    """Where a decision is: `counted` is what it was taken into account; `refused` says why not."""

    PENDING = "pending"
    COUNTED = "counted"
    REFUSED = "refused"


class Decision(NamedTuple):
    """A decision as the store holds it. `by` has the roles that its reviewer held when they said so."""

    id: UUID
    proposal_id: UUID
    event_id: UUID
    revision: int
    choice: Choice
    by: Speaker
    content: ProcedureContent | None
    reason: str | None
    trial: Trial | None
    state: DecisionState
    outcome: str | None
    recorded_at: datetime
    decided_at: datetime | None


class DecisionResult(StrEnum):
    """What a decision comes to. The first line that holds, holds.

    | the proposal | the decision | comes to |
    | --- | --- | --- |
    | waits no more | any | `too_late` |
    | is at another revision | any | `stale` |
    | any | by who may not decide on it | `not_permitted` |
    | any | by one of its drafters | `own_draft` |
    | is on trial | to ask for changes | `on_trial_already` |
    | is on trial | to try it | `on_trial_already` |
    | is in conflict with the version in force | to approve or try, without an edit | `needs_an_edit` |
    | asks whether a version in force may stay | to try it, without an edit | `in_force_already` |
    | any | to ask for changes | `changes_asked` |
    | any | to reject | `rejected` |
    | any | to approve or try, by one who has approved this revision | `said_before` |
    | lacks further reviewers | to approve or try | `another_reviewer` |
    | has them all | to try | `tried` |
    | has them all | to approve | `approved` |

    An edit makes another revision, which the approvals of the one before do not count for.
    """

    TOO_LATE = "too_late"
    STALE = "stale"
    NOT_PERMITTED = "not_permitted"
    OWN_DRAFT = "own_draft"
    ON_TRIAL_ALREADY = "on_trial_already"
    NEEDS_AN_EDIT = "needs_an_edit"
    IN_FORCE_ALREADY = "in_force_already"
    CHANGES_ASKED = "changes_asked"
    REJECTED = "rejected"
    SAID_BEFORE = "said_before"
    ANOTHER_REVIEWER = "another_reviewer"
    TRIED = "tried"
    APPROVED = "approved"

    @property
    def counts(self) -> bool:
        """Whether the decision was taken into account."""
        return self in _COUNTS


_COUNTS = frozenset(
    {
        DecisionResult.CHANGES_ASKED,
        DecisionResult.REJECTED,
        DecisionResult.ANOTHER_REVIEWER,
        DecisionResult.TRIED,
        DecisionResult.APPROVED,
    }
)

MEANINGS: Mapping[DecisionResult, str] = {
    DecisionResult.TOO_LATE: "the proposal is settled; read it to see how",
    DecisionResult.STALE: "the proposal has another revision by now; read it, and decide on that one",
    DecisionResult.NOT_PERMITTED: "no role of this principal may decide on procedures of this class here",
    DecisionResult.OWN_DRAFT: "nobody decides on what they have drafted; ask another reviewer",
    DecisionResult.ON_TRIAL_ALREADY: "the proposal is on trial; approve it for all, or reject it",
    DecisionResult.NEEDS_AN_EDIT: "the version in force has changed in the same places; approve what holds, as content",
    DecisionResult.IN_FORCE_ALREADY: "the version is in force already; approve that it stays, or reject it",
    DecisionResult.CHANGES_ASKED: "changes are asked for; a revision opens the proposal again",
    DecisionResult.REJECTED: "the proposal is rejected, and comes back only with new evidence",
    DecisionResult.SAID_BEFORE: "this reviewer has approved this revision already; another one has to",
    DecisionResult.ANOTHER_REVIEWER: "approved; the class asks for another reviewer",
    DecisionResult.TRIED: "the version is on trial",
    DecisionResult.APPROVED: "the version is in force",
}
"""What is told of an outcome."""


def outcome_of(
    proposal: Proposal,
    decision: Decision,
    rules: ProcedureClass,
    role: str | None,
    approvals: Sequence[Approval],
) -> DecisionResult:
    """What a decision comes to; see `DecisionResult`. `role` is that in which its reviewer may decide, or None.

    `approvals` are those of this revision so far, for the same choice.
    """
    edits = decision.content is not None and decision.content != proposal.content
    gives = decision.choice in (Choice.APPROVE, Choice.TRY)
    by = Who(subject=decision.by.subject, kind=decision.by.kind)
    refused = _refusal(proposal, decision, role, by, edits=edits, gives=gives)
    if refused is not None:
        return refused
    if decision.choice is Choice.REQUEST_CHANGES:
        return DecisionResult.CHANGES_ASKED
    if decision.choice is Choice.REJECT:
        return DecisionResult.REJECTED
    before = [] if edits else [approval.by for approval in approvals]
    if by in before:
        return DecisionResult.SAID_BEFORE
    if len(before) + 1 < rules.reviewers:
        return DecisionResult.ANOTHER_REVIEWER
    return DecisionResult.TRIED if decision.choice is Choice.TRY else DecisionResult.APPROVED


def refusal_of(result: DecisionResult) -> KeepwellError | None:
    """What a reviewer is told whose decision does not count; None for one that does."""
    if result.counts:
        return None
    refused = NotPermitted if result in _FORBIDDEN else Conflict
    return refused(MEANINGS[result])


_FORBIDDEN = frozenset({DecisionResult.NOT_PERMITTED, DecisionResult.OWN_DRAFT})


def _refusal(
    proposal: Proposal, decision: Decision, role: str | None, by: Who, *, edits: bool, gives: bool
) -> DecisionResult | None:
    choice, state = decision.choice, proposal.state
    # A model's word decides on nothing, whatever the roles of the session that it speaks in.
    permitted = role is not None and by.kind is not PrincipalKind.AGENT
    on_trial, conflicted = state is ProposalState.ON_TRIAL, state is ProposalState.CONFLICTED
    confirms = proposal.origin is Origin.EVIDENCE_LOST and not edits
    refusals = (
        (state not in WAITING, DecisionResult.TOO_LATE),
        (decision.revision != proposal.revision, DecisionResult.STALE),
        (not permitted, DecisionResult.NOT_PERMITTED),
        (by in proposal.drafters, DecisionResult.OWN_DRAFT),
        (on_trial and choice in (Choice.REQUEST_CHANGES, Choice.TRY), DecisionResult.ON_TRIAL_ALREADY),
        (conflicted and gives and not edits, DecisionResult.NEEDS_AN_EDIT),
        (confirms and choice is Choice.TRY, DecisionResult.IN_FORCE_ALREADY),
    )
    return next((outcome for refused, outcome in refusals if refused), None)


class Kept(NamedTuple):
    """What of a version's evidence is left, and whether that is enough for it to stay in force meanwhile."""

    left: tuple[UUID, ...]
    suffices: bool


def kept_of(episodes: Sequence[UUID], lost: Sequence[UUID], least: int) -> Kept:
    """What losing evidence means for a version.

    | of the episodes behind it | the version |
    | --- | --- |
    | at least `least` are left | stays in force, and a reviewer is asked whether it may |
    | fewer are left | is suspended, and a reviewer is asked |
    """
    left = tuple(each for each in episodes if each not in set(lost))
    return Kept(left, len(left) >= least)
