"""The step that decides on claims: one transaction applies a decision with its transition and evidence."""

from collections import Counter
from datetime import UTC, datetime
from uuid import UUID

from temporalio import activity

from activities.endings import Cause, end_fact
from models.authority import Authority, standing_of
from models.candidates import Terms, statement_instant
from models.events import StoredEvent
from models.facts import Admission, Ending, Fact, Status
from models.ids import derived_id
from models.messages import FactKeyRef, Reconciled
from models.policy import Policy
from models.reconciliation import Claim, Decision, Verdict, decide
from models.scope import Scope
from models.text import normalise
from store import candidates, evidence, facts, gates, outbox, search
from store import events as event_log
from store.candidates import Candidate
from store.engine import Database
from store.unit_of_work import UnitOfWork

MOST_AT_ONCE = 50
_STATEMENT = "statement"
_NEW = frozenset({Verdict.ESTABLISH, Verdict.SUPERSEDE, Verdict.HOLD_UNVERIFIED})


class ReconciliationSteps:
    """The step, with what it needs."""

    def __init__(self, database: Database, policy: Policy) -> None:
        self._database = database
        self._policy = policy

    @activity.defn(name="keepwell.reconcile")
    async def reconcile(self, ref: FactKeyRef) -> Reconciled:
        """Decide on the candidates of one key that wait, under the key's lock.

        The lock holds even where no workflow serialises: two of these steps at once decide one after the
        other, and a candidate that has its decision is not looked at again.
        """
        verdicts: Counter[str] = Counter()
        async with self._database.transaction(ref.tenant_id) as work:
            await facts.lock_key(work, ref.key_id)
            waiting = await candidates.undecided(work, ref.key_id, MOST_AT_ONCE)
            cited = await event_log.by_ids(work, [candidate.event_id for candidate in waiting])
            for candidate in waiting:
                verdict = await self._decide(work, ref.key_id, candidate, cited[candidate.event_id])
                verdicts[verdict.value] += 1
        return Reconciled(verdicts=dict(verdicts), more=len(waiting) == MOST_AT_ONCE)

    async def _decide(
        self, work: UnitOfWork, key_id: UUID, candidate: Candidate, event: StoredEvent
    ) -> Verdict:
        now = datetime.now(UTC)
        there = await facts.admitted(work, key_id)
        role = self._writer_role(candidate, event)
        claim = Claim(
            kind=candidate.kind,
            terms=candidate.terms,
            holds_from=statement_instant(event, candidate.terms),
            stated_at=event.occurred_at,
            permitted=role is not None,
            authority=self._policy.authority_for(event.speaker, candidate.attribute, event.authority),
            hedged=candidate.hedged,
            about=candidate.about_id,
        )
        decision = decide(claim, there, now)
        made = await self._apply(work, key_id, candidate, event, claim, role, decision, now)
        target = None if decision.target is None else decision.target.id
        await candidates.decide(work, candidate.id, decision.verdict, decision.reason, made, target)
        return decision.verdict

    def _writer_role(self, candidate: Candidate, event: StoredEvent) -> str | None:
        """The role that permits the statement. What came from a tool or a page has none, whoever sent it."""
        if event.authority < Authority.HUMAN_INSTRUCTION:
            return None
        return self._policy.permitted_writer(event.speaker, candidate.attribute, Scope(event.scope))

    async def _apply(
        self,
        work: UnitOfWork,
        key_id: UUID,
        candidate: Candidate,
        event: StoredEvent,
        claim: Claim,
        role: str | None,
        decision: Decision,
        now: datetime,
    ) -> UUID | None:
        """Write what the decision says; the id of the fact that it made, if it made one."""
        cause = Cause(decision.verdict.value, decision.reason, event.speaker.subject, role, event.id)
        ending = Ending.RETRACTED if decision.verdict is Verdict.RETRACT else Ending.SUPERSEDED
        for closing in decision.closings:
            await end_fact(work, closing.fact, ending, closing.at, cause, now)
        # A hunch is cited for what it is: it carries no role, so it raises nothing.
        carried = None if candidate.hedged else role
        witness = evidence.Evidence(
            event.id, _STATEMENT, claim.authority, carried, event.speaker.subject, event.occurred_at
        )
        if decision.verdict is Verdict.RESTATE and decision.target is not None:
            await _restate(work, decision.target, witness)
        if decision.verdict not in _NEW or candidate.terms is None:
            return None
        held = decision.verdict is Verdict.HOLD_UNVERIFIED
        challenges = decision.target.id if held and decision.target is not None else None
        identity = derived_id("fact", candidate.id)
        if held:
            # The same claim again is more evidence for it and no second record: nobody fills a key with talk.
            identity = _claim_id(key_id, challenges, candidate.terms)
            if await facts.get(work, identity) is not None:
                await evidence.cite(work, evidence.Kind.FACT, identity, [witness])
                return identity
        new = facts.NewFact(
            id=identity,
            key_id=key_id,
            scope_key=Scope(event.scope).key,
            admission=Admission.UNVERIFIED if held else Admission.ADMITTED,
            terms=candidate.terms,
            valid_from=decision.valid_from or claim.holds_from,
            stated_at=event.occurred_at,
            authority=claim.authority,
            authority_role=role,
            standing=standing_of([(claim.authority, event.speaker.subject)] if role is not None else []),
            challenges=challenges,
            statement=candidate.quote,
        )
        await _begin(work, new, witness, cause)
        return new.id


def _claim_id(key_id: UUID, challenges: UUID | None, terms: Terms) -> UUID:
    """One id for all claims of a key that say the same against the same fact."""
    expires_at = "" if terms.expires_at is None else terms.expires_at.isoformat()
    said = (normalise(terms.value), normalise(terms.ends_when or ""), expires_at)
    return derived_id("claim", key_id, challenges or "", *said)


async def _begin(work: UnitOfWork, new: facts.NewFact, witness: evidence.Evidence, cause: Cause) -> None:
    await facts.begin(work, new)
    await evidence.cite(work, evidence.Kind.FACT, new.id, [witness])
    admitted = new.admission is Admission.ADMITTED
    await evidence.declare(
        work,
        evidence.Kind.FACT,
        evidence.Transition(
            record_id=new.id,
            from_status=None,
            to_status=Status.ACTIVE.value if admitted else Status.QUARANTINED.value,
            rule=cause.rule,
            reason=cause.reason,
            actor=cause.actor,
            actor_role=cause.actor_role,
            event_id=cause.event_id,
            effective_at=new.valid_from,
        ),
    )
    if not admitted:
        return
    if new.terms.ends_when is not None:
        await gates.open_for(work, new.id)
        await outbox.put(work, outbox.Kind.GATE, [new.id])
    stored = await facts.get(work, new.id)
    assert stored is not None
    document = search.Document(new.id, searchable(stored), new.valid_from)
    await search.index(work, search.RecordKind.FACT, new.scope_key, [document])


async def _restate(work: UnitOfWork, fact: Fact, witness: evidence.Evidence) -> None:
    """Add the evidence. What permitted evidence comes to may raise the fact and never lowers it."""
    await evidence.cite(work, evidence.Kind.FACT, fact.id, [witness])
    if witness.authority_role is None:
        return
    cited = await evidence.of_record(work, fact.id)
    permitted = [each for each in cited if each.authority_role is not None and each.supports == _STATEMENT]
    stronger = witness.authority > fact.authority
    await facts.restate(
        work,
        fact.id,
        restated_at=max(fact.restated_at, witness.occurred_at),
        authority=max(fact.authority, witness.authority),
        authority_role=witness.authority_role if stronger else fact.authority_role,
        standing=standing_of([(each.authority, each.subject) for each in permitted]),
    )


def searchable(fact: Fact) -> str:
    """The words by which a fact is found: what it is about, what it says, and how it was said."""
    about = [fact.subject.name, fact.subject.canonical if fact.subject.name is None else None]
    words = [*about, fact.attribute.replace("_", " "), fact.terms.value, fact.terms.ends_when, fact.statement]
    return " ".join(word for word in words if word)
