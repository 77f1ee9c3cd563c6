"""The export of a person: gathered in one snapshot, a page at a time, and written as one document."""

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from models.conditions import GateState
from models.controls import About, require_in_person
from models.export import (
    ExportedCandidate,
    ExportedEntity,
    ExportedEpisode,
    ExportedEvent,
    ExportedMemory,
    ExportedPolicyChange,
    ExportedRecall,
    ExportedSwitch,
    ExportHeader,
    Withheld,
)
from models.export_document import ExportDocument
from models.facts import Fact, status_at
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from models.readers import readable_by
from models.scope import Scope
from models.traces import TraceHead, TraceQuery
from models.verbs import Verb
from models.withholding import Withholding, withheld_memory, withheld_record
from store import export, facts, gates, persons, policies, switches, traces
from store.engine import Database
from store.erasure import log
from store.exported import source_named
from store.policies import Policies
from store.tenants import KnownTenants
from store.traces import Asker
from store.unit_of_work import UnitOfWork

PAGE = 200
"""Records that are read and written at a time."""


class Exports:
    """Makes exports for any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies
        self._tenants = KnownTenants()

    async def of(self, principal: Principal, subject: str | None) -> bytes:
        """All that is held of a person, as a document of `models.export.Export`: of the principal, or of `subject`.

        | whose | takes |
        | --- | --- |
        | the principal's own | a person who may read something at all, by a credential that is narrowed in nothing |
        | anybody else's | a role that may administer the whole tenant; nothing is withheld then |

        Raises `NotPermitted`, and `NotFound` for an unknown tenant.
        """
        policy = await self._policies.of(principal.tenant_id)
        own = subject is None or (subject == principal.subject and principal.kind is PrincipalKind.HUMAN)
        if own:
            require_in_person(policy, principal)
        else:
            policy.require(principal, Verb.ADMINISTER, Scope({}))
        person = principal.subject if subject is None else subject
        async with self._database.snapshot(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            header = ExportHeader(
                tenant=principal.tenant,
                subject=person,
                requested_by=principal.subject,
                generated_at=datetime.now(UTC),
            )
            reader = principal if own else None
            document = await _Gathering(work, policy, header, reader).document()
        async with self._database.transaction(principal.tenant_id) as work:
            # Nobody here can take it back: the receipt of an erasure says that there were such.
            await log.depart(work, "export", 1)
        return document


class _Gathering:
    """One export under way. `reader` is the person where they ask for their own, None for whoever may see all."""

    def __init__(
        self, work: UnitOfWork, policy: Policy, header: ExportHeader, reader: Principal | None
    ) -> None:
        self._work = work
        self._policy = policy
        self._person = header.subject
        self._now = header.generated_at
        self._reader = reader
        self._document = ExportDocument(header)
        self._readable = None if reader is None else readable_by(policy, reader)
        self._theirs: frozenset[UUID] = frozenset()
        self._told_memories: set[UUID] = set()
        self._withheld: list[Withheld] = []

    async def document(self) -> bytes:
        """The whole of it."""
        work, person, written = self._work, self._person, self._document
        self._theirs = frozenset(await export.event_ids(work, person))
        about: list[UUID] = []
        for page in _pages(await export.fact_ids(work, person)):
            about += await self._memories(page)
        evidence = {each for page in _pages(about) for each in await export.evidence_ids(work, page)}
        for page in _pages(sorted(self._theirs | evidence)):
            await self._events(page, evidence)
        for page in _pages(await export.episode_ids(work, person)):
            await self._episodes(page)
        for page in _pages(await export.confirmation_ids(work, person)):
            written.add("confirmations", await export.confirmations(work, page))
        for page in _pages(await export.change_ids(work, person)):
            written.add("changes", await export.changes(work, page))
        turns = await switches.log_of(work, person)
        written.add("switches", [ExportedSwitch(**turn._asdict()) for turn in turns])
        applied = await policies.applied_by(work, person)
        written.add(
            "policy_changes",
            [
                ExportedPolicyChange(
                    version=each.version,
                    digest=each.digest,
                    reason=each.reason,
                    recorded_at=each.recorded_at,
                )
                for each in applied
            ],
        )
        await self._recalls()
        written.add("withheld", self._withheld)
        return written.finished()

    async def _recalls(self) -> None:
        asker, after = Asker(self._person, PrincipalKind.HUMAN.value), None
        while page := await traces.page(self._work, asker, TraceQuery(), after, PAGE):
            self._document.add("recalls", [_recall(each.head) for each in page])
            after = page[-1].position

    async def _memories(self, page: Sequence[UUID]) -> list[UUID]:
        """Write a page of memories; the ids of those that are about the person, told or not."""
        found = {fact.id: fact for fact in await facts.by_ids(self._work, page)}
        about = await persons.about(self._work, self._policy, page)
        life = await export.lives(self._work, page)
        waiting = await gates.of_facts(self._work, page)
        told: list[ExportedMemory] = []
        for fact_id in page:
            fact = found[fact_id]
            scope = Scope(fact.scope)
            reason = withheld_memory(self._policy, self._reader, fact.attribute, scope, about[fact_id])
            if reason is None:
                gate = waiting.get(fact_id)
                told.append(self._told(fact, about[fact_id], life, None if gate is None else gate.state))
            else:
                rests_on = [each.event_id for each in life.evidence.get(fact_id, ())]
                self._withhold("memory", fact_id, reason, rests_on)
        self._told_memories.update(each.id for each in told)
        self._document.add("memories", told)
        return [fact_id for fact_id in page if about[fact_id].person == self._person]

    def _told(self, fact: Fact, about: About, life: export.Life, gate: GateState | None) -> ExportedMemory:
        declared = self._policy.declared(fact.attribute)
        return ExportedMemory(
            id=fact.id,
            key_id=fact.key_id,
            about_subject=about.person == self._person,
            class_name=None if declared is None else declared.class_name,
            switched_off=about.switched_off,
            scope=fact.scope,
            entity=ExportedEntity(canonical=fact.subject.canonical, name=fact.subject.name),
            attribute=fact.attribute,
            value=fact.terms.value,
            canonical=fact.canonical,
            ends_when=fact.terms.ends_when,
            expires_at=fact.terms.expires_at,
            lapses_at=fact.lapses_at,
            status=status_at(fact, self._now),
            valid_from=fact.valid_from,
            ended_at=fact.ended_at,
            ending=fact.ending,
            stated_at=fact.stated_at,
            restated_at=fact.restated_at,
            recorded_at=fact.recorded_at,
            authority=source_named(fact.authority),
            authority_role=fact.authority_role,
            standing=fact.standing,
            challenges=fact.challenges,
            statement=fact.statement,
            gate=gate,
            evidence=life.evidence.get(fact.id, []),
            changes=life.changes.get(fact.id, []),
            confirmations=life.confirmations.get(fact.id, []),
            made_from=life.made_from.get(fact.id, []),
            made_into=life.made_into.get(fact.id, []),
        )

    async def _events(self, page: Sequence[UUID], evidence: Collection[UUID]) -> None:
        told: list[ExportedEvent] = []
        quoting = await self._quoting_hidden(page)
        for event in await export.events(self._work, self._person, page, evidence):
            reason = withheld_record(
                self._policy,
                self._reader,
                Scope(event.scope),
                theirs=event.id in self._theirs,
                quotes_hidden=event.id in quoting,
            )
            if reason is None:
                candidates = [self._as_heard(each) for each in event.candidates]
                told.append(event.model_copy(update={"candidates": candidates}))
            else:
                self._withhold("event", event.id, reason, [])
        self._document.add("events", told)

    async def _episodes(self, page: Sequence[UUID]) -> None:
        told: list[ExportedEpisode] = []
        found = await export.episodes(self._work, self._person, page)
        quoting = await self._quoting_hidden({source for each in found for source in each.sources})
        for episode in found:
            reason = withheld_record(
                self._policy,
                self._reader,
                Scope(episode.scope),
                theirs=self._theirs.issuperset(episode.sources),
                quotes_hidden=not quoting.isdisjoint(episode.sources),
            )
            if reason is None:
                told.append(episode)
            else:
                self._withhold("episode", episode.id, reason, episode.sources)
        self._document.add("episodes", told)

    async def _quoting_hidden(self, event_ids: Collection[UUID]) -> frozenset[UUID]:
        """Those of these events that speak of a memory of a class which does not have the reader among its readers."""
        if self._readable is None:
            return frozenset()
        return await export.quoting_hidden(self._work, event_ids, self._readable)

    def _as_heard(self, candidate: ExportedCandidate) -> ExportedCandidate:
        """A candidate without its decision, where that would tell what is there of a memory which is not told."""
        decision = candidate.decision
        if decision is None or self._readable is None or self._readable.shows(candidate.attribute):
            return candidate
        concerned = {each for each in (decision.memory_id, decision.concerns) if each is not None}
        # Where no memory is concerned, nothing is told but what came of the person's words by themselves.
        if concerned <= self._told_memories:
            return candidate
        return candidate.model_copy(update={"decision": None})

    def _withhold(
        self,
        kind: Literal["memory", "event", "episode"],
        record_id: UUID,
        reason: Withholding,
        rests_on: Sequence[UUID],
    ) -> None:
        """Note what is not told, with those of the person's events that it rests on."""
        sources = [each for each in rests_on if each in self._theirs]
        self._withheld.append(Withheld(kind=kind, id=record_id, reason=reason, sources=sources))


def _pages(ids: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    for start in range(0, len(ids), PAGE):
        yield ids[start : start + PAGE]


def _recall(trace: TraceHead) -> ExportedRecall:
    return ExportedRecall(
        id=trace.id,
        recorded_at=trace.recorded_at,
        scope=trace.asked.scope,
        query=trace.asked.query,
        entities=list(trace.asked.entities),
        as_of=trace.asked.as_of,
        triggers=list(trace.triggers),
        advice=trace.advice,
    )
