"""A board as it is printed: a table of figures, for us and for the plain baselines, and what has to be said of it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evals.read.measures import Cell
from evals.write.floors import Floor

OURS = "Keepwell"
NO_EMBEDDER = "vector alone: left out, as no embedder is at hand"


class Row(NamedTuple):
    """A figure for each column that has one; the floor is that of our own."""

    label: str
    cells: Mapping[str, Cell]
    floor: Floor | None = None

    @property
    def missed(self) -> bool:
        """Whether our figure keeps not to its floor."""
        return self.floor is not None and not self.floor.holds(self.cells[OURS].value)


class Board(NamedTuple):
    """One board. `failures` names cases and what is amiss with them; nothing that was said stands in there."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Row]
    milliseconds: Mapping[str, float]
    notes: Sequence[str] = ()
    failures: Sequence[str] = ()

    @property
    def missed(self) -> list[str]:
        """The figures that keep not to their floor."""
        return [row.label for row in self.rows if row.missed]


def as_json(board: Board) -> dict[str, Any]:
    """The board for programs."""
    return {
        "title": board.title,
        "milliseconds": dict(board.milliseconds),
        "figures": {
            row.label: {
                column: {
                    "part": cell.part,
                    "whole": cell.whole,
                    "value": cell.value,
                    "interval": cell.interval,
                }
                for column, cell in row.cells.items()
            }
            for row in board.rows
        },
        "floors": {row.label: row.floor.as_json() for row in board.rows if row.floor is not None},
        "missed": board.missed,
        "notes": list(board.notes),
        "failures": list(board.failures),
    }


def as_text(board: Board) -> str:
    """The board for people."""
    width = max(len(row.label) for row in board.rows) + 2
    wide = {column: max(len(column) + 2, 21) for column in board.columns}
    head = " " * width + "".join(f"{column:>{wide[column]}}" for column in board.columns)
    lines = [board.title, "", head, "-" * len(head)]
    for row in board.rows:
        cells = "".join(f"{_cell(row.cells.get(column)):>{wide[column]}}" for column in board.columns)
        bound = "" if row.floor is None else f"  {row.floor} {'MISSED' if row.missed else 'met'}"
        lines.append(f"{row.label:<{width}}{cells}{bound}")
    times = ", ".join(f"{name} {value} ms" for name, value in board.milliseconds.items())
    lines += ["", f"recall {times}", *board.notes]
    if board.failures:
        lines += ["", *board.failures]
    return "\n".join(line.rstrip() for line in lines)


def _cell(cell: Cell | None) -> str:
    if cell is None or cell.value is None:
        return "-"
    if cell.interval is None:
        return f"{cell.value:.3f}"
    return f"{cell.value:.3f} [{cell.interval.low:.2f}, {cell.interval.high:.2f}]"
