"""What becomes of a dispute and of a review: their rows of the table, one by one."""

import pytest

from models.authority import Authority
from models.contracts import ConflictRule
from models.facts import Admission, Ending
from models.reconciliation import Verdict
from tests.pure.rows import Row, assert_decided
from tests.pure.samples import at, claim, fact, withdrawal

KEEP = fact("keep", name="keep", since=0, ends_when="the tests are done")
ENDED = fact("keep", name="ended", since=0, until=5, ending=Ending.RETIRED)
HELD = fact("delete", name="held", admission=Admission.UNVERIFIED)
DRAIN = fact("drain", name="drain", admission=Admission.UNVERIFIED)
DISPUTED = fact("drain", name="disputed", admission=Admission.DISPUTED)
LAPSED = fact("delete", name="lapsed", admission=Admission.UNVERIFIED, lapses_at=at(9))
VERIFIED = fact("keep", name="verified", authority=Authority.VERIFIED_OUTCOME)

DISPUTES = {
    "other terms from a weaker source": Row(claim(), (VERIFIED,), Verdict.DISPUTE, "weaker_source", VERIFIED),
    "other terms from a weaker source, where it may correct any": Row(
        claim(conflict=ConflictRule.SUPERSEDE),
        (VERIFIED,),
        Verdict.SUPERSEDE,
        "permitted_other_terms",
        VERIFIED,
        valid_from=at(10),
        closings=((VERIFIED, at(10)),),
    ),
    "a withdrawal from a weaker source, where it may correct any": Row(
        withdrawal(conflict=ConflictRule.SUPERSEDE),
        (VERIFIED,),
        Verdict.RETRACT,
        "permitted_withdrawal",
        VERIFIED,
        closings=((VERIFIED, at(10)),),
    ),
    "the word of a system of record, over a dispute": Row(
        claim("keep", authority=Authority.AUTHORITATIVE_SOURCE),
        (VERIFIED, DISPUTED, DRAIN),
        Verdict.RESTATE,
        "same_terms",
        VERIFIED,
        closings=((DISPUTED, at(10)),),
    ),
    "the word of a system of record, for the challenger": Row(
        claim("drain", authority=Authority.AUTHORITATIVE_SOURCE),
        (VERIFIED, DISPUTED),
        Verdict.SUPERSEDE,
        "permitted_other_terms",
        VERIFIED,
        valid_from=at(10),
        closings=((VERIFIED, at(10)), (DISPUTED, at(10))),
    ),
    "an acceptance of the challenger, whose source is the weaker one": Row(
        claim("drain", reviews=DISPUTED.id),
        (VERIFIED, DISPUTED),
        Verdict.SUPERSEDE,
        "permitted_other_terms",
        VERIFIED,
        valid_from=at(10),
        closings=((VERIFIED, at(10)), (DISPUTED, at(10))),
    ),
    "a rejection of the challenger": Row(
        withdrawal(reviews=DISPUTED.id),
        (VERIFIED, DISPUTED),
        Verdict.RETRACT,
        "rejected_in_review",
        DISPUTED,
        closings=((DISPUTED, at(10)),),
    ),
}
REVIEWS = {
    "a review of nothing": Row(
        claim(reviews=ENDED.id), (KEEP, ENDED), Verdict.IGNORE_STALE, "reviewed_already"
    ),
    "a review of what has lapsed": Row(
        claim(reviews=LAPSED.id), (KEEP, LAPSED), Verdict.IGNORE_STALE, "reviewed_already"
    ),
    "a review without permission": Row(
        claim(reviews=HELD.id, permitted=False), (KEEP, HELD), Verdict.DISCARD, "not_permitted", HELD
    ),
    "an acceptance": Row(
        claim(reviews=HELD.id),
        (KEEP, HELD),
        Verdict.SUPERSEDE,
        "permitted_other_terms",
        KEEP,
        valid_from=at(10),
        closings=((KEEP, at(10)), (HELD, at(10))),
    ),
    "an acceptance with other words": Row(
        claim("archive", reviews=HELD.id),
        (HELD, DRAIN),
        Verdict.ESTABLISH,
        "permitted_statement",
        valid_from=at(10),
        closings=((HELD, at(10)),),
    ),
    "an acceptance of one's own words, where that takes somebody else": Row(
        claim(reviews=HELD.id, needs_other_eyes=True), (HELD,), Verdict.DISCARD, "own_words", HELD
    ),
    "a rejection": Row(
        withdrawal(reviews=HELD.id),
        (KEEP, HELD),
        Verdict.RETRACT,
        "rejected_in_review",
        HELD,
        closings=((HELD, at(10)),),
    ),
}


@pytest.mark.parametrize("row", DISPUTES.values(), ids=DISPUTES.keys())
def test_each_row_of_disputes(row: Row) -> None:
    assert_decided(row)


@pytest.mark.parametrize("row", REVIEWS.values(), ids=REVIEWS.keys())
def test_each_row_of_reviews(row: Row) -> None:
    assert_decided(row)
