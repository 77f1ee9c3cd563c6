"""Steps of consolidation: from the events of one activity to an episode and to candidate facts.

Words come from providers; everything that decides comes from code and from the events themselves.
"""

from collections.abc import Sequence
from typing import Any

from temporalio import activity

from activities.heartbeats import beating
from capture.admission import admit, waiting_keys
from capture.promises import promised_in, propose
from capture.proposing import Narrators, Proposers, Told
from capture.reporting import take_from
from capture.telling import entities_of, write_episode
from models.episodes import in_order, outline, passages, weakest_word, worth_an_episode
from models.events import StoredEvent, living
from models.extractions import Fallback, Purpose, State
from models.messages import ActivityPass, ActivityRef, EpisodeWritten, FactsProposed
from models.scope import Scope
from store import activities, applied, disclosures, episodes, extractions
from store import events as event_log
from store.engine import Database
from store.extractions import About
from store.policies import Policies
from store.unit_of_work import UnitOfWork


class ConsolidationSteps:
    """The steps, with what they need."""

    def __init__(
        self, database: Database, policies: Policies, narrators: Narrators, proposers: Proposers
    ) -> None:
        self._database = database
        self._policies = policies
        self._narrators = narrators
        self._proposers = proposers

    @activity.defn(name="keepwell.build_episode")
    async def build_episode(self, ref: ActivityRef) -> EpisodeWritten:
        """Build, or rebuild, the activity's episode from all the events that it has by now."""
        async with beating():
            return await self._build(ref)

    async def _build(self, ref: ActivityRef) -> EpisodeWritten:
        async with self._database.transaction(ref.tenant_id) as work:
            every = await event_log.of_activity(work, ref.activity_id)
        through_seq = every[-1].seq if every else 0
        events = living(every)
        if not events:
            return EpisodeWritten(through_seq=through_seq, kept=False)
        scope = Scope(events[0].scope)
        kept = worth_an_episode(events)
        shape = outline(events)
        told = Told("", "")
        if kept:
            about = About(ref.activity_id, Purpose.NARRATE, events[0].seq, through_seq)
            told = await self._narrators.tell(ref.tenant_id, about, shape, in_order(events))
        cut = passages(events)
        async with self._database.transaction(ref.tenant_id) as work:
            await take_from(work, events)
            entity_ids = await entities_of(work, scope, events)
            if kept:
                row = episodes.EpisodeRow(
                    activity_id=ref.activity_id,
                    scope=scope,
                    revision=through_seq,
                    outline=shape,
                    narrative=told.narrative,
                    narrator=told.narrator,
                    authority=weakest_word(events),
                    passages=cut,
                    entity_ids=entity_ids,
                )
                await _write(work, row, told, events)
        # Also where it was written already: this step can have been cut off in between.
        async with self._database.transaction(ref.tenant_id) as work:
            await disclosures.complete(work, ref.activity_id)
        if not kept:
            return EpisodeWritten(through_seq=through_seq, kept=False)
        return EpisodeWritten(
            through_seq=through_seq,
            kept=True,
            execution_status=shape.execution_status,
            passages=len(cut),
            **_by_rule(told.fallback),
        )

    @activity.defn(name="keepwell.propose_facts")
    async def propose_facts(self, ref: ActivityPass) -> FactsProposed:
        """Store what is proposed, hand over each fact key that has something to decide, end the pass.

        A pass proposes once: tried again after its commit, it answers what it answered, and before that it goes
        by the answers that a model has given, whatever the model would say the second time.
        """
        async with beating():
            return await self._propose(ref)

    async def _propose(self, ref: ActivityPass) -> FactsProposed:
        policy = await self._policies.of(ref.tenant_id)
        step = f"propose_facts/{ref.activity_id}/{ref.through_seq}"
        async with self._database.transaction(ref.tenant_id) as work:
            answer = await applied.answer_of(work, step)
            if answer is not None:
                return FactsProposed.model_validate(answer)
            events = living(await event_log.of_activity(work, ref.activity_id, ref.through_seq))
            seen = await activities.consolidated(work, ref.activity_id)
        read = await self._proposers.read(policy, events)
        # Rules read everything again, which changes nothing; a model is asked about what is new alone.
        unseen = [event for event in events if event.seq > seen]
        found = await self._proposers.ask(policy, ref.tenant_id, ref.activity_id, unseen)
        proposed = [*read, *found.proposed]
        promised = promised_in(policy, unseen)
        async with self._database.transaction(ref.tenant_id) as work:
            admitted = await admit(work, policy, proposed, events)
            await propose(work, promised)
            await extractions.close(work, found.extraction_ids, State.APPLIED)
            more = await activities.advance(work, ref.activity_id, ref.through_seq)
            ended = FactsProposed(
                handed_over=len(waiting_keys(admitted)),
                proposals=len(proposed),
                more=more,
                **_by_rule(found.fallback),
            )
            await applied.record(work, step, ended.model_dump(mode="json"))
        return ended


def _by_rule(fallback: Fallback | None) -> dict[str, Any]:
    """The mark of a step of which rules completed a part."""
    return {} if fallback is None else {"by_rule": fallback.fault, "attempts": fallback.attempts}


async def _write(
    work: UnitOfWork, row: episodes.EpisodeRow, told: Told, events: Sequence[StoredEvent]
) -> None:
    """Write the episode with its evidence, unless one of all these events is there, and close what told it."""
    written = await write_episode(work, row, events)
    if told.extraction_id is not None:
        state = State.APPLIED if written else State.SUPERSEDED
        await extractions.close(work, [told.extraction_id], state)
