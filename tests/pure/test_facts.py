"""The status of a fact, at any instant and to the instant."""

import pytest

from models.facts import Admission, Ending, Fact, Status, Subject, status_at
from tests.pure.samples import at, fact

RETRACTED, RETIRED, SUPERSEDED = Ending.RETRACTED, Ending.RETIRED, Ending.SUPERSEDED
HELD = Admission.UNVERIFIED
JUST = 1 / 60_000_000
"""One microsecond in minutes."""


@pytest.mark.parametrize(
    ("known", "minute", "status"),
    [
        pytest.param(fact(since=5), 5 - JUST, Status.NOT_YET_VALID, id="a moment before it begins"),
        pytest.param(fact(since=5), 5, Status.ACTIVE, id="as it begins"),
        pytest.param(fact(until=9), 9 - JUST, Status.ACTIVE, id="a moment before its end"),
        pytest.param(fact(until=9), 9, Status.SUPERSEDED, id="superseded at its end"),
        pytest.param(fact(until=9, ending=RETIRED), 9, Status.RETIRED, id="retired at its end"),
        pytest.param(fact(until=9, ending=RETRACTED), 9, Status.RETRACTED, id="retracted at its end"),
        pytest.param(fact(until=9, ending=RETRACTED), 9 - JUST, Status.ACTIVE, id="held until retracted"),
        pytest.param(fact(expires=9), 9 - JUST, Status.ACTIVE, id="a moment before it expires"),
        pytest.param(fact(expires=9), 9, Status.EXPIRED, id="as it expires"),
        pytest.param(fact(admission=HELD), 5, Status.QUARANTINED, id="held unverified"),
        pytest.param(
            fact(admission=HELD, lapses_at=at(9)), 9 - JUST, Status.QUARANTINED, id="about to lapse"
        ),
        pytest.param(fact(admission=HELD, lapses_at=at(9)), 9, Status.EXPIRED, id="held and lapsed"),
        pytest.param(fact(admission=Admission.DISPUTED), 5, Status.DISPUTED, id="disputed"),
        pytest.param(fact(lapses_at=at(9)), 9 - JUST, Status.ACTIVE, id="within its retention"),
        pytest.param(fact(lapses_at=at(9)), 9, Status.EXPIRED, id="beyond its retention"),
    ],
)
def test_status_to_the_instant(known: Fact, minute: float, status: Status) -> None:
    assert status_at(known, at(minute)) is status


@pytest.mark.parametrize(
    ("known", "minute", "status"),
    [
        pytest.param(
            fact(admission=HELD, until=9, ending=RETRACTED), 9, Status.RETRACTED, id="retracted and held"
        ),
        pytest.param(
            fact(since=5, until=5, ending=RETRACTED), 5, Status.RETRACTED, id="retracted as it begins"
        ),
        pytest.param(
            fact(until=9, ending=RETRACTED, expires=7), 9, Status.RETRACTED, id="retracted and expired"
        ),
        pytest.param(fact(admission=HELD, since=5), 1, Status.QUARANTINED, id="held and not yet valid"),
        pytest.param(fact(admission=HELD, expires=9), 9, Status.EXPIRED, id="held and expired"),
        pytest.param(fact(admission=HELD, until=9), 9, Status.SUPERSEDED, id="held and accepted"),
        pytest.param(fact(since=5, until=5), 1, Status.NOT_YET_VALID, id="called off, not yet valid"),
        pytest.param(
            fact(until=9, ending=RETIRED, expires=10), 10, Status.EXPIRED, id="retired first and then expired"
        ),
        pytest.param(
            fact(until=9, ending=RETIRED, expires=10), 9.5, Status.RETIRED, id="retired, yet to expire"
        ),
        pytest.param(fact(until=9, expires=7), 9, Status.EXPIRED, id="expired and superseded"),
    ],
)
def test_where_several_hold_the_first_names_it(known: Fact, minute: float, status: Status) -> None:
    assert status_at(known, at(minute)) is status


def test_precedence_is_the_order_of_the_statuses() -> None:
    names = [
        "retracted",
        "quarantined",
        "disputed",
        "not_yet_valid",
        "expired",
        "retired",
        "superseded",
        "active",
    ]
    assert [status.value for status in Status] == names


def test_a_successor_counts_only_once_its_time_has_come() -> None:
    before, after = fact("keep", until=50), fact("delete", since=50, stated=10)
    told = [(status_at(before, at(minute)), status_at(after, at(minute))) for minute in (10, 50 - JUST, 50)]
    assert told == [
        (Status.ACTIVE, Status.NOT_YET_VALID),
        (Status.ACTIVE, Status.NOT_YET_VALID),
        (Status.SUPERSEDED, Status.ACTIVE),
    ]


@pytest.mark.parametrize("ending", Ending)
def test_the_predecessor_stays_out_when_the_successor_ends(ending: Ending) -> None:
    before, after = fact(until=5), fact(since=5, until=9, ending=ending)
    assert status_at(after, at(9)) is Status(ending.value)
    assert [status_at(before, at(minute)) for minute in (5, 9, 1_000)] == [Status.SUPERSEDED] * 3


def test_the_predecessor_stays_out_when_the_successor_expires() -> None:
    before, after = fact(until=5), fact(since=5, expires=9)
    assert (status_at(before, at(9)), status_at(after, at(9))) == (Status.SUPERSEDED, Status.EXPIRED)


@pytest.mark.parametrize(
    ("known", "ends_at"),
    [
        (fact(), None),
        (fact(until=9), at(9)),
        (fact(expires=7), at(7)),
        (fact(until=9, expires=7), at(7)),
        (fact(until=5, expires=7), at(5)),
    ],
)
def test_the_earlier_of_end_and_expiry_is_the_end(known: Fact, ends_at: object) -> None:
    assert known.ends_at == ends_at


@pytest.mark.parametrize(
    ("subject", "label"),
    [
        (Subject(canonical="cloud-instance:i-1", name="gpu-bench-01"), "gpu-bench-01"),
        (Subject(canonical="cloud-instance:i-1"), "cloud-instance:i-1"),
        (Subject(), "this scope"),
    ],
)
def test_what_a_fact_is_about_has_a_label(subject: Subject, label: str) -> None:
    assert subject.label == label
