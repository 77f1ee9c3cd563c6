"""What becomes of a claim: every row of the table, one by one, and what no row may leave out."""

import pytest

from models.authority import Authority
from models.candidates import CandidateKind
from models.facts import Admission, Ending
from models.reasons import ReasonCode
from models.reconciliation import Claim, Decision, Verdict, decide, in_force, last_ending
from tests.pure.rows import Row, assert_decided
from tests.pure.samples import at, claim, fact, withdrawal
from tests.pure.test_reviews_decided import DISPUTES, REVIEWS

KEEP = fact("keep", name="keep", since=0, ends_when="the tests are done")
SAME = {"value": "Keep", "ends_when": "The  tests are done."}
ENDED = fact("keep", name="ended", since=0, until=5, ending=Ending.RETIRED)
HELD = fact("delete", name="held", admission=Admission.UNVERIFIED)
DRAIN = fact("drain", name="drain", admission=Admission.UNVERIFIED)
DISPUTED = fact("drain", name="disputed", admission=Admission.DISPUTED)
LAPSED = fact("delete", name="lapsed", admission=Admission.UNVERIFIED, lapses_at=at(9))
VERIFIED = fact("keep", name="verified", authority=Authority.VERIFIED_OUTCOME)
LATE = fact("archive", name="late", since=8)
GOES = fact("keep", name="goes", since=0, until=50)
COMES = fact("drain", name="comes", since=50, stated=5)
FROM_4_TOLD_AT_2 = fact("keep", name="keep", since=4, stated=2)


ROWS = {
    "an observation of state, nothing there": Row(
        claim(None, kind=CandidateKind.OBSERVATION), (), Verdict.IGNORE_OBSERVATION, "observation_of_state"
    ),
    "an observation of state, with the words of a fact": Row(
        claim(kind=CandidateKind.OBSERVATION), (KEEP,), Verdict.IGNORE_OBSERVATION, "observation_of_state"
    ),
    "terms over before they begin, nothing there": Row(
        claim(expires_at=at(9)), (), Verdict.DISCARD, "over_before_it_begins"
    ),
    "terms over as they begin": Row(
        claim(expires_at=at(10)), (KEEP,), Verdict.DISCARD, "over_before_it_begins"
    ),
    "terms over before the last ending": Row(
        claim(holds_from=1, expires_at=at(5)), (ENDED,), Verdict.DISCARD, "over_before_it_begins"
    ),
    "evidence older than the last ending": Row(
        claim(stated=4), (ENDED,), Verdict.IGNORE_STALE, "older_than_last_ending"
    ),
    "evidence from the instant of the last ending": Row(
        claim(stated=5), (ENDED,), Verdict.IGNORE_STALE, "older_than_last_ending"
    ),
    "evidence from the instant of an ending that is just now": Row(
        claim(), (fact(until=10),), Verdict.IGNORE_STALE, "older_than_last_ending"
    ),
    "evidence older than a term that ran out": Row(
        claim(stated=4), (fact(expires=5),), Verdict.IGNORE_STALE, "older_than_last_ending"
    ),
    "a withdrawal, nothing there": Row(withdrawal(), (), Verdict.DISCARD, "nothing_to_withdraw"),
    "a withdrawal of what is only held": Row(withdrawal(), (HELD,), Verdict.DISCARD, "nothing_to_withdraw"),
    "no permission, nothing there": Row(claim(permitted=False), (), Verdict.HOLD_UNVERIFIED, "not_permitted"),
    "a hedge, nothing there": Row(claim(doubt=ReasonCode.HEDGED), (), Verdict.HOLD_UNVERIFIED, "hedged"),
    "no permission, after an ending": Row(
        claim(permitted=False), (ENDED,), Verdict.HOLD_UNVERIFIED, "not_permitted"
    ),
    "permitted, nothing there": Row(claim(), (), Verdict.ESTABLISH, "permitted_statement", valid_from=at(10)),
    "permitted, only an unverified claim of other terms there": Row(
        claim(), (DRAIN,), Verdict.ESTABLISH, "permitted_statement", valid_from=at(10)
    ),
    "permitted, an unverified claim of the same terms there": Row(
        claim(),
        (HELD, DRAIN, LAPSED),
        Verdict.ESTABLISH,
        "permitted_statement",
        valid_from=at(10),
        closings=((HELD, at(10)),),
    ),
    "permitted, after an ending": Row(
        claim(), (ENDED,), Verdict.ESTABLISH, "permitted_statement", valid_from=at(10)
    ),
    "permitted, claims to have held before the last ending": Row(
        claim(holds_from=2), (ENDED,), Verdict.ESTABLISH, "permitted_statement", valid_from=at(5)
    ),
    "permitted, from a later time": Row(
        claim(holds_from=50), (), Verdict.ESTABLISH, "permitted_statement", valid_from=at(50)
    ),
    "the same terms": Row(claim(**SAME), (KEEP,), Verdict.RESTATE, "same_terms", KEEP),
    "the same terms without permission": Row(
        claim(**SAME, permitted=False), (KEEP,), Verdict.RESTATE, "same_terms", KEEP
    ),
    "the same terms in older evidence": Row(
        claim(**SAME, stated=-5), (KEEP,), Verdict.RESTATE, "same_terms", KEEP
    ),
    "other terms, older than the fact's statement": Row(
        claim(stated=-5), (KEEP,), Verdict.IGNORE_STALE, "older_than_governing", KEEP
    ),
    "a withdrawal older than the fact's statement": Row(
        withdrawal(stated=-5), (KEEP,), Verdict.IGNORE_STALE, "older_than_governing", KEEP
    ),
    "other terms without permission": Row(
        claim(permitted=False), (KEEP,), Verdict.HOLD_UNVERIFIED, "not_permitted", KEEP
    ),
    "other terms, hedged": Row(
        claim(doubt=ReasonCode.HEDGED), (KEEP,), Verdict.HOLD_UNVERIFIED, "hedged", KEEP
    ),
    "a withdrawal without permission": Row(
        withdrawal(permitted=False), (KEEP,), Verdict.HOLD_UNVERIFIED, "not_permitted", KEEP
    ),
    "a withdrawal, hedged": Row(
        withdrawal(doubt=ReasonCode.HEDGED), (KEEP,), Verdict.HOLD_UNVERIFIED, "hedged", KEEP
    ),
    "a withdrawal from a weaker source": Row(
        withdrawal(), (VERIFIED,), Verdict.HOLD_UNVERIFIED, "weaker_source", VERIFIED
    ),
    "a permitted withdrawal": Row(
        withdrawal(), (KEEP,), Verdict.RETRACT, "permitted_withdrawal", KEEP, closings=((KEEP, at(10)),)
    ),
    "a permitted withdrawal before the fact begins": Row(
        withdrawal(stated=3),
        (FROM_4_TOLD_AT_2,),
        Verdict.RETRACT,
        "permitted_withdrawal",
        FROM_4_TOLD_AT_2,
        closings=((FROM_4_TOLD_AT_2, at(4)),),
    ),
    "other terms for a time before the fact began": Row(
        claim(holds_from=-3),
        (KEEP,),
        Verdict.BACKFILL,
        "permitted_for_earlier",
        KEEP,
        valid_from=at(-3),
        valid_until=at(0),
    ),
    "other terms for a gap before the facts that came": Row(
        claim(holds_from=2),
        (fact("a", name="a", since=0, until=1), fact("b", name="b", since=4, until=6), LATE),
        Verdict.BACKFILL,
        "permitted_for_earlier",
        LATE,
        valid_from=at(2),
        valid_until=at(4),
    ),
    "other terms for a time when another fact held": Row(
        claim("drain", holds_from=2),
        (ENDED, LATE),
        Verdict.HOLD_UNVERIFIED,
        "contradicts_history",
        ENDED,
    ),
    "the terms of then for a time when they held": Row(
        claim("Keep", holds_from=2), (ENDED, LATE), Verdict.RESTATE, "same_terms", ENDED
    ),
    "other terms for a time before, from a weaker source": Row(
        claim(holds_from=-3),
        (VERIFIED,),
        Verdict.BACKFILL,
        "permitted_for_earlier",
        VERIFIED,
        valid_from=at(-3),
        valid_until=at(0),
    ),
    "other terms for a time before, with a doubt": Row(
        claim(holds_from=-3, permitted=False), (KEEP,), Verdict.HOLD_UNVERIFIED, "not_permitted", KEEP
    ),
    "permitted other terms": Row(
        claim(),
        (KEEP,),
        Verdict.SUPERSEDE,
        "permitted_other_terms",
        KEEP,
        valid_from=at(10),
        closings=((KEEP, at(10)),),
    ),
    "the same value without its end": Row(
        claim("keep"),
        (KEEP,),
        Verdict.SUPERSEDE,
        "permitted_other_terms",
        KEEP,
        valid_from=at(10),
        closings=((KEEP, at(10)),),
    ),
    "permitted other terms from a stronger source": Row(
        claim(authority=Authority.AUTHORITATIVE_SOURCE),
        (VERIFIED,),
        Verdict.SUPERSEDE,
        "permitted_other_terms",
        VERIFIED,
        valid_from=at(10),
        closings=((VERIFIED, at(10)),),
    ),
    "permitted other terms from a later time": Row(
        claim(holds_from=50),
        (KEEP,),
        Verdict.SCHEDULE,
        "permitted_for_later",
        KEEP,
        valid_from=at(50),
        closings=((KEEP, at(50)),),
    ),
    "permitted other terms at the instant of the fact's statement": Row(
        claim(stated=0),
        (KEEP,),
        Verdict.SUPERSEDE,
        "permitted_other_terms",
        KEEP,
        valid_from=at(0),
        closings=((KEEP, at(0)),),
    ),
    "permitted other terms before a fact that is yet to come": Row(
        claim(stated=3),
        (FROM_4_TOLD_AT_2,),
        Verdict.SUPERSEDE,
        "permitted_other_terms",
        FROM_4_TOLD_AT_2,
        valid_from=at(3),
        closings=((FROM_4_TOLD_AT_2, at(4)),),
    ),
    "permitted terms from when the fact will have run out": Row(
        claim(holds_from=50),
        (fact("keep", name="short", expires=20),),
        Verdict.ESTABLISH,
        "permitted_statement",
        valid_from=at(50),
    ),
    "the terms of a successor, for now already": Row(
        claim("drain", holds_from=10),
        (GOES, COMES),
        Verdict.SUPERSEDE,
        "permitted_other_terms",
        GOES,
        valid_from=at(10),
        closings=((GOES, at(10)), (COMES, at(50))),
    ),
    "the terms of a successor, for when it begins": Row(
        claim("drain", holds_from=50, valid_from=at(50)), (GOES, COMES), Verdict.RESTATE, "same_terms", COMES
    ),
    "the withdrawal of a successor that has not begun": Row(
        withdrawal(about=COMES.id),
        (GOES, COMES),
        Verdict.RETRACT,
        "permitted_withdrawal",
        COMES,
        closings=((COMES, at(50)),),
        reopened=GOES,
    ),
    "the withdrawal of what governs, before its successor": Row(
        withdrawal(), (GOES, COMES), Verdict.RETRACT, "permitted_withdrawal", GOES, closings=((GOES, at(10)),)
    ),
    "a correction of what governs, before its successor": Row(
        claim("archive", about=GOES.id),
        (GOES, COMES),
        Verdict.SUPERSEDE,
        "permitted_other_terms",
        GOES,
        valid_from=at(10),
        valid_until=at(50),
        closings=((GOES, at(10)),),
    ),
    "a correction of a successor that has not begun": Row(
        claim("archive", about=COMES.id),
        (GOES, COMES),
        Verdict.SCHEDULE,
        "permitted_for_later",
        COMES,
        valid_from=at(50),
        closings=((COMES, at(50)),),
    ),
    "a correction of what is no longer in force": Row(
        claim(about=ENDED.id), (ENDED, LATE), Verdict.IGNORE_STALE, "named_fact_not_in_force", LATE
    ),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_each_row_of_the_table(row: Row) -> None:
    assert_decided(row)


def test_every_verdict_but_the_confirmations_own_has_a_row() -> None:
    rows = [*ROWS.values(), *REVIEWS.values(), *DISPUTES.values()]
    assert {row.verdict for row in rows} == set(Verdict) - {Verdict.RETIRE}


def test_every_verdict_comes_to_a_disposition() -> None:
    kept_apart = {Verdict.HOLD_UNVERIFIED, Verdict.DISPUTE}
    nothing = {Verdict.DISCARD, Verdict.IGNORE_STALE, Verdict.IGNORE_OBSERVATION}
    for verdict in Verdict:
        expected = "quarantine" if verdict in kept_apart else "discard" if verdict in nothing else "persist"
        assert verdict.disposition == expected


class TestInForce:
    """Which fact a claim has to deal with."""

    def test_is_none_where_nothing_is_admitted(self) -> None:
        assert in_force([HELD], at(1)) is None

    def test_ends_at_the_very_instant_of_the_end(self) -> None:
        ending = fact(until=5)
        assert in_force([ending], at(4.99)) == ending
        assert in_force([ending], at(5)) is None

    def test_ends_at_the_very_instant_of_the_expiry(self) -> None:
        expiring = fact(expires=5)
        assert in_force([expiring], at(4.99)) == expiring
        assert in_force([expiring], at(5)) is None

    def test_is_what_governs_and_not_its_successor(self) -> None:
        present = fact("keep", name="present", until=50)
        successor = fact("delete", name="successor", since=50, stated=10)
        assert in_force([present, successor], at(20)) == present
        assert in_force([present, successor], at(50)) == successor

    def test_is_the_next_to_begin_where_nothing_governs(self) -> None:
        first = fact("keep", name="first", since=30, until=50, recorded=30)
        second = fact("delete", name="second", since=50, recorded=10)
        assert in_force([second, first], at(20)) == first

    def test_is_never_a_fact_that_was_called_off_before_it_began(self) -> None:
        called_off = fact("delete", name="called off", since=50, until=50, stated=10)
        present = fact("archive", name="present", since=20)
        assert in_force([called_off, present], at(30)) == present
        assert in_force([called_off], at(30)) is None


class TestLastEnding:
    """Up to when evidence is too old."""

    def test_is_the_latest_one_that_has_come(self) -> None:
        first, second = fact(name="1", until=5), fact(name="2", since=6, expires=8)
        to_come = fact(name="3", since=9, until=30)
        assert last_ending([first, second, to_come], at(10)) == at(8)

    def test_takes_the_earlier_of_end_and_expiry(self) -> None:
        assert last_ending([fact(until=5, expires=7)], at(10)) == at(5)

    def test_passes_over_what_was_only_held(self) -> None:
        assert last_ending([fact(until=5, admission=Admission.UNVERIFIED)], at(10)) is None

    def test_counts_what_never_began_by_its_statement(self) -> None:
        assert last_ending([fact(since=50, until=50, stated=10)], at(60)) == at(10)


class TestCalledOff:
    """A plan that was called off leaves no trace in what is decided afterwards."""

    CALLED_OFF = fact("delete", name="called off", since=50, until=50, stated=10)
    PRESENT = fact("archive", name="present", since=20, stated=20, authority=Authority.VERIFIED_OUTCOME)

    def decide(self, said: Claim) -> Decision:
        return decide(said, [self.CALLED_OFF, self.PRESENT], at(30))

    def test_stating_its_terms_again_is_a_new_statement(self) -> None:
        decision = self.decide(claim("delete", stated=30, authority=Authority.VERIFIED_OUTCOME))
        assert decision.verdict is Verdict.SUPERSEDE
        assert decision.target == self.PRESENT

    def test_stating_the_present_terms_again_is_a_restatement(self) -> None:
        assert self.decide(claim("archive", stated=30)).target == self.PRESENT

    def test_its_weaker_source_does_not_weaken_the_present(self) -> None:
        assert self.decide(claim("delete", stated=30)).reason == "weaker_source"

    def test_its_ending_stays_what_it_was(self) -> None:
        decision = self.decide(claim("drain", stated=30, authority=Authority.VERIFIED_OUTCOME))
        assert [closing.fact for closing in decision.closings] == [self.PRESENT]
