"""Retention: how long what was said again lasts, and that nothing comes back or gets in another's way by it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from models.facts import Admission, Fact
from models.retention import lapse_of, prolonged
from tests.pure.samples import fact

NOW = datetime(2026, 3, 2, tzinfo=UTC)
YEAR = timedelta(days=365)


def days(count: float) -> datetime:
    return NOW + timedelta(days=count)


def at(begins: float, lapses: float | None = None, **fields: Any) -> Fact:
    lapses_at = None if lapses is None else days(lapses)
    return fact(name=f"{begins} {lapses}", valid_from=days(begins), lapses_at=lapses_at, **fields)


@pytest.mark.parametrize(
    ("lapses", "keep", "others", "expected"),
    [
        pytest.param(10, YEAR, [], 365, id="so much longer"),
        pytest.param(400, YEAR, [], 400, id="never sooner"),
        pytest.param(10, None, [], None, id="kept for ever by now"),
        pytest.param(None, YEAR, [], None, id="was kept for ever"),
        pytest.param(-1, YEAR, [], -1, id="lapsed already"),
        pytest.param(10, YEAR, [at(30)], 30, id="until another one begins"),
        pytest.param(10, None, [at(30), at(60)], 30, id="until the next of them begins"),
        pytest.param(10, YEAR, [at(10)], 10, id="another one begins as it lapses"),
        pytest.param(10, YEAR, [at(-400)], 365, id="another one was before it"),
        pytest.param(
            10, YEAR, [at(30, admission=Admission.UNVERIFIED)], 365, id="a claim is in nobody's way"
        ),
    ],
)
def test_when_it_lapses(
    lapses: float | None, keep: timedelta | None, others: list[Fact], expected: float | None
) -> None:
    kept = at(-300, lapses)
    found = prolonged(kept, NOW, keep, [kept, *others], NOW)
    assert found == (None if expected is None else days(expected))


def test_what_lasts_beyond_the_calendar_does_not_lapse() -> None:
    assert lapse_of(datetime(9999, 6, 1, tzinfo=UTC), YEAR) is None
    assert lapse_of(NOW, YEAR) == days(365)
    assert lapse_of(NOW, None) is None
    assert prolonged(at(0, 10), datetime(9999, 6, 1, tzinfo=UTC), YEAR, [], NOW) is None
