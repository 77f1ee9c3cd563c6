"""A `keepwell up` in a folder of its own, and a fact that is told to it and waited for."""

import asyncio
import json
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import psutil
import pytest

from models.principals import Principal, PrincipalKind
from models.recall import RecallRequest
from runtime.addresses import app_url
from runtime.embedded.layout import layout_of
from runtime.embedded.orphans import find_orphans
from runtime.embedded.processes import port_is_free
from runtime.embedded.stack import StackInfo, read_stack
from runtime.policy_file import load_policy
from runtime.service import Service
from runtime.settings import SHIPPED_POLICY
from store.engine import Database
from store.policies import Policies
from tests.surfaces.terminal import KEEPWELL, SECONDS, Terminal, end, living, tree_of
from tests.world import MASKER, SERVER, STAGING, event

ROOT = Path(__file__).resolve().parents[2]
TENANT = "northwind"
RUNNING = "Keep gpu-bench-01 running until QA has migrated."
LEAD = ("--tenant", TENANT, "--as", "human:dana", "--role", "infra_lead")


def correction(days: float, text: str, activity: str) -> bytes:
    said = event(
        days, type="correction", text=text, entities=[SERVER], activity_id=activity, idempotency_key=activity
    )
    return json.dumps(said).encode()


async def governing(service: Service) -> list[str]:
    """What must be heeded about the machine."""
    lead = Principal(tenant=TENANT, subject="dana", kind=PrincipalKind.HUMAN, roles=("infra_lead",))
    answer = await service.recall(lead, RecallRequest(scope=STAGING, entities=(SERVER["id"],)))
    return [fact.value for fact in answer.required]


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = SECONDS) -> None:
    async with asyncio.timeout(seconds):
        while not await condition():
            await asyncio.sleep(0.05)


async def asked(url: str, token: str) -> httpx2.Response:
    """What the HTTP server at `url` says of the bearer of `token`."""
    async with httpx2.AsyncClient(trust_env=False, timeout=SECONDS) as caller:
        return await caller.get(f"{url}/v1/principal", headers={"authorization": f"Bearer {token}"})


class Up:
    """A `keepwell up` that runs: its process, where its servers are, and all processes that belong to it."""

    def __init__(self, process: asyncio.subprocess.Process, home: Path) -> None:
        info = read_stack(home)
        assert info is not None
        assert info.http_url is not None
        self.process = process
        self.info: StackInfo = info
        self.http_url = info.http_url
        self.home = home
        self.tree = tree_of(process.pid)

    @property
    def ports(self) -> list[int]:
        http_port = urlsplit(self.http_url).port
        assert http_port is not None
        return [self.info.postgres_port, self.info.temporal_port, self.info.ui_port, http_port]

    @property
    def workers(self) -> list[psutil.Process]:
        return self._running([str(ROOT / "worker.py")])

    @property
    def http_servers(self) -> list[psutil.Process]:
        return self._running(["-m", "surfaces.http"])

    def _running(self, arguments: list[str]) -> list[psutil.Process]:
        return [each for each in living(tree_of(self.process.pid)) if each.cmdline()[1:] == arguments]

    async def line(self, word: str) -> str:
        """The next line on standard output that begins with `word`, without it."""
        assert self.process.stdout is not None
        async with asyncio.timeout(SECONDS):
            while True:
                told = (await self.process.stdout.readline()).decode()
                assert told, f"it never said {word}"
                if told.split()[:1] == [word]:
                    return told.split(maxsplit=1)[1].strip()

    async def rest(self) -> str:
        """All that it has still to say on standard output, at its end."""
        assert self.process.stdout is not None
        return (await self.process.stdout.read()).decode()

    async def ends(self) -> int:
        """Wait for its end, of which nothing may remain; the exit code."""
        code = await asyncio.wait_for(self.process.wait(), SECONDS)
        assert living(self.tree) == []
        assert find_orphans(layout_of(self.home)) == []
        assert [port for port in self.ports if not port_is_free(port)] == []
        assert not layout_of(self.home).record.exists()
        return code

    async def ends_on(self, ending: signal.Signals) -> int:
        """Ask it to end, and see to it that nothing remains; the exit code."""
        self.process.send_signal(ending)
        return await self.ends()

    @asynccontextmanager
    async def service(self) -> AsyncGenerator[Service]:
        """The service in this process, to wait and to ask without starting a command each time."""
        async with Database(app_url(self.info.admin_database_url), pool_size=2) as database:
            yield Service(
                database,
                Policies(database, load_policy(SHIPPED_POLICY)),
                None,
                masker=MASKER,
                task_queue="keepwell",
            )

    async def governs(self, value: str) -> None:
        """Wait until a fact governs."""
        async with self.service() as service:

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
