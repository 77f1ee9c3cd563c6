"""Proposals that what several scopes have in common holds in the wider one: claims, which govern nothing.

Each is an event of Keepwell's own with one candidate, held for a reviewer of the wider scope, and made from every fact
that bears it out. The same evidence proposes nothing twice.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import cast
from uuid import UUID

from capture.accept import BORNE_OUT, Accepted, append
from capture.admission import Speech, admit
from capture.recording import candidates_of, digest_of, event_of
from models.candidates import CandidateKind, Proposal, Proposed
from models.events import EventType, StoredEvent
from models.facts import Fact
from models.ids import content_digest
from models.notices import NOTIFIER
from models.policy import Policy
from models.statements import Spoken
from models.verbs import Verb
from models.widening import Held, Wider, wider
from store import candidates, events, persons, widening
from store.unit_of_work import UnitOfWork

MOST_NAMED = 500
"""So many facts on either side are named by a proposal, the strongest first: an event has room for them."""


async def widen(work: UnitOfWork, policy: Policy, facts: Sequence[Fact]) -> int:
    """Propose what these facts in force bear out for wider scopes, but for what is about a person; how much is new.

    All facts in force of an attribute and a thing come together.
    """
    about = await persons.about(work, policy, [fact.id for fact in facts])
    said_in = await widening.said_in(work, [fact.id for fact in facts])
    proposed = 0
    for (attribute, _), group in groupby(facts, key=lambda fact: (fact.attribute, fact.subject.canonical)):
        declared = policy.declared(attribute)
        if declared is None:
            continue
        held = [
            Held(fact, said_in.get(fact.id, frozenset())) for fact in group if about[fact.id].person is None
        ]
        for each in wider(held, declared.memory_class, declared.attribute.cardinality):
            proposed += await _propose(work, policy, each)
    return proposed


async def _propose(work: UnitOfWork, policy: Policy, found: Wider) -> bool:
    fact = found.facts[0]
    terms = fact.terms.model_copy(update={"valid_from": None})
    evidence = sorted(str(activity) for activity in found.activities)
    mark = content_digest(
        [str(found.scope.key), fact.attribute, fact.subject.canonical, fact.canonical, evidence]
    ).hex()
    said = Spoken(activity_id=f"widening-{mark[:32]}", idempotency_key=f"widening-{mark}")
    data = {
        BORNE_OUT: {
            "facts": [str(each.id) for each in found.facts[:MOST_NAMED]],
            "opposing": [str(each.id) for each in found.opposing[:MOST_NAMED]],
            "activities": len(found.activities),
        },
        "candidates": candidates_of(fact.attribute, fact.subject.canonical, terms),
    }
    event = event_of(EventType.NOTE, found.scope, said, None, data)
    accepted = Accepted(event, found.scope, digest_of(Verb.PROPOSE, said, found.scope, mark), directive=True)
    [receipt] = await append(work, NOTIFIER, policy, [accepted])
    if receipt.duplicate:
        return False
    stored = await events.by_ids(work, [receipt.event_id])
    proposal = Proposal(
        event_id=receipt.event_id,
        kind=CandidateKind.STATEMENT,
        attribute=fact.attribute,
        mention=fact.subject.canonical,
        terms=terms,
        quote=terms.value,
    )
    speech = Speech(promotes=fact.id, canonical=fact.canonical, borne_out=True)
    await admit(work, policy, [Proposed(proposal, candidates.STATED)], list(stored.values()), speech)
    return True


def borne_out_by(event: StoredEvent) -> list[UUID]:
    """The facts that bear out what an event of Keepwell's own proposes; none of anybody else's."""
    told = event.data.get(BORNE_OUT) if event.directive else None
    return (
        [UUID(each) for each in cast("dict[str, list[str]]", told)["facts"]] if isinstance(told, dict) else []
    )
