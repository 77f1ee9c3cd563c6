"""How a fact ends in the store: its validity, the transition that says why, and the gate that waited for it."""

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from models.facts import Ending, Fact, Status, status_at
from store import evidence, facts, gates, outbox
from store.unit_of_work import UnitOfWork

_INSTANT = timedelta.resolution


class Cause(NamedTuple):
    """Why a fact ends: the rule and its reason, who is behind it, and the event that shows it."""

    rule: str
    reason: str
    actor: str
    actor_role: str | None
    event_id: UUID | None


async def end_fact(
    work: UnitOfWork, fact: Fact, ending: Ending, at: datetime, cause: Cause, now: datetime
) -> None:
    """End `fact` at `at`. Its gate closes if that has come, else it learns the new term."""
    await facts.end(work, fact.id, ending, at)
    await declare_change(work, fact, ending.value, at, cause)
    if at <= now:
        await gates.close(work, fact.id, ending.value, now)
    if await gates.get(work, fact.id) is not None:
        await outbox.put(work, outbox.Kind.GATE, [fact.id])


async def reopen_fact(work: UnitOfWork, fact: Fact, until: datetime | None, cause: Cause) -> None:
    """Let `fact` go on, whose successor was withdrawn before it began: `until` what follows that one."""
    assert fact.ended_at is not None
    await facts.reopen(work, fact.id, until)
    again = Cause("reopen", cause.reason, cause.actor, cause.actor_role, cause.event_id)
    await declare_change(work, fact, Status.ACTIVE.value, fact.ended_at, again)
    if until is not None:
        going_on = fact.model_copy(update={"ended_at": None, "ending": None})
        await declare_change(work, going_on, Status.SUPERSEDED.value, until, again)
    if await gates.get(work, fact.id) is not None:
        await outbox.put(work, outbox.Kind.GATE, [fact.id])


async def declare_change(work: UnitOfWork, fact: Fact, to_status: str, at: datetime, cause: Cause) -> None:
    """Write the transition of `fact` to `to_status`, from the status that it had at that instant.

    What a term ends has another status from that instant on, whether or not anybody has written so.
    """
    before = at - _INSTANT if to_status == Status.EXPIRED else at
    await evidence.declare(
        work,
        evidence.Kind.FACT,
        evidence.Transition(
            record_id=fact.id,
            from_status=status_at(fact, before).value,
            to_status=to_status,
            rule=cause.rule,
            reason=cause.reason,
            actor=cause.actor,
            actor_role=cause.actor_role,
            event_id=cause.event_id,
            effective_at=at,
        ),
    )
