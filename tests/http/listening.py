"""Everything that is logged while something is done: our own lines, and those of every library from INFO on."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from structlog.testing import capture_logs


class _Keeper(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        # The client is the test's own.
        if record.name != "httpx2":
            self.lines.append(f"{record.name}: {self.format(record)}")


class Heard:
    """What was logged, as text. The service's process logs less than this: libraries from WARNING on alone."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __contains__(self, words: str) -> bool:
        return any(words in line for line in self.lines)


@contextmanager
def listening() -> Iterator[Heard]:
    """Keep all log lines until the context ends; they are there afterwards."""
    heard, keeper, root = Heard(), _Keeper(), logging.getLogger()
    before = root.level
    root.addHandler(keeper)
    root.setLevel(logging.INFO)
    try:
        with capture_logs() as ours:
            yield heard
    finally:
        root.setLevel(before)
        root.removeHandler(keeper)
    heard.lines += [*keeper.lines, *(repr(line) for line in ours)]
