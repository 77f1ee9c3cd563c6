"""What crosses Temporal: ids, enums, counts and instants. Never a word of content.

Everything here ends up in workflow histories, where an erasure cannot reach a single field.
"""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from models.conditions import ConfirmationState, GateState
from models.episodes import ExecutionStatus
from models.erasure.erasures import ErasureState, Step
from models.extractions import Fault
from models.proposals import DecisionResult, ProposalState


class Message(BaseModel):
    """Base of all messages: immutable, and nothing beyond the declared fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TenantMessage(Message):
    """What is about one tenant."""

    tenant_id: UUID


class ActivityRef(TenantMessage):
    """One activity of a tenant, by its internal id."""

    activity_id: UUID


class ConsolidationInput(ActivityRef):
    """Start of a consolidation. `quiet_seconds` is how long the activity must be silent first."""

    quiet_seconds: float


class Completed(Message):
    """The end of a step in which a model may have been asked.

    `by_rule` says why the model was no help, None where it was or none is configured; `attempts` how often it was
    asked.
    """

    by_rule: Fault | None = None
    attempts: int = 0


class EpisodeWritten(Completed):
    """What building the episode came to. `through_seq` is the last event that it has seen."""

    through_seq: int
    kept: bool
    execution_status: ExecutionStatus | None = None
    passages: int = 0


class ActivityPass(ActivityRef):
    """One pass over an activity: it has seen the events up to `through_seq`."""

    through_seq: int


class FactsProposed(Completed):
    """Counts of one extraction: what was proposed, and how many fact keys have something to decide.

    `more` says whether events have come meanwhile that the pass has not seen.
    """

    handed_over: int
    proposals: int
    more: bool


class FactKeyRef(TenantMessage):
    """One fact key of a tenant."""

    key_id: UUID


class Reconciled(Message):
    """Counts by verdict, and whether undecided candidates are left."""

    verdicts: dict[str, int]
    more: bool


class FactRef(TenantMessage):
    """One fact of a tenant."""

    fact_id: UUID


class ConfirmationRef(FactRef):
    """One stored confirmation of a fact's end."""

    confirmation_id: UUID


class GateReading(Message):
    """A gate as Postgres has it, with the confirmations that nobody has decided on yet.

    `ends_at` is when the fact ends in any case, where that is known.
    """

    state: GateState
    reason: str | None = None
    ends_at: datetime | None = None
    pending: tuple[UUID, ...] = ()


class ConfirmationOutcome(Message):
    """What became of a confirmation."""

    state: ConfirmationState
    reason: str


class ProposalRef(TenantMessage):
    """One proposal of a tenant."""

    proposal_id: UUID


class ProposalLook(ProposalRef):
    """One proposal, as of `now` by Temporal's clock, which may run ahead of others."""

    now: datetime


class DecisionRef(ProposalRef):
    """One stored decision on a proposal: on which of its revisions, and whether by somebody who has drafted it."""

    decision_id: UUID
    revision: int
    by_drafter: bool


class ProposalReading(Message):
    """A proposal as Postgres has it, with the decisions that nobody has counted yet.

    `wakes_at` is when something comes of it by itself.
    """

    state: ProposalState
    revision: int
    wakes_at: datetime | None = None
    pending: tuple[UUID, ...] = ()


class DecisionOutcome(Message):
    """What a decision came to, and at which revision the proposal is by now."""

    outcome: DecisionResult
    state: ProposalState
    revision: int


class ReflectionLook(TenantMessage):
    """A tenant's experience, as of `now` by Temporal's clock, which may run ahead of others."""

    now: datetime


class ExperiencesRead(Message):
    """How many episodes one step has read, and whether there are more."""

    read: int
    more: bool


class Reflected(Message):
    """Counts of one reflection: episodes that were read, what recurs in all, and what of it was proposed.

    `widened` is what was proposed for wider scopes, and `lapsed` how many facts and claims were found at their end.
    """

    read: int = 0
    found: int = 0
    proposed: int = 0
    widened: int = 0
    lapsed: int = 0


class Count(Message):
    """How many there were of what a step is for."""

    number: int = 0


class IntentionsRef(TenantMessage):
    """A tenant's intentions, as of `now` by Temporal's clock, which may run ahead of others."""

    now: datetime


class Advanced(Message):
    """One step of a tenant's intentions: how many occurrences came about, and when something more comes by itself."""

    fired: int
    wakes_at: datetime | None


class EndpointRef(TenantMessage):
    """One endpoint of a tenant."""

    endpoint_id: UUID


class DeliveryRef(EndpointRef):
    """What is due at an endpoint, as of `now` by Temporal's clock, which may run ahead of others."""

    now: datetime


class Delivered(Message):
    """One step of a delivery: how many messages went out and arrived, and when something is to be sent by itself."""

    sent: int
    delivered: int
    wakes_at: datetime | None


class DueSignal(TenantMessage):
    """What somebody else's workflow is told of something due. `message_id` is the same whenever it is told again."""

    message_id: UUID
    occurrence_id: UUID
    intention_id: UUID
    due_at: datetime


class ReembeddingPhase(StrEnum):
    """One way through all tenants: filling, filling what came meanwhile, and clearing what no longer serves."""

    FILL = "fill"
    FILL_AGAIN = "fill_again"
    CLEAR = "clear"


class ReembeddingInput(Message):
    """A space to fill and to serve from then on; None to have none serve.

    `after` is the last tenant that this phase is done with, `filled` how many vectors have come so far.
    """

    space_id: UUID | None
    phase: ReembeddingPhase = ReembeddingPhase.FILL
    after: UUID | None = None
    filled: int = 0


class TenantsDone(Message):
    """How far a step has come, and how many vectors it has given or taken away. `last` says that no tenant is left."""

    after: UUID | None
    count: int
    last: bool


class Reembedded(Message):
    """The end of a reembedding: how many vectors have come."""

    filled: int


class ErasureRef(TenantMessage):
    """One erasure of a tenant."""

    erasure_id: UUID


class ErasureLook(ErasureRef):
    """A look at an erasure, at an instant of the workflow's clock."""

    now: datetime


class ErasurePlanned(Message):
    """How an erasure stands once its plan is made. `wakes_at` is when something comes of it by itself."""

    state: ErasureState
    next: Step
    total: int = 0
    wakes_at: datetime | None = None
