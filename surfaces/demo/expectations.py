"""What must come out, beside what came out. Both are shown; neither is taken on trust."""

from typing import NamedTuple

from rich.markup import escape
from rich.table import Table


class Expectation(NamedTuple):
    """One line of the closing table."""

    when: str
    what: str
    expected: str
    actual: str

    @property
    def met(self) -> bool:
        """Whether both sides agree to the letter."""
        return self.expected == self.actual


class Ledger:
    """Expectations as the story goes on."""

    def __init__(self) -> None:
        self.lines: list[Expectation] = []

    def hold(self, when: str, what: str, expected: object, actual: object) -> None:
        """Note one expectation with what really came out."""
        self.lines.append(Expectation(when, what, str(expected), str(actual)))

    @property
    def all_met(self) -> bool:
        """Whether every line agrees, and there is at least one."""
        return bool(self.lines) and all(line.met for line in self.lines)

    def table(self) -> Table:
        """The closing table."""
        table = Table("when", "what", "expected", "actual", "", title="Expected and actual")
        for line in self.lines:
            mark = "[green]✓[/]" if line.met else "[bold red]differs[/]"
            table.add_row(line.when, line.what, escape(line.expected), escape(line.actual), mark)
        return table
