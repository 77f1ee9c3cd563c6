"""What came of an intention, as people read it."""

import pytest

from models.firing import MOST_SKIPPED
from models.intentions import Fate, Occurrence
from surfaces.cli import agenda
from tests.pure.samples import START, named
from tests.pure.test_firing import DAILY, intention


@pytest.mark.parametrize(
    ("skipped", "told"),
    [
        (0, "missed\n"),
        (MOST_SKIPPED - 1, "missed, and 99 after it"),
        (MOST_SKIPPED, "missed, and at least 100 after it"),
    ],
)
def test_so_many_missed_instants_are_at_least_so_many(
    skipped: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    came = Occurrence(
        id=named("occurrence"), intention_id=named("intention"), due_at=START, fired_at=START, cause_id=None,
        fate=Fate.MISSED, skipped=skipped, leases=0, available_at=START, settled_at=START, outcome=None, event_id=None,
    )  # fmt: skip
    agenda.occurrences(intention(DAILY), [came])
    assert told in capsys.readouterr().out
