"""Admission: candidates of events are stored before anybody decides on them, each under its fact key.

What can be said of one without looking at what is there is said here; the rest waits for reconciliation.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from models.authority import Authority
from models.candidates import CandidateKind, Proposal, Said, is_grounded, said_by
from models.contracts import Cardinality
from models.entities import is_canonical
from models.events import EntityMention, StoredEvent
from models.policy import Policy
from models.reconciliation import Claim, Verdict, decide
from models.scope import Scope
from models.text import normalise
from store import candidates, entities, facts, outbox
from store.unit_of_work import UnitOfWork


class _Cited(NamedTuple):
    """An event, and what it says."""

    event: StoredEvent
    said: Said


class _Judgement(NamedTuple):
    """A proposal's fact key, if it has one, and its verdict, if reconciliation need not give it."""

    key: facts.FactKey | None
    verdict: tuple[Verdict, str] | None
    keep_words: bool


async def admit(
    work: UnitOfWork,
    policy: Policy,
    proposals: Sequence[Proposal],
    events: Iterable[StoredEvent],
    extractor: str,
) -> list[UUID]:
    """Store proposals of `events`, by whatever `extractor`, and hand over the keys that have to be decided.

    The keys are answered. Entities and keys are made in one order, whatever the order of the proposals, so
    that transactions over other events with the same names never wait for each other in a ring.
    """
    cited = {event.id: _Cited(event, said_by(event)) for event in events}
    refusals = [_refusal(policy, each, cited[each.event_id].said) for each in proposals]
    sound = [each for each, refusal in zip(proposals, refusals, strict=True) if refusal is None]
    meant = await _entities_meant(work, [(each, cited[each.event_id].event) for each in sound])
    judged = [
        _judge(policy, each, refusal, cited[each.event_id].event, meant)
        for each, refusal in zip(proposals, refusals, strict=True)
    ]
    keys = {each.key: each.key.id(work.tenant_id) for each in judged if each.key is not None}
    for key in sorted(keys, key=keys.__getitem__):
        await facts.ensure_key(work, key)
    touched: dict[UUID, None] = {}
    for proposal, (key, verdict, keep_words) in zip(proposals, judged, strict=True):
        key_id = None if key is None else keys[key]
        new = await candidates.add(work, proposal, key_id, extractor, keep_words=keep_words)
        if verdict is None and key_id is not None:
            touched[key_id] = None
        elif verdict is not None and new is not None:
            await candidates.decide(work, new, *verdict)
    await outbox.put(work, outbox.Kind.RECONCILE, list(touched))
    return list(touched)


def is_trusted(event: StoredEvent) -> bool:
    """Whether an event may say what a thing is: a person's word or a declared system's, not a model's."""
    return event.authority >= Authority.HUMAN_INSTRUCTION


def _refusal(policy: Policy, proposal: Proposal, said: Said) -> str | None:
    if proposal.kind is CandidateKind.OBSERVATION:
        return None
    attribute = policy.attributes.get(proposal.attribute)
    if attribute is None:
        return "unknown_attribute"
    if not is_grounded(proposal, said):
        return "not_grounded"
    if proposal.terms is None and attribute.cardinality is Cardinality.MANY:
        return "withdrawal_without_value"
    return None


def _judge(
    policy: Policy,
    proposal: Proposal,
    refusal: str | None,
    event: StoredEvent,
    meant: Mapping[str, UUID | None],
) -> _Judgement:
    """What can be said of a proposal before anybody looks at what is there for its key."""
    if refusal is not None:
        return _Judgement(None, (Verdict.DISCARD, refusal), keep_words=False)
    entity_id = None if proposal.mention is None else meant[proposal.mention]
    if proposal.mention is not None and entity_id is None:
        return _Judgement(None, (Verdict.HOLD_UNVERIFIED, "ambiguous_entity"), keep_words=True)
    key = _key(policy, proposal, Scope(event.scope), entity_id)
    if proposal.kind is CandidateKind.OBSERVATION:
        return _Judgement(key, _verdict_on_observation(event), keep_words=False)
    return _Judgement(key, None, keep_words=True)


def _key(policy: Policy, proposal: Proposal, scope: Scope, entity_id: UUID | None) -> facts.FactKey:
    attribute = policy.attributes.get(proposal.attribute)
    many = attribute is not None and attribute.cardinality is Cardinality.MANY
    value_key = normalise(proposal.terms.value) if many and proposal.terms is not None else None
    return facts.FactKey(scope, entity_id, proposal.attribute, value_key)


async def _entities_meant(
    work: UnitOfWork, proposals: Iterable[tuple[Proposal, StoredEvent]]
) -> dict[str, UUID | None]:
    """What each mention means, made where it means nothing yet; None for a name that is ambiguous."""
    trusted: dict[str, bool] = {}
    scopes: dict[str, Scope] = {}
    for proposal, event in proposals:
        if proposal.mention is not None:
            trusted[proposal.mention] = trusted.get(proposal.mention, False) or is_trusted(event)
            scopes[proposal.mention] = Scope(event.scope)
    meant: dict[str, UUID | None] = {}
    for mention in sorted(trusted):
        if is_canonical(mention):
            learned = entities.Learned(EntityMention(id=mention), trusted[mention])
            [meant[mention]] = await entities.learn(work, scopes[mention], [learned])
        else:
            meant[mention] = await entities.learn_name(
                work, scopes[mention], mention, trusted=trusted[mention]
            )
    return meant


def _verdict_on_observation(event: StoredEvent) -> tuple[Verdict, str]:
    seen = Claim(
        kind=CandidateKind.OBSERVATION,
        terms=None,
        holds_from=event.occurred_at,
        stated_at=event.occurred_at,
        permitted=False,
        authority=event.authority,
        hedged=False,
    )
    decision = decide(seen, (), event.occurred_at)
    return decision.verdict, decision.reason
