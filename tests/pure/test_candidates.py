"""What somebody proposes to remember: read strictly, compared by meaning, and held to what the events say."""

from datetime import datetime
from typing import Any

import pytest
from pydantic import ValidationError

from models.candidates import (
    CandidateKind,
    Proposal,
    Terms,
    is_grounded,
    said_by,
    statement_instant,
    structured_candidates,
)
from models.errors import InvalidInput
from models.events import EntityMention, StoredEvent
from models.values import ValueSpec, canonical
from tests.pure.samples import at, event, named, terms

CANARY = "ZEBRA-7731"
LONG = "x" * 2_001


def agree(one: Terms, other: Terms) -> bool:
    """Whether two terms of an attribute of type text are the same."""
    text = ValueSpec()
    return canonical(one.value, text) == canonical(other.value, text) and one.same_limits_as(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(terms("keep"), terms("keep"), id="to the letter"),
        pytest.param(terms("Keep  it."), terms("keep it"), id="case, spacing and full stop"),
        pytest.param(terms("ＫＥＥＰ"), terms("keep"), id="width"),
        pytest.param(terms("re‑run"), terms("re-run"), id="hyphen"),
        pytest.param(terms(ends_when="Tests done"), terms(ends_when="tests  done!"), id="condition"),
        pytest.param(terms(expires_at=at(5)), terms(expires_at="2026-03-02T10:05:00+01:00"), id="offset"),
        pytest.param(terms(valid_from=at(5)), terms(), id="a beginning left unsaid"),
        pytest.param(terms(valid_from=at(5)), terms(valid_from=at(5)), id="the same beginning"),
    ],
)
def test_the_same_terms(one: Terms, other: Terms) -> None:
    assert agree(one, other)
    assert agree(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(terms("keep"), terms("delete"), id="value"),
        pytest.param(terms("do not delete"), terms("delete"), id="a not"),
        pytest.param(terms("v1.2"), terms("v12"), id="a dot within"),
        pytest.param(terms(), terms(ends_when="tests done"), id="a condition more"),
        pytest.param(terms(ends_when="tests done"), terms(ends_when="review done"), id="another condition"),
        pytest.param(terms(), terms(expires_at=at(5)), id="a term more"),
        pytest.param(terms(expires_at=at(5)), terms(expires_at=at(6)), id="another term"),
        pytest.param(terms(valid_from=at(5)), terms(valid_from=at(6)), id="another beginning"),
    ],
)
def test_other_terms(one: Terms, other: Terms) -> None:
    assert not agree(one, other)
    assert not agree(other, one)


BAD_TERMS: list[tuple[dict[str, Any], str, str]] = [
    ({"value": ""}, "value", "is empty"),
    ({"value": " \n"}, "value", "blank"),
    ({"value": "..."}, "value", "blank"),
    ({"value": None}, "value", "not a text"),
    ({"value": 5}, "value", "not a text"),
    ({"value": LONG}, "value", "more than 2,000"),
    ({"ends_when": ""}, "ends_when", "is empty"),
    ({"ends_when": " "}, "ends_when", "blank"),
    ({"ends_when": "。"}, "ends_when", "blank"),
    ({"ends_when": LONG}, "ends_when", "more than 2,000"),
    ({"ends_when": "2026-13-45"}, "ends_when", "is a date"),
    ({"ends_when": " 2026-3-1 "}, "ends_when", "is a date"),
    ({"ends_when": "2026-03-02T09:00:00Z"}, "ends_when", "is a date"),
    ({"ends_when": "2026-03-02 09:00"}, "ends_when", "is a date"),
    ({"expires_at": "2026-13-45"}, "expires_at", "valid datetime"),
    ({"expires_at": "2026-03-02T09:00:00"}, "expires_at", "naive"),
    ({"expires_at": "2026-03-02"}, "expires_at", "naive"),
    ({"expires_at": at(5).replace(tzinfo=None)}, "expires_at", "naive"),
    ({"expires_at": "tomorrow"}, "expires_at", "ISO 8601"),
    ({"expires_at": ""}, "expires_at", "ISO 8601"),
    ({"expires_at": "20270101"}, "expires_at", "ISO 8601"),
    ({"expires_at": "1800000000"}, "expires_at", "ISO 8601"),
    ({"expires_at": 1_800_000_000}, "expires_at", "ISO 8601"),
    ({"expires_at": False}, "expires_at", "ISO 8601"),
    ({"expires_at": "9999-12-31T23:59:59-05:00"}, "expires_at", "outside the years"),
    ({"valid_from": "2026-03-02T09:00:00"}, "valid_from", "naive"),
    ({"valid_from": 0}, "valid_from", "ISO 8601"),
    ({"valid_until": "2026-03-02T09:00:00Z"}, "valid_until", "unknown field"),
]


@pytest.mark.parametrize(("fields", "field", "says"), BAD_TERMS)
def test_bad_terms_are_refused_and_never_taken_for_no_end(
    fields: dict[str, Any], field: str, says: str
) -> None:
    good = {"attribute": "owner", "value": "dana"}
    with pytest.raises(ValidationError):
        Terms.model_validate({"value": "dana", **fields})
    with pytest.raises(InvalidInput, match=says) as refused:
        structured_candidates({"candidates": [good, {**good, **fields}]})
    assert refused.value.field == f"data.candidates.1.{field}"


@pytest.mark.parametrize(
    "words", ["the tests of 2026-03-02 are done", "version 2026-03-02-beta ships", "1-2", "tests are done"]
)
def test_a_condition_may_hold_a_date(words: str) -> None:
    assert terms(ends_when=words).ends_when == words


def test_instants_are_kept_in_utc() -> None:
    read = Terms.model_validate({"value": "x", "expires_at": "2026-03-02T14:35:00+05:30"})
    assert read.expires_at is not None
    assert read.expires_at.isoformat() == "2026-03-02T09:05:00+00:00"


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"candidates": {}}, "data.candidates"),
        ({"candidates": "owner"}, "data.candidates"),
        ({"candidates": 0}, "data.candidates"),
        ({"candidates": [CANARY]}, "data.candidates.0"),
        ({"candidates": [None]}, "data.candidates.0"),
        ({"candidates": [{"value": CANARY}]}, "data.candidates.0.attribute"),
        ({"candidates": [{"attribute": "owner"}]}, "data.candidates.0.value"),
        ({"candidates": [{"attribute": "", "value": CANARY}]}, "data.candidates.0.attribute"),
        ({"candidates": [{"attribute": "a", "value": "b", "entity": " "}]}, "data.candidates.0.entity"),
        ({"candidates": [{"attribute": "a", "value": "b", "authority": 4}]}, "data.candidates.0.authority"),
        ({"candidates": [{"attribute": "a", "value": {"x": CANARY}}]}, "data.candidates.0.value"),
    ],
)
def test_the_candidate_that_cannot_be_read_is_named_but_not_quoted(data: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        structured_candidates(data)
    assert refused.value.field == field
    assert CANARY not in str(refused.value)


def test_structured_candidates_are_read_in_order() -> None:
    read = structured_candidates(
        {
            "candidates": [
                {"attribute": "owner", "value": "dana"},
                {
                    "attribute": "uses",
                    "value": "postgres",
                    "entity": "billing",
                    "ends_when": "migration ends",
                },
            ]
        }
    )
    assert [(each.attribute, each.value, each.entity, each.ends_when) for each in read] == [
        ("owner", "dana", None, None),
        ("uses", "postgres", "billing", "migration ends"),
    ]
    assert structured_candidates({}) == structured_candidates({"candidates": None}) == []


SAID = event("Keep gpu-bench-01 until the ‘QA pipeline’ has passed!")
FILED = event(data={"candidates": [{"attribute": "owner", "value": "dana", "ends_when": "she moves"}]})


def proposal(what: Terms | None, quote: str = "Keep gpu-bench-01") -> Proposal:
    kind = CandidateKind.WITHDRAWAL if what is None else CandidateKind.STATEMENT
    return Proposal(
        event_id=named("event 1"), kind=kind, attribute="owner", mention=None, terms=what, quote=quote
    )


@pytest.mark.parametrize(
    ("said", "proposed", "grounded"),
    [
        pytest.param(SAID, proposal(terms("keep")), True, id="a word of the text"),
        pytest.param(SAID, proposal(terms("KEEP gpu‑bench‑01")), True, id="in another form"),
        pytest.param(
            SAID, proposal(terms("keep", ends_when="QA pipeline has passed")), True, id="with its condition"
        ),
        pytest.param(SAID, proposal(terms("delete")), False, id="an invented value"),
        pytest.param(SAID, proposal(terms("keep forever")), False, id="an invented word of the value"),
        pytest.param(SAID, proposal(terms("keep", ends_when="Friday")), False, id="an invented condition"),
        pytest.param(SAID, proposal(terms("gpu-bench-02")), False, id="another identifier"),
        pytest.param(SAID, proposal(terms("eep")), False, id="a part of a word"),
        pytest.param(FILED, proposal(terms("dana"), "dana"), True, id="a structured value"),
        pytest.param(
            FILED,
            proposal(terms("dana", ends_when="she moves"), "dana she moves"),
            True,
            id="a structured condition",
        ),
        pytest.param(FILED, proposal(terms("owner")), False, id="a name of a field is no word"),
        pytest.param(SAID, proposal(terms("keep"), "Keep gpu-bench-02"), False, id="an invented quote"),
        pytest.param(event(None), proposal(terms("keep")), False, id="an event without words"),
        pytest.param(SAID, proposal(None), True, id="a withdrawal in words of the text"),
        pytest.param(SAID, proposal(None, "keep  GPU-bench-01"), True, id="a withdrawal in another form"),
        pytest.param(SAID, proposal(None, "forget gpu-bench-01"), False, id="a withdrawal in invented words"),
        pytest.param(SAID, proposal(None, "gpu-bench-01 keep"), False, id="a withdrawal in another order"),
        pytest.param(SAID, proposal(None, ""), False, id="a withdrawal without words"),
        pytest.param(SAID, proposal(None, " … ".replace("…", "...")), False, id="a withdrawal of dots"),
        pytest.param(event(None), proposal(None, ""), False, id="a withdrawal of nothing from nothing"),
        pytest.param(FILED, proposal(None, "dana"), False, id="a withdrawal is said in the text alone"),
    ],
)
def test_a_proposal_has_to_be_found_in_its_event(
    said: StoredEvent, proposed: Proposal, grounded: bool
) -> None:
    assert is_grounded(proposed, said_by(said)) is grounded


def test_what_an_event_says_is_its_text_and_its_structured_values() -> None:
    data = {"candidates": [{"attribute": "owner", "value": "dana", "ends_when": "she moves"}], "x": "hidden"}
    said = said_by(event("As agreed", data=data))
    assert (said.text, said.structured) == ("as agreed", "dana she moves")
    assert said.words == {"as", "agreed", "dana", "she", "moves"}


@pytest.mark.parametrize(
    ("what", "instant"),
    [(None, at(3)), (terms(), at(3)), (terms(valid_from=at(50)), at(50)), (terms(valid_from=at(-9)), at(-9))],
)
def test_a_statement_holds_from_when_it_says_or_was_made(what: Terms | None, instant: datetime) -> None:
    assert statement_instant(event("x", minute=3), what) == instant


LISTS = event(
    "Stop (db.internal) and the QA suite; billing-api's queue stays.",
    entities=(EntityMention(id="vm:i-1", name="gpu-bench-01"),),
    data={"candidates": [{"attribute": "owner", "value": "stop", "entity": "ledger"}]},
)


@pytest.mark.parametrize(
    ("mention", "named"),
    [
        (None, True),
        ("db.internal", True),
        ("DB.Internal", True),
        ("QA suite", True),
        ("billing-api", True),
        ("gpu-bench-01", True),
        ("vm:i-1", True),
        ("ledger", True),
        ("db", False),
        ("internal", False),
        ("billing", False),
        ("api", False),
        ("gpu-bench-0", False),
        ("vm:i", False),
        ("suite QA", False),
        ("prod-db", False),
        ("", False),
        (".", False),
    ],
)
def test_a_proposal_is_about_a_thing_that_its_event_names(mention: str | None, named: bool) -> None:
    proposed = proposal(terms("Stop"), "Stop").model_copy(update={"mention": mention})
    assert is_grounded(proposed, said_by(LISTS)) is named
