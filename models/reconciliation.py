"""What becomes of a claim, given what is there for its key. Pure: one claim, the key's facts, an instant.

| what comes in | what is there | verdict |
| --- | --- | --- |
| an observation of state | anything | `ignore_observation` |
| terms that are over before they begin | anything | `discard` |
| a review | no such claim open | `ignore_stale` |
| an acceptance that is one word, where its class asks for two | the claim | `hold_unverified`: one word more for it |
| an acceptance by whoever said it, of a dispute or where the class asks for four eyes | the claim | `discard` |
| a permitted rejection | the claim | `retract`: the claim, and nothing else |
| what names one fact of the key | that fact is not in force | `ignore_stale` |
| a promotion | the narrower fact is not in force | `ignore_stale` |
| evidence not newer than the key's last ending | no fact in force | `ignore_stale` |
| a withdrawal | no fact in force | `discard` |
| a doubt: no permission, a hedge, one word where two are asked for | no fact in force | `hold_unverified` |
| a statement without doubt | no fact in force | `establish` |
| the same terms | a fact in force | `restate` |
| other terms or a withdrawal, older than the fact's latest statement | a fact in force | `ignore_stale` |
| the same, with a doubt | a fact in force | `hold_unverified`, linked |
| other terms for a time before the fact in force began | nothing held then | `backfill`: up to what came next |
| the same terms for such a time | the same held then | `restate`: the fact of then |
| other terms for such a time | another fact held then | `hold_unverified`, linked to that one |
| other terms from a weaker source | a fact in force, rule `dispute` | `dispute`, linked: the fact goes on |
| a withdrawal by a weaker source | a fact in force, rule `dispute` | `hold_unverified` |
| a withdrawal by the person whom it is about | a fact in force, whatever its source | `retract` |
| a withdrawal | a fact in force | `retract`; one that had not begun gives its place back |
| other terms from a later time | a fact in force | `schedule`: the fact ends then, its successor waits |
| other terms for one fact, which would be over, or another follows, before they begin | that fact | `discard` |
| other terms | a fact in force | `supersede` |

A fact is in force for a claim when it holds at the instant from which the claim holds, or now if that is past;
else the next one to begin. What governs takes with it the claims of the key that say the same, and the word of a
system of record settles every dispute; so does a reviewer, whose word need not be the stronger one. `retire` is
decided by `models.conditions`, as it takes a confirmation.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from models.authority import Authority
from models.candidates import CandidateKind, Terms
from models.contracts import ConflictRule
from models.facts import Admission, Ending, Fact
from models.reasons import ReasonCode


class Disposition(StrEnum):
    """What the write path does with a candidate."""

    DISCARD = "discard"
    QUARANTINE = "quarantine"
    PERSIST = "persist"


class Verdict(StrEnum):
    """The rule that was applied. `discard` keeps nothing but the verdict and its reason."""

    ESTABLISH = "establish"
    HOLD_UNVERIFIED = "hold_unverified"
    IGNORE_STALE = "ignore_stale"
    RESTATE = "restate"
    IGNORE_OBSERVATION = "ignore_observation"
    SUPERSEDE = "supersede"
    SCHEDULE = "schedule"
    BACKFILL = "backfill"
    DISPUTE = "dispute"
    RETIRE = "retire"
    RETRACT = "retract"
    DISCARD = "discard"

    @property
    def disposition(self) -> Disposition:
        """What the rule comes to: nothing is kept, a claim is kept apart, or memory has changed."""
        if self in _KEEPS_NOTHING:
            return Disposition.DISCARD
        return Disposition.QUARANTINE if self in _KEEPS_APART else Disposition.PERSIST


_KEEPS_NOTHING = frozenset({Verdict.DISCARD, Verdict.IGNORE_STALE, Verdict.IGNORE_OBSERVATION})
_KEEPS_APART = frozenset({Verdict.HOLD_UNVERIFIED, Verdict.DISPUTE})


class Claim(NamedTuple):
    """A candidate as the rules see it: terms, and who said so with what right.

    `canonical` is the value in the form in which values are compared. `holds_from` is the instant from which it
    claims to hold, `stated_at` the instant of its evidence, `authority` that of the weakest event it cites, and
    `doubt` why it must not govern, None where nothing is against it. `terms` and `canonical` are None for a
    withdrawal or an observation. `about` is the one fact that it speaks of, where it names one: it never hits
    another. `promotes` is the fact of a narrower scope that it carries over. `reviews` is the held claim that it
    accepts or, as a withdrawal, rejects. `for_oneself` says that a person speaks of a memory about themselves, as its
    class lets them. `unseen` are records about somebody else who has switched their class off: nobody's word adds to
    them, and it makes a record of its own instead.
    """

    kind: CandidateKind
    terms: Terms | None
    canonical: str | None
    holds_from: datetime
    stated_at: datetime
    doubt: ReasonCode | None
    authority: Authority
    conflict: ConflictRule = ConflictRule.DISPUTE
    about: UUID | None = None
    promotes: Fact | None = None
    reviews: UUID | None = None
    needs_other_eyes: bool = False
    for_oneself: bool = False
    unseen: frozenset[UUID] = frozenset()


class Closing(NamedTuple):
    """A record whose validity ends: where, and as what."""

    fact: Fact
    at: datetime
    ending: Ending = Ending.SUPERSEDED


class Decision(NamedTuple):
    """A verdict with its reason.

    `target` is the record that it concerns; a new fact holds from `valid_from`, and where `valid_until` is set
    its successor is known already. `closings` end; `reopened` is a predecessor whose successor never began, and goes on
    until `reopened_until`, where another one is to come.
    """

    verdict: Verdict
    reason: ReasonCode
    target: Fact | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    closings: tuple[Closing, ...] = ()
    reopened: Fact | None = None
    reopened_until: datetime | None = None


_GOVERNING = frozenset(
    {Verdict.ESTABLISH, Verdict.RESTATE, Verdict.SUPERSEDE, Verdict.SCHEDULE, Verdict.BACKFILL}
)


_LACKS_A_WORD = frozenset({ReasonCode.NEEDS_SECOND_WORD, ReasonCode.NOT_VALIDATED})


def is_in_force(fact: Fact, now: datetime) -> bool:
    """Whether an admitted fact holds at some instant after `now`; one that ends as it begins never does."""
    if fact.admission is not Admission.ADMITTED:
        return False
    return fact.ends_at is None or fact.ends_at > max(now, fact.valid_from)


def is_open_claim(fact: Fact, now: datetime) -> bool:
    """Whether it is a claim that nobody has settled and that has not lapsed."""
    lapses = fact.lapses_at is not None and fact.lapses_at <= now
    return fact.admission is not Admission.ADMITTED and fact.ended_at is None and not lapses


def in_force(facts: Sequence[Fact], now: datetime) -> Fact | None:
    """The admitted fact that governs at `now`; where none does, the next one to begin."""
    to_come = [fact for fact in facts if is_in_force(fact, now)]
    return min(to_come, key=lambda fact: (fact.valid_from, fact.recorded_at), default=None)


def last_ending(facts: Sequence[Fact], now: datetime, erased_at: datetime | None = None) -> datetime | None:
    """The latest instant, up to `now`, at which an admitted fact of the key ended, or was erased.

    One that was called off before it began has held at no instant: it counts by its statement.
    """
    ends = [
        fact.ends_at if fact.ends_at > fact.valid_from else fact.stated_at
        for fact in facts
        if fact.admission is Admission.ADMITTED and fact.ends_at is not None
    ]
    return max((end for end in (*ends, erased_at) if end is not None and end <= now), default=None)


def says_the_same(claim: Claim, fact: Fact) -> bool:
    """Whether a claim states what `fact` states, in whatever wording its values and words canonicalise."""
    if claim.terms is None or claim.canonical != fact.canonical:
        return False
    return claim.terms.same_limits_as(fact.terms)


def decide(claim: Claim, facts: Sequence[Fact], now: datetime, erased_at: datetime | None = None) -> Decision:
    """Apply the table above. `facts` are all records of the key, claims among them; `now` is when it is decided.

    `erased_at` is when something of the key was last erased: an ending like any other.
    """
    if claim.kind is CandidateKind.OBSERVATION:
        return Decision(Verdict.IGNORE_OBSERVATION, ReasonCode.OBSERVATION_OF_STATE)
    if _is_over_by(claim, claim.holds_from):
        return Decision(Verdict.DISCARD, ReasonCode.OVER_BEFORE_IT_BEGINS)
    if claim.promotes is not None and not is_in_force(claim.promotes, now):
        return Decision(Verdict.IGNORE_STALE, ReasonCode.NAMED_FACT_NOT_IN_FORCE, target=claim.promotes)
    if claim.reviews is not None:
        done = _decide_on_review(claim, facts, now)
        if done is not None:
            return done
    made = _decide(claim, facts, now, erased_at)
    return made._replace(closings=(*made.closings, *_settled(made, claim, facts, now)))


def _decide_on_review(claim: Claim, facts: Sequence[Fact], now: datetime) -> Decision | None:
    """What a review comes to before anybody looks at what governs; None where that has to be looked at."""
    reviewed = next((fact for fact in _open_claims(facts, now) if fact.id == claim.reviews), None)
    if reviewed is None:
        return Decision(Verdict.IGNORE_STALE, ReasonCode.REVIEWED_ALREADY)
    if (
        claim.doubt is not None
        and claim.doubt in _LACKS_A_WORD
        and says_the_same(claim, reviewed)
        and not claim.needs_other_eyes
    ):
        return Decision(Verdict.HOLD_UNVERIFIED, claim.doubt, target=reviewed)
    if claim.doubt is not None:
        return Decision(Verdict.DISCARD, claim.doubt, target=reviewed)
    if claim.kind is CandidateKind.WITHDRAWAL:
        closing = Closing(reviewed, max(now, reviewed.valid_from), Ending.RETRACTED)
        return Decision(Verdict.RETRACT, ReasonCode.REJECTED_IN_REVIEW, target=reviewed, closings=(closing,))
    if claim.needs_other_eyes:
        return Decision(Verdict.DISCARD, ReasonCode.OWN_WORDS, target=reviewed)
    return None


def _decide(claim: Claim, facts: Sequence[Fact], now: datetime, erased_at: datetime | None) -> Decision:
    effective = max(claim.holds_from, now)
    governing = in_force(facts, effective)
    if claim.about is not None:
        governing = next((fact for fact in facts if fact.id == claim.about and is_in_force(fact, now)), None)
        if governing is None:
            other = in_force(facts, now)
            return Decision(Verdict.IGNORE_STALE, ReasonCode.NAMED_FACT_NOT_IN_FORCE, target=other)
    if governing is None:
        return _decide_on_nothing(claim, last_ending(facts, now, erased_at))
    begun = governing.valid_from <= effective or claim.about is not None
    return _decide_against(claim, governing, facts, now, begun=begun)


def _decide_on_nothing(claim: Claim, ended: datetime | None) -> Decision:
    if ended is not None and claim.stated_at <= ended:
        return Decision(Verdict.IGNORE_STALE, ReasonCode.OLDER_THAN_LAST_ENDING)
    if claim.kind is CandidateKind.WITHDRAWAL:
        return Decision(Verdict.DISCARD, ReasonCode.NOTHING_TO_WITHDRAW)
    if claim.doubt is not None:
        return Decision(Verdict.HOLD_UNVERIFIED, claim.doubt)
    begins = claim.holds_from if ended is None else max(claim.holds_from, ended)
    if _is_over_by(claim, begins):
        return Decision(Verdict.DISCARD, ReasonCode.OVER_BEFORE_IT_BEGINS)
    return Decision(Verdict.ESTABLISH, ReasonCode.PERMITTED_STATEMENT, valid_from=begins)


def _decide_against(
    claim: Claim, governing: Fact, facts: Sequence[Fact], now: datetime, *, begun: bool
) -> Decision:
    if begun and governing.id not in claim.unseen and says_the_same(claim, governing):
        return Decision(Verdict.RESTATE, ReasonCode.SAME_TERMS, target=governing)
    if claim.stated_at < governing.restated_at:
        return Decision(Verdict.IGNORE_STALE, ReasonCode.OLDER_THAN_GOVERNING, target=governing)
    if claim.doubt is not None:
        return Decision(Verdict.HOLD_UNVERIFIED, claim.doubt, target=governing)
    if claim.holds_from < governing.valid_from <= claim.stated_at and claim.about is None:
        return _backfill(claim, governing, facts)
    is_withdrawal = claim.kind is CandidateKind.WITHDRAWAL
    outranked = claim.authority < governing.authority
    weaker = outranked and claim.reviews is None and not (claim.for_oneself and is_withdrawal)
    if weaker and claim.conflict is ConflictRule.DISPUTE:
        verdict = Verdict.HOLD_UNVERIFIED if is_withdrawal else Verdict.DISPUTE
        return Decision(verdict, ReasonCode.WEAKER_SOURCE, target=governing)
    change = _retract if is_withdrawal else _replace
    return change(claim, governing, facts, now)


def _backfill(claim: Claim, governing: Fact, facts: Sequence[Fact]) -> Decision:
    """History before the fact in force: what held then is not rewritten, and a gap is filled up to what came next."""
    then = next((fact for fact in facts if _holds_at(fact, claim.holds_from)), None)
    if then is not None:
        if then.id not in claim.unseen and says_the_same(claim, then):
            return Decision(Verdict.RESTATE, ReasonCode.SAME_TERMS, target=then)
        return Decision(Verdict.HOLD_UNVERIFIED, ReasonCode.CONTRADICTS_HISTORY, target=then)
    following = min(
        fact.valid_from
        for fact in facts
        if fact.admission is Admission.ADMITTED and fact.valid_from > claim.holds_from
    )
    return Decision(
        Verdict.BACKFILL,
        ReasonCode.PERMITTED_FOR_EARLIER,
        target=governing,
        valid_from=claim.holds_from,
        valid_until=following,
    )


def _retract(claim: Claim, governing: Fact, facts: Sequence[Fact], now: datetime) -> Decision:
    at = max(claim.holds_from, governing.valid_from)
    never_began = governing.valid_from > now
    before = next((fact for fact in facts if never_began and _gave_place_to(fact, governing)), None)
    return Decision(
        Verdict.RETRACT,
        ReasonCode.PERMITTED_WITHDRAWAL,
        target=governing,
        closings=(Closing(governing, at, Ending.RETRACTED),),
        reopened=before,
        reopened_until=None if before is None else _next_beginning(facts, before.valid_from, governing),
    )


def _replace(claim: Claim, governing: Fact, facts: Sequence[Fact], now: datetime) -> Decision:
    """Other terms take the place of all that would hold from then on; a correction of one fact, of that one alone."""
    begins = claim.holds_from
    until = None
    replaced: Sequence[Fact] = [fact for fact in facts if is_in_force(fact, begins)]
    if claim.about is not None:
        begins, replaced = max(begins, governing.valid_from), [governing]
        until = _next_beginning(facts, governing.valid_from, governing)
        if governing.ended_at is not None:
            until = min(governing.ended_at, until or governing.ended_at)
        if _is_over_by(claim, begins) or (until is not None and until <= begins):
            return Decision(Verdict.DISCARD, ReasonCode.OVER_BEFORE_IT_BEGINS, target=governing)
    decision = Decision(Verdict.SUPERSEDE, ReasonCode.PERMITTED_OTHER_TERMS)
    if begins > now:
        decision = Decision(Verdict.SCHEDULE, ReasonCode.PERMITTED_FOR_LATER)
    return decision._replace(
        target=governing,
        valid_from=begins,
        valid_until=until,
        closings=tuple(Closing(fact, max(begins, fact.valid_from)) for fact in replaced),
    )


def _next_beginning(facts: Sequence[Fact], after: datetime, but: Fact) -> datetime | None:
    """When the next fact of the key that ever holds begins, other than `but`; None where none does."""
    return min(
        (
            fact.valid_from
            for fact in facts
            if fact.admission is Admission.ADMITTED
            and fact.id != but.id
            and fact.valid_from > after
            and is_in_force(fact, fact.valid_from)
        ),
        default=None,
    )


def _settled(decision: Decision, claim: Claim, facts: Sequence[Fact], now: datetime) -> list[Closing]:
    """The open claims that end with a decision: those that have got what they say, and those that lose for good."""
    if decision.verdict not in _GOVERNING or claim.doubt is not None:
        return []
    of_record = claim.authority is Authority.AUTHORITATIVE_SOURCE
    won = taken_up(claim, facts, now)
    lost = [
        fact
        for fact in _open_claims(facts, now)
        if of_record and fact.admission is Admission.DISPUTED and fact not in won
    ]
    return [
        *(Closing(fact, max(now, fact.valid_from)) for fact in won),
        *(Closing(fact, max(now, fact.valid_from), Ending.RETRACTED) for fact in lost),
    ]


def taken_up(claim: Claim, facts: Sequence[Fact], now: datetime) -> list[Fact]:
    """The open claims that get what they say if a statement governs: those that say the same, the one it reviews."""
    if claim.kind is not CandidateKind.STATEMENT:
        return []
    return [
        fact
        for fact in _open_claims(facts, now)
        if fact.id == claim.reviews or (fact.id not in claim.unseen and says_the_same(claim, fact))
    ]


def _open_claims(facts: Sequence[Fact], now: datetime) -> list[Fact]:
    return [fact for fact in facts if is_open_claim(fact, now)]


def _is_over_by(claim: Claim, begins: datetime) -> bool:
    expires_at = None if claim.terms is None else claim.terms.expires_at
    return expires_at is not None and expires_at <= begins


def _holds_at(fact: Fact, instant: datetime) -> bool:
    return fact.valid_from <= instant and is_in_force(fact, instant)


def _gave_place_to(fact: Fact, successor: Fact) -> bool:
    """Whether an admitted fact ends where `successor` was to begin, for its sake, having held before."""
    return (
        fact.admission is Admission.ADMITTED
        and fact.ending is Ending.SUPERSEDED
        and fact.ended_at == successor.valid_from
        and fact.valid_from < successor.valid_from
        and fact.id != successor.id
    )
