"""Steps of consolidation: from the events of one activity to an episode and to candidate facts.

Words come from providers; everything that decides comes from code and from the events themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from temporalio import activity

from activities.heartbeats import beating
from models.authority import Authority
from models.candidates import CandidateKind, Proposal, Said, is_grounded, said_by
from models.entities import is_canonical
from models.episodes import in_order, outline, passages, weakest_word, worth_an_episode
from models.events import EntityMention, StoredEvent
from models.messages import ActivityPass, ActivityRef, EpisodeWritten, FactsProposed
from models.policy import Cardinality, Policy
from models.reconciliation import Claim, Verdict, decide
from models.scope import Scope
from models.text import identifiers, normalise
from providers.protocols import Extractor, Narrator
from store import activities, applied, candidates, entities, episodes, evidence, facts, outbox
from store import events as event_log
from store.engine import Database
from store.unit_of_work import UnitOfWork


class _Cited(NamedTuple):
    """An event of the activity, and what it says."""

    event: StoredEvent
    said: Said


class _Judgement(NamedTuple):
    """A proposal's fact key, if it has one, and its verdict, if reconciliation need not give it."""

    key: facts.FactKey | None
    verdict: tuple[Verdict, str] | None
    keep_words: bool


class ConsolidationSteps:
    """The steps, with what they need."""

    def __init__(self, database: Database, policy: Policy, narrator: Narrator, extractor: Extractor) -> None:
        self._database = database
        self._policy = policy
        self._narrator = narrator
        self._extractor = extractor

    @activity.defn(name="keepwell.build_episode")
    async def build_episode(self, ref: ActivityRef) -> EpisodeWritten:
        """Build, or rebuild, the activity's episode from all the events that it has by now."""
        async with beating():
            return await self._build(ref)

    async def _build(self, ref: ActivityRef) -> EpisodeWritten:
        async with self._database.transaction(ref.tenant_id) as work:
            events = await event_log.of_activity(work, ref.activity_id)
        if not events:
            return EpisodeWritten(through_seq=0, kept=False)
        through_seq = events[-1].seq
        scope = Scope(events[0].scope)
        kept = worth_an_episode(events)
        shape = outline(events)
        narrative = await self._narrator.narrate(shape, in_order(events)) if kept else ""
        cut = passages(events)
        async with self._database.transaction(ref.tenant_id) as work:
            about = await _entities_of(work, scope, events)
            if not kept:
                return EpisodeWritten(through_seq=through_seq, kept=False)
            row = episodes.EpisodeRow(
                activity_id=ref.activity_id,
                scope=scope,
                revision=through_seq,
                outline=shape,
                narrative=narrative,
                narrator=self._narrator.name,
                authority=weakest_word(events),
                passages=cut,
                entity_ids=about,
            )
            if await episodes.write(work, row):
                identity = episodes.episode_id(ref.tenant_id, ref.activity_id)
                cited = [_evidence(event) for event in in_order(events)]
                await evidence.cite(work, evidence.Kind.EPISODE, identity, cited)
        return EpisodeWritten(
            through_seq=through_seq,
            kept=True,
            execution_status=shape.execution_status,
            passages=len(cut),
        )

    @activity.defn(name="keepwell.propose_facts")
    async def propose_facts(self, ref: ActivityPass) -> FactsProposed:
        """Store what the extractor proposes, hand over each fact key that has something to decide, end the pass.

        A pass proposes once: tried again after its commit, it answers what it answered, whatever a model
        would say the second time.
        """
        async with beating():
            return await self._propose(ref)

    async def _propose(self, ref: ActivityPass) -> FactsProposed:
        step = f"propose_facts/{ref.activity_id}/{ref.through_seq}"
        async with self._database.transaction(ref.tenant_id) as work:
            answer = await applied.answer_of(work, step)
            if answer is not None:
                return FactsProposed.model_validate(answer)
            events = await event_log.of_activity(work, ref.activity_id, ref.through_seq)
        proposals = await self._extractor.propose(in_order(events), self._policy.attributes.keys())
        cited = {event.id: _Cited(event, said_by(event)) for event in events}
        # A citation of an event outside the activity is a provider's fault; there is nothing to hold.
        known = [proposal for proposal in proposals if proposal.event_id in cited]
        async with self._database.transaction(ref.tenant_id) as work:
            touched = await self._admit(work, known, cited)
            await outbox.put(work, outbox.Kind.RECONCILE, touched)
            more = await activities.advance(work, ref.activity_id, ref.through_seq)
            proposed = FactsProposed(
                handed_over=len(touched),
                proposals=len(known),
                more=more,
            )
            await applied.record(work, step, proposed.model_dump())
        return proposed

    async def _admit(
        self, work: UnitOfWork, proposals: Sequence[Proposal], cited: Mapping[UUID, _Cited]
    ) -> list[UUID]:
        """Store proposals; the fact keys on which reconciliation has to decide.

        Entities and keys are made in one order, whatever the order of the proposals, so that passes over
        other activities with the same names never wait for each other in a ring.
        """
        refusals = [self._refusal(each, cited[each.event_id].said) for each in proposals]
        sound = [each for each, refusal in zip(proposals, refusals, strict=True) if refusal is None]
        meant = await _entities_meant(work, [(each, cited[each.event_id].event) for each in sound])
        judged = [
            self._judge(each, refusal, cited[each.event_id].event, meant)
            for each, refusal in zip(proposals, refusals, strict=True)
        ]
        keys = {each.key: each.key.id(work.tenant_id) for each in judged if each.key is not None}
        for key in sorted(keys, key=keys.__getitem__):
            await facts.ensure_key(work, key)
        touched: dict[UUID, None] = {}
        for proposal, (key, verdict, keep_words) in zip(proposals, judged, strict=True):
            key_id = None if key is None else keys[key]
            new = await candidates.add(work, proposal, key_id, self._extractor.name, keep_words=keep_words)
            if verdict is None and key_id is not None:
                touched[key_id] = None
            elif verdict is not None and new is not None:
                await candidates.decide(work, new, *verdict)
        return list(touched)

    def _judge(
        self,
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
        key = self._key(proposal, Scope(event.scope), entity_id)
        if proposal.kind is CandidateKind.OBSERVATION:
            return _Judgement(key, _verdict_on_observation(event), keep_words=False)
        return _Judgement(key, None, keep_words=True)

    def _refusal(self, proposal: Proposal, said: Said) -> str | None:
        if proposal.kind is CandidateKind.OBSERVATION:
            return None
        attribute = self._policy.attributes.get(proposal.attribute)
        if attribute is None:
            return "unknown_attribute"
        if not is_grounded(proposal, said):
            return "not_grounded"
        if proposal.terms is None and attribute.cardinality is Cardinality.MANY:
            return "withdrawal_without_value"
        return None

    def _key(self, proposal: Proposal, scope: Scope, entity_id: UUID | None) -> facts.FactKey:
        attribute = self._policy.attributes.get(proposal.attribute)
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
            trusted[proposal.mention] = trusted.get(proposal.mention, False) or _is_trusted(event)
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


async def _entities_of(work: UnitOfWork, scope: Scope, events: Sequence[StoredEvent]) -> list[UUID]:
    """What the events are about: what they declare, and the known names that their words hold."""
    declared = await entities.learn(
        work,
        scope,
        [entities.Learned(mention, _is_trusted(event)) for event in events for mention in event.entities],
    )
    named = [word for event in events for word in identifiers(event.text or "")]
    directory = await entities.look_up(work, scope, named)
    known = [owners[0] for owners in directory.by_name.values() if len(owners) == 1]
    return sorted({*declared, *known, *directory.canonical.values()})


def _is_trusted(event: StoredEvent) -> bool:
    """Whether an event may say what a thing is: a person's word or a declared system's, not a model's."""
    return event.authority >= Authority.HUMAN_INSTRUCTION


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


def _evidence(event: StoredEvent) -> evidence.Evidence:
    return evidence.Evidence(
        event.id, event.type.value, event.authority, None, event.speaker.subject, event.occurred_at
    )
