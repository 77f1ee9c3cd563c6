"""The trace of a recall: each decision on the way to the answer, and what became of every record that was found.

It holds ids, names of rules, counts and instants, and of content only the question that was asked.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from models.memories import MAX_PAGE
from models.recall import Advice, Reason
from models.triggers import Trigger


class DecisionName(StrEnum):
    """The eight decisions of a recall, in the order in which they are taken."""

    TRIGGER = "trigger"
    SCOPES = "scopes"
    ELIGIBILITY = "eligibility"
    CONFLICTS = "conflicts"
    QUERY = "query"
    RANK = "rank"
    PARTNERS = "partners"
    BUDGET = "budget"


class Decision(BaseModel):
    """One decision and what it came to: counts, names of rules and instants, no content."""

    model_config = ConfigDict(frozen=True)

    name: DecisionName
    saw: Mapping[str, int | bool | str | tuple[str, ...]]


class Fate(StrEnum):
    """What became of a record that was found, or that belongs to a conflict of one.

    A passage that `repeats` says nothing that another one does not say; a context leaves it out.
    """

    SELECTED = "selected"
    BELOW_FLOOR = "below_floor"
    YIELDED = "yielded"
    BEYOND_LIMIT = "beyond_limit"
    OVER_BUDGET = "over_budget"
    REPEATS = "repeats"


class Entry(BaseModel):
    """One record: its rank among all that was found, from 1, the reasons that brought it up, and its fate.

    A conflict partner that no search brought up has no rank. `score` is that by which it was ranked. `observed` says
    what a live observation of the same made of it: it `confirmed` or `overrode` the record, None where there was none.
    """

    model_config = ConfigDict(frozen=True)

    id: UUID
    kind: str
    rank: int | None
    score: float
    reasons: tuple[Reason, ...]
    fate: Fate
    observed: Literal["confirmed", "overrode"] | None = None


class Asked(BaseModel):
    """Who asked what, as far as the answer depends on it. `query` and `entities` are masked of secrets.

    `roles` are those of whoever asked, and `policy_version` is that of the policy that was in force, 0 for the one
    that the process was started with.
    """

    model_config = ConfigDict(frozen=True)

    subject: str
    kind: str
    roles: tuple[str, ...] = ()
    policy_version: int = 0
    scope: dict[str, str]
    query: str
    entities: tuple[str, ...]
    as_of: datetime
    known_at: datetime | None = None
    timezone: str | None = None
    budget_tokens: int
    limit: int


class TraceHead(BaseModel):
    """One recall without what it found: who asked what, what called for it, and what the answer advised."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    recorded_at: datetime
    asked: Asked
    triggers: tuple[Trigger, ...]
    advice: Advice
    tokens: int


class Trace(TraceHead):
    """The record of one recall, as it was decided then."""

    decisions: tuple[Decision, ...]
    entries: tuple[Entry, ...]

    def entry(self, record_id: UUID) -> Entry | None:
        """What became of a record; None for one that this recall did not find."""
        return next((entry for entry in self.entries if entry.id == record_id), None)

    def without(self, hidden: Collection[UUID]) -> "Trace":
        """The trace as if it had not found what is `hidden`: no gap in the ranks, and no decision that counted it."""
        if not any(entry.id in hidden for entry in self.entries):
            return self
        kept = [entry for entry in self.entries if entry.id not in hidden]
        ranks = {entry.id: rank for rank, entry in enumerate((each for each in kept if each.rank), start=1)}
        return self.model_copy(
            update={
                "entries": tuple(entry.model_copy(update={"rank": ranks.get(entry.id)}) for entry in kept),
                "decisions": tuple(each for each in self.decisions if each.name not in _COUNTING),
            }
        )


_COUNTING = frozenset({DecisionName.CONFLICTS, DecisionName.RANK, DecisionName.PARTNERS, DecisionName.BUDGET})
"""The decisions that tell how many records were found, or how much room they took."""


class TraceQuery(BaseModel):
    """Which recalls: of whose answers or findings a record was part, what called for them, what they advised."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    record_id: UUID | None = None
    trigger: Trigger | None = None
    advice: Advice | None = None
    cursor: str | None = Field(default=None, max_length=500)
    limit: int = Field(default=50, ge=1, le=MAX_PAGE)
