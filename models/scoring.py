"""In which order to bring back what was found: relevance first, then what makes one memory matter more than another.

Each term lies between 0 and 1 and is told with the record. Weights are policy. None of it touches what is true or who
may see it: a term moves a record up or down among those that are eligible already, and what binds comes first whatever
it scores.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from models.authority import Authority, Standing
from models.contracts import RecallPriority, Sensitivity

HALF_LIFE = timedelta(days=365)
"""The age at which a record of a class without a retention has lost half of its freshness."""

_MOST = 10.0


class Weights(BaseModel):
    """How much each term counts, beside relevance, which counts as 1. The last three are subtracted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entity: float = Field(default=0.3, ge=0, le=_MOST)
    temporal: float = Field(default=0.3, ge=0, le=_MOST)
    task: float = Field(default=0.05, ge=0, le=_MOST)
    importance: float = Field(default=0.1, ge=0, le=_MOST)
    authority: float = Field(default=0.05, ge=0, le=_MOST)
    help: float = Field(default=0.1, ge=0, le=_MOST)
    staleness: float = Field(default=0.05, ge=0, le=_MOST)
    uncertainty: float = Field(default=0.05, ge=0, le=_MOST)
    sensitivity: float = Field(default=0.02, ge=0, le=_MOST)


class Terms(BaseModel):
    """What one record's place rests on. `words` has no bound, and `relevance` up to 1.7; the others are from 0 to 1.

    | term | what it says |
    | --- | --- |
    | `words` | BM25 of the query's words, as it was summed |
    | `coverage` | the part of the query's words that it has, the telling ones counting for more |
    | `likeness` | the cosine of its meaning and the query's; None where there is no vector to compare |
    | `neighbours` | what the passages next to it add to its relevance; see `models.ranking` |
    | `reranked` | how well it answers the query by a reranker; None where none looked at it |
    | `relevance` | how well its words and its meaning fit the query, against the others found, neighbours added; \
where a reranker looked, what that says |
    | `entity` | whether it is about something in play |
    | `temporal` | how well it fits the time that the query names; 0 where it names none |
    | `task` | how much of the request's scope its own scope names: what was said closer by fits better |
    | `importance` | the recall priority of its class |
    | `authority` | how strong its source is |
    | `help` | how often it was used of the times that it was seen, as reported; 0 where nothing was |
    | `staleness` | its age against the half-life of its class; subtracted |
    | `uncertainty` | how little its standing supports it; subtracted |
    | `sensitivity` | how far its class is from what everybody may know; subtracted |
    """

    model_config = ConfigDict(frozen=True)

    words: float = 0.0
    coverage: float = 0.0
    likeness: float | None = None
    neighbours: float = 0.0
    reranked: float | None = None
    relevance: float = 0.0
    entity: float = 0.0
    temporal: float = 0.0
    task: float = 0.0
    importance: float = 0.0
    authority: float = 0.0
    help: float = 0.0
    staleness: float = 0.0
    uncertainty: float = 0.0
    sensitivity: float = 0.0


def score(terms: Terms, weights: Weights) -> float:
    """The sum that orders records: relevance, and each other term by its weight."""
    return (
        terms.relevance
        + weights.entity * terms.entity
        + weights.temporal * terms.temporal
        + weights.task * terms.task
        + weights.importance * terms.importance
        + weights.authority * terms.authority
        + weights.help * terms.help
        - weights.staleness * terms.staleness
        - weights.uncertainty * terms.uncertainty
        - weights.sensitivity * terms.sensitivity
    )


class Standards(NamedTuple):
    """What a class says of the worth of its memories."""

    priority: RecallPriority = RecallPriority.BACKGROUND
    sensitivity: Sensitivity = Sensitivity.NORMAL
    half_life: timedelta = HALF_LIFE


_IMPORTANCE = {
    RecallPriority.RESTRICTION: 1.0,
    RecallPriority.INSTRUCTION: 0.8,
    RecallPriority.PREFERENCE: 0.5,
    RecallPriority.BACKGROUND: 0.0,
}
_SENSITIVITY = {
    Sensitivity.PUBLIC: 0.0,
    Sensitivity.NORMAL: 0.0,
    Sensitivity.PERSONAL: 0.5,
    Sensitivity.RESTRICTED: 1.0,
}
_UNCERTAINTY = {Standing.CONFIRMED: 0.0, Standing.OBSERVED: 0.5, Standing.INFERRED: 1.0}


def importance(priority: RecallPriority) -> float:
    """From 1 for a restriction to 0 for background."""
    return _IMPORTANCE[priority]


def strength(authority: Authority) -> float:
    """From 0 for an untrusted source to 1 for the system of record."""
    return authority / max(Authority)


def staleness(since: datetime, as_of: datetime, half_life: timedelta) -> float:
    """From 0 for what was said today towards 1; one half at the half-life.

    Age counts in whole days, so that the same question asked again has the same answer, to the last digit.
    """
    return 1 - 0.5 ** (max((as_of - since).days, 0) / (half_life / timedelta(days=1)))


def uncertainty(standing: Standing) -> float:
    """From 0 for what is confirmed to 1 for what is only inferred."""
    return _UNCERTAINTY[standing]


def sensitivity(of: Sensitivity) -> float:
    """From 0 for what anybody may know to 1 for what is restricted."""
    return _SENSITIVITY[of]
