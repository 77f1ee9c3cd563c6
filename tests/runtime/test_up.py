"""`keepwell up` in a folder of its own, and the commands of the containers on servers that run already."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import psutil
import pytest
import yaml

import runtime.addresses
from models.errors import NotPermitted
from models.principals import Principal, PrincipalKind
from models.recall import RecallRequest
from runtime.addresses import Addresses, app_url
from runtime.embedded.layout import layout_of
from runtime.embedded.orphans import find_orphans
from runtime.embedded.processes import port_is_free
from runtime.embedded.stack import StackInfo, read_stack
from runtime.policy_file import load_policy
from runtime.service import Service
from runtime.settings import SHIPPED_POLICY, Settings
from store.engine import Database, plain_dsn
from tests.surfaces.terminal import KEEPWELL, SECONDS, Terminal, end, living, tree_of
from tests.world import SERVER, STAGING, event

ROOT = Path(__file__).resolve().parents[2]
TENANT = "northwind"
RUNNING = "Keep gpu-bench-01 running until QA has migrated."
RESERVED = "Keep gpu-bench-01 reserved through the final benchmark instead of waiting for the migration."

LEAD = ("--tenant", TENANT, "--as", "human:dana", "--role", "infra_lead")


def correction(days: float, text: str, activity: str) -> bytes:
    said = event(
        days, type="correction", text=text, entities=[SERVER], activity_id=activity, idempotency_key=activity
    )
    return json.dumps(said).encode()


class Up:
    """A `keepwell up` that runs: its process, where its servers are, and all processes that belong to it."""

    def __init__(self, process: asyncio.subprocess.Process, home: Path) -> None:
        info = read_stack(home)
        assert info is not None
        self.process = process
        self.info: StackInfo = info
        self.home = home
        self.tree = tree_of(process.pid)

    @property
    def ports(self) -> list[int]:
        return [self.info.postgres_port, self.info.temporal_port, self.info.ui_port]

    @property
    def workers(self) -> list[psutil.Process]:
        return [
            each
            for each in living(tree_of(self.process.pid))
            if each.cmdline()[1:2] == [str(ROOT / "worker.py")]
        ]

    async def ends(self) -> int:
        """Wait for its end, of which nothing may remain; the exit code."""
        code = await asyncio.wait_for(self.process.wait(), SECONDS)
        assert living(self.tree) == []
        assert find_orphans(layout_of(self.home)) == []
        assert [port for port in self.ports if not port_is_free(port)] == []
        assert read_stack(self.home) is None
        return code

    @asynccontextmanager
    async def service(self) -> AsyncGenerator[Service]:
        """The service in this process, to wait and to ask without starting a command each time."""
        async with Database(app_url(self.info.admin_database_url), pool_size=2) as database:
            yield Service(database, load_policy(SHIPPED_POLICY), None, task_queue="keepwell")


async def governing(service: Service) -> list[str]:
    """What must be heeded about the machine."""
    lead = Principal(tenant=TENANT, subject="dana", kind=PrincipalKind.HUMAN, roles=("infra_lead",))
    answer = await service.recall(lead, RecallRequest(scope=STAGING, entities=(SERVER["id"],)))
    return [fact.value for fact in answer.required]


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(SECONDS):
        while not await condition():
            await asyncio.sleep(0.05)


async def governs(up: Up, value: str) -> None:
    """Wait until a fact governs."""
    async with up.service() as service:

        async def told() -> bool:
            return await governing(service) == [value]

        await until(told)


@asynccontextmanager
async def started_up(terminal: Terminal) -> AsyncGenerator[Up]:
    """`keepwell up`, from the line that says so."""
    async with terminal.started([KEEPWELL, "up"]) as process:
        assert process.stdout is not None
        async with asyncio.timeout(SECONDS):
            line = (await process.stdout.readline()).decode()
            if "Keepwell is up." not in line:
                pytest.fail((await process.communicate())[1].decode())
        up = Up(process, terminal.folder / ".keepwell")
        try:
            yield up
        finally:
            if process.returncode is None:
                await end(tree_of(process.pid))
            await end([orphan for orphan, _ in find_orphans(layout_of(up.home))])


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path, KEEPWELL_QUIET_SECONDS="0.2")


async def test_up_serves_others_replaces_its_worker_and_keeps_what_it_was_told(terminal: Terminal) -> None:
    async with started_up(terminal) as up:
        doctor, second, made = await asyncio.gather(
            terminal.keepwell("doctor", "--json"),
            terminal.run([KEEPWELL, "up"]),
            terminal.keepwell("tenants", "add", TENANT),
        )
        assert (doctor.code, [found["well"] for found in doctor.json]) == (0, [True] * 5)
        second.refused(6, f"held by process {up.process.pid} since")
        made.said()

        [worker] = up.workers
        worker.kill()
        (await terminal.keepwell("publish", "-", *LEAD, stdin=correction(0, RUNNING, "act-1"))).said()
        await governs(up, "keep running")
        [replaced] = up.workers
        assert replaced.pid != worker.pid
        up.tree.append(replaced)

        up.process.send_signal(signal.SIGINT)
        assert await up.ends() == 0

    # Started again it knows what it was told; killed with all it has started, it finishes what was begun.
    async with started_up(terminal) as up:
        recalled = await terminal.keepwell(
            "recall", "--entity", SERVER["id"], "--scope", "workspace=staging-cloud", *LEAD
        )
        assert recalled.said().startswith("must heed ")
        assert "lifecycle_policy = keep running until QA has migrated" in recalled.said()
        await end(up.workers[:1])
        (await terminal.keepwell("publish", "-", *LEAD, stdin=correction(1, RESERVED, "act-2"))).said()
        await end(tree_of(up.process.pid))
        await up.process.wait()
    async with started_up(terminal) as up:
        await governs(up, "keep reserved")
        up.process.send_signal(signal.SIGTERM)
        assert await up.ends() == 0


async def test_a_server_that_dies_ends_everything_with_one_line(terminal: Terminal) -> None:
    async with started_up(terminal) as up:
        os.kill(up.info.temporal_pid, signal.SIGKILL)
        assert up.process.stderr is not None
        assert await up.ends() == 6
        said = (await up.process.stderr.read()).decode().splitlines()
    assert [line for line in said if line.startswith("keepwell: temporal ended with code -9")] == said[-1:]


@pytest.mark.parametrize("half", ["KEEPWELL_DATABASE_URL", "KEEPWELL_TEMPORAL_ADDRESS"])
async def test_half_of_the_servers_is_refused(terminal: Terminal, half: str) -> None:
    servers = {
        "KEEPWELL_DATABASE_URL": "postgresql+asyncpg://somebody:secret@127.0.0.1:1/keepwell",
        "KEEPWELL_TEMPORAL_ADDRESS": "127.0.0.1:1",
    }
    refused = await terminal.keepwell("up", **{half: servers[half]})
    refused.refused(2, "set both or neither: KEEPWELL_DATABASE_URL and KEEPWELL_TEMPORAL_ADDRESS go together")


def test_the_stack_of_another_user_is_no_stack_of_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # The tests may run as root, whom no permission stops.
    def refuse(_: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(runtime.addresses, "read_stack", refuse)
    with pytest.raises(
        NotPermitted, match="belongs to another user; call as that user, or set KEEPWELL_HOME"
    ):
        runtime.addresses.find(Settings(home=tmp_path))


# --- the containers --------------------------------------------------------------------------------------


def container(name: str) -> dict[str, Any]:
    """A service of the compose file: what runs, with which variables, and how its health is asked for."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"][name]
    return found


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
            "KEEPWELL_DATABASE_URL": f"postgresql+asyncpg://{login}:secret@{server}",
            "KEEPWELL_TEMPORAL_ADDRESS": addresses.temporal_address,
            "KEEPWELL_TEMPORAL_NAMESPACE": "default",
        }
    finally:
        await connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        await connection.execute(f"DROP ROLE IF EXISTS {login}")
        await connection.close()


async def test_the_containers_migrate_work_and_tell_their_health(addresses: Addresses) -> None:
    migrate, worker = container("migrate"), container("worker")
    ask, *check = worker["healthcheck"]["test"]
    assert ask == "CMD"
    async with fresh_database(addresses) as values:
        # What the compose file does not name, a container does not get; a name that is new here is an error.
        owner = Terminal(ROOT, **{name: values[name] for name in migrate["environment"]})
        other = {"KEEPWELL_TASK_QUEUE": f"containers-{uuid4().hex[:8]}", "KEEPWELL_QUIET_SECONDS": "0.2"}
        works = Terminal(ROOT, **{name: values[name] for name in worker["environment"]}, **other)

        early = await works.run(check)
        assert (early.code, early.out, early.err) == (1, "", "")
        for _ in range(2):
            migrated = (await owner.run(migrate["command"])).said()
            assert migrated.startswith("The database is at revision ")
        async with works.started(worker["command"]) as process:
            (await works.keepwell("tenants", "add", TENANT)).said()
            (await works.keepwell("publish", "-", *LEAD, stdin=correction(0, RUNNING, "act-1"))).said()
            async with Database(values["KEEPWELL_DATABASE_URL"], pool_size=1) as database:
                service = Service(database, load_policy(SHIPPED_POLICY), None, task_queue="")

                async def governs_here() -> bool:
                    return await governing(service) == ["keep running"]

                await until(governs_here)
            assert (await works.run(check)).said() == ""
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), SECONDS) == 0


async def test_a_worker_says_why_it_cannot_work(tmp_path: Path) -> None:
    refused = await Terminal(tmp_path).run(
        ["python", str(ROOT / "worker.py")], KEEPWELL_TEMPORAL_ADDRESS="127.0.0.1:1"
    )
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("keepwell worker: set both or neither: ")
    assert refused.err.count("\n") == 1
