"""Statements written as SQL, with the types of their values said once."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import TextClause, any_, bindparam, literal, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.types import Text, Uuid

IDS = ARRAY(Uuid)
TEXTS = ARRAY(Text)
JSON = JSONB


def sql(statement: str, **types: Any) -> TextClause:
    """A statement whose named values have the given types; `tenant`, where it is named, is an id."""
    if ":tenant" in statement:
        types["tenant"] = Uuid
    return text(statement).bindparams(*(bindparam(name, type_=kind) for name, kind in types.items()))


def among(ids: Sequence[UUID]) -> Any:
    """Any of `ids`, to compare a column with: one value for the statement, however many there are."""
    return any_(literal(list(ids), IDS))
