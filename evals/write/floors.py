"""The floors of the measured write path: what each figure must reach over all cases, with the reason."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evals.write.match import Judged
from evals.write.score import METRICS


class Floor(NamedTuple):
    """A bound of a figure, `at_least` or `at_most`, and why it stands where it does."""

    reason: str
    at_least: float | None = None
    at_most: float | None = None

    def holds(self, value: float | None) -> bool:
        """Whether a figure keeps to it. A share of nothing keeps to none: there was nothing to see."""
        if value is None:
            return False
        above = self.at_least is None or value >= self.at_least
        return above and (self.at_most is None or value <= self.at_most)

    def __str__(self) -> str:
        return f">= {self.at_least:g}" if self.at_least is not None else f"<= {self.at_most:g}"

    def as_json(self) -> dict[str, Any]:
        """The floor for programs."""
        return {"at_least": self.at_least, "at_most": self.at_most, "reason": self.reason}


FLOORS: Mapping[str, Floor] = {
    "write precision": Floor(
        "What is stored steers agents for months: a wrong memory costs more than a missing one.",
        at_least=0.95,
    ),
    "write recall": Floor(
        "What the bundled rules read today, a little below. Cases that only a model could read count here as well.",
        at_least=0.7,
    ),
    "duplicate creation rate, canonical": Floor(
        "Two spellings of one value are one memory, by rules that anybody can follow.", at_most=0
    ),
    "scope accuracy": Floor("A memory in a scope of somebody else's is read by somebody else.", at_least=1),
    "supersession accuracy": Floor(
        "What the rules understand they must decide as labelled; what they cannot read counts as wrong here.",
        at_least=0.7,
    ),
    "secret leaks": Floor("A secret that was stored once has to be rotated.", at_most=0),
    "false secret alarms": Floor("An id that is masked is a memory that cannot be used.", at_most=0),
    "unauthorised promotions": Floor("Who has no say changes nothing.", at_most=0),
}


def missed(cases: Sequence[Judged]) -> list[str]:
    """The figures that do not keep to their floor."""
    return [label for label, floor in FLOORS.items() if not floor.holds(METRICS[label](cases).value)]
