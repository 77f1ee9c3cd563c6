"""Traces, reports on them, and what they come to."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from keepwell.types.wire import Answer, Instant, Request
from keepwell.types.words import (
    Advice,
    Arm,
    DecisionName,
    Fate,
    FunnelStage,
    Loss,
    Outcome,
    PrincipalKind,
    Reason,
    RecordKind,
    TriggerTold,
)

_Ids = Annotated[tuple[UUID, ...], Field(max_length=1_000)]
_Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$")]


class NewReport(Request):
    """A report about one recall, which may be one of several: each adds to those before.

    `visible` are the records that were before the agent on an action, `used` those that it went by; what was used was
    visible. `outcome` is how the run ended, and the latest one counts. `pair` is the asker's own name for two runs of
    one task, and `arm` says which of them this recall belongs to; the run without memory recalls as well, and shows
    nothing of it. Sent again under its `idempotency_key`, a report changes nothing.
    """

    visible: _Ids = ()
    used: _Ids = ()
    outcome: Outcome | None = None
    pair: _Name | None = None
    arm: Arm | None = None
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)


class AttributionQuery(Request):
    """Of which recalls: those asked in `scope` or within it, from `since` on and before `until`.

    `until` is now and `since` 30 days before it, unless they are given.
    """

    scope: dict[str, str] = Field(default_factory=dict[str, str])
    since: Instant | None = None
    until: Instant | None = None


class AskedTold(Answer):
    """Who asked what, and in which roles. `policy_version` is that of the policy that was in force."""

    subject: str
    kind: PrincipalKind
    roles: list[str]
    policy_version: int
    scope: dict[str, str]
    query: str
    entities: list[str]
    as_of: datetime
    known_at: datetime | None
    timezone: str | None
    budget_tokens: int
    limit: int


class DecisionTold(Answer):
    """One decision on the way to the answer, and what it came to: counts, names of rules and instants."""

    name: DecisionName
    saw: dict[str, int | bool | str | list[str]]


class EntryTold(Answer):
    """One record that was found: its rank from 1, None for one that a conflict brought in, and its fate."""

    id: UUID
    kind: RecordKind
    rank: int | None
    score: float
    reasons: list[Reason]
    fate: Fate
    observed: Literal["confirmed", "overrode"] | None


class TraceHeadTold(Answer):
    """One recall without what it found."""

    id: UUID
    recorded_at: datetime
    asked: AskedTold
    triggers: list[TriggerTold]
    advice: Advice
    tokens: int


class TraceTold(TraceHeadTold):
    """One recall: the decisions in order, and the records that it found."""

    decisions: list[DecisionTold]
    entries: list[EntryTold]


class TracePage(Answer):
    """Recalls, newest first. `next` asks for the page that follows; None where there is none."""

    traces: list[TraceHeadTold]
    next: str | None


class ReportTold(Answer):
    """A report that is kept; `duplicate` where it was there before under its key."""

    trace_id: UUID
    duplicate: bool


class StageCount(Answer):
    """How many records came to a stage."""

    stage: FunnelStage
    records: int


class LossCount(Answer):
    """How many records came no further than the stage before `before`, and why."""

    before: FunnelStage
    loss: Loss
    records: int


class Funnel(Answer):
    """The stages in order for one kind of record. What a stage has less than the one before is among `losses`."""

    kind: RecordKind
    stages: list[StageCount]
    losses: list[LossCount]


class TriggerUse(Answer):
    """How often a trigger called for a recall, of how many of these anybody reported, and how often what it brought
    was used: `used` counts recalls, of `reported`; `exposed` and `records_used` count records, once for each recall.
    """

    trigger: TriggerTold
    fired: int
    reported: int
    used: int
    exposed: int
    records_used: int


class PairedEffect(Answer):
    """What memory changed in paired runs. The denominator is `complete`: pairs of which both outcomes are known."""

    pairs: int
    complete: int
    rescue: int
    regret: int
    unchanged: int
    net: float | None


class Attribution(Answer):
    """All of it for one period and scope. `recalls` were made in it, and `reported` is how many of these anybody
    reported on: what is said of exposure and use is said of those.
    """

    scope: dict[str, str]
    since: datetime
    until: datetime
    recalls: int
    reported: int
    funnels: list[Funnel]
    triggers: list[TriggerUse]
    pairs: PairedEffect
