"""One line of the report: a figure, where it lies between rounds, and the bar that it is held against."""

import operator
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from evals.bench.timing import Spread


class Side(StrEnum):
    """On which side of the bar a figure should be."""

    AT_LEAST = "at least"
    AT_MOST = "at most"


_HOLDS = {Side.AT_LEAST: operator.ge, Side.AT_MOST: operator.le}


class Bar(NamedTuple):
    """What a figure is held against."""

    side: Side
    value: float

    def holds(self, value: float) -> bool:
        """Whether `value` is on the right side."""
        return bool(_HOLDS[self.side](value, self.value))


class Line(NamedTuple):
    """`figure` is in `unit`; `ours` and `floor` are what it comes from, in `parts_unit`.

    `floor` is None where the figure is absolute, and `bar` where it is given for comparison alone.
    """

    key: str
    title: str
    figure: Spread
    unit: str
    bar: Bar | None
    ours: Spread
    floor: Spread | None
    parts_unit: str
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the bar is met; None where there is none."""
        return None if self.bar is None else self.bar.holds(self.figure.value)

    def as_json(self) -> dict[str, Any]:
        """The line for programs, rounded to what can be read from it."""
        return {
            "key": self.key,
            "title": self.title,
            "figure": _rounded(self.figure),
            "unit": self.unit,
            "bar": None if self.bar is None else {"side": self.bar.side.value, "value": self.bar.value},
            "met": self.met,
            "ours": _rounded(self.ours),
            "floor": None if self.floor is None else _rounded(self.floor),
            "parts_unit": self.parts_unit,
            "note": self.note,
        }


def table(lines: Sequence[Line]) -> str:
    """The report for people."""
    width = max(len(line.title) for line in lines) + 2
    head = f"{'':<{width}}{'figure':>16}{'by round':>15}  {'bar':<14}{'met':<5}{'ours':>11}{'floor':>11}"
    rows = [head, "-" * len(head)]
    for line in lines:
        met = {True: "yes", False: "NO", None: ""}[line.met]
        bar = "" if line.bar is None else f"{line.bar.side.value} {line.bar.value:g}"
        floor = "" if line.floor is None else _part(line.floor, line.parts_unit)
        figure = f"{line.figure.value:.2f} {line.unit}"
        by_round = f"{line.figure.low:.2f}-{line.figure.high:.2f}"
        rows.append(
            f"{line.title:<{width}}{figure:>16}{by_round:>15}  {bar:<14}{met:<5}"
            f"{_part(line.ours, line.parts_unit):>11}{floor:>11}".rstrip()
        )
    notes = [f"{line.title}: {line.note}." for line in lines if line.note]
    return "\n".join([*rows, "", *notes]) if notes else "\n".join(rows)


def _part(part: Spread, unit: str) -> str:
    return f"{part.value:.2f} {unit}"


def _rounded(found: Spread) -> dict[str, float]:
    return {name: round(value, 4) for name, value in found._asdict().items()}
