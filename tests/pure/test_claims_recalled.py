"""Claims in an answer: apart from what governs, never required, and only in the room that is left."""

import pytest

from models.budget import with_claims
from models.facts import Status
from models.recall import Reason, found_by_words, ranked_claims
from models.text import terms
from tests.pure.test_recall import fitted, found, request

HELD = {"status": Status.QUARANTINED}


def words_of(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize("reason", Reason)
@pytest.mark.parametrize("status", [Status.QUARANTINED, Status.DISPUTED])
def test_no_claim_is_required_whatever_brought_it_up(reason: Reason, status: Status) -> None:
    assert not found("claim", reason, status=status).required


def test_the_line_of_a_claim_says_what_it_is() -> None:
    assert found("claim", **HELD).text.startswith("unverified: gpu-bench-01: owner = keep")
    assert found("fact").text.startswith("gpu-bench-01: owner = keep")


def test_entities_come_before_the_scope_and_that_before_words() -> None:
    by_words = found("words", Reason.KEYWORDS, score=9, **HELD)
    fewer = found("fewer words", Reason.KEYWORDS, score=1, **HELD)
    of_scope = found("scope", Reason.ABOUT_SCOPE, **HELD)
    earlier = found("earlier", Reason.ENTITY_IN_PLAY, since=1, **HELD)
    later = found("later", Reason.ENTITY_IN_PLAY, since=2, **HELD)
    ranked = ranked_claims([fewer, by_words, of_scope, earlier, later])
    assert ranked == [later, earlier, of_scope, by_words, fewer]


def test_shared_words_count_in_any_form_and_common_ones_do_not() -> None:
    claim = found("claim", statement="The kilns may be switched off.", **HELD)
    asked = list(terms("What is the kiln switch for?"))
    shared = found_by_words(claim, asked)
    assert (shared.score, shared.reasons) == (2.0, (Reason.KEYWORDS,))
    assert found_by_words(claim, list(terms("is the be"))) is claim


def test_claims_take_what_is_left_and_no_more_places_than_the_limit() -> None:
    governs = found("fact", Reason.ENTITY_IN_PLAY)
    claims = [found(f"claim {number}", Reason.KEYWORDS, **HELD) for number in range(3)]
    long = found("long", Reason.KEYWORDS, words=500, **HELD)
    cost, each = words_of(governs.text), words_of(claims[0].text)
    asked = request(budget_tokens=cost + 2 * each, limit=5)
    answer = with_claims(
        fitted([governs], budget_tokens=cost + 2 * each, limit=5), [long, *claims], asked, words_of
    )
    assert answer.unverified == tuple(claims[:2]), "what does not fit is passed over for what does"
    assert answer.facts == (governs,)
    assert answer.tokens == cost + 2 * each
    assert (answer.left_out, answer.over_budget) == (0, ())
    one = request(limit=1)
    assert with_claims(fitted([governs], limit=1), claims, one, words_of).unverified == (claims[0],)


def test_no_claim_comes_where_a_required_fact_did_not_fit() -> None:
    asked = request(budget_tokens=30)
    narrow = fitted([found("keep", Reason.RESTRICTION_IN_PLAY, words=90)], budget_tokens=30)
    assert narrow.missing
    assert with_claims(narrow, [found("claim", Reason.KEYWORDS, **HELD)], asked, words_of) == narrow
