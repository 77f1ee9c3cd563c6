"""What the service sends to the driver, to the letter, so that a floor can send the same."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

from sqlalchemy import Engine, event

from store.sql import Plain
from store.unit_of_work import UnitOfWork


class Sent(NamedTuple):
    """One statement with its values as the driver got them, which is also how asyncpg itself takes them."""

    statement: str
    values: tuple[Any, ...]


@contextmanager
def noted() -> Generator[list[Sent]]:
    """A list of all that goes to the database for as long as the context lasts."""
    sent: list[Sent] = []
    fetch = UnitOfWork.fetch

    def note(_connection: object, _cursor: object, statement: str, values: Any, *_: object) -> None:
        sent.append(Sent(statement, tuple(values)))

    async def noting(work: UnitOfWork, statement: Plain, values: Mapping[str, Any]) -> Sequence[Any]:
        given = statement.in_order({"tenant": work.tenant_id, **values})
        sent.append(Sent(statement.text, tuple(given)))
        return await fetch(work, statement, values)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        with patch.object(UnitOfWork, "fetch", noting):
            yield sent
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def main_statement(sent: list[Sent]) -> Sent:
    """The statement that does the work, beside those that only set the transaction up."""
    return max(sent, key=lambda each: len(each.statement))
