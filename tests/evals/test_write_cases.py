"""The labelled cases: that there are enough of every sort, that a third is kept apart, and that faults are named."""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from evals.write.cases import Case, Voice
from evals.write.leaks import forms_of
from evals.write.reading import FOLDERS, read_cases, read_cast
from evals.write.stage import policy_of_cases
from models.errors import InvalidInput
from models.policy import Policy

ROOT = Path(__file__).parents[2]
# fmt: off
SORTS = frozenset({
    "restriction", "change_policy", "operating_rule", "preference", "contact_channel", "multilingual",
    "standing_instruction", "uses", "owner", "depends_on", "decision", "outcome", "commitment", "note",
    "artifact", "entity_mapping", "canonicalises", "supersede", "schedule", "backfill", "dispute",
    "retract", "late", "hedge", "hearsay", "quote", "tool", "agent", "system", "scope", "prohibited",
    "system_of_record", "observation", "greeting", "other_script", "ambiguous", "secret", "innocent",
    "password", "card", "iban",
})
# fmt: on
"""Tags that both parts have to hold."""


@pytest.fixture(scope="module")
def policy() -> Policy:
    return policy_of_cases()


@pytest.fixture(scope="module")
def cast() -> Mapping[str, Voice]:
    return read_cast()


@pytest.fixture(scope="module")
def cases(policy: Policy, cast: Mapping[str, Voice]) -> list[Case]:
    return read_cases(cast, policy)


def test_there_are_enough_and_a_third_is_held_out(cases: list[Case]) -> None:
    parts = Counter(case.part for case in cases)
    assert len(cases) >= 220
    assert parts["held out"] * 3 >= len(cases)


def test_every_sort_is_there_in_both_parts(cases: list[Case]) -> None:
    tags = {
        part: Counter(tag for case in cases if case.part == part for tag in case.tags) for part in FOLDERS
    }
    assert {part: sorted(SORTS - known.keys()) for part, known in tags.items()} == {
        part: [] for part in FOLDERS
    }


def test_there_are_enough_secrets_and_innocents(cases: list[Case]) -> None:
    planted = Counter(planted.secret for case in cases for planted in case.planted)
    assert planted[True] >= 25
    assert planted[False] >= 25


def test_no_secret_stands_in_a_file_as_it_is(cases: list[Case]) -> None:
    text = "".join(path.read_text() for folder in FOLDERS.values() for path in folder.glob("*.yaml"))
    whole = [
        case.id for case in cases for planted in case.planted if planted.secret and planted.string in text
    ]
    assert whole == []


def test_no_test_of_an_extractor_reads_what_is_held_out() -> None:
    """Figures on cases that an extractor was tuned on say nothing of what it will meet."""
    readers = re.compile(r"held_out|evals\.write")
    allowed = {ROOT / "tests/evals"}
    found = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("*.py")
        if path.parent not in allowed and readers.search(path.read_text())
    ]
    assert found == []


LABEL = "- {id: a, events: [{by: dana}], expected: [{class: decision, attribute: decision, disposition: %s}]}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("- {id: a, events: [{by: nobody}]}", "a: nobody in the cast is called nobody"),
        ("- {id: a, events: []}", "a: events: "),
        ("- {id: a, events: [{by: dana, txet: hi}]}", "a: events.0.txet: "),
        ("- {events: [{by: dana}]}", "case 1: id: "),
        ("- {id: A b, events: [{by: dana}]}", "A b: id: "),
        ("- just words", "case 1: is no case"),
        ("- {id: a, events: [{by: dana}]}\n" * 2, "a: stands in .*broken.yaml already"),
        ("- {id: a, events: [{by: ops-agent}]}", "a: an agent is never authorised"),
        ("- {id: a, events: [{by: dana, type: tool_result}]}", "a: the case: what a tool says is never"),
        (
            "- {id: a, events: [{by: dana}], planted: [{string: abcd, secret: true}]}",
            "a: the case: planted string 1",
        ),
        (
            "- {id: a, events: [{by: dana, text: <<1>>}]}",
            "a: the case: the place of a planted string is left over",
        ),
        (LABEL % "persist", "a: expected.0: an outcome that persists names its verdict"),
        (LABEL % "persist, verdict: dispute", "a: expected.0: the verdict dispute does not come to persist"),
        (LABEL % "persist, verdict: restate", "a: the case: what is restated has to be given"),
        (
            (LABEL % "discard").replace("attribute: decision", "attribute: owner"),
            "a: the class decision declares no owner",
        ),
        (
            (LABEL % "persist, verdict: establish").replace("by: dana", "by: ops-agent, authorised: false"),
            "a: the case: something is to govern, and nobody who speaks is authorised",
        ),
        ("- {id: a", "not YAML"),
    ],
)
def test_a_case_that_is_wrong_is_named(
    text: str, complaint: str, tmp_path: Path, policy: Policy, cast: Mapping[str, Voice]
) -> None:
    (tmp_path / "broken.yaml").write_text(text)
    with pytest.raises(InvalidInput, match=rf"broken\.yaml: {complaint}"):
        read_cases(cast, policy, {"development": tmp_path})


def test_dates_and_small_words_stay_text(tmp_path: Path, policy: Policy, cast: Mapping[str, Voice]) -> None:
    (tmp_path / "plain.yaml").write_text(
        "- {id: a, events: [{by: dana, data: {day: 2026-03-02, state: on}}]}"
    )
    [case] = read_cases(cast, policy, {"development": tmp_path})
    assert case.events[0].data == {"day": "2026-03-02", "state": "on"}


def test_a_secret_is_looked_for_in_every_form_that_a_store_may_give_it() -> None:
    assert forms_of("4539 8819 Ab") == {
        "4539 8819 ab",
        "45398819ab",
        b"4539 8819 Ab".hex(),
    }
    assert "lypfchqqzv" in forms_of("x-LYPFchqqzv-y")
