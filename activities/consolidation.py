"""Steps of consolidation: from the events of one activity to an episode and to candidate facts.

Words come from providers; everything that decides comes from code and from the events themselves.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from temporalio import activity

from models.candidates import CandidateKind, Proposal, Said, is_grounded, said_by
from models.entities import is_canonical
from models.episodes import in_order, outline, passages, weakest_word, worth_an_episode
from models.events import EntityMention, StoredEvent
from models.messages import ActivityPass, ActivityRef, EpisodeWritten, FactsProposed, PassClosed
from models.policy import Cardinality, Policy
from models.reconciliation import Claim, Verdict, decide
from models.scope import Scope
from models.text import identifiers, normalise
from providers.protocols import Extractor, Narrator
from store import activities, applied, candidates, entities, episodes, evidence, facts, outbox
from store import events as event_log
from store.engine import Database
from store.unit_of_work import UnitOfWork

OBSERVED_STATE = "observed_state"
"""The attribute of an observation: what an entity was seen to be, which no fact ever records."""


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
        """Store what the extractor proposes; hand each fact key over that has something to decide.

        A pass proposes once: tried again after its commit, it answers what it answered, whatever a model
        would say the second time.
        """
        step = f"propose_facts/{ref.activity_id}/{ref.through_seq}"
        async with self._database.transaction(ref.tenant_id) as work:
            answer = await applied.answer_of(work, step)
            if answer is not None:
                return FactsProposed.model_validate(answer)
            events = await event_log.of_activity(work, ref.activity_id, ref.through_seq)
        proposals = await self._extractor.propose(in_order(events), self._policy.attributes.keys())
        by_id = {event.id: (event, said_by(event)) for event in events}
        touched: dict[UUID, None] = {}
        decided = 0
        async with self._database.transaction(ref.tenant_id) as work:
            for proposal in proposals:
                key_id = await self._admit(work, proposal, by_id.get(proposal.event_id))
                if key_id is None:
                    decided += 1
                else:
                    touched[key_id] = None
            await outbox.put(work, outbox.Kind.RECONCILE, list(touched))
            proposed = FactsProposed(handed_over=len(touched), decided=decided)
            await applied.record(work, step, proposed.model_dump())
        return proposed

    @activity.defn(name="keepwell.close_pass")
    async def close_pass(self, ref: ActivityPass) -> PassClosed:
        """Note how far the pass has seen; whether events came meanwhile."""
        async with self._database.transaction(ref.tenant_id) as work:
            progress = await activities.advance(work, ref.activity_id, ref.through_seq)
        return PassClosed(more=progress.last_seq > ref.through_seq)

    async def _admit(
        self, work: UnitOfWork, proposal: Proposal, cited: tuple[StoredEvent, Said] | None
    ) -> UUID | None:
        """Store one proposal. Its fact key where reconciliation must decide, None where nothing is left to."""
        if cited is None:
            # A citation of an event outside the activity is a provider's fault; there is nothing to hold.
            return None
        event, said = cited
        refusal = self._refusal(proposal, said)
        if refusal is not None:
            new = await candidates.add(work, proposal, None, self._extractor.name, keep_words=False)
            await _decide_if_new(work, new, Verdict.DISCARD, refusal)
            return None
        scope = Scope(event.scope)
        entity_id = None
        if proposal.mention is not None:
            entity_id = await _resolve(work, scope, proposal.mention)
            if entity_id is None:
                new = await candidates.add(work, proposal, None, self._extractor.name, keep_words=True)
                await _decide_if_new(work, new, Verdict.HOLD_UNVERIFIED, "ambiguous_entity")
                return None
        if proposal.kind is CandidateKind.OBSERVATION:
            await self._note_observation(work, proposal, event, entity_id)
            return None
        key_id = await facts.ensure_key(work, self._key(proposal, scope, entity_id))
        await candidates.add(work, proposal, key_id, self._extractor.name, keep_words=True)
        return key_id

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
        attribute = self._policy.attributes[proposal.attribute]
        many = attribute.cardinality is Cardinality.MANY and proposal.terms is not None
        return facts.FactKey(
            scope=scope,
            entity_id=entity_id,
            attribute=proposal.attribute,
            value_key=normalise(proposal.terms.value) if many and proposal.terms else None,
            restriction=attribute.restriction,
        )

    async def _note_observation(
        self, work: UnitOfWork, proposal: Proposal, event: StoredEvent, entity_id: UUID | None
    ) -> None:
        """An observation needs no look at what is there: the table answers it before it asks."""
        key = facts.FactKey(Scope(event.scope), entity_id, OBSERVED_STATE, None, restriction=False)
        key_id = await facts.ensure_key(work, key)
        new = await candidates.add(work, proposal, key_id, self._extractor.name, keep_words=False)
        claim = Claim(
            proposal.kind, None, event.occurred_at, event.occurred_at, False, event.authority, proposal.hedged
        )
        decision = decide(claim, (), datetime.now(UTC))
        await _decide_if_new(work, new, decision.verdict, decision.reason)


async def _decide_if_new(work: UnitOfWork, candidate: UUID | None, verdict: Verdict, reason: str) -> None:
    if candidate is not None:
        await candidates.decide(work, candidate, verdict, reason)


async def _resolve(work: UnitOfWork, scope: Scope, mention: str) -> UUID | None:
    if is_canonical(mention):
        learned = await entities.learn(work, scope, [EntityMention(id=mention)])
        return learned[0]
    return await entities.learn_name(work, scope, mention)


async def _entities_of(work: UnitOfWork, scope: Scope, events: Sequence[StoredEvent]) -> list[UUID]:
    """What the events are about: what they declare, and the known names that their words hold."""
    declared = await entities.learn(work, scope, [mention for event in events for mention in event.entities])
    named = [word for event in events for word in identifiers(event.text or "")]
    directory = await entities.look_up(work, scope, named)
    known = [owners[0] for owners in directory.by_name.values() if len(set(owners)) == 1]
    return sorted({*declared, *known, *directory.canonical.values()})


def _evidence(event: StoredEvent) -> evidence.Evidence:
    return evidence.Evidence(
        event.id, event.type.value, event.authority, None, event.speaker.subject, event.occurred_at
    )
