"""What comes back: in which order, within which budget, and never a restriction left out in silence."""

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from models.authority import Authority, Standing
from models.budget import answered, fit, told, units
from models.conflicts import Side, disagreements
from models.facts import Status
from models.recall import (
    Advice,
    Reason,
    RecallAnswer,
    RecalledFact,
    RecalledPassage,
    RecallRequest,
    ranked_facts,
    ranked_passages,
)
from models.scope import Scope
from tests.pure.samples import SCOPE, at, named

RESTRICTION, OF_SCOPE, ENTITY, CLAIMED_OF_SCOPE, STANDING, KEYWORDS, *_, EVIDENCE, _PARTNER = Reason
AS_OF = at(60)


def found(
    name: str,
    *reasons: Reason,
    words: int = 0,
    score: float = 0.0,
    authority: Authority = Authority.HUMAN_INSTRUCTION,
    since: float = 0,
    **fields: Any,
) -> RecalledFact:
    """A fact that costs about `words` more than the bare line around it."""
    filled: dict[str, Any] = {
        "id": named(name),
        "canonical": "cloud-instance:i-09a8f",
        "entity": "gpu-bench-01",
        "attribute": "owner",
        "value": "keep",
        "ends_when": None,
        "expires_at": None,
        "authority_role": "infra_lead",
        "standing": Standing.OBSERVED,
        "statement": "word " * words,
        "sources": (),
        "episodes": (),
    }
    return RecalledFact(
        **{**filled, **fields}, score=score, authority=authority, valid_from=at(since), reasons=reasons
    )


def passage(
    name: str, *reasons: Reason, words: int = 1, score: float = 0.0, minute: float = 0
) -> RecalledPassage:
    return RecalledPassage(
        id=named(name),
        episode_id=named("episode"),
        occurred_at=at(minute),
        text="word " * words,
        sources=(),
        score=score,
        reasons=reasons or (KEYWORDS,),
    )


def request(**fields: Any) -> RecallRequest:
    return RecallRequest(scope=SCOPE, **fields)


def count_words(text: str) -> int:
    return len(text.split())


BARE = count_words(found("bare").text)


def fitted(facts: list, passages: list = (), **fields: Any) -> RecallAnswer:  # pyright: ignore[reportArgumentType]
    asked = request(**fields)
    found = [*facts, *passages]
    taken = fit(units(found, (), ()), asked.budget_tokens, asked.limit, count_words)
    return answered(taken, [item.id for item in found], (), (), asked, AS_OF)


def names_of(items: Any, *names: str) -> list[str]:
    known = {named(name): name for name in names}
    return [known[item.id] for item in items]


def test_facts_are_ranked_by_duty_score_source_and_age() -> None:
    ranked = [
        found("weak restriction", RESTRICTION, score=0, authority=Authority.UNTRUSTED),
        found("strong instruction", STANDING, score=5),
        found("instruction", STANDING, score=1),
        found("likely", KEYWORDS, score=9),
        found("verified", KEYWORDS, score=2, authority=Authority.VERIFIED_OUTCOME),
        found("recent", ENTITY, score=2, since=9),
        found("old", ENTITY, score=2, since=1),
        found("unlikely", KEYWORDS, score=1, authority=Authority.AUTHORITATIVE_SOURCE),
    ]
    assert ranked_facts(ranked[::-1]) == ranked


def test_passages_are_ranked_by_evidence_score_and_time() -> None:
    ranked = [
        passage("evidence", EVIDENCE, score=0),
        passage("likely", score=3),
        passage("recent", score=2, minute=9),
        passage("old", score=2, minute=1),
    ]
    assert ranked_passages(ranked[::-1]) == ranked


@pytest.mark.parametrize(
    ("reasons", "required"),
    [
        ((RESTRICTION,), True),
        ((STANDING,), True),
        ((KEYWORDS, RESTRICTION), True),
        ((ENTITY,), False),
        ((KEYWORDS, EVIDENCE), False),
    ],
)
def test_what_must_be_heeded(reasons: tuple[Reason, ...], required: bool) -> None:
    assert found("one", *reasons).required is required
    assert bool(fitted([found("one", *reasons)]).required) is required


def test_what_fits_is_taken_in_order() -> None:
    answer = fitted([found("a", KEYWORDS), found("b", KEYWORDS)], [passage("c")])
    assert names_of([*answer.facts, *answer.passages], "a", "b", "c") == ["a", "b", "c"]
    assert (answer.advice, answer.missing, answer.left_out) == (Advice.USE, (), 0)
    assert answer.tokens == 2 * BARE + 1
    assert (answer.as_of, answer.limit) == (AS_OF, 10)


def test_the_budget_may_be_used_to_the_last_token() -> None:
    assert len(fitted([found("a", KEYWORDS)], budget_tokens=BARE).facts) == 1
    assert len(fitted([found("a", KEYWORDS)], budget_tokens=BARE - 1).facts) == 0


def test_a_smaller_one_may_still_be_taken_after_one_that_does_not_fit() -> None:
    answer = fitted([found("long", KEYWORDS, words=500), found("short", KEYWORDS)], budget_tokens=BARE + 9)
    assert names_of(answer.facts, "short") == ["short"]
    assert (answer.left_out, answer.advice) == (1, Advice.USE)


def test_a_required_one_that_does_not_fit_is_named_and_nothing_optional_takes_its_place() -> None:
    answer = fitted(
        [found("long", RESTRICTION, words=500), found("short", STANDING), found("optional", KEYWORDS)],
        [passage("passage")],
        budget_tokens=3 * BARE,
    )
    assert answer.missing == (named("long"),)
    assert answer.advice is Advice.DEFER
    assert names_of(answer.facts, "short") == ["short"]
    assert answer.passages == ()
    assert answer.left_out == 3


def test_what_fits_by_itself_and_not_with_the_rest_says_narrow() -> None:
    answer = fitted([found("a", RESTRICTION), found("b", RESTRICTION)], budget_tokens=2 * BARE - 1)
    assert (answer.missing, answer.advice) == ((named("b"),), Advice.NARROW)


def test_what_must_be_heeded_is_told_where_what_stands_against_it_does_not_fit() -> None:
    """It would fit by itself: one side of a conflict misleads, so that all of it is told by its ids and left out."""
    rule = found("rule", RESTRICTION, value="keep")
    claim = found("claim", RESTRICTION, value="stop", words=500, status=Status.DISPUTED)
    sides = [
        Side(each.id, None, each.attribute, each.value, Scope(SCOPE), each.authority, each.valid_from)
        for each in (rule, claim)
    ]
    against = [sides[0], sides[1]._replace(disputed=True)]
    conflicts = disagreements(against, {})
    together = units([rule, found("optional", KEYWORDS)], conflicts, [claim])

    def asked(budget: int) -> RecallAnswer:
        taken = fit(together, budget, 10, count_words)
        carried = {item.id for item in taken.taken}
        told_of = [told(each, {rule.id: rule, claim.id: claim}, carried) for each in conflicts]
        return answered(taken, [rule.id], told_of, (), request(budget_tokens=budget), AS_OF)

    small = asked(3 * BARE)
    assert (small.facts, small.advice, small.missing) == ((), Advice.DEFER, (rule.id,))
    assert claim.id in small.over_budget
    [conflict] = small.conflicts
    assert (set(conflict.members), conflict.carried) == ({rule.id, claim.id}, False)
    assert conflict.question is not None
    large = asked(3 * BARE + 600)
    assert (names_of(large.facts, "rule", "optional"), large.advice) == (["rule", "optional"], Advice.ABSTAIN)
    assert [each.id for each in large.conflicts[0].challengers] == [claim.id]


def test_required_ones_come_beyond_the_limit() -> None:
    duties = [found(f"duty {number}", RESTRICTION) for number in range(3)]
    answer = fitted([*duties, found("optional", KEYWORDS)], [passage("passage")], limit=2)
    assert list(answer.facts) == duties
    assert (answer.advice, answer.left_out, answer.passages) == (Advice.USE, 2, ())


def test_the_limit_counts_facts_and_passages_together() -> None:
    answer = fitted([found("a", KEYWORDS)], [passage("b"), passage("c")], limit=2)
    assert (len(answer.facts), len(answer.passages), answer.left_out) == (1, 1, 1)


def test_nothing_found_is_nothing_missing() -> None:
    answer = fitted([])
    assert (answer.tokens, answer.advice, answer.facts, answer.passages) == (0, Advice.USE, (), ())


_REASONS = st.sampled_from([(RESTRICTION,), (STANDING,), (ENTITY,), (KEYWORDS,)])
_FACTS = st.lists(st.tuples(_REASONS, st.integers(0, 30), st.floats(0, 9)), max_size=8).map(
    lambda rows: ranked_facts(
        [
            found(f"fact {number}", *reasons, words=words, score=score)
            for number, (reasons, words, score) in enumerate(rows)
        ]
    )
)
_PASSAGES = st.lists(st.integers(1, 40), max_size=6).map(
    lambda sizes: [passage(f"passage {number}", words=words) for number, words in enumerate(sizes)]
)


@given(_FACTS, _PASSAGES, st.integers(1, 200), st.integers(1, 8))
@settings(max_examples=200, deadline=None)
def test_budget_and_duty_are_kept_whatever_is_found(
    facts: list[RecalledFact], passages: list[RecalledPassage], budget: int, limit: int
) -> None:
    answer = fitted(facts, passages, budget_tokens=budget, limit=limit)
    taken = [*answer.facts, *answer.passages]
    assert answer.tokens == sum(count_words(item.text) for item in taken) <= budget
    assert len(taken) + answer.left_out == len(facts) + len(passages)
    optional = [item for item in taken if not item.required]
    assert not optional or len(taken) <= limit

    duties = {fact.id for fact in facts if fact.required}
    assert duties == {fact.id for fact in answer.required} | set(answer.missing)
    assert (answer.advice in {Advice.NARROW, Advice.DEFER}) is bool(answer.missing)
    assert not (answer.missing and optional)

    in_order = [item.id for item in (*facts, *passages)]
    assert [item.id for item in taken] == [each for each in in_order if each in {item.id for item in taken}]


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({}, 'gpu-bench-01: owner = keep; since 2026-03-02, human_instruction as infra_lead: "hm"'),
        ({"entity": None}, 'owner = keep; since 2026-03-02, human_instruction as infra_lead: "hm"'),
        (
            {"ends_when": "tests end", "authority_role": None},
            'gpu-bench-01: owner = keep until tests end; since 2026-03-02, human_instruction: "hm"',
        ),
        (
            {"expires_at": at(5)},
            (
                "gpu-bench-01: owner = keep (expires 2026-03-02T09:05:00+00:00); since 2026-03-02, "
                'human_instruction as infra_lead: "hm"'
            ),
        ),
    ],
)
def test_a_fact_in_one_line(fields: dict[str, Any], line: str) -> None:
    assert found("one", statement="hm", **fields).text == line


@pytest.mark.parametrize(
    "fields",
    [
        {"budget_tokens": 0},
        {"budget_tokens": 200_001},
        {"limit": 0},
        {"limit": 101},
        {"query": "x" * 20_001},
        {"entities": ("x",) * 1_001},
        {"operator": "or"},
        {"as_of": "soon"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_a_bad_request_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        request(**fields)


def test_a_request_without_scope_is_refused() -> None:
    with pytest.raises(ValidationError):
        RecallRequest.model_validate({"query": "anything"})


def test_a_request_keeps_its_instant() -> None:
    assert isinstance(request(as_of="2026-03-02T09:00:00Z").as_of, datetime)
