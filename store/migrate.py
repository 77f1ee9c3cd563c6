"""Bring a database up to the newest revision. Run by the owner, by one process at a time."""

import asyncio
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from store.engine import Role

_LOCK = "SELECT pg_try_advisory_lock(hashtext('keepwell migrations'))"
_POLL_SECONDS = 0.1


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def newest_revision() -> str:
    """The revision that this code needs."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    if head is None:
        raise RuntimeError("no migrations are installed")
    return head


async def migrate(admin_url: str, app_url: str | None = None) -> str:
    """Migrate the database at `admin_url` and let the login of `app_url` act as the service.

    A login that is missing is created with the password that `app_url` has. By itself the login may do
    nothing: it has to take a role on. The lock is polled: waiting
    inside Postgres for an advisory lock would hold up statements that wait for all transactions to end.
    Answers the revision that the database has afterwards.
    """
    engine = create_async_engine(admin_url, poolclass=NullPool)
    try:
        async with engine.connect() as holder:
            lock = await holder.execution_options(isolation_level="AUTOCOMMIT")
            while not (await lock.execute(text(_LOCK))).scalar_one():
                await asyncio.sleep(_POLL_SECONDS)
            async with engine.connect() as connection:
                await connection.run_sync(_upgrade)
                await connection.commit()
            if app_url is not None and make_url(app_url).username != make_url(admin_url).username:
                await _admit_login(lock, app_url)
    finally:
        await engine.dispose()
    return newest_revision()


def _upgrade(connection: Connection) -> None:
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


async def _admit_login(connection: AsyncConnection, app_url: str) -> None:
    url = make_url(app_url)
    statement = text(
        "SELECT format(CASE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = :name)"
        " THEN 'ALTER ROLE %I LOGIN PASSWORD %L' ELSE 'CREATE ROLE %I LOGIN NOBYPASSRLS PASSWORD %L' END,"
        " CAST(:name AS text), CAST(:password AS text)),"
        " format('GRANT %I, %I, %I TO %I WITH INHERIT FALSE, SET TRUE',"
        " CAST(:service AS text), CAST(:relay AS text), CAST(:eraser AS text), CAST(:name AS text))"
    )
    values = {
        "name": url.username,
        "password": url.password,
        "service": Role.SERVICE.value,
        "relay": Role.RELAY.value,
        "eraser": Role.ERASER.value,
    }
    for command_text in (await connection.execute(statement, values)).one():
        await connection.execute(text(str(command_text).replace(":", r"\:")))
