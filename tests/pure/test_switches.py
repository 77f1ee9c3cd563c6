"""What a person's switches cover under the policy of today."""

from datetime import UTC, datetime, timedelta

import pytest

from models.controls import SwitchState
from models.policy import Policy
from models.switches import Switched, Turned
from tests.contracts import memory_class

ON, OFF = SwitchState.ON, SwitchState.OFF
MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
POLICY = Policy.model_validate(
    {
        "version": 2,
        "dimensions": ["user"],
        "classes": {
            "tastes": memory_class({"liking": {"synonyms": ["preference"]}, "food": {}}, levels=["user"]),
            "notes": memory_class({"note": {}}, levels=["user"]),
        },
    }
)
Row = tuple[str, SwitchState, set[str]]


def switched(*rows: Row, as_personal: bool = False) -> Switched:
    """What this log of switches comes to, one a day."""
    classes: dict[str, Turned] = {}
    attributes: dict[str, Turned] = {}
    for day, (name, state, covered) in enumerate(rows):
        since = MONDAY + timedelta(days=day)
        classes[name] = Turned(state, since, frozenset(covered))
        attributes |= dict.fromkeys(covered, Turned(state, since, as_personal=as_personal))
    return Switched(classes, attributes)


NOTHING: set[str] = set()
IS_OFF: list[tuple[list[Row], set[str], set[str]]] = [
    ([], NOTHING, NOTHING),
    ([("tastes", OFF, NOTHING)], {"liking", "food"}, {"tastes"}),
    ([("tastes", OFF, {"food"})], {"liking", "food"}, {"tastes"}),
    ([("tastes", OFF, {"food"}), ("tastes", ON, {"food"})], NOTHING, NOTHING),
    # Under another class, which is gone.
    ([("old", OFF, {"food"})], {"food"}, {"old"}),
    ([("old", OFF, {"food", "preference"})], {"liking", "food"}, {"old", "tastes"}),
    ([("old", OFF, {"food", "lost"}), ("tastes", ON, {"food", "liking"})], NOTHING, {"old"}),
    ([("old", OFF, {"food"}), ("tastes", ON, {"food", "liking"})], NOTHING, NOTHING),
    ([("old", OFF, NOTHING)], NOTHING, {"old"}),
    # Under another one that is still there: the class of today counts as well.
    ([("notes", OFF, {"note", "food"})], {"note", "food"}, {"notes"}),
    ([("tastes", OFF, {"food"}), ("notes", ON, {"note", "food"})], {"liking", "food"}, {"tastes"}),
]


@pytest.mark.parametrize(("log", "off", "told"), IS_OFF)
def test_what_is_off(log: list[Row], off: set[str], told: set[str]) -> None:
    there = switched(*log)
    declared = {name: POLICY.declared(name) for name in POLICY.attributes}
    assert {name for name, each in declared.items() if each is not None and there.is_off(each)} == off
    states = {name: there.of_class(POLICY, name) for name in ("tastes", "notes", "old")}
    assert {name for name, each in states.items() if each.state is OFF} == told
    assert all(each.since is not None for each in states.values() if each.state is OFF)


SAYS: list[tuple[list[Row], str, SwitchState, bool, set[str]]] = [
    ([], "notes", ON, True, {"note"}),
    ([], "notes", OFF, False, {"note"}),
    ([], "old", ON, True, NOTHING),
    ([("notes", OFF, {"note"})], "notes", OFF, True, {"note"}),
    # It does not say yet of which attributes it is, or one has come to the class since.
    ([("notes", OFF, NOTHING)], "notes", OFF, False, {"note"}),
    ([("tastes", OFF, {"food"})], "tastes", OFF, False, {"food", "liking", "preference"}),
    ([("old", OFF, {"note"})], "notes", ON, False, {"note"}),
    ([("old", OFF, {"note"})], "old", ON, False, {"note"}),
    # To switch on undoes what was covered, to switch off takes nothing of another class along.
    ([("notes", OFF, {"note", "food"})], "notes", ON, False, {"note", "food"}),
    ([("notes", ON, {"note", "food"})], "notes", OFF, False, {"note"}),
]


@pytest.mark.parametrize(("log", "class_name", "state", "settled", "covers"), SAYS)
def test_what_another_switch_says(
    log: list[Row], class_name: str, state: SwitchState, settled: bool, covers: set[str]
) -> None:
    there = switched(*log)
    assert there.is_settled(POLICY, class_name, state) == settled
    assert there.covered_by(POLICY, class_name, state) == covers


@pytest.mark.parametrize(
    ("state", "as_personal", "kept"), [(OFF, True, True), (OFF, False, False), (ON, True, False)]
)
def test_own_words_stay_off_from_when_they_were_personal(
    state: SwitchState, as_personal: bool, kept: bool
) -> None:
    there = switched(("old", state, {"preference"}), as_personal=as_personal)
    declared = POLICY.declared("liking")
    assert declared is not None
    assert there.keeps_off(declared) == kept
