"""`keepwell up` in a folder of its own: what it starts, tells, keeps running, and leaves behind."""

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import psutil
import pytest

import runtime.addresses
import runtime.up
from models.errors import NotPermitted
from runtime.addresses import Addresses
from runtime.authentication.keys import TRUSTED_SECONDS
from runtime.embedded.errors import ChildExited
from runtime.embedded.layout import layout_of
from runtime.embedded.orphans import find_orphans
from runtime.embedded.processes import free_port, port_is_free
from runtime.http_server import url_of
from runtime.settings import DEFAULT_HTTP_PORT, Settings
from tests.runtime.ups import LEAD, RUNNING, TENANT, asked, correction, started_up, until
from tests.surfaces.terminal import KEEPWELL, SECONDS, Terminal, end, living, tree_of
from tests.world import SERVER

RESERVED = "Keep gpu-bench-01 reserved through the final benchmark instead of waiting for the migration."


@contextmanager
def held_port(port: int = 0) -> Iterator[int]:
    """A port with a listener; the one that is asked for may have one of somebody else's."""
    try:
        held = socket.create_server(("127.0.0.1", port))
    except OSError:
        yield port
        return
    with held:
        yield held.getsockname()[1]


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
        assert (doctor.code, [found["well"] for found in doctor.json]) == (0, [True] * 10)
        assert doctor.json[-1]["detail"] == f"ready at {up.http_url}"
        second.refused(5, f"held by process {up.process.pid} since")
        made.said()

        [worker] = up.workers
        worker.kill()
        (await terminal.keepwell("publish", "-", *LEAD, stdin=correction(0, RUNNING, "act-1"))).said()
        await up.governs("keep running")
        [replaced] = up.workers
        assert replaced.pid != worker.pid
        up.tree.append(replaced)
        assert await up.ends_on(signal.SIGINT) == 0

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
        await up.governs("keep reserved")
        assert await up.ends_on(signal.SIGTERM) == 0


async def test_the_first_key_is_shown_once_and_opens_the_http_api(terminal: Terminal) -> None:
    with held_port(DEFAULT_HTTP_PORT):
        async with started_up(terminal) as up:
            # The default port has another listener, so that a free one is taken.
            assert await up.line("HTTP") == f"API   {up.http_url}"
            assert urlsplit(up.http_url).port != DEFAULT_HTTP_PORT
            assert await up.line("export") == f"KEEPWELL_URL={up.http_url}"
            served_at = up.http_url
            key = await up.line("key")
            assert (
                await up.line("It")
                == "makes keys for the tenant default and cannot publish. It is shown this once;"
            )
            assert await up.line("next") == "keepwell keys create NAME --as agent:NAME --role agent"
            first = await asked(up.http_url, key)
            assert first.status_code == 200
            told = first.json()
            assert (told["tenant"], told["kind"], told["subject"]) == ("default", "human", "admin")
            assert told["roles"] == ["admin"]

            [server] = up.http_servers
            server.kill()
            await until(lambda: answers_elsewhere(up.http_url, server))
            up.tree += up.http_servers
            assert (await asked(up.http_url, key)).status_code == 200
            assert await up.ends_on(signal.SIGTERM) == 0
            assert "kw_" not in await up.rest()

    assert holders_of(key.rpartition("_")[2], up.home) == []
    # Whether the default port is free again or not, clients find the server where it was.
    async with started_up(terminal) as up:
        assert up.http_url == served_at
        assert (await asked(up.http_url, key)).status_code == 200
        assert await up.ends_on(signal.SIGTERM) == 0
        assert "kw_" not in await up.rest()


async def test_a_key_of_the_operator_opens_the_http_api_until_it_is_revoked(terminal: Terminal) -> None:
    async with started_up(terminal) as up:
        made = await terminal.keepwell(
            *(
                "keys",
                "create",
                "bot",
                "--as",
                "agent:bot",
                "--role",
                "agent",
                "--within",
                "workspace=staging",
            )
        )
        token = made.out.strip()
        found = (await asked(up.http_url, token)).json()
        assert (found["subject"], found["kind"], found["roles"]) == ("bot", "agent", ["agent"])
        assert found["within"] == {"workspace": "staging"}
        listed = {key["name"]: key for key in (await terminal.keepwell("keys", "list", "--json")).json}
        assert set(listed) == {"first administrator", "bot"}

        (await terminal.keepwell("keys", "revoke", listed["bot"]["id"])).said()

        async def refused() -> bool:
            return (await asked(up.http_url, token)).status_code == 401

        await until(refused, TRUSTED_SECONDS + 1)
        assert holders_of(token.rpartition("_")[2], up.home) == []
        assert await up.ends_on(signal.SIGTERM) == 0


async def test_another_terminal_is_told_port_and_home_and_the_port_stays(terminal: Terminal) -> None:
    port, home = free_port(), terminal.folder / ".keepwell"
    variables = {**terminal.variables, "KEEPWELL_HOME": str(home)}
    async with started_up(Terminal(terminal.folder, **variables, KEEPWELL_HTTP_PORT=str(port))) as up:
        assert await up.line("export") == f"KEEPWELL_URL=http://127.0.0.1:{port}"
        assert await up.line("export") == f"KEEPWELL_HOME={home.resolve()}"
        assert await up.ends_on(signal.SIGTERM) == 0
    async with started_up(terminal) as up:
        assert up.http_url == f"http://127.0.0.1:{port}"
        assert "KEEPWELL_HOME" not in await up.line("Web")
        assert await up.ends_on(signal.SIGTERM) == 0
        assert "KEEPWELL_HOME" not in await up.rest()


async def answers_elsewhere(url: str, gone: psutil.Process) -> bool:
    """Whether a server answers, in another process than the one that is gone."""
    try:
        async with httpx2.AsyncClient(trust_env=False) as caller:
            return (await caller.get(f"{url}/healthz")).is_success and not gone.is_running()
    except httpx2.TransportError:
        return False


def holders_of(secret: str, home: Path) -> list[Path]:
    """Files below `home`, logs and databases and all, that hold `secret` as text or as its bytes."""
    wanted = (secret.encode(), bytes.fromhex(secret))
    files = [path for path in home.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if any(each in path.read_bytes() for each in wanted)]


async def test_a_server_that_dies_ends_everything_with_one_line(terminal: Terminal) -> None:
    async with started_up(terminal) as up:
        os.kill(up.info.temporal_pid, signal.SIGKILL)
        assert up.process.stderr is not None
        assert await up.ends() == 6
        said = (await up.process.stderr.read()).decode().splitlines()
    assert [line for line in said if line.startswith("keepwell: temporal ended with code -9")] == said[-1:]


async def test_a_configured_port_that_is_taken_is_named(terminal: Terminal) -> None:
    with held_port() as port:
        refused = await terminal.keepwell("up", KEEPWELL_HTTP_PORT=str(port))
    refused.refused(6, f"port {port} (setting KEEPWELL_HTTP_PORT) is taken")
    assert find_orphans(layout_of(terminal.folder / ".keepwell")) == []


async def test_a_port_that_is_lost_in_the_meantime_is_replaced_unless_it_is_configured(
    monkeypatch: pytest.MonkeyPatch, addresses: Addresses, tmp_path: Path
) -> None:
    (tmp_path / "logs").mkdir()
    with held_port() as lost:
        ports = iter([lost, free := free_port(), lost])
        monkeypatch.setattr(runtime.up, "choose_port", lambda *_: next(ports))
        async with runtime.up._serving(Settings(home=tmp_path), addresses, None) as (_, url, port):
            assert (url, port) == (url_of("127.0.0.1", free), free)
        with pytest.raises(ChildExited, match=f"keepwell http: cannot listen on 127.0.0.1:{lost}"):
            async with runtime.up._serving(Settings(home=tmp_path, http_port=lost), addresses, None):
                pytest.fail("it cannot have started")


async def test_a_policy_without_administrators_is_no_reason_not_to_start(
    addresses: Addresses, tmp_path: Path
) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("version: 2\ndimensions: [workspace]\n")
    assert await runtime.up._first_key(Settings(policy=policy), addresses) is None


# --- on servers of your own ------------------------------------------------------------------------------


async def test_on_servers_of_your_own_up_runs_our_processes_and_makes_no_key(
    addresses: Addresses, tmp_path: Path
) -> None:
    port = free_port()
    own = Terminal(
        tmp_path,
        KEEPWELL_DATABASE_URL=addresses.database_url,
        KEEPWELL_TEMPORAL_ADDRESS=addresses.temporal_address,
        KEEPWELL_TASK_QUEUE=f"own-{uuid4().hex[:8]}",
        KEEPWELL_HTTP_PORT=str(port),
    )
    async with own.started([KEEPWELL, "up"]) as process:
        assert process.stdout is not None
        async with asyncio.timeout(SECONDS):
            said = [(await process.stdout.readline()).decode() for _ in range(2)]
        assert "Keepwell is up." in said[0]
        assert url_of("127.0.0.1", port) in said[1]
        tree = tree_of(process.pid)
        examined = await own.keepwell("doctor", "--json")
        assert {found["name"]: found["well"] for found in examined.json} == dict.fromkeys(
            [
                "policy",
                "model",
                "reranker",
                "servers",
                "postgres",
                "migrations",
                "vectors",
                "temporal",
                "worker",
                "http",
            ],
            True,
        )
        process.send_signal(signal.SIGTERM)
        rest = (await process.stdout.read()).decode()
        assert await asyncio.wait_for(process.wait(), SECONDS) == 0
    assert "kw_" not in rest
    assert living(tree) == []
    assert port_is_free(port)


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
