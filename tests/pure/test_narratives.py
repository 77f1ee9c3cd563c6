"""A narrative may name no figure and no thing that its events do not name."""

import pytest

from models.events import EntityMention
from models.narratives import invented
from tests.pure.samples import event

EVENTS = [
    event("Friday's cleanup stopped gpu-bench-01; 3 of 12 tests failed at 09:30.", seq=1),
    event(None, seq=2, entities=(EntityMention(id="cloud-instance:i-09a8f", name="db_main"),)),
]


@pytest.mark.parametrize(
    "told",
    [
        "Dana said that the cleanup had stopped gpu-bench-01.",
        "GPU‑BENCH‑01 was stopped, and 3 of 12 tests failed at 09:30.",
        "The instance cloud-instance:i-09a8f, db_main, was listed.",
        "The number 01 was stopped.",
        "Two people spoke about it.",
    ],
)
def test_what_the_events_name_may_be_told(told: str) -> None:
    assert invented(told, EVENTS) == []


@pytest.mark.parametrize(
    ("told", "strange"),
    [
        ("gpu-bench-02 was stopped.", ["gpu-bench-02", "02"]),
        ("4 of 12 tests failed.", ["4"]),
        ("It failed at 09:31.", ["09:31"]),
        ("It was restarted by ops-agent-7 in v1.2.", ["ops-agent-7", "v1.2", "7", "1.2"]),
        ("Tests failed on 2026-03-02.", ["2026-03-02"]),
    ],
)
def test_what_they_do_not_name_is_found(told: str, strange: list[str]) -> None:
    assert invented(told, EVENTS) == strange
