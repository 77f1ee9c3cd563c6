"""Memories: lists of them, single ones, the life of a fact, and what was made from what."""

from datetime import datetime
from typing import Annotated, Any, Literal, cast
from uuid import UUID

from pydantic import ConfigDict, Discriminator, Field, Tag

from keepwell.types.wire import Answer, Instant, Open, Request
from keepwell.types.words import (
    AuthorityName,
    ConfirmationState,
    Ending,
    ExecutionStatus,
    FilterField,
    GateState,
    GoalOutcome,
    Operator,
    Standing,
    Status,
)


class Condition(Request):
    """One comparison. `value` is a list for `in` and text for every other operator; instants carry an offset."""

    field: FilterField
    op: Operator
    value: (
        Annotated[str, Field(max_length=300)]
        | Annotated[list[Annotated[str, Field(max_length=300)]], Field(min_length=1, max_length=100)]
    )


class AllOf(Request):
    """Every one of these holds."""

    all: list["Filter"] = Field(min_length=1, max_length=50)


class AnyOf(Request):
    """At least one of these holds."""

    any: list["Filter"] = Field(min_length=1, max_length=50)


class NotThis(Request):
    """This does not hold."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    negated: "Filter" = Field(validation_alias="not", serialization_alias="not")


def _shape(value: Any) -> str:
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        return next((name for name in ("all", "any", "not") if name in named), "condition")
    return {AllOf: "all", AnyOf: "any", NotThis: "not"}.get(cast("Any", type(value)), "condition")


Filter = Annotated[
    Annotated[Condition, Tag("condition")]
    | Annotated[AllOf, Tag("all")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[NotThis, Tag("not")],
    Discriminator(_shape),
]


class MemoryQuery(Request):
    """Memories that apply in `scope` and pass `filter`, newest first.

    `as_of` is the instant for which statuses are told, None for now. `cursor` is the `next` of the page
    before, sent with the same query.
    """

    scope: dict[str, str]
    filter: Filter | None = None
    as_of: Instant | None = None
    limit: int = Field(default=50, ge=1, le=200)
    cursor: str | None = Field(default=None, max_length=500)


class HistoryRequest(Request):
    """Of which thing the facts are wanted, and where. `as_of` is the instant of the statuses, None for now."""

    scope: dict[str, str]
    entity: str = Field(min_length=1, max_length=300, pattern=r"\S")
    as_of: Instant | None = None


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
    authority: AuthorityName
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
    kind: Annotated[Literal["event", "episode", "fact"] | str, Open]
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
