"""The migrations make what the tables say, however many processes run them at once."""

import asyncio

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from runtime.addresses import Addresses
from store.migrate import migrate, newest_revision
from store.tables import metadata
from store.tables.base import TransactionId

# SQLAlchemy reads tables back without knowing this type of Postgres.
ischema_names["xid8"] = TransactionId


async def test_tables_and_migrations_agree(addresses: Addresses) -> None:
    """Columns, types, keys and indexes. Foreign keys, checks and policies are the migrations' alone."""

    def wanted(_: object, name: str | None, kind: str, *__: object) -> bool:
        return kind != "foreign_key_constraint" and name != "alembic_version"

    def differences(connection: Connection) -> list[object]:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "include_object": wanted}
        )
        return list(compare_metadata(context, metadata))

    engine = create_async_engine(str(addresses.admin_database_url), poolclass=NullPool)
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await engine.dispose()


async def test_many_at_once_migrate_a_fresh_database_once(addresses: Addresses) -> None:
    admin = make_url(str(addresses.admin_database_url))
    engine = create_async_engine(admin, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text("CREATE DATABASE fresh"))
    fresh = admin.set(database="fresh").render_as_string(hide_password=False)
    revisions = await asyncio.gather(*(migrate(fresh, addresses.database_url) for _ in range(4)))
    assert set(revisions) == {newest_revision()}
    async with engine.connect() as connection:
        await connection.execute(text("DROP DATABASE fresh WITH (FORCE)"))
    await engine.dispose()
