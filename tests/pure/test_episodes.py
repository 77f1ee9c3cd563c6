"""From the events of an activity to an experience: what is kept, how it ended, and what can be searched."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.episodes import (
    MAX_PASSAGE_CHARACTERS,
    ExecutionStatus,
    GoalOutcome,
    in_order,
    outline,
    passages,
    said,
    worth_an_episode,
)
from models.events import EntityMention, EventType, StoredEvent
from models.principals import PrincipalKind, Speaker
from tests.pure.samples import AGENT, DANA, at, event, named

Kind = EventType
PROBE = Speaker(subject="probe", kind=PrincipalKind.SYSTEM)
ROUTINE = {
    Kind.ACTIVITY_STARTED,
    Kind.ACTIVITY_COMPLETED,
    Kind.OBSERVATION,
    Kind.TOOL_RESULT,
    Kind.VERIFICATION_PASSED,
}


@pytest.mark.parametrize("kind", Kind)
def test_which_single_events_are_worth_an_episode(kind: EventType) -> None:
    assert worth_an_episode([event(kind=kind)]) is (kind not in ROUTINE)


@pytest.mark.parametrize(
    ("effect", "kept"),
    [({"effect": "read"}, False), ({"effect": "write"}, True), ({}, True), ({"effect": None}, True)],
)
def test_a_call_that_only_reads_is_routine(effect: dict, kept: bool) -> None:
    assert worth_an_episode([event(kind=Kind.TOOL_CALL, data=effect)]) is kept


def test_one_event_of_note_makes_the_activity_worth_it() -> None:
    routine = [event(kind=kind, seq=seq) for seq, kind in enumerate(sorted(ROUTINE), 1)]
    assert not worth_an_episode(routine)
    assert worth_an_episode([*routine, event(kind=Kind.ACTIVITY_FAILED, seq=9)])
    assert not worth_an_episode([])


COMPLETED, FAILED, UNRESOLVED = ExecutionStatus
ACHIEVED, NOT_ACHIEVED, UNKNOWN = GoalOutcome


@pytest.mark.parametrize(
    ("kinds", "status", "outcome"),
    [
        pytest.param([Kind.NOTE], UNRESOLVED, UNKNOWN, id="nothing said of it"),
        pytest.param([Kind.ACTIVITY_COMPLETED], COMPLETED, UNKNOWN, id="done is not achieved"),
        pytest.param([Kind.ACTIVITY_FAILED], FAILED, UNKNOWN, id="failed"),
        pytest.param([Kind.ACTIVITY_FAILED, Kind.ACTIVITY_COMPLETED], COMPLETED, UNKNOWN, id="then done"),
        pytest.param([Kind.ACTIVITY_COMPLETED, Kind.ACTIVITY_FAILED], FAILED, UNKNOWN, id="then failed"),
        pytest.param(
            [Kind.ACTIVITY_COMPLETED, Kind.ACTIVITY_STARTED], COMPLETED, UNKNOWN, id="a start says nothing"
        ),
        pytest.param([Kind.VERIFICATION_PASSED], UNRESOLVED, ACHIEVED, id="checked, not completed"),
        pytest.param(
            [Kind.ACTIVITY_COMPLETED, Kind.VERIFICATION_FAILED], COMPLETED, NOT_ACHIEVED, id="done in vain"
        ),
        pytest.param(
            [Kind.VERIFICATION_FAILED, Kind.VERIFICATION_PASSED], UNRESOLVED, ACHIEVED, id="passed at last"
        ),
        pytest.param(
            [Kind.VERIFICATION_PASSED, Kind.VERIFICATION_FAILED], UNRESOLVED, NOT_ACHIEVED, id="broke again"
        ),
        pytest.param(
            [Kind.VERIFICATION_PASSED, Kind.MESSAGE], UNRESOLVED, ACHIEVED, id="words change nothing"
        ),
    ],
)
def test_the_latest_word_counts(
    kinds: list[EventType], status: ExecutionStatus, outcome: GoalOutcome
) -> None:
    told = [event(kind=kind, seq=seq) for seq, kind in enumerate(kinds, 1)]
    for arrival in permutations(told):
        shape = outline(arrival)
        assert (shape.execution_status, shape.goal_outcome) == (status, outcome)
        assert shape.sources == tuple(each.id for each in told)


def test_order_is_by_time_and_then_by_number_not_by_arrival() -> None:
    late = event("came first, happened last", seq=1, minute=9)
    early, same = event("early", seq=3, minute=2), event("same instant", seq=4, minute=2)
    assert in_order([late, same, early]) == [early, same, late]
    shape = outline([late, same, early])
    assert (shape.started_at, shape.ended_at) == (at(2), at(9))


def spoken(*turns: tuple[Speaker, str]) -> list[StoredEvent]:
    return [event(text, Kind.MESSAGE, seq=seq, speaker=who) for seq, (who, text) in enumerate(turns, 1)]


def ids(*seqs: int) -> tuple:
    return tuple(named(f"event {seq}") for seq in seqs)


def test_a_round_is_a_turn_and_the_answer_to_it() -> None:
    cut = passages(spoken((DANA, "a?"), (AGENT, "b."), (DANA, "c?"), (AGENT, "d.")))
    assert [passage.text for passage in cut] == ["dana: a?\nops-agent: b.", "dana: c?\nops-agent: d."]
    assert [passage.event_ids for passage in cut] == [ids(1, 2), ids(3, 4)]
    assert [passage.occurred_at for passage in cut] == [at(2), at(4)]


def test_two_turns_of_one_speaker_are_two_rounds() -> None:
    cut = passages(spoken((DANA, "a"), (DANA, "b"), (AGENT, "c")))
    assert [passage.event_ids for passage in cut] == [ids(1), ids(2, 3)]


def test_a_step_stands_alone_and_closes_the_round() -> None:
    told = [
        event("a?", Kind.MESSAGE, seq=1),
        event("restart", Kind.TOOL_CALL, seq=2, speaker=AGENT),
        event("b.", Kind.MESSAGE, seq=3, speaker=AGENT),
    ]
    assert [passage.event_ids for passage in passages(told)] == [ids(1), ids(2), ids(3)]


def test_rounds_follow_the_time_and_not_the_arrival() -> None:
    told = spoken((DANA, "a?"), (AGENT, "b."), (DANA, "c?"), (AGENT, "d."))
    assert passages(told[::-1]) == passages(told)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        pytest.param(event("x", Kind.MESSAGE, speaker=AGENT), "ops-agent: x", id="an agent speaks"),
        pytest.param(event("x", Kind.NOTE), "dana: x", id="a person notes"),
        pytest.param(event("x", Kind.NOTE, speaker=PROBE), "note: x", id="a system notes"),
        pytest.param(event("x", Kind.TOOL_RESULT, speaker=AGENT), "tool result: x", id="a tool answers"),
        pytest.param(event(None, Kind.MESSAGE), "", id="no words"),
        pytest.param(event("", Kind.MESSAGE), "", id="empty words"),
        pytest.param(
            event(
                None,
                Kind.TOOL_CALL,
                speaker=AGENT,
                entities=(EntityMention(id="vm:1"), EntityMention(id="vm:2", name="two")),
            ),
            "tool call: vm:1 two",
            id="a call without words names its things",
        ),
        pytest.param(
            event("stop two", Kind.TOOL_CALL, speaker=AGENT, entities=(EntityMention(name="two"),)),
            "tool call: stop two",
            id="a thing that is named already",
        ),
        pytest.param(
            event("hm", Kind.MESSAGE, entities=(EntityMention(name="two"),)),
            "dana: hm",
            id="speech as it was",
        ),
    ],
)
def test_an_event_in_words(told: StoredEvent, words: str) -> None:
    assert said(told) == words


def test_events_without_words_make_no_passage() -> None:
    assert passages([event(None, Kind.ACTIVITY_STARTED), event(None, Kind.MESSAGE, seq=2)]) == []


LONG_WORDS = " ".join(f"word-{number}" for number in range(2_000))


@pytest.mark.parametrize("gap", [" ", "\n", "\t", "\u3000"], ids=ascii)
def test_a_long_text_is_cut_between_words(gap: str) -> None:
    text = LONG_WORDS.replace(" ", gap)
    cut = passages([event(text, Kind.MESSAGE)])
    assert len(cut) > 1
    assert {passage.event_ids for passage in cut} == {ids(1)}
    assert all(len(passage.text) <= MAX_PASSAGE_CHARACTERS for passage in cut)
    words = [word for passage in cut for word in passage.text.split()]
    assert words == ["dana:", *text.split()]


def test_a_word_without_end_is_cut_where_it_must() -> None:
    cut = passages([event("x" * 10_000, Kind.MESSAGE)])
    assert "".join(passage.text for passage in cut) == "dana: " + "x" * 10_000
    assert all(len(passage.text) <= MAX_PASSAGE_CHARACTERS for passage in cut)


def test_a_text_of_exactly_the_limit_is_one_passage() -> None:
    text = "x" * (MAX_PASSAGE_CHARACTERS - len("dana: "))
    assert len(passages([event(text, Kind.MESSAGE)])) == 1
    assert len(passages([event(text + "x", Kind.MESSAGE)])) == 2


_WORDS = st.lists(st.sampled_from(["a", "bb", "會議", "x" * 900, "\n", " \t "]), max_size=12).map(" ".join)
_EVENTS = st.lists(
    st.tuples(st.sampled_from(Kind), _WORDS, st.sampled_from([DANA, AGENT, PROBE]), st.integers(0, 5)),
    min_size=1,
    max_size=8,
).map(
    lambda rows: [
        event(text, kind, seq=seq, speaker=who, minute=minute)
        for seq, (kind, text, who, minute) in enumerate(rows, 1)
    ]
)


@given(_EVENTS)
@settings(max_examples=150, deadline=None)
def test_nothing_that_was_said_is_lost_or_added(told: list[StoredEvent]) -> None:
    cut = passages(told)
    assert all(0 < len(passage.text) <= MAX_PASSAGE_CHARACTERS for passage in cut)
    words = [word for passage in cut for word in passage.text.split()]
    assert words == [word for each in in_order(told) for word in said(each).split()]
    for each in told:
        about = " ".join(passage.text for passage in cut if each.id in passage.event_ids)
        assert set((each.text or "").split()) <= set(about.split())
    assert sorted(passage.occurred_at for passage in cut) == [passage.occurred_at for passage in cut]
