"""What an endpoint's answer comes to, and when what failed is sent again."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.attempts import (
    DELAYS,
    LASTING,
    MOST_PATIENCE,
    SPREAD,
    Answer,
    Ending,
    Verdict,
    next_attempt,
    seconds_until,
    told,
    verdict_on,
)

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
MESSAGE = UUID("0193b3c0-0000-7000-8000-000000000001")


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (100, Verdict.TRY_AGAIN),
        (199, Verdict.TRY_AGAIN),
        (200, Verdict.DELIVERED),
        (204, Verdict.DELIVERED),
        (299, Verdict.DELIVERED),
        (300, Verdict.TRY_AGAIN),
        (301, Verdict.TRY_AGAIN),
        (308, Verdict.TRY_AGAIN),
        (400, Verdict.TRY_AGAIN),
        (404, Verdict.TRY_AGAIN),
        (409, Verdict.TRY_AGAIN),
        (410, Verdict.SWITCH_OFF),
        (411, Verdict.TRY_AGAIN),
        (429, Verdict.TRY_AGAIN),
        (500, Verdict.TRY_AGAIN),
        (503, Verdict.TRY_AGAIN),
        (999, Verdict.TRY_AGAIN),
    ],
)
def test_what_a_status_comes_to(status: int, verdict: Verdict) -> None:
    assert verdict_on(Answer(Ending.ANSWERED, status)) is verdict


@pytest.mark.parametrize("ending", sorted(set(Ending) - {Ending.ANSWERED, Ending.SIGNALLED}))
def test_without_an_answer_it_is_tried_again(ending: Ending) -> None:
    assert verdict_on(Answer(ending)) is Verdict.TRY_AGAIN


def test_a_signal_that_was_taken_is_delivered() -> None:
    assert verdict_on(Answer(Ending.SIGNALLED)) is Verdict.DELIVERED


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (Answer(Ending.ANSWERED, 204), "answered 204$"),
        (Answer(Ending.ANSWERED, 302), "302: redirects are not followed; register"),
        (Answer(Ending.ANSWERED, 410), "410: .* switched off"),
        (Answer(Ending.ANSWERED, 404), "404; see its log"),
        (Answer(Ending.ANSWERED, 500), "500; see its log"),
        (Answer(Ending.TIMED_OUT), "in time; have it answer first"),
        (Answer(Ending.BROKEN_OFF), "closed the connection"),
        (Answer(Ending.UNREACHABLE), "check its host and port"),
        (Answer(Ending.UNTRUSTED), "certificate"),
        (Answer(Ending.NOT_PUBLIC), "KEEPWELL_WEBHOOK_ALLOWED_HOSTS"),
        (Answer(Ending.SIGNALLED), "has the signal"),
        (Answer(Ending.NO_WORKFLOW), "is running"),
        (Answer(Ending.NOT_ALLOWED), "KEEPWELL_SIGNAL_TARGETS"),
    ],
)
def test_what_is_told_says_what_to_do(answer: Answer, line: str) -> None:
    with pytest.raises(AssertionError, match=line):
        raise AssertionError(told(answer))


def test_attempts_come_later_and_later_over_days() -> None:
    at, gaps = NOW, list[timedelta]()
    for attempts in range(1, 20):
        following = next_attempt(MESSAGE, attempts, NOW, at, None)
        if following is None:
            break
        gaps.append(following - at)
        at = following
    assert len(gaps) == len(DELAYS) == 9
    assert all(delay <= gap <= delay * (1 + SPREAD) for delay, gap in zip(DELAYS, gaps, strict=True))
    assert all(earlier < later for earlier, later in pairwise(gaps))
    assert timedelta(days=3) < at - NOW < LASTING


def test_what_failed_together_comes_apart_the_same_way_each_time() -> None:
    messages = [UUID(int=number) for number in range(500)]
    times = [next_attempt(message, 2, NOW, NOW, None) for message in messages]
    assert times == [next_attempt(message, 2, NOW, NOW, None) for message in messages]
    assert len({at.replace(microsecond=0) for at in times if at is not None}) > 50


@pytest.mark.parametrize(
    ("attempts", "retry_after", "least", "most"),
    [
        (1, None, 5, 6),
        (1, 0.0, 5, 6),
        (1, 3.0, 5, 6),
        (1, 120.0, 120, 120),
        (2, 120.0, 300, 360),
        (1, 86_400.0, 86_400, 86_400),
        (1, 1e30, 86_400, 86_400),
        (9, 1e30, 86_400, 103_680),
    ],
)
def test_an_endpoint_puts_an_attempt_off_within_bounds(
    attempts: int, retry_after: float | None, least: float, most: float
) -> None:
    at = next_attempt(MESSAGE, attempts, NOW, NOW, retry_after)
    assert at is not None
    assert least <= (at - NOW).total_seconds() <= most


@pytest.mark.parametrize(
    ("attempts", "since_the_first", "retry_after"),
    [
        (10, timedelta(0), None),
        (1, LASTING, None),
        (3, LASTING - timedelta(minutes=1), None),
        (1, LASTING - timedelta(hours=1), 7_200.0),
    ],
)
def test_it_is_given_up(attempts: int, since_the_first: timedelta, retry_after: float | None) -> None:
    assert next_attempt(MESSAGE, attempts, NOW - since_the_first, NOW, retry_after) is None


@given(
    st.uuids(), st.integers(1, 12), st.floats(0, allow_nan=False), st.timedeltas(timedelta(0), 2 * LASTING)
)
def test_no_attempt_comes_at_once_or_after_the_end(
    message: UUID, attempts: int, retry_after: float, since: timedelta
) -> None:
    at = next_attempt(message, attempts, NOW - since, NOW, retry_after)
    if at is not None:
        assert NOW + DELAYS[0] <= at <= NOW - since + LASTING
        assert at <= NOW + MOST_PATIENCE * (1 + SPREAD)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("0", 0.0),
        ("120", 120.0),
        (" 120 ", 120.0),
        ("9" * 400, float("9" * 100)),
        ("Tue, 01 Dec 2026 09:02:00 GMT", 120.0),
        ("Tue, 01 Dec 2026 09:02:00", 120.0),
        ("Tue, 01 Dec 2026 08:00:00 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("\u0663", None),
        ("\u00b2", None),
        ("Tue, 99 Dec 2026 09:02:00 GMT", None),
    ],
)
def test_when_to_come_back_is_read(written: str, seconds: float | None) -> None:
    assert seconds_until(written, NOW) == seconds


@given(st.one_of(st.text(max_size=80), st.from_regex(r"[A-Za-z]{3}, \d{1,40} [A-Za-z]{3} [\d:+\- ]*")))
def test_whatever_is_written_is_read_or_left(written: str) -> None:
    seconds = seconds_until(written, NOW)
    assert seconds is None or seconds >= 0
