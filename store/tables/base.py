"""Column forms that all tables share."""

from sqlalchemy import Column, Computed, DateTime, MetaData, Text, Uuid, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import UserDefinedType

metadata = MetaData()


class TransactionId(UserDefinedType[str]):
    """Postgres' `xid8`: which transaction wrote the row."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "xid8"


def tenant() -> Column[object]:
    """The first part of every key."""
    return Column("tenant_id", Uuid, primary_key=True)


def uuid_of(name: str, *, key: bool = False, null: bool = False) -> Column[object]:
    """An internal id."""
    return Column(name, Uuid, primary_key=key, nullable=null)


def made_id() -> Column[object]:
    """An id that Postgres makes, in order of time (UUID version 7)."""
    return Column("id", Uuid, primary_key=True, server_default=func.uuidv7())


def words(name: str, *, key: bool = False, null: bool = False) -> Column[object]:
    """Text of any length."""
    return Column(name, Text, primary_key=key, nullable=null)


def instant(name: str, *, null: bool = False) -> Column[object]:
    """A point in time with an offset."""
    return Column(name, DateTime(timezone=True), nullable=null)


def recorded(name: str = "recorded_at") -> Column[object]:
    """When the row was written: record time."""
    return Column(name, DateTime(timezone=True), nullable=False, server_default=func.now())


def person() -> Column[object]:
    """Whom the row's scope names, kept by Postgres itself; see `models.controls`."""
    return Column("person", Text, Computed("(scope ->> 'user'::text)", persisted=True))


def uuids(name: str) -> Column[object]:
    """Several internal ids."""
    return Column(name, ARRAY(Uuid), nullable=False)


def names(name: str) -> Column[object]:
    """Several short texts."""
    return Column(name, ARRAY(Text), nullable=False)


def written_by() -> Column[object]:
    """The transaction that wrote the row, for reading rows in an order in which none comes late."""
    return Column("written_by", TransactionId, nullable=False, server_default=func.pg_current_xact_id())
