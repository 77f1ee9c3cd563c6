"""What one content of a procedure changes of another, and how two changes of the same one go together.

Steps are known by their ids, whatever place they have. Nothing is lost in silence: what does not go together is named.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from pydantic import ValidationError

from models.procedures import ProcedureContent, ProcedureStep, TriggerIntent

INTENT, TASK_CLASS, ORDER = "trigger/intent", "trigger/task_class", "steps"
_PRECONDITIONS, _APPLIES_TO, _STEPS = "preconditions/", "applies_to/", "steps/"


class ChangeKind(StrEnum):
    """What happens to a part."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"


class Change(NamedTuple):
    """One change. `what` names the part: `steps/check-schedules`, `preconditions/2`, `trigger/intent`.

    A precondition goes by its place, from 1, in the content that has it. `before` and `after` are its words, or a step.
    """

    what: str
    kind: ChangeKind
    before: str | ProcedureStep | None
    after: str | ProcedureStep | None


def changes(before: ProcedureContent | None, after: ProcedureContent) -> tuple[Change, ...]:
    """What `after` changes, in the order in which a reader meets it; everything is added where there is no `before`.

    A step that is changed and has another place is told as changed.
    """
    told: list[Change] = []
    then = None if before is None else before.trigger
    for what, was, becomes in (
        (INTENT, None if then is None else then.intent, after.trigger.intent),
        (TASK_CLASS, None if then is None else then.task_class, after.trigger.task_class),
    ):
        if was != becomes:
            told.append(Change(what, _kind_of(was, becomes), was, becomes))
    none: tuple[str, ...] = ()
    told += _of_words(_PRECONDITIONS, none if before is None else before.preconditions, after.preconditions)
    told += _of_words(_APPLIES_TO, none if before is None else before.applies_to, after.applies_to)
    told += _of_steps(() if before is None else before.steps, after.steps)
    return tuple(told)


def _kind_of(was: object, becomes: object) -> ChangeKind:
    if was is None:
        return ChangeKind.ADDED
    return ChangeKind.REMOVED if becomes is None else ChangeKind.CHANGED


def _of_words(part: str, was: Sequence[str], becomes: Sequence[str]) -> list[Change]:
    gone = [
        Change(f"{part}{place}", ChangeKind.REMOVED, words, None)
        for place, words in enumerate(was, start=1)
        if words not in becomes
    ]
    new = [
        Change(f"{part}{place}", ChangeKind.ADDED, None, words)
        for place, words in enumerate(becomes, start=1)
        if words not in was
    ]
    return [*gone, *new]


def _of_steps(was: Sequence[ProcedureStep], becomes: Sequence[ProcedureStep]) -> list[Change]:
    old, new = {step.id: step for step in was}, {step.id: step for step in becomes}
    told = [
        Change(f"{_STEPS}{step.id}", ChangeKind.REMOVED, step, None) for step in was if step.id not in new
    ]
    stay = _in_place(
        [step.id for step in was if step.id in new], [step.id for step in becomes if step.id in old]
    )
    for step in becomes:
        what, before = f"{_STEPS}{step.id}", old.get(step.id)
        if before is None:
            told.append(Change(what, ChangeKind.ADDED, None, step))
        elif before != step:
            told.append(Change(what, ChangeKind.CHANGED, before, step))
        elif step.id not in stay:
            told.append(Change(what, ChangeKind.MOVED, step, step))
    return told


def _in_place(was: Sequence[str], becomes: Sequence[str]) -> frozenset[str]:
    """Those of the same names that keep their places among each other: as many as can be (a longest increasing run)."""
    places = {name: place for place, name in enumerate(was)}
    best: list[list[str]] = []
    for name in becomes:
        ends = [run for run in best if places[run[-1]] < places[name]]
        best.append([*max(ends, key=len, default=list[str]()), name])
    return frozenset(max(best, key=len, default=list[str]()))


class Rebased(NamedTuple):
    """A change carried over to another content: None, and what both have changed, where that cannot be."""

    content: ProcedureContent | None
    conflicts: tuple[str, ...]


def rebase(base: ProcedureContent, mine: ProcedureContent, theirs: ProcedureContent) -> Rebased:
    """`theirs` with what `mine` changes of `base`.

    | a part | comes out as |
    | --- | --- |
    | only one side has changed it | that side has it |
    | both have, to the same | they have it |
    | both have, to different ends | a conflict |
    | a step that one side has changed and the other removed | a conflict |
    | the order of steps, which both have changed differently | a conflict |
    | a step that is new on one side | after the step that it follows there, else before the one that it precedes |
    """
    conflicts: list[str] = []

    def merged(what: str, was: object, ours: object, others: object) -> object:
        if others in (ours, was):
            return ours
        if ours != was:
            conflicts.append(what)
        return others

    trigger = TriggerIntent(
        intent=str(merged(INTENT, base.trigger.intent, mine.trigger.intent, theirs.trigger.intent)),
        task_class=_text(
            merged(TASK_CLASS, base.trigger.task_class, mine.trigger.task_class, theirs.trigger.task_class)
        ),
    )
    was, ours, others = ({step.id: step for step in each.steps} for each in (base, mine, theirs))
    steps: dict[str, ProcedureStep] = {}
    for name in dict.fromkeys((*was, *ours, *others)):
        step = merged(f"{_STEPS}{name}", was.get(name), ours.get(name), others.get(name))
        if isinstance(step, ProcedureStep):
            steps[name] = step
    order = _order(list(was), list(ours), list(others), steps)
    if order is None:
        conflicts.append(ORDER)
    if conflicts or order is None:
        return Rebased(None, tuple(conflicts))
    try:
        return Rebased(
            ProcedureContent(
                trigger=trigger,
                preconditions=_words(base.preconditions, mine.preconditions, theirs.preconditions),
                applies_to=_words(base.applies_to, mine.applies_to, theirs.applies_to),
                steps=tuple(steps[name] for name in order),
            ),
            (),
        )
    except ValidationError:
        # Together they have nothing left to do, or more than a procedure may have.
        return Rebased(None, (ORDER,))


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _words(was: Sequence[str], ours: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Lists of words: what either side has taken out is out, and what either has added is in."""
    kept = [each for each in others if each in ours or each not in was]
    if list(others) == list(was):
        return tuple(ours)
    return (*kept, *(each for each in ours if each not in was and each not in others))


def _order(
    was: Sequence[str], ours: Sequence[str], others: Sequence[str], kept: Mapping[str, ProcedureStep]
) -> list[str] | None:
    """The places of the steps that are kept; None where both sides have reordered what was there, differently."""

    def common(order: Sequence[str]) -> list[str]:
        return [name for name in order if name in kept and name in was and name in ours and name in others]

    then, we, they = common(was), common(ours), common(others)
    if len({tuple(then), tuple(we), tuple(they)}) == 3:
        return None
    # Whoever has reordered says how; the other side's new steps find their places there.
    lead, follow = (ours, others) if we != then else (others, ours)
    order = [name for name in lead if name in kept]
    for place, name in enumerate(follow):
        if name not in kept or name in order:
            continue
        before = next((each for each in reversed(follow[:place]) if each in order), None)
        after = next((each for each in follow[place + 1 :] if each in order), None)
        if before is not None:
            order.insert(order.index(before) + 1, name)
        else:
            order.insert(0 if after is None else order.index(after), name)
    return order
