"""When a model is asked again, and how much goes into one question."""

import pytest

from models.errors import (
    ModelAnswersBadly,
    ModelBudgetSpent,
    ModelFailed,
    ModelRateLimited,
    ModelRefuses,
    ModelTimedOut,
    ModelUnauthorised,
    ModelUnreachable,
)
from models.extractions import (
    MOST_ATTEMPTS,
    PAUSE_SECONDS,
    WORTH_WAITING_SECONDS,
    Fault,
    pause_after,
    windows,
)
from tests.pure.samples import event

LAST = MOST_ATTEMPTS


@pytest.mark.parametrize(
    ("failed", "attempt", "pause"),
    [
        (ModelTimedOut(), 1, PAUSE_SECONDS),
        (ModelUnreachable(), 2, PAUSE_SECONDS * 2),
        (ModelRateLimited(), 1, PAUSE_SECONDS),
        (ModelRateLimited(retry_after=7), 1, 7),
        (ModelRateLimited(retry_after=0), 1, 0),
        (ModelRateLimited(retry_after=-3), 1, 0),
        (ModelRateLimited(retry_after=WORTH_WAITING_SECONDS), 1, WORTH_WAITING_SECONDS),
        (ModelRateLimited(retry_after=WORTH_WAITING_SECONDS + 1), 1, None),
        (ModelRateLimited(retry_after=7), LAST, None),
        (ModelTimedOut(), LAST, None),
        (ModelUnauthorised(), 1, None),
        (ModelRefuses(), 1, None),
        (ModelAnswersBadly(), 1, None),
        (ModelBudgetSpent(), 1, None),
    ],
)
def test_when_a_model_is_asked_again(failed: ModelFailed, attempt: int, pause: float | None) -> None:
    assert pause_after(failed, attempt) == pause


def test_every_failure_has_a_fault_of_its_code() -> None:
    kinds = ModelFailed.__subclasses__()
    assert {Fault(kind.code) for kind in kinds} == set(Fault) - {Fault.INTERRUPTED}
    assert len({str(kind()) for kind in kinds}) == len(kinds)


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([], []),
        ([4], [[1]]),
        ([4, 6], [[1, 2]]),
        ([4, 7], [[1], [2]]),
        ([99], [[1]]),
        ([4, 99, 4, 6], [[1], [2], [3, 4]]),
        ([0, 0, 10, 0, 1], [[1, 2, 3, 4], [5]]),
    ],
)
def test_what_fits_into_a_question(lengths: list[int], expected: list[list[int]]) -> None:
    events = [event("x" * length, seq=seq) for seq, length in enumerate(lengths, 1)]
    assert [[each.seq for each in window] for window in windows(events[::-1], 10)] == expected
