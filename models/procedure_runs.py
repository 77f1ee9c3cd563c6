"""Runs: how it went with one version of a procedure, step by step, as an agent reports; and what comes of many."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Annotated, NamedTuple, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from models.attribution import PairedEffect, paired_effect
from models.principals import PLAIN
from models.procedures import MOST_STEPS, StepId
from models.reports import Outcome
from models.statements import Spoken, Words


class StepFate(StrEnum):
    """What became of a step in a run."""

    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


class StepReport(BaseModel):
    """What became of one step, and why, in the agent's own words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: StepId
    fate: StepFate
    note: Words | None = None


class NewRun(Spoken):
    """A run as its agent reports it: with which version, in which scope and activity, and what became of its steps.

    `pair` is the reporter's own name for two runs of one task, one with the version on trial and one with the current
    one.
    """

    scope: dict[str, str]
    version: int = Field(ge=1)
    steps: Annotated[tuple[StepReport, ...], Field(max_length=MOST_STEPS)] = ()
    outcome: Outcome = Outcome.UNKNOWN
    pair: Annotated[str, Field(min_length=1, max_length=200, pattern=PLAIN)] | None = None

    @model_validator(mode="after")
    def _tells_of_one_run(self) -> Self:
        if self.activity_id is None:
            raise ValueError("name the activity that the run was: give activity_id")
        if len({step.id for step in self.steps}) < len(self.steps):
            raise ValueError("tells of a step twice; tell what finally became of it")
        return self


class Run(NamedTuple):
    """A run as the store holds it. The latest report of an activity on a version counts."""

    event_id: UUID
    version_id: UUID
    activity_id: UUID
    steps: tuple[StepReport, ...]
    outcome: Outcome
    pair: str | None


class StepTally(NamedTuple):
    """How often a step was done, skipped and failed."""

    id: str
    done: int
    skipped: int
    failed: int


class Tally(NamedTuple):
    """What came of the runs with a version."""

    runs: int
    succeeded: int
    failed: int
    steps: tuple[StepTally, ...]


def tally(runs: Sequence[Run], steps: Iterable[str]) -> Tally:
    """What came of these runs, by the steps of their version."""
    fates: dict[str, dict[StepFate, int]] = {step: dict.fromkeys(StepFate, 0) for step in steps}
    for run in runs:
        for step in run.steps:
            if step.id in fates:
                fates[step.id][step.fate] += 1
    return Tally(
        len(runs),
        sum(run.outcome is Outcome.SUCCESS for run in runs),
        sum(run.outcome is Outcome.FAILURE for run in runs),
        tuple(StepTally(step, *(found[fate] for fate in StepFate)) for step, found in fates.items()),
    )


class TrialSoFar(NamedTuple):
    """A version on trial beside the one before: what came of the runs of each, and of paired runs.

    In `pairs` a rescue is a run that went well with the version on trial and not with the one before.
    """

    tried: Tally
    before: Tally
    pairs: PairedEffect


def compare(
    tried: Sequence[Run], before: Sequence[Run], steps: tuple[Iterable[str], Iterable[str]]
) -> TrialSoFar:
    """How a version on trial does beside the one before. `steps` are those of each."""
    by_pair = {run.pair: run.outcome for run in before if run.pair is not None}
    told = [(run.outcome, by_pair.get(run.pair), 1) for run in tried if run.pair is not None]
    return TrialSoFar(tally(tried, steps[0]), tally(before, steps[1]), paired_effect(told))
