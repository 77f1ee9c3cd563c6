"""Memories as they are: read, listed, with their lives and their lineage."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from models.authority import Standing
from models.conditions import ConfirmationState, GateState
from models.episodes import ExecutionStatus, GoalOutcome
from models.facts import Ending, Status
from surfaces.http.answers.base import Answer, Source


class EntityTold(Answer):
    """What a fact is about; both are None for a fact about its scope as a whole."""

    canonical: str | None
    name: str | None


class FactTold(Answer):
    """A fact as the store holds it. `status` is that of the instant that was asked for.

    One that is `switched_off` is told to nobody but the person whom it is about: they hold no memories of its class.
    """

    kind: Literal["fact"] = "fact"
    id: UUID
    scope: dict[str, str]
    entity: EntityTold
    attribute: str
    value: str
    ends_when: str | None
    expires_at: datetime | None
    status: Status
    switched_off: bool
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


class EpisodeTold(Answer):
    """An episode: one experience, built from the events of one activity. A retracted one comes back to nobody."""

    kind: Literal["episode"] = "episode"
    id: UUID
    scope: dict[str, str]
    activity: UUID
    activity_id: str
    revision: int
    execution_status: ExecutionStatus
    goal_outcome: GoalOutcome
    narrative: str
    started_at: datetime
    ended_at: datetime
    recorded_at: datetime
    retracted_at: datetime | None
    sources: list[UUID]


Memory = Annotated[FactTold | EpisodeTold, Field(discriminator="kind")]


class MemoryPage(Answer):
    """One page of memories, newest first. `next` is the cursor of the following page, None on the last."""

    memories: list[Memory]
    next: str | None
    as_of: datetime


class ChangeTold(Answer):
    """One declared change of status; `from_status` is None for a record that begins."""

    from_status: str | None
    to_status: str
    rule: str
    reason: str
    actor: str
    actor_role: str | None
    event_id: UUID | None
    effective_at: datetime
    recorded_at: datetime


class ClaimedTold(Answer):
    """A confirmation of a fact's end, as it was decided."""

    subject: str
    event_id: UUID
    state: ConfirmationState
    reason: str | None
    recorded_at: datetime


class LifeTold(Answer):
    """One fact with all that happened to it. `gate` is None for one that waits for no condition."""

    fact: FactTold
    gate: GateState | None
    changes: list[ChangeTold]
    sources: list[UUID]
    confirmations: list[ClaimedTold]


class HistoryTold(Answer):
    """Lives of facts, in order of validity."""

    lives: list[LifeTold]


class LineageNode(Answer):
    """A record or event of a lineage. `distance` is 0 for the record itself, below 0 for what it was made
    from, above 0 for what was made from it."""

    id: UUID
    kind: Literal["event", "episode", "fact"]
    distance: int


class LineageEdge(Answer):
    """`child` was made from `parent`."""

    child: UUID
    parent: UUID


class LineageTold(Answer):
    """What a record was made from, and what was made from it.

    `hidden` counts what lies in scopes beyond the caller's reach; `truncated` says that there is more.
    """

    nodes: list[LineageNode]
    edges: list[LineageEdge]
    hidden: int
    truncated: bool
