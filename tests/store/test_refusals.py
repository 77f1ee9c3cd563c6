"""A server that is away or not ready for us is told in one line with what to do, and quotes no password."""

from uuid import uuid4

import pytest
from sqlalchemy.engine import URL, make_url

from models.errors import Unavailable
from runtime.addresses import Addresses
from runtime.embedded.processes import free_port
from store.engine import Database
from store.tenants import exists


def changed(url: str, **parts: object) -> str:
    made: URL = make_url(url).set(**parts)  # type: ignore[arg-type]
    return made.render_as_string(hide_password=False)


async def look(database: Database) -> None:
    async with database.transaction(uuid4()) as work:
        await exists(work, uuid4())


async def test_what_is_in_the_way_is_said(addresses: Addresses) -> None:
    owner = str(addresses.admin_database_url)
    wrong = {
        "no server": changed(owner, port=free_port()),
        "a wrong password": changed(addresses.database_url, password="hunter2"),
        "no such database": changed(owner, database="nowhere"),
        "a database that was never migrated": changed(owner, database="postgres"),
    }
    for what, url in wrong.items():
        async with Database(url, pool_size=1) as database:
            with pytest.raises(Unavailable) as refused:
                await look(database)
        assert ("run: keepwell migrate" in str(refused.value)) == (what != "no server"), what
        assert "hunter2" not in str(refused.value)
