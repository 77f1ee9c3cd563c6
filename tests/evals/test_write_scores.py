"""The scores of the measured write path: what is right raises each figure, and each sort of fault lowers it."""

from datetime import timedelta
from typing import Any

import pytest

from evals.write.floors import FLOORS, Floor, missed
from evals.write.match import Judged
from evals.write.outcomes import DISPOSITIONS, Outcome
from evals.write.report import as_json, as_text
from evals.write.score import METRICS, Figure, by_class, dispositions
from models.reconciliation import Verdict
from tests.evals.write_samples import KEEP, MARCH, case, outcome, played

RESTATED = KEEP | {"verdict": "restate"}
SUPERSEDED = KEEP | {"verdict": "supersede"}
HELD = {name: KEEP[name] for name in ("class", "attribute", "entity", "words")} | {
    "disposition": "quarantine"
}
NO_SCOPE = {
    "disposition": "discard",
    "reason": "scope_not_allowed",
    "class": "operational_restriction",
    "attribute": "lifecycle_policy",
}


def one(label: dict[str, Any], *outcomes: Outcome, **fields: Any) -> list[Judged]:
    return [played(case(label, **fields), *outcomes)]


NOTHING = Figure(0, 0)
CONTENT_FAULTS = [
    outcome(attribute="change_policy"),
    outcome(entities=("named:x/a-2", "a-2")),
    outcome(entities=()),
    outcome(value="can stop"),
    outcome(ends_when="QA is done"),
    outcome(expires_at=MARCH),
]


@pytest.mark.parametrize(
    ("cases", "precision", "recall"),
    [
        (one(KEEP, outcome()), Figure(1, 1), Figure(1, 1)),
        (one(KEEP), NOTHING, Figure(0, 1)),
        (one(KEEP, outcome(), outcome(attribute="uses")), Figure(1, 2), Figure(1, 1)),
        (one(KEEP, outcome(), outcome()), Figure(1, 2), Figure(1, 1)),
        *((one(KEEP, wrong), Figure(0, 1), Figure(0, 1)) for wrong in CONTENT_FAULTS),
        (one(KEEP, outcome("hold_unverified")), NOTHING, Figure(0, 1)),
        (one(HELD, outcome()), Figure(0, 1), NOTHING),
        (one(HELD, outcome("hold_unverified")), NOTHING, NOTHING),
        (one(KEEP, outcome("supersede")), Figure(1, 1), Figure(1, 1)),
        (one(KEEP | {"optional": True}), NOTHING, NOTHING),
        (one(KEEP | {"optional": True}, outcome()), Figure(1, 1), NOTHING),
        ([played(case(), outcome())], Figure(0, 1), NOTHING),
    ],
)
def test_what_is_stored_is_right_by_its_content(
    cases: list[Judged], precision: Figure, recall: Figure
) -> None:
    assert METRICS["write precision"](cases) == precision
    assert METRICS["write recall"](cases) == recall


@pytest.mark.parametrize(
    ("label", "found", "right"),
    [
        ({"ends_when": "QA is done"}, {"ends_when": "qa is done!"}, True),
        ({"ends_when": "QA is done"}, {"ends_when": "the audit is over"}, False),
        ({"ends_when": "QA is done"}, {}, False),
        ({"expires_at": MARCH}, {"expires_at": MARCH}, True),
        ({"expires_at": MARCH}, {"expires_at": MARCH + timedelta(hours=1)}, False),
        ({"valid_from": MARCH}, {}, True),
        ({"valid_from": MARCH + timedelta(days=1)}, {}, False),
        ({"value": ["Keep  Running", "up"]}, {}, True),
        ({"value": "up"}, {}, False),
        ({"entity": ["A-1", "a-2"]}, {}, True),
        ({"entity": "named:x/a-1"}, {}, True),
        ({"entity": None}, {"entities": ()}, True),
    ],
)
def test_a_label_is_held_against_what_it_names(
    label: dict[str, Any], found: dict[str, Any], right: bool
) -> None:
    [case_] = one(KEEP | label, outcome(**found))
    assert (case_.pairs[0].outcome is not None) is right


@pytest.mark.parametrize(
    ("cases", "doubled"),
    [
        (one(RESTATED, outcome("restate")), Figure(0, 1)),
        (one(RESTATED, outcome("supersede")), Figure(1, 1)),
        (one(RESTATED, outcome("establish", value="keep up")), Figure(1, 1)),
        (one(RESTATED, outcome("establish", entities=("named:x/a-2", "a-2"))), Figure(0, 1)),
        (one(RESTATED), Figure(0, 1)),
        (one(KEEP, outcome()), NOTHING),
    ],
)
def test_a_restatement_that_makes_a_record_is_a_duplicate(cases: list[Judged], doubled: Figure) -> None:
    assert METRICS["duplicate creation rate"](cases) == doubled
    assert METRICS["duplicate creation rate, canonical"](cases) == NOTHING
    tagged = [each._replace(case=each.case.model_copy(update={"tags": {"canonicalises"}})) for each in cases]
    assert METRICS["duplicate creation rate, canonical"](tagged) == doubled


@pytest.mark.parametrize(
    ("cases", "accurate"),
    [
        (one(KEEP, outcome()), Figure(1, 1)),
        (one(KEEP, outcome(scope={"workspace": "production"})), Figure(0, 1)),
        (one(KEEP, outcome(scope={})), Figure(0, 1)),
        (one(KEEP | {"scope": {}}, outcome(scope={})), Figure(1, 1)),
        (one(HELD, outcome("hold_unverified", scope={"workspace": "production"})), Figure(0, 1)),
        (one(KEEP), NOTHING),
        (one(NO_SCOPE, outcome("discard", content=None)), Figure(1, 1)),
        (one(NO_SCOPE), Figure(1, 1)),
        (one(NO_SCOPE, outcome()), Figure(0, 1)),
        (one(NO_SCOPE, outcome("hold_unverified")), Figure(0, 1)),
    ],
)
def test_scope_is_where_the_label_has_it(cases: list[Judged], accurate: Figure) -> None:
    assert METRICS["scope accuracy"](cases) == accurate


@pytest.mark.parametrize(
    ("cases", "accurate"),
    [
        (one(SUPERSEDED, outcome("supersede")), Figure(1, 1)),
        (one(SUPERSEDED, outcome("establish")), Figure(0, 1)),
        (one(SUPERSEDED, outcome("schedule")), Figure(0, 1)),
        (one(SUPERSEDED, outcome("supersede", value="up")), Figure(0, 2)),
        (one(SUPERSEDED), Figure(0, 1)),
        (one(SUPERSEDED | {"optional": True}), NOTHING),
        (one(RESTATED, outcome("supersede")), Figure(0, 1)),
        (one(HELD | {"verdict": "dispute"}, outcome("dispute")), Figure(1, 1)),
        (one(HELD | {"verdict": "dispute"}, outcome("hold_unverified")), Figure(0, 1)),
        (
            one(KEEP | {"verdict": "retract", "words": []}, outcome("retract", ends_when="QA is done")),
            Figure(1, 1),
        ),
        ([played(case(), outcome("retract"))], Figure(0, 1)),
        (one(KEEP, outcome()), NOTHING),
    ],
)
def test_a_change_is_decided_as_labelled(cases: list[Judged], accurate: Figure) -> None:
    assert METRICS["supersession accuracy"](cases) == accurate


SAID = [{"by": "dana", "text": "the key is k-k-k-k, the order o-o-o-o"}]
PLANTED = [{"string": ["k-k", "-k-k"], "secret": True}, {"string": "o-o-o-o", "secret": False}]


@pytest.mark.parametrize(
    ("fields", "leaks", "alarms"),
    [
        ({}, Figure(0, 1), Figure(0, 1)),
        ({"leaks": {0: frozenset({"table public.events"})}}, Figure(1, 1), Figure(0, 1)),
        ({"leaks": {0: frozenset({"log", "history"})}}, Figure(1, 1), Figure(0, 1)),
        ({"kept": frozenset()}, Figure(0, 1), Figure(1, 1)),
    ],
)
def test_planted_strings_are_counted(fields: dict[str, Any], leaks: Figure, alarms: Figure) -> None:
    cases = [played(case(events=SAID, planted=PLANTED), **fields)]
    assert METRICS["secret leaks"](cases) == leaks
    assert METRICS["false secret alarms"](cases) == alarms


def test_a_refusal_as_a_secret_is_an_alarm_where_none_was_planted() -> None:
    refused = outcome("discard", reason="holds_secret", content=None)
    innocent = [played(case(events=SAID, planted=PLANTED[1:]), refused)]
    assert METRICS["false secret alarms"](innocent) == Figure(1, 1)
    both = [played(case(events=SAID, planted=PLANTED), refused)]
    assert METRICS["false secret alarms"](both) == Figure(0, 1)


@pytest.mark.parametrize(
    ("verdict", "promoted"),
    [
        ("establish", 1),
        ("supersede", 1),
        ("schedule", 1),
        ("backfill", 1),
        ("retract", 1),
        ("restate", 0),
        ("hold_unverified", 0),
        ("dispute", 0),
        ("discard", 0),
    ],
)
def test_nobody_without_authority_may_change_what_governs(verdict: str, promoted: int) -> None:
    agent = [{"by": "ops-agent", "text": "Keep a-1 running.", "authorised": False}]
    heard = [played(case(events=agent), outcome(verdict), outcome(verdict))]
    assert METRICS["unauthorised promotions"](heard) == Figure(promoted, 1)
    person = [played(case(KEEP), outcome(verdict))]
    assert METRICS["unauthorised promotions"](person) == NOTHING


def test_every_verdict_comes_to_a_disposition() -> None:
    assert {verdict.value for verdict in Verdict} <= DISPOSITIONS.keys()


def test_a_floor_holds_on_its_side_alone_and_never_without_a_figure() -> None:
    least, most = Floor("why", at_least=0.9), Floor("why", at_most=0)
    assert [least.holds(value) for value in (0.9, 0.89, None)] == [True, False, False]
    assert [most.holds(value) for value in (0.0, 0.01, None)] == [True, False, False]


def test_every_floor_can_be_missed() -> None:
    good = [
        *one(SUPERSEDED, outcome("supersede")),
        *one(RESTATED, outcome("restate"), tags=["canonicalises"]),
        played(case(events=SAID, planted=PLANTED)),
        played(
            case(HELD, events=[SAID[0] | {"by": "ops-agent", "authorised": False}]),
            outcome("hold_unverified"),
        ),
    ]
    assert missed(good) == []
    bad = [
        *one(SUPERSEDED, outcome("establish", value="up", scope={})),
        *one(RESTATED, outcome("supersede", scope={}), tags=["canonicalises"]),
        played(case(events=SAID, planted=PLANTED), leaks={0: frozenset({"log"})}, kept=frozenset()),
        played(case(HELD, events=[SAID[0] | {"by": "ops-agent", "authorised": False}]), outcome()),
    ]
    assert missed(bad) == list(FLOORS)


def test_classes_are_told_apart() -> None:
    cases = [
        *one(KEEP, outcome(), outcome(attribute="uses", memory_class="service_dependency")),
        *one(KEEP),
    ]
    assert by_class(cases) == {
        "operational_restriction": (Figure(1, 1), Figure(1, 2)),
        "service_dependency": (Figure(0, 1), NOTHING),
    }


def test_labels_are_told_by_what_they_came_to() -> None:
    cases = [*one(KEEP, outcome("hold_unverified")), *one(KEEP), *one(HELD, outcome("hold_unverified"))]
    table = dispositions(cases)
    assert table["persist"] == {"discard": 0, "quarantine": 1, "persist": 0, "nothing": 1}
    assert table["quarantine"] == {"discard": 0, "quarantine": 1, "persist": 0, "nothing": 0}


def test_the_report_names_failures_of_development_and_quotes_nothing() -> None:
    lost, unwanted = case(KEEP), case(KEEP, id="unwanted", part="held out")
    report = as_json("rules/1", [played(lost), played(unwanted, outcome(value="up"))], 1.25)
    assert report["cases"] == {"all": 2, "development": 1, "held out": 1}
    assert report["figures"]["write recall"]["all"] == {"part": 0, "whole": 2, "value": 0.0}
    assert report["failures"] == [{"case": "a-case", "lost": ["lifecycle_policy: establish"]}]
    assert "write recall" in report["missed"]
    text = as_text(report)
    assert "0.000 (0/2)" in text
    assert "MISSED" in text
    assert "a-1" not in text + str(report)
