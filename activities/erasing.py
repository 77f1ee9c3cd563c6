"""How each sort of record goes, some at a time: each call is one transaction of a step that can be done again.

What rests on something is seen to before that is gone: proposals and versions first, then intentions, facts, events,
and the episodes that are told anew from the events that are left.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from activities.beginnings import CLAIM, STATEMENT, is_permitted, searchable
from capture.telling import entities_of, write_episode
from capture.versions import KEEPWELL, Why, lose_evidence
from models.episodes import in_order, outline, passages, weakest_word, worth_an_episode
from models.erasure.cutting import Part, Stated, cut_data, cut_text, left_of
from models.erasure.plan import ErasureDisposition, NodeKind
from models.events import StoredEvent, living
from models.experiences import experience_of
from models.facts import Admission, Fact
from models.policy import Policy
from models.scope import Scope
from providers.protocols import Narrator
from store import activities, candidates, episodes, evidence, facts, search
from store import events as event_log
from store.erasure import events as erased_events
from store.erasure import facts as erased_facts
from store.erasure import log, others
from store.erasure.rows import Rows, changed
from store.unit_of_work import UnitOfWork


class Erasing:
    """Erases records of one erasure. `nameless` takes whose an event was as well, and where."""

    def __init__(self, policy: Policy, narrator: Narrator, erasure_id: UUID, *, nameless: bool) -> None:
        self._policy = policy
        self._narrator = narrator
        self._erasure_id = erasure_id
        self._nameless = nameless

    async def erase(  # noqa: PLR0911 - a line for each sort of record
        self, work: UnitOfWork, kind: NodeKind, disposition: ErasureDisposition, ids: Sequence[UUID]
    ) -> Rows:
        """Do with these records of one sort what is to become of them; how many rows that touched, by table."""
        match kind, disposition:
            case NodeKind.TRACE, _:
                return await others.delete_traces(work, ids)
            case NodeKind.PROCEDURE, ErasureDisposition.DELETE:
                return await others.delete_versions(work, ids)
            case NodeKind.PROPOSAL, ErasureDisposition.DELETE:
                return await others.delete_proposals(work, ids)
            case NodeKind.INTENTION, _:
                rows, sent = await others.delete_intentions(work, ids)
                await log.depart(work, "webhook", sent)
                return rows
            case NodeKind.FACT, ErasureDisposition.DELETE:
                return await erased_facts.delete(work, self._erasure_id, ids)
            case NodeKind.FACT, _:
                return await self._recompute_facts(work, ids)
            case NodeKind.EVENT, ErasureDisposition.REDACT:
                return await erased_events.redact(work, ids, nameless=self._nameless)
            case NodeKind.EVENT, _:
                return await self._cut(work, ids)
            case NodeKind.EPISODE, _:
                return await self._episodes(work, ids)
            case _:
                # What only loses experience behind it is seen to with the episodes that it loses.
                return {}

    async def _cut(self, work: UnitOfWork, ids: Sequence[UUID]) -> Rows:
        rows: Rows = {}
        for each in await erased_events.quoted(work, self._erasure_id, ids):
            parts = [Part(item["quote"] or "", item["attribute"], item["value"]) for item in each.candidates]
            await erased_events.cut(work, each.id, cut_text(each.text, parts), cut_data(each.data, parts))
            changed(rows, "events", 1)
        return rows

    async def _recompute_facts(self, work: UnitOfWork, ids: Sequence[UUID]) -> Rows:
        rows: Rows = {}
        for identity in ids:
            fact = await facts.lock(work, identity)
            if fact is None:
                continue
            stated = await self._still_stated(work, fact)
            if not stated:
                # What bore it out has gone as well since it was planned.
                for table, number in (await erased_facts.delete(work, self._erasure_id, [fact.id])).items():
                    changed(rows, table, number)
                continue
            left = left_of(fact, stated)
            scope_key = Scope(fact.scope).key
            await erased_facts.recompute(work, erased_facts.Remains(fact.id, scope_key, *left))
            if fact.admission is Admission.ADMITTED:
                anew = await facts.get(work, fact.id)
                assert anew is not None
                await search.drop(work, [fact.id])
                document = search.Document(fact.id, searchable(anew), anew.valid_from)
                await search.index(work, search.RecordKind.FACT, scope_key, [document])
            changed(rows, "facts", 1)
        return rows

    async def _still_stated(self, work: UnitOfWork, fact: Fact) -> list[Stated]:
        """The statements that a fact still rests on, with the words in which they were made."""
        supports = {STATEMENT} if fact.admission is Admission.ADMITTED else {STATEMENT, CLAIM}
        gone = await erased_events.among_erased(work, self._erasure_id, fact.id)
        cited = [
            each
            for each in await evidence.of_record(work, fact.id)
            if each.supports in supports and each.event_id not in gone
        ]
        said = await candidates.that_led_to(work, fact.id)
        return [
            Stated(
                event_id=each.event_id,
                authority=each.authority,
                authority_role=each.authority_role,
                subject=each.subject,
                occurred_at=each.occurred_at,
                permitted=is_permitted(each),
                terms=None if each.event_id not in said else said[each.event_id].terms,
                quote=None if each.event_id not in said else said[each.event_id].quote,
            )
            for each in cited
        ]

    async def _episodes(self, work: UnitOfWork, ids: Sequence[UUID]) -> Rows:
        """Tell episodes anew from the events that are left, or remove those of which nothing worth telling is."""
        rows: Rows = {}
        now = datetime.now(UTC)
        lost = Why("erase", "evidence_erased", KEEPWELL.subject, None, None, now)
        for identity in ids:
            activity_id = await episodes.activity_of(work, identity)
            every = [] if activity_id is None else await event_log.of_activity(work, activity_id)
            events = living(every)
            if activity_id is None or not worth_an_episode(events):
                await lose_evidence(work, self._policy, [identity], lost)
                gone = await others.delete_episodes(work, [identity])
            else:
                gone = await others.empty_episodes(work, [identity])
                await self._tell(work, activity_id, events)
                await others.made_anew(work, identity)
                if experience_of(identity, events) is None:
                    await lose_evidence(work, self._policy, [identity], lost)
                changed(gone, "episodes", 1)
            for table, number in gone.items():
                changed(rows, table, number)
        return rows

    async def _tell(self, work: UnitOfWork, activity_id: UUID, events: Sequence[StoredEvent]) -> None:
        shape, scope = outline(events), Scope(events[0].scope)
        row = episodes.EpisodeRow(
            activity_id=activity_id,
            scope=scope,
            revision=await activities.last_seq(work, activity_id),
            outline=shape,
            narrative=await self._narrator.narrate(shape, in_order(events)),
            narrator=self._narrator.name,
            authority=weakest_word(events),
            passages=passages(events),
            entity_ids=await entities_of(work, scope, events),
        )
        await write_episode(work, row, events, anew=True)
