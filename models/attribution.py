"""What memory was good for: the funnel from what was written to what helped, what was lost where, and paired runs.

All of it is counted from traces and from reports about them; nothing here guesses at a cause. That a memory helped is
said of paired runs alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from models.events import aware, written_out
from models.reports import Outcome
from models.triggers import Trigger

PERIOD = timedelta(days=30)
"""The period that is looked at unless another one is asked for."""
_SMOOTHING = 2


class Stage(StrEnum):
    """How far a record has come. Who has come to one stage has come to all before it.

    | stage | a record that |
    | --- | --- |
    | `written` | is there and applies in the scope, or was retrieved |
    | `eligible` | governed at some instant of the period, or was retrieved |
    | `retrieved` | some recall found, or brought in as the other side of a conflict |
    | `exposed` | was visible to an agent on an action, as reported |
    | `used` | an agent went by, as reported |
    | `helped` | was used in the run with memory of a pair that memory rescued |
    """

    WRITTEN = "written"
    ELIGIBLE = "eligible"
    RETRIEVED = "retrieved"
    EXPOSED = "exposed"
    USED = "used"
    HELPED = "helped"


class Loss(StrEnum):
    """Why a record came no further.

    | loss | lost before | why |
    | --- | --- | --- |
    | `not_in_force` | eligible | it was a claim, had ended, or had not begun |
    | `not_found` | retrieved | no recall of the period brought it up |
    | `below_floor` | exposed | it was merely a little like the question |
    | `yielded` | exposed | its class settled a conflict against it |
    | `beyond_limit` | exposed | better ones took the places |
    | `over_budget` | exposed | it did not fit into the tokens |
    | `not_reported` | exposed | it was in an answer that nobody reported on |
    | `not_shown` | exposed | it was in an answer, and reported on, and never visible |
    | `not_used` | used | it was visible, and nobody went by it |
    | `not_paired` | helped | it was used in no run of a pair whose two outcomes are known |
    | `no_rescue` | helped | it was used in such a run, and memory made no difference there, or harmed |

    Of several recalls the one counts in which it came furthest.
    """

    NOT_IN_FORCE = "not_in_force"
    NOT_FOUND = "not_found"
    BELOW_FLOOR = "below_floor"
    YIELDED = "yielded"
    BEYOND_LIMIT = "beyond_limit"
    OVER_BUDGET = "over_budget"
    NOT_REPORTED = "not_reported"
    NOT_SHOWN = "not_shown"
    NOT_USED = "not_used"
    NOT_PAIRED = "not_paired"
    NO_RESCUE = "no_rescue"


class Effect(StrEnum):
    """What memory changed in a pair of runs."""

    RESCUE = "rescue"
    REGRET = "regret"
    UNCHANGED = "unchanged"


RESCUED = (Outcome.SUCCESS, Outcome.FAILURE)
"""The outcomes, with memory and without it, of a pair that memory rescued."""


def effect_of(with_memory: Outcome | None, without_memory: Outcome | None) -> Effect | None:
    """What memory changed in a pair; None where an outcome is not known, be it unsaid or `unknown`.

    | with memory | without | effect |
    | --- | --- | --- |
    | success | failure | rescue |
    | failure | success | regret |
    | success | success | unchanged |
    | failure | failure | unchanged |
    | any | not known, or the other way about | None |
    """
    known = {Outcome.SUCCESS, Outcome.FAILURE}
    if with_memory not in known or without_memory not in known:
        return None
    if with_memory is without_memory:
        return Effect.UNCHANGED
    return Effect.RESCUE if (with_memory, without_memory) == RESCUED else Effect.REGRET


def helped(effect: Effect | None) -> bool | None:
    """Whether memory helped in a run: None where no pair says."""
    return None if effect is None else effect is Effect.RESCUE


def help_of(used: int, seen: int) -> float:
    """How often a record was used of the times that it was seen, from 0 to 1, with two unused sights added.

    So one report does not make a record better than one that has served a hundred times.
    """
    return min(used, seen) / (seen + _SMOOTHING)


class _Counted(BaseModel):
    model_config = ConfigDict(frozen=True)


class AttributionQuery(BaseModel):
    """Of which recalls: those asked in `scope` or within it, from `since` on and before `until`.

    `until` is now and `since` 30 days before it, unless they are given.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scope: dict[str, str] = Field(default_factory=dict[str, str])
    since: datetime | None = None
    until: datetime | None = None

    @field_validator("since", "until", mode="before")
    @classmethod
    def _is_an_instant(cls, value: object) -> object:
        return None if value is None else written_out(value)

    @field_validator("since", "until")
    @classmethod
    def _has_an_offset(cls, value: datetime | None) -> datetime | None:
        return None if value is None else aware(value)

    def period(self, now: datetime) -> tuple[datetime, datetime]:
        """From when on, and until when."""
        until = self.until or now
        earliest = datetime.min.replace(tzinfo=UTC)
        return self.since or (until - PERIOD if until - earliest > PERIOD else earliest), until


class StageCount(_Counted):
    """How many records came to a stage."""

    stage: Stage
    records: int


class LossCount(_Counted):
    """How many records came no further than the stage before `before`, and why."""

    before: Stage
    loss: Loss
    records: int


class Funnel(_Counted):
    """The stages in order for one kind of record. What a stage has less than the one before is among `losses`."""

    kind: Literal["fact", "passage"]
    stages: tuple[StageCount, ...]
    losses: tuple[LossCount, ...]


_BEFORE = {
    Loss.NOT_IN_FORCE: Stage.ELIGIBLE,
    Loss.NOT_FOUND: Stage.RETRIEVED,
    Loss.NOT_USED: Stage.USED,
    Loss.NOT_PAIRED: Stage.HELPED,
    Loss.NO_RESCUE: Stage.HELPED,
}
_REACHED = {
    Loss.NOT_IN_FORCE: 1,
    Loss.NOT_FOUND: 2,
    Loss.BELOW_FLOOR: 3,
    Loss.YIELDED: 3,
    Loss.BEYOND_LIMIT: 3,
    Loss.OVER_BUDGET: 3,
    Loss.NOT_REPORTED: 3,
    Loss.NOT_SHOWN: 3,
    Loss.NOT_USED: 4,
    Loss.NOT_PAIRED: 5,
    Loss.NO_RESCUE: 5,
}


def funnel(kind: Literal["fact", "passage"], ended: Mapping[Loss | None, int]) -> Funnel:
    """The funnel of records by where each was lost; those under None have helped."""
    reached = {loss: _REACHED[loss] if loss else len(Stage) for loss in ended}
    stages = [
        StageCount(stage=stage, records=sum(n for loss, n in ended.items() if reached[loss] >= place))
        for place, stage in enumerate(Stage, start=1)
    ]
    losses = [
        LossCount(before=_BEFORE.get(loss, Stage.EXPOSED), loss=loss, records=ended[loss])
        for loss in Loss
        if ended.get(loss)
    ]
    return Funnel(kind=kind, stages=tuple(stages), losses=tuple(losses))


class TriggerUse(_Counted):
    """How often a trigger called for a recall, of how many of these anybody reported, and how often what it brought
    was used.

    `used` counts recalls of which some record was used; its denominator is `reported`. `exposed` and `records_used`
    count records, each once for each recall.
    """

    trigger: Trigger
    fired: int
    reported: int
    used: int
    exposed: int
    records_used: int


class PairedEffect(_Counted):
    """What memory changed in paired runs. The denominator is `complete`: pairs of which both outcomes are known.

    `net` is rescues less regrets, as a share of these; None where there is none.
    """

    pairs: int
    complete: int
    rescue: int
    regret: int
    unchanged: int
    net: float | None


def paired_effect(pairs: Iterable[tuple[Outcome | None, Outcome | None, int]]) -> PairedEffect:
    """The effect over pairs, told as outcomes with and without memory and how many pairs had these."""
    counts = dict.fromkeys([*Effect, None], 0)
    for with_memory, without_memory, number in pairs:
        counts[effect_of(with_memory, without_memory)] += number
    complete = sum(counts[effect] for effect in Effect)
    return PairedEffect(
        pairs=complete + counts[None],
        complete=complete,
        rescue=counts[Effect.RESCUE],
        regret=counts[Effect.REGRET],
        unchanged=counts[Effect.UNCHANGED],
        net=(counts[Effect.RESCUE] - counts[Effect.REGRET]) / complete if complete else None,
    )


class Attribution(_Counted):
    """All of it for one period and scope. `recalls` were made in it, and `reported` is how many of these anybody
    reported on: what is said of exposure and use is said of those.
    """

    scope: dict[str, str]
    since: datetime
    until: datetime
    recalls: int
    reported: int
    funnels: Sequence[Funnel]
    triggers: Sequence[TriggerUse]
    pairs: PairedEffect
