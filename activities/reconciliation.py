"""The step that decides on claims: one transaction applies a decision with its transitions and evidence."""

from collections import Counter
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from temporalio import activity

from activities.beginnings import CLAIM, STATEMENT, Backing, begin_fact, is_permitted, restate
from activities.endings import Cause, end_fact, reopen_fact
from capture.admission import writer_role
from capture.oneself import is_own
from capture.values import canonical_in
from models.authority import Standing, standing_of
from models.candidates import CandidateKind, statement_instant
from models.contracts import SELF
from models.events import StoredEvent
from models.facts import Admission, Ending, Fact
from models.ids import derived_id
from models.messages import FactKeyRef, Reconciled
from models.policy import Declared, Policy
from models.principals import PrincipalKind, Speaker
from models.reasons import ReasonCode
from models.reconciliation import Claim, Decision, Verdict, decide, says_the_same, taken_up
from models.reviews import needs_other_eyes
from models.scope import Scope
from store import candidates, evidence, facts, persons
from store import events as event_log
from store.candidates import Candidate
from store.engine import Database
from store.policies import Policies
from store.unit_of_work import UnitOfWork

MOST_AT_ONCE = 50
_CLAIMS = {Verdict.HOLD_UNVERIFIED: Admission.UNVERIFIED, Verdict.DISPUTE: Admission.DISPUTED}
_MAKES_A_RECORD = frozenset(
    {Verdict.ESTABLISH, Verdict.SUPERSEDE, Verdict.SCHEDULE, Verdict.BACKFILL, *_CLAIMS}
)


class _Case(NamedTuple):
    """One candidate with all that is looked at to decide on it.

    `there` are the records of its key, and the claim that it reviews; `backing` its own word and those that said
    the same before, as claims or in a narrower scope; `made_from` the records in which they did.
    """

    key_id: UUID
    candidate: Candidate
    event: StoredEvent
    declared: Declared
    role: str | None
    claim: Claim
    there: list[Fact]
    backing: Backing
    made_from: list[Fact]
    now: datetime


class ReconciliationSteps:
    """The step, with what it needs."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies

    @activity.defn(name="keepwell.reconcile")
    async def reconcile(self, ref: FactKeyRef) -> Reconciled:
        """Decide on the candidates of one key that wait, under the key's lock.

        The lock holds even where no workflow serialises: two of these steps at once decide one after the
        other, and a candidate that has its decision is not looked at again.
        """
        verdicts: Counter[str] = Counter()
        policy = await self._policies.of(ref.tenant_id)
        async with self._database.transaction(ref.tenant_id) as work:
            await facts.lock_key(work, ref.key_id)
            waiting = await candidates.undecided(work, ref.key_id, MOST_AT_ONCE)
            cited = await event_log.by_ids(work, [candidate.event_id for candidate in waiting])
            for candidate in waiting:
                verdict = await self._decide(work, policy, ref.key_id, candidate, cited[candidate.event_id])
                verdicts[verdict.value] += 1
        return Reconciled(verdicts=dict(verdicts), more=len(waiting) == MOST_AT_ONCE)

    async def _decide(
        self, work: UnitOfWork, policy: Policy, key_id: UUID, candidate: Candidate, event: StoredEvent
    ) -> Verdict:
        declared = policy.declared(candidate.attribute)
        if declared is None:
            # The policy has changed since the candidate passed the gates.
            await candidates.decide(work, candidate.id, Verdict.DISCARD, ReasonCode.UNKNOWN_ATTRIBUTE)
            return Verdict.DISCARD
        case = await self._case(work, policy, key_id, candidate, event, declared)
        decision = decide(case.claim, case.there, case.now)
        made = await _apply(work, case, decision)
        target = None if decision.target is None else decision.target.id
        await candidates.decide(work, candidate.id, decision.verdict, decision.reason, made, target)
        return decision.verdict

    async def _case(
        self,
        work: UnitOfWork,
        policy: Policy,
        key_id: UUID,
        candidate: Candidate,
        event: StoredEvent,
        declared: Declared,
    ) -> _Case:
        there = await facts.of_key(work, key_id)
        reviewed = None
        if candidate.reviews_id is not None:
            # Where its value was edited, the claim stands under another key.
            reviewed = await facts.lock_row(work, candidate.reviews_id)
        if reviewed is not None:
            there = [*(fact for fact in there if fact.id != reviewed.id), reviewed]
        promotes = None if candidate.promotes_id is None else await facts.get(work, candidate.promotes_id)
        own = await is_own(work, policy, event, candidate.kind, candidate.attribute, candidate.about_id)
        role = writer_role(policy, event, candidate.attribute) or (SELF if own else None)
        claim = Claim(
            kind=candidate.kind,
            terms=candidate.terms,
            canonical=None
            if candidate.terms is None
            else await canonical_in(work, event, candidate.terms.value, declared.attribute),
            holds_from=statement_instant(event, candidate.terms),
            stated_at=event.occurred_at,
            doubt=candidate.doubt or (None if role is not None else ReasonCode.NOT_PERMITTED),
            authority=policy.authority_for(event.speaker, candidate.attribute, event.authority),
            conflict=declared.memory_class.conflict,
            about=candidate.about_id,
            promotes=promotes,
            reviews=None if reviewed is None else reviewed.id,
            for_oneself=own,
        )
        # A hunch is cited for what it is: it carries no role, so it raises nothing.
        word = evidence.Evidence(
            event.id,
            STATEMENT,
            claim.authority,
            None if candidate.hedged else role,
            event.speaker.subject,
            event.occurred_at,
        )
        now = datetime.now(UTC)
        own_matter = promotes is not None and await _is_about(work, policy, promotes, event.speaker)
        made_from = [*taken_up(claim, there, now), *([] if promotes is None else [promotes])]
        backing = Backing(word, await _said_before(work, made_from))
        claim = claim._replace(
            doubt=claim.doubt or _too_few(claim, declared, backing, own_matter=own_matter),
            needs_other_eyes=needs_other_eyes(
                reviewed,
                declared.memory_class.review.four_eyes,
                {each.subject for each in backing.earlier},
                event.speaker.subject,
            ),
        )
        return _Case(key_id, candidate, event, declared, role, claim, there, backing, made_from, now)


async def _said_before(work: UnitOfWork, made_from: list[Fact]) -> tuple[evidence.Evidence, ...]:
    """The evidence of the records that are taken up. What was not permitted then backs nothing now."""
    found = await evidence.of_records(work, [fact.id for fact in made_from]) if made_from else {}
    return tuple(
        each if is_permitted(each) else each._replace(supports=CLAIM)
        for cited in found.values()
        for each in cited
    )


async def _is_about(work: UnitOfWork, policy: Policy, fact: Fact, speaker: Speaker) -> bool:
    about = (await persons.about(work, policy, [fact.id]))[fact.id]
    return speaker.kind is PrincipalKind.HUMAN and speaker.subject == about.person


def _too_few(claim: Claim, declared: Declared, backing: Backing, *, own_matter: bool) -> ReasonCode | None:
    """The doubt that not enough stands behind a statement: less than its class asks for, or than a promotion takes.

    A promotion takes a validated fact, one that stands confirmed together with the word of whoever promotes it; what
    is about themselves, a person promotes by their own word.
    """
    if claim.kind is not CandidateKind.STATEMENT:
        return None
    standing = standing_of([(each.authority, each.subject) for each in backing.permitted])
    if not standing.suffices(declared.memory_class.confidence):
        return ReasonCode.NEEDS_SECOND_WORD
    is_validated = claim.promotes is None or own_matter or standing.suffices(Standing.CONFIRMED)
    return None if is_validated else ReasonCode.NOT_VALIDATED


async def _apply(work: UnitOfWork, case: _Case, decision: Decision) -> UUID | None:
    """Write what the decision says; the id of the record that it made, if it made one."""
    cause = Cause(
        decision.verdict.value, decision.reason.value, case.event.speaker.subject, case.role, case.event.id
    )
    for closing in decision.closings:
        await end_fact(work, closing.fact, closing.ending, closing.at, cause, case.now)
    if decision.reopened is not None and decision.target is not None:
        await reopen_fact(work, decision.reopened, decision.target.ended_at, cause)
    retention = case.declared.memory_class.retention
    if decision.verdict is Verdict.RESTATE and decision.target is not None:
        await restate(work, decision.target, case.backing.word, retention.keep)
    if decision.verdict not in _MAKES_A_RECORD or case.claim.terms is None:
        return None
    admission = _CLAIMS.get(decision.verdict, Admission.ADMITTED)
    is_claim = admission is not Admission.ADMITTED
    challenges = decision.target.id if is_claim and decision.target is not None else None
    if is_claim:
        same = _claimed_already(case, challenges)
        if same is not None:
            # The same claim again is more evidence for it and no second record: nobody fills a key with talk.
            await evidence.cite(work, evidence.Kind.FACT, same.id, [case.backing.word])
            return same.id
    valid_from = decision.valid_from or case.claim.holds_from
    keeps_words = case.declared.memory_class.representation == "statement"
    if is_claim:
        lapses_at = case.now + retention.held
    else:
        lapses_at = None if retention.keep is None else max(valid_from, case.claim.stated_at) + retention.keep
    new = facts.NewFact(
        id=derived_id("fact", case.candidate.id),
        key_id=case.key_id,
        scope_key=Scope(case.event.scope).key,
        admission=admission,
        terms=case.claim.terms,
        canonical=case.claim.canonical or "",
        valid_from=valid_from,
        valid_until=decision.valid_until,
        lapses_at=lapses_at,
        stated_at=case.claim.stated_at,
        authority=case.claim.authority,
        authority_role=case.role,
        standing=standing_of([(each.authority, each.subject) for each in case.backing.permitted]),
        challenges=challenges,
        statement=case.candidate.quote if keeps_words else "",
    )
    await begin_fact(work, new, case.backing if not is_claim else Backing(case.backing.word), cause)
    made_from = [fact.id for fact in case.made_from]
    if made_from:
        await evidence.derive(work, evidence.Kind.FACT, new.id, evidence.Kind.FACT, made_from)
    return new.id


def _claimed_already(case: _Case, challenges: UUID | None) -> Fact | None:
    """The claim that says the same against the same fact: an open one, or one that was rejected and stays so."""
    for fact in case.there:
        is_settled = fact.ending is Ending.SUPERSEDED or (
            fact.lapses_at is not None and fact.lapses_at <= case.now
        )
        if (
            fact.admission is not Admission.ADMITTED
            and fact.challenges == challenges
            and says_the_same(case.claim, fact)
            and not is_settled
        ):
            return fact
    return None
