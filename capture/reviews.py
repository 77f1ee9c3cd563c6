"""Reviews of what is held, disputed or doubted: each is a statement by the reviewer, with the ask for a verdict."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from capture.accept import Accepted, in_one_transaction
from capture.admission import Speech
from capture.masking import Masker
from capture.reach import fact_within_reach
from capture.recording import (
    Recorded,
    Stating,
    candidates_of,
    digest_of,
    event_of,
    record,
    recorded_before,
)
from capture.values import canonical_in
from models.candidates import CandidateKind, Terms
from models.controls import catalogue
from models.errors import Conflict, InvalidInput, NotFound, NotPermitted
from models.events import EventType, StoredEvent
from models.facts import Admission, Fact
from models.policy import Policy
from models.principals import Principal
from models.readers import readable_by
from models.reconciliation import is_in_force, is_open_claim
from models.retention import lapse_of
from models.reviews import Acceptance, Heard, needs_other_eyes
from models.scope import Scope
from models.statements import Spoken, Withdrawal
from models.verbs import Verb
from store import events as event_log
from store import evidence, facts, mismatches, reviews
from store.engine import Database
from store.policies import Policies
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork


class _Reviewed(NamedTuple):
    """What is reviewed: where it applies, what it says of what, and who said it. `mention` is None for a scope.

    `fact` is None for a candidate of which nobody can tell what it is about, and governs where it is doubted; `first`
    is the event that it began with.
    """

    id: UUID
    scope: Scope
    attribute: str
    mention: str | None
    terms: Terms
    fact: Fact | None
    heard: Sequence[Heard]
    first: StoredEvent

    @property
    def doubted(self) -> Fact | None:
        """The fact in force that observations have contradicted, None for a claim."""
        return self.fact if self.fact is not None and self.fact.admission is Admission.ADMITTED else None


class Reviews:
    """Takes reviews from any principal."""

    def __init__(self, database: Database, policies: Policies, masker: Masker) -> None:
        self._database = database
        self._policies = policies
        self._masker = masker
        self._tenants = KnownTenants()

    async def accept(self, principal: Principal, claim_id: UUID, acceptance: Acceptance) -> Recorded:
        """Store the acceptance of a claim, as it stands or with other terms.

        Of a doubted fact it says that it holds, or what holds in its place. Raises `NotFound` for a claim that is not
        there or lies beyond the principal's reach, `Conflict` for one that is settled, `NotPermitted` for who may not
        review it, may not write what it says, or has said it where the class asks for four eyes, and `InvalidInput`
        where it is left open what the claim is about.
        """
        acceptance = self._masker.statement(principal.tenant_id, acceptance)
        policy = await self._policies.of(principal.tenant_id)

        async def say(work: UnitOfWork, claim: _Reviewed) -> Recorded:
            if claim.fact is None and acceptance.entity is None:
                raise InvalidInput("say what it is about: a canonical id, `type:id`", field="entity")
            if claim.fact is not None and acceptance.entity is not None:
                raise InvalidInput("the claim says what it is about; leave this out", field="entity")
            _require_may_accept(policy, principal, claim)
            terms = acceptance.terms or claim.terms
            mention = acceptance.entity or claim.mention
            data = {
                "accepts": str(claim_id),
                "candidates": candidates_of(claim.attribute, mention, terms),
            }
            stating = Stating(CandidateKind.STATEMENT, claim.attribute, mention, terms, acceptance.text)
            speech = await _speech(work, policy, claim, terms)
            return await _record(work, policy, principal, acceptance, claim, data, stating, speech)

        return await self._once(policy, principal, claim_id, CandidateKind.STATEMENT, acceptance, say)

    async def reject(self, principal: Principal, claim_id: UUID, rejection: Withdrawal) -> Recorded:
        """Store the rejection of a claim or a doubted fact, with its reason. Raises as `accept` does."""
        rejection = self._masker.statement(principal.tenant_id, rejection)
        policy = await self._policies.of(principal.tenant_id)

        async def say(work: UnitOfWork, claim: _Reviewed) -> Recorded:
            data = {"rejects": str(claim_id)}
            stating = Stating(CandidateKind.WITHDRAWAL, claim.attribute, claim.mention, None, rejection.text)
            speech = Speech(reviews=claim.id, first=claim.first if claim.fact is None else None)
            if claim.doubted is not None:
                speech = Speech(about=claim.doubted)
            return await _record(work, policy, principal, rejection, claim, data, stating, speech)

        return await self._once(policy, principal, claim_id, CandidateKind.WITHDRAWAL, rejection, say)

    async def _once(
        self,
        policy: Policy,
        principal: Principal,
        claim_id: UUID,
        kind: CandidateKind,
        spoken: Spoken,
        say: Callable[[UnitOfWork, _Reviewed], Awaitable[Recorded]],
    ) -> Recorded:
        """Store a review by `say`, or find what an earlier call stored, whatever has become of the claim by then."""

        async def store(work: UnitOfWork) -> Recorded:
            digest = _digest_of(kind, claim_id, spoken)
            before = await recorded_before(work, principal, policy, Verb.REVIEW, spoken, digest)
            if before is not None:
                return before
            return await say(work, await self._claim(work, policy, principal, claim_id))

        return await in_one_transaction(self._database, principal.tenant_id, store)

    async def _claim(
        self, work: UnitOfWork, policy: Policy, principal: Principal, claim_id: UUID
    ) -> _Reviewed:
        await self._tenants.require(work, principal.tenant)
        readable = readable_by(policy, principal)
        heard = (await reviews.heard(work, [claim_id], readable, catalogue(policy))).get(claim_id, [])
        unnamed = await reviews.unnamed(work, claim_id, readable, policy.mismatches_to_review)
        fact = None
        if unnamed is None:
            fact = await fact_within_reach(work, policy, principal, claim_id, Verb.REVIEW)
            if fact.admission is Admission.ADMITTED and not await _is_doubted(work, policy, fact):
                raise Conflict("is no claim: it governs, or has governed; correct or retract it instead")
            what = (Scope(fact.scope), fact.attribute, fact.subject.canonical, fact.terms)
        else:
            what = (Scope(unnamed.scope), unnamed.attribute, unnamed.mention, unnamed.terms)
            if not policy.allows(principal, Verb.REVIEW, what[0]):
                raise NotFound("no such claim within reach; take an id from the list of reviews")
        first = (await event_log.by_ids(work, [heard[0].event_id]))[heard[0].event_id]
        claim = _Reviewed(claim_id, *what, fact, heard, first)
        if policy.permitted_writer(principal, claim.attribute, claim.scope) is None:
            raise NotPermitted(
                "no role of this principal may write what the claim says; ask for one that does"
            )
        return claim


async def _record(
    work: UnitOfWork,
    policy: Policy,
    principal: Principal,
    spoken: Spoken,
    claim: _Reviewed,
    data: dict[str, Any],
    stating: Stating,
    speech: Speech,
) -> Recorded:
    event = event_of(EventType.CORRECTION, claim.scope, spoken, stating.text, data)
    digest = _digest_of(stating.kind, claim.id, spoken)
    accepted = Accepted(event, claim.scope, digest(claim.scope))

    async def require(_: StoredEvent) -> None:
        now = datetime.now(UTC)
        waits = is_open_claim if claim.doubted is None else is_in_force
        if claim.fact is not None and not waits(claim.fact, now):
            raise Conflict("is settled, or has lapsed; its history says how")
        if claim.fact is None and _has_lapsed(policy, claim, now):
            raise Conflict("has lapsed; state it anew if it holds")

    return await record(work, principal, policy, accepted, stating, speech, require)


async def _is_doubted(work: UnitOfWork, policy: Policy, fact: Fact) -> bool:
    """Whether observations have contradicted a fact so often, since it was last stated, that a reviewer is asked."""
    seen = (await mismatches.of_facts(work, [fact.id])).get(fact.id)
    return seen is not None and seen.times >= policy.mismatches_to_review


def _digest_of(kind: CandidateKind, claim_id: UUID, spoken: Spoken) -> Callable[[Scope], bytes]:
    """The digest of a review, by the scope of what it reviews."""
    return partial(digest_of, Verb.REVIEW, spoken, about=f"{kind.value} {claim_id}")


def _has_lapsed(policy: Policy, claim: _Reviewed, now: datetime) -> bool:
    declared = policy.declared(claim.attribute)
    held = None if declared is None else declared.memory_class.retention.held
    lapses_at = lapse_of(claim.first.recorded_at, held)
    return lapses_at is not None and lapses_at <= now


async def _speech(work: UnitOfWork, policy: Policy, claim: _Reviewed, terms: Terms) -> Speech:
    """An acceptance says again what was first said elsewhere: its value means what it meant there and then."""
    if claim.doubted is not None:
        same = terms.value == claim.terms.value
        return Speech(about=claim.doubted, canonical=claim.doubted.canonical if same else None)
    parents = await facts.by_ids(work, await evidence.parents_of(work, claim.id, evidence.Kind.FACT))
    now = datetime.now(UTC)
    narrower = [fact for fact in parents if fact.admission is Admission.ADMITTED]
    # Of several that bear it out one in force stands for all; where none is, the claim has ended with them.
    promoted = [fact.id for fact in sorted(narrower, key=lambda each: not is_in_force(each, now))]
    first = claim.first if claim.fact is None else None
    canonical = None
    if terms.value == claim.terms.value:
        canonical = None if claim.fact is None else claim.fact.canonical
        declared = policy.declared(claim.attribute)
        if first is not None and declared is not None:
            canonical = await canonical_in(work, first, terms.value, declared.attribute)
    return Speech(
        reviews=claim.id, promotes=promoted[0] if promoted else None, first=first, canonical=canonical
    )


def _require_may_accept(policy: Policy, principal: Principal, claim: _Reviewed) -> None:
    declared = policy.declared(claim.attribute)
    four_eyes = declared is not None and declared.memory_class.review.four_eyes
    said_by = frozenset(each.subject for each in claim.heard)
    if needs_other_eyes(claim.fact, four_eyes, said_by, principal.subject):
        raise NotPermitted("needs four eyes, and these are your own words; ask somebody else to accept them")
