"""What one content of a procedure changes of another, and how two changes of the same one go together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.procedure_changes import ChangeKind, changes, rebase
from models.procedures import ProcedureContent, ProcedureStep, TriggerIntent

NAMES = ("a", "b", "c", "d", "e", "f")


def content(steps: str, *, intent: str = "clean up", preconditions: tuple[str, ...] = ()) -> ProcedureContent:
    """A content with steps by their ids; `a!` is the step `a` in other words."""
    return ProcedureContent(
        trigger=TriggerIntent(intent=intent),
        preconditions=preconditions,
        steps=tuple(ProcedureStep(id=word[0], do=f"do {word}", verify="seen") for word in steps.split()),
    )


contents = st.builds(
    lambda order, changed, preconditions, intent: content(
        " ".join(f"{name}!" if name in changed else name for name in order),
        intent=intent,
        preconditions=tuple(preconditions),
    ),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True),
    st.sets(st.sampled_from(NAMES), max_size=2),
    st.lists(st.sampled_from(("x", "y", "z")), unique=True),
    st.sampled_from(("clean up", "tidy up")),
)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("a b", "a b", []),
        ("a b", "a c b", [("steps/c", ChangeKind.ADDED)]),
        ("a b c", "a c", [("steps/b", ChangeKind.REMOVED)]),
        ("a b", "a b!", [("steps/b", ChangeKind.CHANGED)]),
        ("a b c", "c a b", [("steps/c", ChangeKind.MOVED)]),
        ("a b c", "c! a b", [("steps/c", ChangeKind.CHANGED)]),
    ],
)
def test_steps_are_told_by_their_ids(before: str, after: str, told: list[tuple[str, ChangeKind]]) -> None:
    found = changes(content(before), content(after))
    assert [(each.what, each.kind) for each in found] == told


def test_of_a_new_procedure_everything_is_added() -> None:
    found = changes(None, content("a b", preconditions=("x",)))
    assert [each.what for each in found] == ["trigger/intent", "preconditions/1", "steps/a", "steps/b"]
    assert {each.kind for each in found} == {ChangeKind.ADDED}


@given(contents)
def test_nothing_changes_of_itself(one: ProcedureContent) -> None:
    assert changes(one, one) == ()


@given(contents, contents)
def test_what_differs_is_told_unless_it_is_the_order_of_words(
    one: ProcedureContent, other: ProcedureContent
) -> None:
    words = (frozenset(one.preconditions), one.trigger, one.steps)
    others = (frozenset(other.preconditions), other.trigger, other.steps)
    assert bool(changes(one, other)) == (words != others)


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "comes_out"),
    [
        ("a b", "a x b", "a b y", "a x b y"),
        ("a b", "a! b", "a b!", "a! b!"),
        ("a b", "x a b", "a b", "x a b"),
        ("a b c", "a c", "a b! c", None),
        ("a b c", "a c", "a b c d", "a c d"),
        ("a b", "a! b", "a b", "a! b"),
        ("a b c", "c a b", "a b c d", "c d a b"),
        ("a b c", "c a b", "b a c", None),
        ("a b c", "c a b", "c a b", "c a b"),
        ("a", "b", "a", "b"),
    ],
)
def test_changes_of_different_parts_go_together(
    base: str, mine: str, theirs: str, comes_out: str | None
) -> None:
    found = rebase(content(base), content(mine), content(theirs))
    expected = None if comes_out is None else content(comes_out)
    assert found.content == expected
    assert bool(found.conflicts) == (comes_out is None)


def test_a_conflict_names_what_both_have_changed() -> None:
    mine, theirs = content("a! b", intent="tidy up"), content("a? b", intent="sweep")
    assert rebase(content("a b"), mine, theirs).conflicts == ("trigger/intent", "steps/a")


@given(contents, contents)
def test_a_change_carried_over_to_what_it_was_written_against_stays(
    base: ProcedureContent, mine: ProcedureContent
) -> None:
    assert rebase(base, mine, base).content == mine


@given(contents, contents)
def test_nothing_to_carry_over_leaves_them_as_they_are(
    base: ProcedureContent, theirs: ProcedureContent
) -> None:
    assert rebase(base, base, theirs).content == theirs


@given(contents, contents, contents)
def test_no_step_is_lost_in_silence(
    base: ProcedureContent, mine: ProcedureContent, theirs: ProcedureContent
) -> None:
    found = rebase(base, mine, theirs).content
    if found is None:
        return
    was, ours, others, there = (
        {step.id: step for step in each.steps} for each in (base, mine, theirs, found)
    )
    new = {name for name in (*ours, *others) if name not in was}
    stayed = {name for name in was if name in ours and name in others}
    assert there.keys() == new | stayed


@given(contents, contents, contents)
def test_both_sides_meet_the_same_conflicts(
    base: ProcedureContent, mine: ProcedureContent, theirs: ProcedureContent
) -> None:
    one, other = rebase(base, mine, theirs), rebase(base, theirs, mine)
    assert set(one.conflicts) == set(other.conflicts)
