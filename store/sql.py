"""Statements written as SQL, with the types of their values said once."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import TextClause, any_, bindparam, literal, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, asyncpg
from sqlalchemy.types import Text, Uuid

IDS = ARRAY(Uuid)
TEXTS = ARRAY(Text)
JSON = JSONB


def sql(statement: str, **types: Any) -> TextClause:
    """A statement whose named values have the given types; `tenant`, where it is named, is an id."""
    if ":tenant" in statement:
        types["tenant"] = Uuid
    return text(statement).bindparams(*(bindparam(name, type_=kind) for name, kind in types.items()))


class Plain(NamedTuple):
    """A statement as the driver takes it, and the names of its values in their order."""

    text: str
    names: Sequence[str]

    def in_order(self, values: Mapping[str, Any]) -> list[Any]:
        """The values that the driver takes with it."""
        return [values[name] for name in self.names]


def plain(statement: TextClause) -> Plain:
    """The statement for `UnitOfWork.fetch`. Its values have to be such as the driver takes."""
    compiled = statement.compile(dialect=asyncpg.dialect())
    return Plain(str(compiled), compiled.positiontup or ())


def among(ids: Sequence[UUID]) -> Any:
    """Any of `ids`, to compare a column with: one value for the statement, however many there are."""
    return any_(literal(list(ids), IDS))
