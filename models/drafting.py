"""Drafts by template: a step that a lesson adds to a procedure, or that nobody needs, with what speaks for it.

A draft is what a reviewer is shown, and nothing else. The words of a step are the lesson's own.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from models.experiences import Experience
from models.ids import derived_id
from models.procedure_changes import changes
from models.procedure_rules import RecurrenceRules
from models.procedures import ProcedureContent, ProcedureStep, TriggerIntent
from models.proposals import Ground, Proposal
from models.reflection import Finding
from models.text import terms

VERIFY = "What was found is noted in the run before the next step."
_MOST_WORDS = 5
_MOST_DO = 4_000
_WORD = re.compile(r"[a-z0-9]+")
_ALREADY = 0.8


class DraftKind(StrEnum):
    """What a draft makes of experience: it adds what was taught time and again, or leaves out what nobody needs."""

    TAUGHT = "taught"
    LEFT_OUT = "left_out"


class Draft(NamedTuple):
    """What is proposed, from which recurrence, and the episodes that it rests on."""

    kind: DraftKind
    finding: UUID
    content: ProcedureContent
    grounds: tuple[Ground, ...]
    episodes: tuple[UUID, ...]
    because: str


def draft(finding: Finding, current: ProcedureContent | None) -> Draft | None:
    """A procedure with a step that a finding adds; None where the procedure says so already.

    | the procedure | the step |
    | --- | --- |
    | is there, and the step that failed is one of its own | comes before that one |
    | is there | comes first |
    | is not there | is the first of a new one |
    """
    told = because(finding)
    step = ProcedureStep(
        id=step_id(finding), do=finding.lesson[:_MOST_DO].strip(), verify=VERIFY, because=told
    )
    if current is None:
        content = ProcedureContent(
            trigger=TriggerIntent(intent=finding.task_class.replace("_", " "), task_class=finding.task_class),
            applies_to=() if finding.entity_type is None else (finding.entity_type,),
            steps=(step,),
        )
    else:
        if any(_says(there, step) for there in current.steps):
            return None
        ids = [there.id for there in current.steps]
        failed = None if finding.failed_step is None else finding.failed_step[1]
        place = ids.index(failed) if failed in ids else 0
        content = current.model_copy(update={"steps": (*current.steps[:place], step, *current.steps[place:])})
    ground = Ground(
        change=f"steps/{step.id}",
        because=told,
        supporting=finding.supporting,
        opposing=finding.opposing,
        runs=finding.runs,
    )
    grounds = [ground.model_copy(update={"change": each.what}) for each in changes(current, content)]
    return Draft(DraftKind.TAUGHT, finding.key, content, tuple(grounds), finding.supporting, told)


def _says(there: ProcedureStep, step: ProcedureStep) -> bool:
    if there.id == step.id:
        return True
    one, other = frozenset(terms(there.do)), frozenset(terms(step.do))
    return bool(one and other) and len(one & other) / len(one | other) >= _ALREADY


def step_id(finding: Finding) -> str:
    """The id of the step that a finding adds, which stays whatever a reviewer makes of its words."""
    words = "-".join(_WORD.findall(finding.lesson.lower())[:_MOST_WORDS])[:60].strip("-")
    return f"{words or 'learned'}-{finding.key.hex[-6:]}"


def because(finding: Finding) -> str:
    """What speaks for and against a change, in numbers and dates."""
    days = f"between {finding.first_at:%Y-%m-%d} and {finding.last_at:%Y-%m-%d}"
    against = len(finding.opposing)
    contrary = (
        f"{against} speak{'s' if against == 1 else ''} against it" if against else "none speaks against it"
    )
    return (
        f"{len(finding.supporting)} incidents {days} taught it, of {finding.runs} runs of this class of task;"
        f" {contrary}."
    )


def left_out(
    procedure_id: UUID, current: ProcedureContent, experiences: Sequence[Experience], rules: RecurrenceRules
) -> list[Draft]:
    """Procedures without a step that runs leave out: in as many that went well as are asked for, and in no bad one.

    The last step of a procedure stays.
    """
    drafts: list[Draft] = []
    for step in current.steps:
        without = [each for each in experiences if (procedure_id, step.id) in each.skipped]
        well = [each for each in without if each.went_well]
        badly = [each for each in without if each.went_well is False]
        if len(well) < rules.activities or badly or len(current.steps) == 1:
            continue
        if max(each.started_at for each in well) - min(each.started_at for each in well) < rules.span:
            continue
        told = f"{len(well)} runs left the step out and went well; none that left it out went badly."
        content = current.model_copy(
            update={"steps": tuple(there for there in current.steps if there is not step)}
        )
        episodes = tuple(each.episode_id for each in well)
        ground = Ground(change=f"steps/{step.id}", because=told, supporting=episodes, runs=len(experiences))
        key = left_out_key(procedure_id, step.id)
        drafts.append(Draft(DraftKind.LEFT_OUT, key, content, (ground,), episodes, told))
    return drafts


def left_out_key(procedure_id: UUID, step: str) -> UUID:
    """The key of the recurrence that runs leave out a step."""
    return derived_id("left_out", procedure_id, step)


def is_left_out(proposal: Proposal) -> bool:
    """Whether a proposal comes from runs that leave out a step, and not from a lesson."""
    steps = [ground.change.removeprefix("steps/") for ground in proposal.grounds]
    return proposal.finding in {left_out_key(proposal.procedure_id, step) for step in steps}
