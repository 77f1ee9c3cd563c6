"""Traces: what was asked and decided, what became of each record that was found, and reports on it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal
from uuid import UUID

from models.principals import PrincipalKind
from models.recall import Advice, Reason
from models.traces import DecisionName, Fate
from models.triggers import Trigger
from surfaces.http.answers.base import Answer


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
    saw: Mapping[str, int | bool | str | list[str]]


class EntryTold(Answer):
    """One record that was found: its rank from 1, null for one that a conflict brought in, and its fate."""

    id: UUID
    kind: Literal["fact", "passage"]
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
    triggers: list[Trigger]
    advice: Advice
    tokens: int


class TraceTold(TraceHeadTold):
    """One recall: the decisions in order, and the records that it found."""

    decisions: list[DecisionTold]
    entries: list[EntryTold]


class TracePage(Answer):
    """Recalls, newest first. `next` asks for the page that follows; null where there is none."""

    traces: list[TraceHeadTold]
    next: str | None


class ReportTold(Answer):
    """A report that is kept; `duplicate` where it was there before under its key."""

    trace_id: UUID
    duplicate: bool
