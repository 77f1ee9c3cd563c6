"""What the service sends to the driver, to the letter, so that a floor can send the same."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import Engine, event


class Sent(NamedTuple):
    """One statement with its values as the driver got them, which is also how asyncpg itself takes them."""

    statement: str
    values: tuple[Any, ...]


@contextmanager
def noted() -> Generator[list[Sent]]:
    """A list of all that goes to the database for as long as the context lasts."""
    sent: list[Sent] = []

    def note(_connection: object, _cursor: object, statement: str, values: Any, *_: object) -> None:
        sent.append(Sent(statement, tuple(values)))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def main_statement(sent: list[Sent]) -> Sent:
    """The statement that does the work, beside those that only set the transaction up."""
    return max(sent, key=lambda each: len(each.statement))
