"""The step that decides on claims: one transaction applies a decision with its transitions and evidence."""

from collections import Counter
from uuid import UUID

from temporalio import activity

from activities.beginnings import Backing, begin_fact, restate
from activities.cases import Case, case_of
from activities.endings import Cause, end_fact, reopen_fact
from models.authority import standing_of
from models.events import StoredEvent
from models.facts import Admission, Ending, Fact
from models.ids import derived_id
from models.messages import FactKeyRef, Reconciled
from models.policy import Policy
from models.reasons import ReasonCode
from models.reconciliation import Decision, Verdict, decide, says_the_same
from models.retention import lapse_of, prolonged
from models.scope import Scope
from store import candidates, evidence, facts
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
        case = await case_of(work, policy, key_id, candidate, event, declared)
        decision = decide(case.claim, case.there, case.now, case.erased_at)
        settles = case.accepts if decision.verdict is not Verdict.DISCARD else None
        # What has no thing has no key that would be held: another review of it may have come first.
        if settles is not None and not await candidates.settle(work, settles, candidate.id):
            decision = Decision(Verdict.IGNORE_STALE, ReasonCode.REVIEWED_ALREADY)
        made = await _apply(work, case, decision)
        target = None if decision.target is None else decision.target.id
        await candidates.decide(work, candidate.id, decision.verdict, decision.reason, made, target)
        return decision.verdict


async def _apply(work: UnitOfWork, case: Case, decision: Decision) -> UUID | None:
    """Write what the decision says; the id of the record that it made, if it made one."""
    cause = Cause(
        decision.verdict.value, decision.reason.value, case.event.speaker.subject, case.role, case.event.id
    )
    for closing in decision.closings:
        await end_fact(work, closing.fact, closing.ending, closing.at, cause, case.now)
    if decision.reopened is not None:
        await reopen_fact(work, decision.reopened, decision.reopened_until, cause)
    retention = case.declared.memory_class.retention
    if decision.verdict is Verdict.RESTATE and decision.target is not None:
        word = case.backing.word
        restated_at = max(decision.target.restated_at, word.occurred_at)
        lapses_at = prolonged(decision.target, restated_at, retention.keep, case.there, case.now)
        await restate(work, decision.target, word, lapses_at)
    if decision.verdict not in _MAKES_A_RECORD or case.claim.terms is None:
        return None
    admission = _CLAIMS.get(decision.verdict, Admission.ADMITTED)
    is_claim = admission is not Admission.ADMITTED
    challenges = decision.target.id if is_claim and decision.target is not None else None
    if is_claim:
        same = _claimed_already(case, challenges)
        if decision.target is not None and decision.target.id == case.claim.reviews:
            # Accepted, and still too few say so: the claim waits for the next one.
            same = decision.target
        if same is not None:
            # The same claim again is more evidence for it and no second record: nobody fills a key with talk.
            await evidence.cite(work, evidence.Kind.FACT, same.id, [case.backing.word])
            return same.id
    valid_from = decision.valid_from or case.claim.holds_from
    keeps_words = case.declared.memory_class.representation == "statement"
    if is_claim:
        lapses_at = lapse_of(case.now, retention.held)
    else:
        lapses_at = lapse_of(max(valid_from, case.claim.stated_at), retention.keep)
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
        statement=case.words if keeps_words else "",
    )
    # A claim rests on what was claimed, and not on what it would take up if it governed.
    backing = Backing(case.backing.word, case.claimed) if is_claim else case.backing
    await begin_fact(work, new, backing, cause)
    made_from = [fact.id for fact in case.made_from if not is_claim or fact in case.carried]
    if made_from:
        await evidence.derive(work, evidence.Kind.FACT, new.id, evidence.Kind.FACT, made_from)
    return new.id


def _claimed_already(case: Case, challenges: UUID | None) -> Fact | None:
    """The claim that says the same against the same fact: an open one, or one that was rejected and stays so."""
    for fact in case.there:
        is_settled = fact.ending is Ending.SUPERSEDED or (
            fact.lapses_at is not None and fact.lapses_at <= case.now
        )
        if (
            fact.admission is not Admission.ADMITTED
            and fact.challenges == challenges
            and fact.id not in case.claim.unseen
            and says_the_same(case.claim, fact)
            and not is_settled
        ):
            return fact
    return None
