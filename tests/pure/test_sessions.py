"""What of a running session fits: what corrects first, of the rest the newest, told in the order that it came."""

from hypothesis import given
from hypothesis import strategies as st

from models.authority import Authority
from models.events import EventType
from models.sessions import (
    MOST_SESSION_CHARACTERS,
    SAID_FIRST,
    SessionEvent,
    by_weight,
    session_within,
    told_of,
)
from tests.pure.samples import at, named


def said(minute: int, kind: EventType = EventType.NOTE, text: str = "one two three") -> SessionEvent:
    return SessionEvent(
        id=named(f"event-{minute}"),
        type=kind,
        actor="dana",
        authority=Authority.HUMAN_INSTRUCTION,
        occurred_at=at(minute),
        text=text,
    )


def count_words(text: str) -> int:
    return len(text.split())


def test_what_corrects_is_taken_first_and_told_in_its_place() -> None:
    events = [said(1, EventType.CORRECTION), said(2), said(3), said(4)]
    session = session_within(events, 10, count_words)
    assert [event.occurred_at for event in session.events] == [at(1), at(4)]
    assert (session.tokens, session.left_out) == (10, 2)


def test_an_event_is_one_line_with_what_it_is_and_who_said_it() -> None:
    event = said(1, EventType.VERIFICATION_FAILED, "it\n broke")
    assert event.line == "verification failed, dana: it broke"


def test_a_long_text_is_cut_and_says_so() -> None:
    assert told_of("x" * MOST_SESSION_CHARACTERS) == "x" * MOST_SESSION_CHARACTERS
    assert told_of("x" * (MOST_SESSION_CHARACTERS + 1)) == "x" * MOST_SESSION_CHARACTERS + "…"


@given(
    st.lists(st.tuples(st.sampled_from(EventType), st.integers(0, 8)), max_size=12),
    st.integers(-5, 60),
)
def test_the_room_is_kept_and_the_order_is_that_of_time(
    shapes: list[tuple[EventType, int]], room: int
) -> None:
    events = [said(minute, kind, "w " * words) for minute, (kind, words) in enumerate(shapes)]
    session = session_within(events, room, count_words)
    assert session.tokens == sum(count_words(event.line) for event in session.events) <= max(0, room)
    assert list(session.events) == [event for event in events if event in session.events]
    assert len(session.events) + session.left_out == len(events)
    weights = [event.type in SAID_FIRST for event in by_weight(events)]
    assert weights == sorted(weights, reverse=True)
