"""How long records last by the retention of their class. Pure: instants and durations."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from models.facts import Admission, Fact

_NEVER = datetime.max.replace(tzinfo=UTC)


def lapse_of(since: datetime, lasting: timedelta | None) -> datetime | None:
    """The instant at which what counts from `since` lapses; None where that never comes, or is beyond the calendar."""
    if lasting is None:
        return None
    try:
        return since + lasting
    except OverflowError:
        return None


def prolonged(
    fact: Fact, restated_at: datetime, keep: timedelta | None, of_key: Sequence[Fact], now: datetime
) -> datetime | None:
    """When `fact` lapses once it has been said again. `of_key` are all records of its key.

    | it was to lapse | it will |
    | --- | --- |
    | at an instant that is past | then: nothing comes back |
    | never, or later than its class says by now | as it was to |
    | sooner than its class says by now | as its class says, or where another fact of the key begins |
    """
    before = fact.lapses_at
    if before is None or before <= now:
        return before
    later = lapse_of(max(fact.valid_from, restated_at), keep) or _NEVER
    others = [
        other.valid_from
        for other in of_key
        if other.id != fact.id and other.admission is Admission.ADMITTED and other.valid_from >= before
    ]
    lapses_at = min(max(before, later), *others) if others else max(before, later)
    return None if lapses_at == _NEVER else lapses_at
