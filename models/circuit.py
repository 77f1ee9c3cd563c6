"""The circuit of an endpoint: after some failures in a row it is left alone for a while, then asked once. Pure.

It keeps the messages of an endpoint that is away from using up their attempts, and us from waiting for it.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

OPENS_AFTER = 5
"""So many failures in a row open it."""

FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=1)


class Circuit(NamedTuple):
    """What is kept of an endpoint: how many attempts failed in a row, and until when it is left alone."""

    failures: int = 0
    open_until: datetime | None = None


class CircuitState(StrEnum):
    """Whether messages go out."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


def state_of(circuit: Circuit, now: datetime) -> CircuitState:
    """Where a circuit stands.

    | it is left alone | it is | so that |
    | --- | --- | --- |
    | not at all | closed | messages go out |
    | until a later instant | open | none goes out |
    | until now or an earlier one | half open | one goes out, and decides |
    """
    if circuit.open_until is None:
        return CircuitState.CLOSED
    return CircuitState.OPEN if now < circuit.open_until else CircuitState.HALF_OPEN


def may_send(circuit: Circuit, now: datetime, most: int) -> int:
    """How many messages may go out at once, of at most `most`."""
    return {CircuitState.CLOSED: most, CircuitState.HALF_OPEN: min(1, most), CircuitState.OPEN: 0}[
        state_of(circuit, now)
    ]


def after(circuit: Circuit, *, succeeded: bool, now: datetime) -> Circuit:
    """The circuit after an attempt that ended `now`.

    | it was | and the attempt | it is |
    | --- | --- | --- |
    | in any state | succeeded | closed, with no failure |
    | closed | failed, fewer than `OPENS_AFTER` in a row | closed, with one failure more |
    | closed | failed, and that makes `OPENS_AFTER` | open for `FIRST_PAUSE` |
    | half open | failed | open for twice as long as before, up to `LONGEST_PAUSE` |
    | open | failed | as it was: it went out before the circuit opened |
    """
    if succeeded:
        return Circuit()
    if state_of(circuit, now) is CircuitState.OPEN:
        return circuit
    failures = circuit.failures + 1
    if failures < OPENS_AFTER:
        return Circuit(failures)
    # Bounded before it is taken to a power: an endpoint may fail for years.
    doublings = min(failures - OPENS_AFTER, 16)
    return Circuit(failures, now + min(FIRST_PAUSE * 2**doublings, LONGEST_PAUSE))
