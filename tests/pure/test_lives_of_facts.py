"""Whatever is said in whatever order: one fact governs at a time, nothing comes back, nobody decides without a right.

Random stories of one key are played against the rules, applied as the reconciling step applies them.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.authority import Authority
from models.candidates import CandidateKind, Terms
from models.conditions import ConfirmationState, decide_confirmation
from models.contracts import ConflictRule
from models.facts import Admission, Ending, Fact, Status, status_at
from models.reasons import ReasonCode
from models.reconciliation import Claim, Decision, Verdict, decide
from models.text import normalise
from tests.pure.samples import at, fact

CLAIMS = {Verdict.HOLD_UNVERIFIED: Admission.UNVERIFIED, Verdict.DISPUTE: Admission.DISPUTED}
MAKES_A_RECORD = {Verdict.ESTABLISH, Verdict.SUPERSEDE, Verdict.SCHEDULE, Verdict.BACKFILL, *CLAIMS}
HALF = timedelta(seconds=30)
"""Stories count in whole minutes: half of one lies between any two of their instants."""


class Said(NamedTuple):
    """A claim that is decided on `wait` minutes after what came before."""

    wait: int
    claim_of: "ClaimShape"


class Confirmed(NamedTuple):
    """A confirmation of the end of one of the facts so far."""

    wait: int
    which: int
    age: int
    permitted: bool


class ClaimShape(NamedTuple):
    """A claim relative to the minute in which it is decided on."""

    kind: CandidateKind
    value: str
    age: int
    starts: int | None
    expires: int | None
    permitted: bool
    hedged: bool
    authority: Authority
    conflict: ConflictRule


class Step(NamedTuple):
    """One decision in a story: the facts before and after it."""

    now: datetime
    claim: Claim | None
    before: tuple[Fact, ...]
    decision: Decision | None
    after: tuple[Fact, ...]


# Ages reach below zero, as an event may be a little ahead of our clock.
_STATEMENT, _WITHDRAWAL, _OBSERVATION = CandidateKind
_KINDS = st.sampled_from([*[_STATEMENT] * 5, _WITHDRAWAL, _WITHDRAWAL, _OBSERVATION])
_SHAPES = st.builds(
    ClaimShape,
    kind=_KINDS,
    value=st.sampled_from(["keep", "delete", "Keep "]),
    age=st.integers(-2, 12),
    starts=st.one_of(st.none(), st.none(), st.integers(-15, 15)),
    expires=st.one_of(st.none(), st.none(), st.integers(-15, 20)),
    permitted=st.sampled_from([True, True, True, False]),
    hedged=st.sampled_from([False, False, False, True]),
    authority=st.sampled_from(list(Authority)[2:]),
    conflict=st.sampled_from(ConflictRule),
)
_SAID = st.builds(Said, wait=st.integers(0, 6), claim_of=_SHAPES)
_CONFIRMED = st.builds(
    Confirmed,
    wait=st.integers(0, 6),
    which=st.integers(0, 5),
    age=st.integers(-2, 8),
    permitted=st.booleans(),
)
STORIES = st.lists(st.one_of(_SAID, _SAID, _SAID, _CONFIRMED), min_size=2, max_size=8)


def play(story: Sequence[Said | Confirmed]) -> Iterator[Step]:
    """Tell the story from minute 15 on."""
    facts: tuple[Fact, ...] = ()
    minute = 15
    for number, act in enumerate(story):
        minute += act.wait
        if isinstance(act, Confirmed):
            after = confirmed(facts, act, minute)
            yield Step(at(minute), None, facts, None, after)
        else:
            said = claim_at(act.claim_of, minute)
            decision = decide(said, facts, at(minute))
            after = applied(facts, said, decision, number, minute)
            yield Step(at(minute), said, facts, decision, after)
        facts = after


def claim_at(shape: ClaimShape, minute: int) -> Claim:
    stated = at(minute - shape.age)
    starts = None if shape.starts is None else at(minute + shape.starts)
    expires = None if shape.expires is None else at(minute + shape.expires)
    terms = Terms(value=shape.value, valid_from=starts, expires_at=expires)
    bare = shape.kind is not CandidateKind.STATEMENT
    doubts = {ReasonCode.NOT_PERMITTED: not shape.permitted, ReasonCode.HEDGED: shape.hedged}
    return Claim(
        kind=shape.kind,
        terms=None if bare else terms,
        canonical=None if bare else normalise(shape.value),
        holds_from=stated if bare or starts is None else starts,
        stated_at=stated,
        doubt=next((reason for reason, is_so in doubts.items() if is_so), None),
        authority=shape.authority,
        conflict=shape.conflict,
    )


def applied(
    facts: tuple[Fact, ...], said: Claim, decision: Decision, number: int, minute: int
) -> tuple[Fact, ...]:
    """The facts after a decision: closings end, and what is new begins."""
    ends = {closing.fact.id: closing for closing in decision.closings}
    kept = tuple(
        ended(each, ends[each.id].at, ends[each.id].ending) if each.id in ends else each for each in facts
    )
    if decision.reopened is not None and decision.target is not None:
        until = decision.target.ended_at
        on = {"ended_at": until, "ending": None if until is None else Ending.SUPERSEDED}
        kept = tuple(each.model_copy(update=on) if each.id == decision.reopened.id else each for each in kept)
    if decision.verdict is Verdict.RESTATE and decision.target and said.doubt is None:
        target, latest = decision.target, max(decision.target.restated_at, said.stated_at)
        kept = tuple(
            each.model_copy(update={"restated_at": latest}) if each.id == target.id else each for each in kept
        )
    if decision.verdict not in MAKES_A_RECORD or said.terms is None:
        return kept
    new = fact(
        name=f"fact {number}",
        recorded=minute,
        authority=said.authority,
        admission=CLAIMS.get(decision.verdict, Admission.ADMITTED),
    )
    changes = {
        "terms": said.terms,
        "canonical": said.canonical,
        "valid_from": decision.valid_from or said.holds_from,
        "ended_at": decision.valid_until,
        "ending": None if decision.valid_until is None else Ending.SUPERSEDED,
        "stated_at": said.stated_at,
        "restated_at": said.stated_at,
    }
    return (*kept, new.model_copy(update=changes))


def confirmed(facts: tuple[Fact, ...], act: Confirmed, minute: int) -> tuple[Fact, ...]:
    admitted = [each for each in facts if each.admission is Admission.ADMITTED]
    if not admitted:
        return facts
    fact_ = admitted[act.which % len(admitted)]
    role = "infra_lead" if act.permitted else None
    verdict = decide_confirmation(fact_, role, at(minute - act.age), at(minute))
    if verdict.state is ConfirmationState.REFUSED:
        return facts
    assert verdict.ends_at is not None
    over = ended(fact_, verdict.ends_at, Ending.RETIRED)
    return tuple(over if each.id == fact_.id else each for each in facts)


def ended(fact_: Fact, instant: datetime, ending: Ending) -> Fact:
    return fact_.model_copy(update={"ended_at": instant, "ending": ending})


def instants(step: Step) -> list[datetime]:
    """Every instant at which something begins or ends in `step`, and one between each and the next."""
    turns = {
        turn
        for each in (*step.before, *step.after)
        for turn in (each.valid_from, each.ended_at, each.terms.expires_at)
        if turn is not None
    }
    return [instant for turn in {*turns, step.now} for instant in (turn, turn + HALF)]


def active(facts: Sequence[Fact], instant: datetime) -> list[Fact]:
    return [each for each in facts if status_at(each, instant) is Status.ACTIVE]


def holds_later(fact_: Fact, step: Step) -> bool:
    """Whether the fact holds at some instant after that of the step."""
    later = (instant for instant in instants(step) if instant > step.now)
    return any(status_at(fact_, instant) is Status.ACTIVE for instant in later)


def one_governs_at_a_time(step: Step) -> None:
    for instant in instants(step):
        assert len(active(step.after, instant)) <= 1


def nothing_comes_back(step: Step) -> None:
    """An end that has come moves to earlier instants only: what was over by then is over for good."""
    later = {each.id: each for each in step.after}
    for each in step.before:
        now_it_is = later[each.id]
        assert now_it_is.valid_from == each.valid_from
        reopened = step.decision is not None and step.decision.reopened == each
        if reopened:
            assert each.ended_at is not None
            assert each.ended_at > step.now
            continue
        if each.ended_at is not None:
            assert now_it_is.ended_at is not None
            assert now_it_is.ended_at <= each.ended_at
        for instant in instants(step):
            if instant >= each.valid_from and status_at(each, instant) is not Status.ACTIVE:
                assert status_at(now_it_is, instant) is not Status.ACTIVE


def old_evidence_makes_nothing(step: Step) -> None:
    """Where nothing holds any longer, a fact takes evidence newer than every end that has taken effect."""
    if step.claim is None or step.decision is None:
        return
    admitted = [each for each in step.before if each.admission is Admission.ADMITTED]
    if any(holds_later(each, step) for each in admitted):
        return
    ends = [each.ends_at for each in admitted if each.ends_at is not None and each.ends_at > each.valid_from]
    if step.decision.verdict is Verdict.ESTABLISH:
        assert all(step.claim.stated_at > end for end in ends if end <= step.now)


def old_evidence_ends_nothing(step: Step) -> None:
    """No fact ends by evidence that is older than the statement which made the fact in force."""
    if step.claim is None or step.decision is None or step.decision.target is None:
        return
    if any(closing.fact.admission is Admission.ADMITTED for closing in step.decision.closings):
        assert step.claim.stated_at >= step.decision.target.stated_at


def only_a_right_decides(step: Step) -> None:
    if step.claim is None or step.claim.doubt is None:
        return
    before = [each for each in step.before if each.admission is Admission.ADMITTED]
    after = [each for each in step.after if each.admission is Admission.ADMITTED]
    assert before == after


def restating_changes_no_life(step: Step) -> None:
    if step.decision is None or step.decision.verdict is not Verdict.RESTATE:
        return
    assert step.decision.target is not None
    before = {each.id: each for each in step.before}
    for each in step.after:
        was = before[each.id]
        if each.admission is Admission.ADMITTED:
            assert each.restated_at >= was.restated_at
            assert each == was.model_copy(update={"restated_at": each.restated_at})


def history_is_only_added_to(step: Step) -> None:
    """A backfill touches nothing that is there, and reaches up to what came next."""
    if step.decision is None or step.decision.verdict is not Verdict.BACKFILL:
        return
    admitted = {each.id: each for each in step.after if each.admission is Admission.ADMITTED}
    assert all(admitted[each.id] == each for each in step.before if each.admission is Admission.ADMITTED)
    [new] = [each for each in step.after if each not in step.before and each.admission is Admission.ADMITTED]
    assert any(each.valid_from == new.ended_at for each in admitted.values())
    assert not holds_later(new, step)


def a_claim_governs_nothing(step: Step) -> None:
    claims = [each for each in step.after if each.admission is not Admission.ADMITTED]
    assert all(status_at(each, instant) is not Status.ACTIVE for each in claims for instant in instants(step))


def an_observation_changes_nothing(step: Step) -> None:
    if step.claim is not None and step.claim.kind is CandidateKind.OBSERVATION:
        assert step.decision == Decision(Verdict.IGNORE_OBSERVATION, ReasonCode.OBSERVATION_OF_STATE)
        assert step.before == step.after


def a_weaker_source_ends_nothing(step: Step) -> None:
    if step.claim is None or step.decision is None or step.decision.target is None:
        return
    if step.claim.conflict is ConflictRule.DISPUTE:
        ends_one = any(closing.fact.admission is Admission.ADMITTED for closing in step.decision.closings)
        assert not ends_one or step.decision.target.authority <= step.claim.authority


def the_store_takes_it(step: Step) -> None:
    """Nothing ends before it begins, and no term is over by then: the database would refuse it for ever."""
    for each in step.after:
        assert each.ended_at is None or each.ended_at >= each.valid_from
        assert each.terms.expires_at is None or each.terms.expires_at > each.valid_from


RULES = (
    one_governs_at_a_time,
    nothing_comes_back,
    old_evidence_makes_nothing,
    old_evidence_ends_nothing,
    only_a_right_decides,
    restating_changes_no_life,
    history_is_only_added_to,
    a_claim_governs_nothing,
    an_observation_changes_nothing,
    a_weaker_source_ends_nothing,
    the_store_takes_it,
)


@given(STORIES)
@settings(max_examples=250, deadline=None)
def test_every_rule_holds_after_every_decision(story: list[Said | Confirmed]) -> None:
    for step in play(story):
        for rule in RULES:
            rule(step)


@pytest.mark.long
@given(STORIES)
@settings(max_examples=1_000, deadline=None)
def test_every_rule_holds_in_many_stories(story: list[Said | Confirmed]) -> None:
    for step in play(story):
        for rule in RULES:
            rule(step)


@given(STORIES, _SHAPES, st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_the_order_of_the_rows_decides_nothing(
    story: list[Said | Confirmed], shape: ClaimShape, chance
) -> None:
    *_, last = play(story)
    said, facts, now = claim_at(shape, 40), list(last.after), at(40)
    chance.shuffle(facts)
    first, second = decide(said, last.after, now), decide(said, facts, now)
    assert first[:4] == second[:4]
    assert sorted(first.closings, key=lambda each: each.fact.id) == sorted(
        second.closings, key=lambda each: each.fact.id
    )


def test_the_stories_reach_every_verdict() -> None:
    """Guards the test itself: stories in which nothing happens would prove nothing."""
    seen: set[Verdict] = set()
    retired: set[bool] = set()

    @given(STORIES)
    @settings(max_examples=300, deadline=None, database=None, derandomize=True)
    def collect(story: list[Said | Confirmed]) -> None:
        for step in play(story):
            if step.decision is not None:
                seen.add(step.decision.verdict)
            retired.add(step.decision is None and step.before != step.after)

    collect()
    assert seen == set(Verdict) - {Verdict.RETIRE}
    assert retired == {True, False}
