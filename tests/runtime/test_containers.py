"""The commands of the containers, told what the compose file tells them, on servers that run already."""

import asyncio
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any
from uuid import uuid4

import asyncpg
import yaml

from runtime.addresses import Addresses
from runtime.embedded.processes import free_port
from runtime.policy_file import load_policy
from runtime.service import Service
from runtime.settings import DEFAULT_HTTP_PORT, SHIPPED_POLICY
from store.engine import Database, plain_dsn
from store.policies import Policies
from tests.runtime.ups import LEAD, ROOT, RUNNING, TENANT, asked, correction, governing, until
from tests.surfaces.terminal import SECONDS, Terminal
from tests.world import MASKER

LOGIN_PASSWORD = "secret"


def container(name: str) -> dict[str, Any]:
    """A service of the compose file: what runs, with which variables, and how its health is asked for."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"][name]
    return found


def told(name: str, values: dict[str, str], **own: str) -> Terminal:
    """Where the command of a container runs. What the compose file does not name, it does not get.

    A variable without a value is one that an operator may set; a name that is new here is an error.
    """
    named = container(name)["environment"]
    given = {each: values[each] for each, value in named.items() if value is not None}
    return Terminal(ROOT, **given, **own)


@asynccontextmanager
async def fresh_database(addresses: Addresses) -> AsyncGenerator[dict[str, str]]:
    """An empty database, and a login that is not there yet: what the containers are told of them."""
    admin = addresses.admin_database_url
    assert admin is not None
    name, login = f"fresh_{uuid4().hex[:8]}", f"app_{uuid4().hex[:8]}"
    owner = f"{admin.rpartition('/')[0]}/{name}"
    server = owner.rpartition("@")[2]
    connection = await asyncpg.connect(plain_dsn(admin))
    try:
        await connection.execute(f"CREATE DATABASE {name}")
        yield {
            "KEEPWELL_ADMIN_DATABASE_URL": owner,
            "KEEPWELL_DATABASE_URL": f"postgresql+asyncpg://{login}:{LOGIN_PASSWORD}@{server}",
            "KEEPWELL_TEMPORAL_ADDRESS": addresses.temporal_address,
            "KEEPWELL_TEMPORAL_NAMESPACE": "default",
            "KEEPWELL_HTTP_HOST": container("api")["environment"]["KEEPWELL_HTTP_HOST"],
            "KEEPWELL_MASKING_KEY": token_hex(32),
        }
    finally:
        await connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        await connection.execute(f"DROP ROLE IF EXISTS {login}")
        await connection.close()


async def test_the_containers_migrate_work_serve_and_tell_their_health(addresses: Addresses) -> None:
    migrate, worker, api = container("migrate"), container("worker"), container("api")
    (ask, *check), (asks, *checks) = worker["healthcheck"]["test"], api["healthcheck"]["test"]
    assert (ask, asks) == ("CMD", "CMD")
    # The containers of a run share their port here, which on a host of its own nobody else has.
    port = str(free_port())
    checks = [part.replace(str(DEFAULT_HTTP_PORT), port) for part in checks]
    queue = {"KEEPWELL_TASK_QUEUE": f"containers-{uuid4().hex[:8]}"}
    async with fresh_database(addresses) as values:
        owner = told("migrate", values)
        works = told("worker", values, **queue, KEEPWELL_QUIET_SECONDS="0.2")
        serves = told("api", values, **queue, KEEPWELL_HTTP_PORT=port)

        early = await works.run(check)
        assert (early.code, early.out, early.err) == (1, "", "")
        for _ in range(2):
            migrated = (await owner.run(migrate["command"])).said()
            assert migrated.startswith("The database is at revision ")
        assert (await serves.run(checks)).code == 1
        async with works.started(worker["command"]) as process, serves.started(api["command"]) as server:
            (await works.keepwell("tenants", "add", TENANT)).said()
            (await serves.keepwell("publish", "-", *LEAD, stdin=correction(0, RUNNING, "act-1"))).said()
            async with Database(values["KEEPWELL_DATABASE_URL"], pool_size=1) as database:
                service = Service(
                    database,
                    Policies(database, load_policy(SHIPPED_POLICY)),
                    None,
                    masker=MASKER,
                    task_queue="",
                )

                async def governs_here() -> bool:
                    return await governing(service) == ["keep running"]

                await until(governs_here)
            # The worker is well though no HTTP server is in its container.
            assert (await works.run(check)).said() == ""

            async def serves_here() -> bool:
                return (await serves.run(checks)).code == 0

            await until(serves_here)
            made = await serves.keepwell(
                *("keys", "create", "root", "--tenant", TENANT, "--as", "human:root", "--role", "admin")
            )
            url = f"http://127.0.0.1:{port}"
            assert (await asked(url, made.out.strip())).json()["subject"] == "root"
            for ending in (server, process):
                ending.send_signal(signal.SIGTERM)
                assert await asyncio.wait_for(ending.wait(), SECONDS) == 0


async def test_a_worker_says_why_it_cannot_work(tmp_path: Path) -> None:
    refused = await Terminal(tmp_path).run(
        ["python", str(ROOT / "worker.py")], KEEPWELL_TEMPORAL_ADDRESS="127.0.0.1:1"
    )
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("keepwell worker: set both or neither: ")
    assert refused.err.count("\n") == 1
