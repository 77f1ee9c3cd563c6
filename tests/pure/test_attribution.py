"""What is said of reports: how far records came, what pairs of runs show, and how use counts."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from models.attribution import (
    AttributionQuery,
    Effect,
    Loss,
    Stage,
    effect_of,
    funnel,
    help_of,
    helped,
    paired_effect,
)
from models.reports import MAX_IDS, NewReport, Outcome, told_in

SUCCESS, FAILURE, UNKNOWN = Outcome
SEEN, USED = uuid4(), uuid4()


@pytest.mark.parametrize(
    ("with_memory", "without_memory", "effect", "help_given"),
    [
        (SUCCESS, FAILURE, Effect.RESCUE, True),
        (FAILURE, SUCCESS, Effect.REGRET, False),
        (SUCCESS, SUCCESS, Effect.UNCHANGED, False),
        (FAILURE, FAILURE, Effect.UNCHANGED, False),
        (SUCCESS, UNKNOWN, None, None),
        (UNKNOWN, UNKNOWN, None, None),
        (None, FAILURE, None, None),
        (SUCCESS, None, None, None),
    ],
)
def test_help_is_told_from_pairs_and_is_three_valued(
    with_memory: Outcome | None,
    without_memory: Outcome | None,
    effect: Effect | None,
    help_given: bool | None,
) -> None:
    assert effect_of(with_memory, without_memory) is effect
    assert helped(effect) is help_given


def test_the_denominator_is_the_pairs_with_both_outcomes() -> None:
    told = paired_effect(
        [
            (SUCCESS, FAILURE, 3),
            (FAILURE, SUCCESS, 1),
            (SUCCESS, SUCCESS, 4),
            (SUCCESS, None, 9),
            (UNKNOWN, FAILURE, 2),
        ]
    )
    assert (told.pairs, told.complete) == (19, 8)
    assert (told.rescue, told.regret, told.unchanged) == (3, 1, 4)
    assert told.net == 0.25
    assert paired_effect([(SUCCESS, None, 9)]).net is None


@given(st.dictionaries(st.sampled_from([*Loss, None]), st.integers(0, 1_000)))
def test_what_a_stage_lacks_of_the_one_before_is_among_the_losses(ended: Mapping[Loss | None, int]) -> None:
    told = funnel("fact", ended)
    counts = [stage.records for stage in told.stages]
    assert [stage.stage for stage in told.stages] == list(Stage)
    assert counts[0] == sum(ended.values())
    assert counts[-1] == ended.get(None, 0)
    for before, after in zip(told.stages, told.stages[1:], strict=False):
        lost = sum(loss.records for loss in told.losses if loss.before is after.stage)
        assert before.records - after.records == lost


def test_a_period_ends_now_and_begins_thirty_days_before_unless_it_is_told() -> None:
    now = datetime(2026, 3, 31, tzinfo=UTC)
    assert AttributionQuery().period(now) == (now - timedelta(days=30), now)
    beginning, long_ago = datetime(1, 1, 1, tzinfo=UTC), datetime(1, 1, 2, tzinfo=UTC)
    assert AttributionQuery(until=long_ago).period(now) == (beginning, long_ago)
    assert AttributionQuery(since=long_ago).period(now) == (long_ago, now)


def test_use_is_smoothed_and_never_more_than_all() -> None:
    assert help_of(0, 0) == 0
    assert help_of(1, 1) == pytest.approx(1 / 3)
    assert help_of(1, 1) < help_of(60, 100) < help_of(100, 100) < 1
    assert help_of(0, 50) == 0


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({}, "says nothing"),
        ({"pair": "p"}, "come together"),
        ({"arm": "with_memory"}, "come together"),
        ({"pair": "p", "arm": "without_memory", "used": [str(USED)]}, "nothing visible or used"),
        ({"pair": "two\nlines", "arm": "with_memory"}, "pattern"),
        ({"outcome": "splendid"}, "success"),
        ({"visible": [str(uuid4()) for _ in range(MAX_IDS + 1)]}, "at most"),
    ],
)
def test_a_report_that_means_nothing_is_refused(said: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        NewReport.model_validate(said)


def test_what_was_used_was_visible_and_order_says_nothing() -> None:
    report = NewReport(visible=(SEEN,), used=(USED,))
    assert report.seen == {SEEN, USED}
    assert report.digest == NewReport(visible=(USED, SEEN), used=(USED, USED)).digest
    assert report.digest != NewReport(visible=(SEEN, USED)).digest


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"memory": "all of it"},
        {"memory": {"visible": [str(SEEN)], "used": []}},
        {"memory": {"traces": ["no id"], "visible": [str(SEEN)]}},
        {"memory": {"traces": [str(SEEN)], "visible": ["no id", 7], "used": None}},
    ],
)
def test_an_event_may_say_nothing_of_memory(data: dict[str, object]) -> None:
    assert told_in(data) is None


def test_an_event_tells_what_was_visible_and_used() -> None:
    trace = UUID(int=7)
    memory = {
        "traces": [str(trace), "junk"],
        "visible": [str(SEEN), "junk"],
        "used": [str(USED)],
        "trigger": [],
    }
    told = told_in({"memory": memory})
    assert told == (frozenset({trace}), NewReport(visible=(SEEN,), used=(USED,)))
