"""Progress of long work, on a terminal alone."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


@contextmanager
def showing_progress(what: str, *, quiet: bool) -> Generator[Callable[[int, int | None], None]]:
    """A bar on standard error that the given function moves: done so far, and of how many if that is known."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def move(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total)

        yield move
