"""How a fact begins in the store, and how one is restated: the record, its evidence, transition, gate and words."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from activities.endings import Cause
from models.authority import standing_of
from models.facts import Admission, Fact, Status
from store import evidence, facts, gates, outbox, search
from store.unit_of_work import UnitOfWork

STATEMENT = "statement"
"""What evidence supports that states a fact."""

CLAIM = "claim"
"""What evidence supports that said so without permission, before somebody with it accepted that."""

ECHO = "echo"
"""What evidence supports that said so without permission, before somebody with it said it on their own."""

_BEGINS_AS = {
    Admission.ADMITTED: Status.ACTIVE,
    Admission.UNVERIFIED: Status.QUARANTINED,
    Admission.DISPUTED: Status.DISPUTED,
}


class Backing(NamedTuple):
    """What a fact rests on: the word that makes it, and those that said the same before it could govern."""

    word: evidence.Evidence
    earlier: tuple[evidence.Evidence, ...] = ()

    @property
    def permitted(self) -> list[evidence.Evidence]:
        """The statements among it that were permitted."""
        return [each for each in (*self.earlier, self.word) if is_permitted(each)]


def is_permitted(cited: evidence.Evidence) -> bool:
    """Whether it is a statement by somebody with the role for it: nothing else raises a fact."""
    return cited.authority_role is not None and cited.supports == STATEMENT


async def begin_fact(work: UnitOfWork, new: facts.NewFact, backing: Backing, cause: Cause) -> None:
    """Write a fact or a claim. What is admitted is found by its words, and waits for its condition."""
    await facts.begin(work, new)
    await evidence.cite(work, evidence.Kind.FACT, new.id, [*backing.earlier, backing.word])
    begins = _BEGINS_AS[new.admission]
    await _declare(work, new.id, None, begins, new.valid_from, cause)
    if new.valid_until is not None:
        await _declare(work, new.id, begins, Status.SUPERSEDED, new.valid_until, cause)
    if new.admission is not Admission.ADMITTED:
        return
    if new.terms.ends_when is not None:
        await gates.open_for(work, new.id)
        await outbox.put(work, outbox.Kind.GATE, [new.id])
    stored = await facts.get(work, new.id)
    assert stored is not None
    document = search.Document(new.id, searchable(stored), new.valid_from)
    await search.index(work, search.RecordKind.FACT, new.scope_key, [document])


async def _declare(
    work: UnitOfWork, fact_id: UUID, was: Status | None, becomes: Status, at: datetime, cause: Cause
) -> None:
    await evidence.declare(
        work,
        evidence.Kind.FACT,
        evidence.Transition(
            record_id=fact_id,
            from_status=None if was is None else was.value,
            to_status=becomes.value,
            rule=cause.rule,
            reason=cause.reason,
            actor=cause.actor,
            actor_role=cause.actor_role,
            event_id=cause.event_id,
            effective_at=at,
        ),
    )


async def restate(work: UnitOfWork, fact: Fact, word: evidence.Evidence, lapses_at: datetime | None) -> None:
    """Add the evidence. What permitted evidence comes to may raise the fact, and put off its end, never lower it.

    `lapses_at` is its end by the retention of its class, once it was said again.
    """
    await evidence.cite(work, evidence.Kind.FACT, fact.id, [word])
    if word.authority_role is None:
        return
    cited = await evidence.of_record(work, fact.id)
    stronger = word.authority > fact.authority
    await facts.restate(
        work,
        fact.id,
        restated_at=max(fact.restated_at, word.occurred_at),
        lapses_at=lapses_at,
        authority=max(fact.authority, word.authority),
        authority_role=word.authority_role if stronger else fact.authority_role,
        standing=standing_of([(each.authority, each.subject) for each in cited if is_permitted(each)]),
    )


def searchable(fact: Fact) -> str:
    """The words by which a fact is found: what it is about, what it says, and how it was said."""
    about = [fact.subject.name, fact.subject.canonical if fact.subject.name is None else None]
    words = [*about, fact.attribute.replace("_", " "), fact.terms.value, fact.terms.ends_when, fact.statement]
    return " ".join(word for word in words if word)
