"""How what came of intentions is written: occurrences, states, transitions, and the hand-over to endpoints."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from models.firing import Turn
from models.intentions import Fate, Intention, State
from store import evidence, intentions, occurrences, outbox
from store.unit_of_work import UnitOfWork

_RULES = {
    Fate.DUE.value: "fire",
    Fate.MISSED.value: "miss",
    State.EXPIRED.value: "expire",
    State.CANCELLED.value: "cancel",
}


async def turn_all(work: UnitOfWork, turns: Sequence[tuple[Intention, Turn]], now: datetime) -> int:
    """Write what intentions, which are held, have come to; how many occurrences came about."""
    firings = [(intention, turn.firing) for intention, turn in turns if turn.firing is not None]
    added = await occurrences.add(work, firings, now)
    taken_back = await _take_back(
        work, [each.id for each, turn in turns if turn.state is State.CANCELLED], now
    )
    declared: list[evidence.Transition] = []
    turned: list[intentions.Turned] = []
    endpoints: set[UUID] = set()
    for intention, turn in turns:
        firing = turn.firing
        came = firing is not None and firing.id(intention.id) in added
        ended_before = intention.state is State.FIRED
        if not ended_before:
            turned.append(intentions.Turned(intention.id, turn.state, turn.reason, turn.next_at, came))
        if came or (firing is None and (not ended_before or intention.id in taken_back)):
            declared.append(_transition(intention, turn, now))
        if came and firing is not None and firing.fate is Fate.DUE and intention.endpoint_id is not None:
            endpoints.add(intention.endpoint_id)
    await evidence.declare_all(work, evidence.Kind.INTENTION, declared)
    await intentions.turn(work, turned)
    await outbox.put(work, outbox.Kind.DELIVER, sorted(endpoints))
    return len(added)


async def _take_back(work: UnitOfWork, cancelled: Sequence[UUID], now: datetime) -> set[UUID]:
    """Take back what was handed out of intentions that are cancelled and is not acknowledged; those that had any."""
    if not cancelled:
        return set()
    handed_out = await occurrences.open_of(work, cancelled)
    await occurrences.settle(work, [each.id for each in handed_out], Fate.CANCELLED, now)
    return {each.intention_id for each in handed_out}


async def expire_open(work: UnitOfWork, now: datetime, most: int) -> None:
    """Settle up to `most` open occurrences whose deadline has passed."""
    gone = await occurrences.expire(work, now, most)
    await evidence.declare_all(
        work,
        evidence.Kind.INTENTION,
        [
            evidence.Transition(
                each.intention_id,
                (Fate.DELIVERED if each.leases else Fate.DUE).value,
                each.fate.value,
                "expire",
                "deadline_passed",
                "keepwell",
                None,
                None,
                now,
            )
            for each in gone
        ],
    )


def _transition(intention: Intention, turn: Turn, now: datetime) -> evidence.Transition:
    became = turn.state.value if turn.firing is None else turn.firing.fate.value
    event_id = None if turn.firing is None else turn.firing.event_id
    return evidence.Transition(
        intention.id,
        intention.state.value,
        became,
        _RULES[became],
        turn.reason,
        "keepwell",
        None,
        event_id,
        turn.at,
    )
