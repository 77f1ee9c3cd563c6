"""A candidate with all that is looked at to decide on it."""

from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from activities.beginnings import CLAIM, ECHO, STATEMENT, Backing, is_permitted
from capture.admission import writer_role
from capture.oneself import is_own
from capture.values import canonical_in
from capture.widening import borne_out_by
from models.authority import Standing, standing_of
from models.candidates import CandidateKind, statement_instant
from models.contracts import PERSON, SELF
from models.events import StoredEvent
from models.facts import Fact
from models.policy import Declared, Policy
from models.principals import PrincipalKind
from models.reasons import ReasonCode
from models.reconciliation import Claim, says_the_same, taken_up
from models.reviews import needs_other_eyes
from store import candidates, evidence, facts, persons
from store import events as event_log
from store.candidates import Candidate
from store.erasure import facts as erased_facts
from store.evidence import Evidence
from store.unit_of_work import UnitOfWork


class Case(NamedTuple):
    """One candidate, and what there is.

    `there` are the records of its key, and the claim that it reviews; `backing` its own word and those that said
    the same before, as claims or in a narrower scope; `accepts` is a candidate without a thing, `claimed` the word of
    that one; `made_from` the records in which they did, `carried` those of narrower scopes among them. `words` are
    those in which it was said: of what a reviewer accepts as it stands, the claim's. `erased_at` is when something of
    the key was last erased.
    """

    key_id: UUID
    candidate: Candidate
    event: StoredEvent
    declared: Declared
    role: str | None
    claim: Claim
    there: list[Fact]
    backing: Backing
    accepts: UUID | None
    claimed: tuple[Evidence, ...]
    made_from: list[Fact]
    carried: list[Fact]
    words: str
    now: datetime
    erased_at: datetime | None


class _Earlier(NamedTuple):
    """What a candidate says again: a claim, a candidate without a thing with its event, facts of narrower scopes."""

    reviewed: Fact | None = None
    unnamed: Candidate | None = None
    said: StoredEvent | None = None
    promotes: Fact | None = None
    borne_out: tuple[Fact, ...] = ()

    @property
    def carried(self) -> list[Fact]:
        """The facts of narrower scopes that it says again in a wider one, each once."""
        first = [] if self.promotes is None else [self.promotes]
        return [*first, *(fact for fact in self.borne_out if fact not in first)]


class _Said(NamedTuple):
    """A candidate as it was said: its event, what declares it, in which role, and whether by whom it is about."""

    policy: Policy
    candidate: Candidate
    event: StoredEvent
    declared: Declared
    role: str | None
    own: bool


async def case_of(
    work: UnitOfWork,
    policy: Policy,
    key_id: UUID,
    candidate: Candidate,
    event: StoredEvent,
    declared: Declared,
) -> Case:
    """The case of a candidate that waits under `key_id`, whose lock is held."""
    now = datetime.now(UTC)
    there = await facts.of_key(work, key_id)
    earlier = await _earlier(work, candidate, event)
    if earlier.reviewed is not None:
        # Where its value was edited, the claim stands under another key.
        there = [*(fact for fact in there if fact.id != earlier.reviewed.id), earlier.reviewed]
    own = await is_own(work, policy, event, candidate.kind, candidate.attribute, candidate.about_id)
    role = writer_role(policy, event, candidate.attribute) or (SELF if own else None)
    said = _Said(policy, candidate, event, declared, role, own)
    claim = await _claim(work, said, earlier, there)
    made_from = [*taken_up(claim, there, now), *earlier.carried]
    person = await _person_of(work, policy, earlier.promotes)
    said_before = _still_theirs(await _said_before(work, claim, made_from), person, event)
    claimed: tuple[Evidence, ...] = ()
    if earlier.said is not None:
        claimed = (_claimed_by(policy, earlier.said, candidate.attribute),)
    backing = Backing(_word(said, claim), (*said_before, *claimed))
    own_matter = event.speaker.kind is PrincipalKind.HUMAN and person == event.speaker.subject
    claim = claim._replace(
        doubt=claim.doubt or _too_few(claim, declared, backing, own_matter=own_matter),
        needs_other_eyes=needs_other_eyes(
            earlier.reviewed,
            declared.memory_class.review.four_eyes,
            {each.subject for each in backing.earlier},
            event.speaker.subject,
        ),
    )
    return Case(
        key_id=key_id,
        candidate=candidate,
        event=event,
        declared=declared,
        role=role,
        claim=claim,
        there=there,
        backing=backing,
        accepts=None if earlier.unnamed is None else earlier.unnamed.id,
        claimed=claimed,
        made_from=made_from,
        carried=earlier.carried,
        words=_words(candidate, earlier),
        now=now,
        erased_at=await erased_facts.erased_under(work, key_id),
    )


async def _claim(work: UnitOfWork, said: _Said, earlier: _Earlier, there: list[Fact]) -> Claim:
    """The candidate as the rules see it, before anybody looks at what stands behind it."""
    policy, candidate, event, declared, role, own = said
    of_others = [fact.id for fact in there]
    holds_from = statement_instant(event, candidate.terms)
    if earlier.promotes is not None:
        of_others.append(earlier.promotes.id)
        # A promotion carries over from now on, whenever it was said.
        holds_from = max(holds_from, event.recorded_at)
    return Claim(
        kind=candidate.kind,
        terms=candidate.terms,
        canonical=await _canonical(work, candidate, event, declared, earlier),
        holds_from=holds_from,
        stated_at=event.occurred_at,
        doubt=candidate.doubt or (None if role is not None else ReasonCode.NOT_PERMITTED),
        authority=policy.authority_for(event.speaker, candidate.attribute, event.authority),
        conflict=declared.memory_class.conflict,
        about=candidate.about_id,
        promotes=earlier.promotes,
        reviews=None if earlier.reviewed is None else earlier.reviewed.id,
        for_oneself=own,
        unseen=await persons.off_for(work, policy, of_others, event.speaker.subject),
    )


def _word(said: _Said, claim: Claim) -> Evidence:
    """The candidate's own word. A hunch is cited for what it is: it carries no role, so it raises nothing."""
    role = None if said.candidate.hedged else said.role
    event = said.event
    return Evidence(event.id, STATEMENT, claim.authority, role, event.speaker.subject, event.occurred_at)


async def _person_of(work: UnitOfWork, policy: Policy, promotes: Fact | None) -> str | None:
    """The person whom a fact is about that is carried over to a wider scope."""
    if promotes is None:
        return None
    return (await persons.about(work, policy, [promotes.id]))[promotes.id].person


def _still_theirs(said_before: list[Evidence], person: str | None, event: StoredEvent) -> list[Evidence]:
    """What was said before of what is carried over, so that it stays the person's: others have said it after them.

    Where no scope names them any more, a memory is about whoever has said it first.
    """
    if person is None or PERSON in event.scope:
        return said_before
    return [each if each.subject == person else each._replace(supports=ECHO) for each in said_before]


async def _earlier(work: UnitOfWork, candidate: Candidate, event: StoredEvent) -> _Earlier:
    promotes = None if candidate.promotes_id is None else await facts.get(work, candidate.promotes_id)
    if candidate.reviews_id is None:
        borne_out = await facts.by_ids(work, borne_out_by(event))
        return _Earlier(promotes=promotes, borne_out=tuple(borne_out))
    reviewed = await facts.lock_row(work, candidate.reviews_id)
    unnamed = None if reviewed is not None else await candidates.get(work, candidate.reviews_id)
    if unnamed is None or unnamed.terms is None:
        return _Earlier(reviewed=reviewed, promotes=promotes)
    said = await event_log.by_ids(work, [unnamed.event_id])
    return _Earlier(unnamed=unnamed, said=said[unnamed.event_id], promotes=promotes)


def _words(candidate: Candidate, earlier: _Earlier) -> str:
    if earlier.reviewed is not None and earlier.reviewed.terms == candidate.terms:
        return earlier.reviewed.statement
    if earlier.unnamed is not None and earlier.unnamed.terms == candidate.terms:
        return earlier.unnamed.quote
    return candidate.quote


async def _canonical(
    work: UnitOfWork, candidate: Candidate, event: StoredEvent, declared: Declared, earlier: _Earlier
) -> str | None:
    """The value as it is compared: of what is said again it is as it was first said, where and when it was."""
    if candidate.terms is None:
        return None
    value = candidate.terms.value
    for record in (earlier.reviewed, earlier.promotes):
        if record is not None and record.terms.value == value:
            return record.canonical
    unnamed = earlier.unnamed
    if earlier.said is not None and unnamed is not None and unnamed.terms is not None:
        event = earlier.said if unnamed.terms.value == value else event
    return await canonical_in(work, event, value, declared.attribute)


async def _said_before(work: UnitOfWork, claim: Claim, made_from: list[Fact]) -> list[Evidence]:
    """The evidence of the records that are taken up, for what it is worth to this claim.

    | it was | for other terms than these, which a reviewer has changed | it supports |
    | --- | --- | --- |
    | permitted | no | the statement, as it did |
    | anything | it is of the claim under review | a claim |
    | anything else | either | an echo, which backs nothing |
    """
    found = await evidence.of_records(work, [fact.id for fact in made_from]) if made_from else {}
    said: list[Evidence] = []
    for fact in made_from:
        same = says_the_same(claim, fact)
        for each in found.get(fact.id, ()):
            if same and is_permitted(each):
                said.append(each)
            else:
                reviewed = fact.id == claim.reviews or each.supports == CLAIM
                said.append(each._replace(supports=CLAIM if reviewed else ECHO))
    return said


def _claimed_by(policy: Policy, said: StoredEvent, attribute: str) -> Evidence:
    authority = policy.authority_for(said.speaker, attribute, said.authority)
    return Evidence(said.id, CLAIM, authority, None, said.speaker.subject, said.occurred_at)


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
