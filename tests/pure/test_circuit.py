"""The circuit of an endpoint, from one state to the next."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.circuit import (
    FIRST_PAUSE,
    LONGEST_PAUSE,
    OPENS_AFTER,
    Circuit,
    CircuitState,
    after,
    may_send,
    state_of,
)

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
SECOND = timedelta(seconds=1)
CLOSED = Circuit(OPENS_AFTER - 2)
LAST = Circuit(OPENS_AFTER - 1)
OPEN = Circuit(OPENS_AFTER, NOW + SECOND)
HALF_OPEN = Circuit(OPENS_AFTER, NOW)


@pytest.mark.parametrize(
    ("circuit", "state", "sends"),
    [
        (Circuit(), CircuitState.CLOSED, 10),
        (LAST, CircuitState.CLOSED, 10),
        (OPEN, CircuitState.OPEN, 0),
        (HALF_OPEN, CircuitState.HALF_OPEN, 1),
        (Circuit(9, NOW - SECOND), CircuitState.HALF_OPEN, 1),
    ],
)
def test_where_it_stands(circuit: Circuit, state: CircuitState, sends: int) -> None:
    assert state_of(circuit, NOW) is state
    assert may_send(circuit, NOW, 10) == sends
    assert may_send(circuit, NOW, 0) == 0


@pytest.mark.parametrize(
    ("circuit", "succeeded", "expected"),
    [
        (CLOSED, False, LAST),
        (LAST, False, Circuit(OPENS_AFTER, NOW + FIRST_PAUSE)),
        (HALF_OPEN, False, Circuit(OPENS_AFTER + 1, NOW + 2 * FIRST_PAUSE)),
        (Circuit(OPENS_AFTER + 5, NOW), False, Circuit(OPENS_AFTER + 6, NOW + LONGEST_PAUSE)),
        (Circuit(1_000_000, NOW), False, Circuit(1_000_001, NOW + LONGEST_PAUSE)),
        (OPEN, False, OPEN),
        (CLOSED, True, Circuit()),
        (OPEN, True, Circuit()),
        (HALF_OPEN, True, Circuit()),
    ],
)
def test_what_an_attempt_changes(circuit: Circuit, succeeded: bool, expected: Circuit) -> None:
    assert after(circuit, succeeded=succeeded, now=NOW) == expected


def test_what_went_out_before_it_opened_does_not_lengthen_the_pause() -> None:
    circuit = Circuit()
    for _ in range(10):
        circuit = after(circuit, succeeded=False, now=NOW)
    assert circuit == Circuit(OPENS_AFTER, NOW + FIRST_PAUSE)


@given(st.lists(st.tuples(st.booleans(), st.timedeltas(timedelta(0), 2 * LONGEST_PAUSE)), max_size=60))
def test_it_never_stays_open_for_longer_than_the_longest_pause(
    attempts: list[tuple[bool, timedelta]],
) -> None:
    circuit, now = Circuit(), NOW
    for succeeded, later in attempts:
        now += later
        circuit = after(circuit, succeeded=succeeded, now=now)
        assert state_of(circuit, now + LONGEST_PAUSE) is not CircuitState.OPEN
        assert not succeeded or state_of(circuit, now) is CircuitState.CLOSED
