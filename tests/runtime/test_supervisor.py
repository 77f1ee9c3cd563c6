"""Processes of ours are kept running: one that cannot start is an error, one that dies is replaced."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import psutil
import pytest
from temporalio.client import Client

from runtime import programs
from runtime.addresses import Addresses
from runtime.embedded.errors import ChildExited
from runtime.embedded.processes import free_port
from runtime.http_server import is_alive
from runtime.programs import Program
from runtime.settings import DEFAULT_HTTP_PORT, SHIPPED_POLICY, Settings
from runtime.supervisor import supervised
from tests.surfaces.terminal import SECONDS, living

ALIVE = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "logs").mkdir()
    return Settings(home=tmp_path, task_queue=f"supervised-{uuid4().hex[:8]}")


def worker(settings: Settings, addresses: Addresses, client: Client) -> Program:
    return programs.worker(settings, addresses, client)


def http_server(settings: Settings, addresses: Addresses, _: Client) -> Program:
    return programs.http_server(settings, addresses, free_port())


async def test_a_process_that_cannot_start_is_an_error_with_its_reason(
    settings: Settings, addresses: Addresses, client: Client
) -> None:
    nowhere = addresses._replace(database_url="postgresql+asyncpg://somebody:secret@127.0.0.1:1/keepwell")
    with pytest.raises(ChildExited, match="worker ended with code 1: keepwell worker: Postgres") as ended:
        async with supervised(programs.worker(settings, nowhere, client)):
            pytest.fail("it cannot have started")
    assert str(ended.value).endswith(f"see {settings.home / 'logs' / 'worker.log'}")


async def test_an_answer_of_somebody_else_on_the_port_is_none_of_our_server(
    settings: Settings, addresses: Addresses
) -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(ALIVE)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as stranger:
        port: int = stranger.sockets[0].getsockname()[1]
        assert await is_alive(f"http://127.0.0.1:{port}")
        with pytest.raises(ChildExited, match=f"keepwell http: cannot listen on 127.0.0.1:{port}"):
            async with supervised(programs.http_server(settings, addresses, port)):
                pytest.fail("it cannot have started")


@pytest.mark.parametrize("program", [worker, http_server])
async def test_a_process_that_dies_is_replaced_until_it_is_stopped(
    settings: Settings,
    addresses: Addresses,
    client: Client,
    program: Callable[[Settings, Addresses, Client], Program],
) -> None:
    made = program(settings, addresses, client)
    async with supervised(made) as process:
        await process.wait_ready()
        first = psutil.Process(process.pid)
        first.kill()
        async with asyncio.timeout(SECONDS):
            while process.pid == first.pid:
                await asyncio.sleep(0.02)
            await process.wait_ready()
        second = psutil.Process(process.pid)
        assert living([first, second]) == [second]
        assert await made.is_ready(second.pid)
    assert living([second]) == []


# --- what each is told -----------------------------------------------------------------------------------


BOTH = {
    "PATH",
    "KEEPWELL_DATABASE_URL",
    "KEEPWELL_TEMPORAL_ADDRESS",
    "KEEPWELL_TEMPORAL_NAMESPACE",
    "KEEPWELL_TASK_QUEUE",
    "KEEPWELL_POLICY",
}


def told(made: Program) -> dict[str, str]:
    return dict(made.command.environment)


async def test_each_process_is_told_what_it_needs_and_nothing_more(
    monkeypatch: pytest.MonkeyPatch, addresses: Addresses, client: Client, tmp_path: Path
) -> None:
    monkeypatch.setenv("KEEPWELL_ADMIN_DATABASE_URL", "postgresql+asyncpg://owner:secret@127.0.0.1/keepwell")
    monkeypatch.setenv("SSL_CERT_FILE", "/etc/authorities.pem")
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    monkeypatch.setenv("SOMETHING_ELSE", "secret")
    settings = Settings(
        home=tmp_path,
        http_host="0.0.0.0",
        requests_per_second=7,
        oidc_issuer="https://id.example.org",
        oidc_audience="keepwell",
        webhook_allowed_hosts=frozenset({"hooks.internal", "10.0.0.7:8443"}),
        signal_targets=frozenset({"default:agent-"}),
    )
    works = told(programs.worker(settings, addresses, client))
    serves = told(programs.http_server(settings, addresses, DEFAULT_HTTP_PORT))
    model = {name for name in works if name.startswith("KEEPWELL_MODEL")}
    assert works["KEEPWELL_EMBEDDER"] == serves.pop("KEEPWELL_EMBEDDER") == "bundled"
    hosts = "10.0.0.7:8443,hooks.internal"
    assert works["KEEPWELL_WEBHOOK_ALLOWED_HOSTS"] == serves.pop("KEEPWELL_WEBHOOK_ALLOWED_HOSTS") == hosts
    assert works["KEEPWELL_SIGNAL_TARGETS"] == serves.pop("KEEPWELL_SIGNAL_TARGETS") == "default:agent-"
    alone = {
        "KEEPWELL_SIGNAL_TARGETS",
        "KEEPWELL_WEBHOOK_ALLOWED_HOSTS",
        "KEEPWELL_QUIET_SECONDS",
        "KEEPWELL_TRACE_DAYS",
        "KEEPWELL_EMBEDDER",
        "SSL_CERT_FILE",
    }
    assert set(works) == {*BOTH, *model, *alone}
    assert "KEEPWELL_MODEL_TIMEOUT" in model
    assert not model & set(serves)
    assert works["KEEPWELL_POLICY"] == serves["KEEPWELL_POLICY"] == str(SHIPPED_POLICY)
    more = {name: value for name, value in serves.items() if name not in BOTH}
    for name in ("HOME", "XDG_CACHE_HOME", "KF_RULE_CACHE_DIR"):
        more.pop(name, None)  # where the compiled rules of the secret scanner are kept
    assert more == {
        "KEEPWELL_RERANKER": "none",
        "KEEPWELL_HOME": str(tmp_path),
        "KEEPWELL_HTTP_HOST": "0.0.0.0",
        "KEEPWELL_HTTP_PORT": "7420",
        "KEEPWELL_REQUESTS_PER_SECOND": "7.0",
        "KEEPWELL_OIDC_ISSUER": "https://id.example.org",
        "KEEPWELL_OIDC_AUDIENCE": "keepwell",
        "KEEPWELL_OIDC_TENANT_CLAIM": "tenant",
        "KEEPWELL_OIDC_ROLES_CLAIM": "roles",
        "SSL_CERT_FILE": "/etc/authorities.pem",
    }
