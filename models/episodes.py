"""From the events of one activity to one experience: worth keeping or not, how it ended, what to search.

Everything here is derived by code from the events. The story in words comes from a narrator, and no rule
ever reads it.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from models.authority import Authority
from models.events import EventType, StoredEvent
from models.principals import PrincipalKind

MAX_PASSAGE_CHARACTERS = 4_000
_GAP = re.compile(r"\s")


class ExecutionStatus(StrEnum):
    """Whether the work was carried through; says nothing about whether it helped."""

    COMPLETED = "completed"
    FAILED = "failed"
    UNRESOLVED = "unresolved"


class GoalOutcome(StrEnum):
    """Whether the aim was reached: a restart can succeed while the outage goes on."""

    ACHIEVED = "achieved"
    NOT_ACHIEVED = "not_achieved"
    UNKNOWN = "unknown"


class Passage(NamedTuple):
    """What is searched of an episode: one round of an exchange or one step, verbatim.

    `occurred_at` is the instant of its last event: before it the passage was not complete.
    """

    text: str
    event_ids: tuple[UUID, ...]
    occurred_at: datetime


class Outline(NamedTuple):
    """What code can say of an activity. `sources` are the ids of all its events, in order of time."""

    execution_status: ExecutionStatus
    goal_outcome: GoalOutcome
    started_at: datetime
    ended_at: datetime
    sources: tuple[UUID, ...]


_STATUS = {
    EventType.ACTIVITY_COMPLETED: ExecutionStatus.COMPLETED,
    EventType.ACTIVITY_FAILED: ExecutionStatus.FAILED,
}
_OUTCOME = {
    EventType.VERIFICATION_PASSED: GoalOutcome.ACHIEVED,
    EventType.VERIFICATION_FAILED: GoalOutcome.NOT_ACHIEVED,
}
_ROUTINE = frozenset(
    {
        EventType.ACTIVITY_STARTED,
        EventType.ACTIVITY_COMPLETED,
        EventType.OBSERVATION,
        EventType.TOOL_RESULT,
        EventType.VERIFICATION_PASSED,
    }
)
_SPOKEN = frozenset({EventType.INSTRUCTION, EventType.MESSAGE, EventType.FEEDBACK, EventType.CORRECTION})


def in_order(events: Iterable[StoredEvent]) -> list[StoredEvent]:
    """Events by the time at which they happened; those of one instant as they were recorded."""
    return sorted(events, key=lambda event: (event.occurred_at, event.seq))


def worth_an_episode(events: Sequence[StoredEvent]) -> bool:
    """Whether an activity is an experience and not a routine check.

    | events | kept |
    | --- | --- |
    | any failure, words of a person or agent, milestone, note | yes |
    | a tool call that may have changed something (its data does not say `"effect": "read"`) | yes |
    | observations, results, read-only calls, a check that passed | no: they stay in the log as evidence |
    """
    return any(not _is_routine(event) for event in events)


def _is_routine(event: StoredEvent) -> bool:
    if event.type is EventType.TOOL_CALL:
        return event.data.get("effect") == "read"
    return event.type in _ROUTINE


def outline(events: Sequence[StoredEvent]) -> Outline:
    """Derive status, outcome, span and sources; `events` has at least one. The latest word counts."""
    ordered = in_order(events)
    status = ExecutionStatus.UNRESOLVED
    outcome = GoalOutcome.UNKNOWN
    for event in ordered:
        status = _STATUS.get(event.type, status)
        outcome = _OUTCOME.get(event.type, outcome)
    return Outline(
        execution_status=status,
        goal_outcome=outcome,
        started_at=ordered[0].occurred_at,
        ended_at=ordered[-1].occurred_at,
        sources=tuple(event.id for event in ordered),
    )


def weakest_word(events: Sequence[StoredEvent]) -> Authority:
    """The authority of an episode: that of the weakest event with words; bookkeeping has none to weigh."""
    spoken = [event.authority for event in events if said(event)]
    return min(spoken or [event.authority for event in events])


def passages(events: Sequence[StoredEvent]) -> list[Passage]:
    """Cut an activity into passages: a round is a turn and the answer to it by somebody else."""
    cut: list[Passage] = []
    open_round: list[StoredEvent] = []

    def close_round() -> None:
        if open_round:
            cut.extend(_passages_of(open_round))
            open_round.clear()

    for event in in_order(events):
        if event.type not in _SPOKEN:
            close_round()
            cut.extend(_passages_of([event]))
            continue
        if open_round and open_round[-1].speaker.subject == event.speaker.subject:
            close_round()
        open_round.append(event)
        if len(open_round) == 2:
            close_round()
    close_round()
    return cut


def _passages_of(events: Sequence[StoredEvent]) -> list[Passage]:
    ids = tuple(event.id for event in events)
    text = "\n".join(line for event in events if (line := said(event)))
    return [Passage(piece, ids, events[-1].occurred_at) for piece in _pieces(text)]


def said(event: StoredEvent) -> str:
    """One event in words: who and what, or "" for an event that carries no words."""
    words = [event.text] if event.text else []
    if event.type in (EventType.TOOL_CALL, EventType.OBSERVATION, EventType.TOOL_RESULT):
        names = [mention.name or mention.id or "" for mention in event.entities]
        words = [*words, *[name for name in names if name and name not in (event.text or "")]]
    if not words:
        return ""
    spoken = event.speaker.kind is PrincipalKind.HUMAN or event.type in _SPOKEN
    who = event.speaker.subject if spoken else event.type.value.replace("_", " ")
    return f"{who}: {' '.join(words)}"


def _pieces(text: str) -> list[str]:
    """Cut a long text at white space into pieces of at most `MAX_PASSAGE_CHARACTERS`."""
    pieces: list[str] = []
    rest = text.strip()
    while len(rest) > MAX_PASSAGE_CHARACTERS:
        gaps = _GAP.finditer(rest, MAX_PASSAGE_CHARACTERS // 2, MAX_PASSAGE_CHARACTERS)
        at = max((gap.start() for gap in gaps), default=MAX_PASSAGE_CHARACTERS)
        pieces.append(rest[:at].strip())
        rest = rest[at:].strip()
    return [*pieces, rest] if rest else pieces
