"""Where a worker dies: in which chapter of the story, at which step or hand-over, at which moment of it."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from store.outbox import Kind

ARMED = "armed"
"""The name of the file whose existence arms the kill point of a worker."""

TRANSACTIONS = {
    "build_episode": 3,
    "propose_facts": 2,
    "reconcile": 1,
    "settle_gate": 1,
    "decide_confirmation": 1,
    "advance_intentions": 1,
    "deliver_batch": 2,
    "look_at_proposal": 1,
    "count_decision": 1,
    "read_experiences": 1,
    "declare_lapses": 1,
    "reflect": 1,
    "word_drafts": 0,
    "widen": 1,
}
"""How many transactions each step commits when it is run for the first time; without a model no draft is worded.

A worker that is to be killed ends with an error when that is not so; one that takes over may find a step done.
"""


class Moment(StrEnum):
    """Moments at which a worker can die.

    | moment | what has happened |
    | --- | --- |
    | `before` | the step has been handed to the worker and has not begun |
    | `commit` | all that the step writes is written, and its last transaction is not committed |
    | `after` | everything is committed, and Temporal has not been told |
    | `taken` | a relay holds outbox rows and has delivered none of them |
    | `delivered` | workflows have been told, or vectors are there, and so are the rows still |
    | `removed` | rows are gone that no workflow has been told of: only a faulty dispatcher comes to this |
    """

    BEFORE = "before"
    COMMIT = "commit"
    AFTER = "after"
    TAKEN = "taken"
    DELIVERED = "delivered"
    REMOVED = "removed"


OF_A_STEP = (Moment.BEFORE, Moment.COMMIT, Moment.AFTER)
OF_A_HAND_OVER = (Moment.TAKEN, Moment.DELIVERED)


class Point(NamedTuple):
    """The first time that `where`, a step or a kind of outbox row, comes to `moment` within `chapter`."""

    chapter: str
    where: str
    moment: Moment

    def __str__(self) -> str:
        return f"{self.chapter}/{self.where}/{self.moment.value}"


_STEPS: dict[str, tuple[str, ...]] = {
    "restriction": ("build_episode", "propose_facts", "reconcile", "settle_gate"),
    "restatement": ("propose_facts", "reconcile"),
    "hunch": ("reconcile",),
    "observation": ("build_episode", "propose_facts"),
    "supersession": ("reconcile", "settle_gate"),
    "refusal": ("decide_confirmation", "settle_gate"),
    "retirement": ("decide_confirmation", "settle_gate"),
    "expiry": ("reconcile", "settle_gate"),
    "withdrawal": ("reconcile", "settle_gate"),
    "statement": ("reconcile", "settle_gate"),
    "late_event": ("build_episode", "propose_facts"),
    "reminder": ("advance_intentions",),
    "cue": ("advance_intentions",),
    "premise": ("reconcile", "advance_intentions"),
    "promise": ("propose_facts",),
    "delivery": ("advance_intentions", "deliver_batch"),
    "proposal": ("look_at_proposal", "count_decision"),
    "reflection": ("declare_lapses", "read_experiences", "reflect", "word_drafts", "widen"),
}
_HAND_OVERS: dict[str, tuple[Kind, ...]] = {
    "restriction": (Kind.CONSOLIDATE, Kind.RECONCILE, Kind.GATE, Kind.EMBED),
    "supersession": (Kind.GATE,),
    "retirement": (Kind.GATE,),
    "expiry": (Kind.GATE,),
    "statement": (Kind.RECONCILE,),
    "late_event": (Kind.CONSOLIDATE, Kind.EMBED),
    "reminder": (Kind.INTEND,),
    "cue": (Kind.INTEND,),
    "delivery": (Kind.DELIVER,),
    "proposal": (Kind.PROMOTE,),
}


def points_of(chapter: str) -> Sequence[Point]:
    """Every point of one chapter: each step that takes a branch of its own there, and each hand-over."""
    steps = [
        Point(chapter, step, moment)
        for step in _STEPS[chapter]
        for moment in OF_A_STEP
        if TRANSACTIONS[step] or moment is not Moment.COMMIT
    ]
    hand_overs = [
        Point(chapter, kind.value, moment)
        for kind in _HAND_OVERS.get(chapter, ())
        for moment in OF_A_HAND_OVER
    ]
    return [*steps, *hand_overs]


CHAPTERS = tuple(_STEPS)

FEW = (
    Point("restriction", "propose_facts", Moment.AFTER),
    Point("supersession", "reconcile", Moment.COMMIT),
    Point("retirement", "decide_confirmation", Moment.AFTER),
    Point("restriction", Kind.GATE.value, Moment.DELIVERED),
    Point("restriction", Kind.EMBED.value, Moment.DELIVERED),
    Point("statement", "reconcile", Moment.AFTER),
    Point("reminder", "advance_intentions", Moment.AFTER),
    Point("cue", "advance_intentions", Moment.COMMIT),
    Point("delivery", "deliver_batch", Moment.COMMIT),
    Point("delivery", Kind.DELIVER.value, Moment.DELIVERED),
    Point("proposal", "count_decision", Moment.COMMIT),
    Point("proposal", "count_decision", Moment.AFTER),
    Point("proposal", Kind.PROMOTE.value, Moment.DELIVERED),
)
"""One point for each sort of loss or doubling, for the quick part of the tests."""
