"""The embedded stack with real servers: start, stop, restart, refusal, and recovery after SIGKILL."""

import asyncio
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import suppress
from pathlib import Path

import asyncpg
import psutil
import pytest
import pytest_asyncio
from temporalio.client import Client
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes

from runtime.embedded import orphans
from runtime.embedded import stack as stack_module
from runtime.embedded.account import (
    CAP_DAC_OVERRIDE,
    CAP_DAC_READ_SEARCH,
    CAP_KILL,
    CAP_SETPCAP,
    CAP_SETUID,
    PathAccess,
    ServerAccount,
    check_root,
    choose_capability,
    first_blocked,
)
from runtime.embedded.errors import (
    AccountUnusable,
    ChildExited,
    DataUnusable,
    PortTaken,
    SearchAttributeConflict,
    StackError,
    StackInUse,
    telling_line,
)
from runtime.embedded.layout import layout_of
from runtime.embedded.ports import EmbeddedPorts, StackPorts, choose_ports, remembered_ports
from runtime.embedded.postgres import says_ready
from runtime.embedded.processes import ChildCommand, free_port, port_is_free, read_tail, start_child
from runtime.embedded.stack import EmbeddedStack, StackInfo, read_stack

ROOT = Path(__file__).resolve().parents[2]

RUN_STACK = """
import asyncio, sys
from dataclasses import asdict
from json import dumps
from pathlib import Path
from runtime.embedded.stack import EmbeddedStack

async def main():
    async with EmbeddedStack(Path(sys.argv[1]), durable=False) as stack:
        print(dumps(asdict(stack.info)), flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.fixture
def tmp_path(tmp_path: Path) -> Generator[Path]:
    # pytest keeps the directories of three runs; each cluster in them takes some 40 MB.
    yield tmp_path
    shutil.rmtree(tmp_path)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def stack(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[EmbeddedStack]:
    data_dir = tmp_path_factory.mktemp("stack") / "data"
    async with EmbeddedStack(data_dir, durable=False, search_attributes={"Kept": "Keyword"}) as running:
        yield running
    shutil.rmtree(data_dir)


async def connect(running: EmbeddedStack) -> asyncpg.Connection:
    return await asyncpg.connect(running.admin_database_url.replace("+asyncpg", ""))


def processes_of(data_dir: Path) -> list[psutil.Process]:
    return [process for process, _ in orphans.find_orphans(layout_of(data_dir))]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.02)


async def start_elsewhere(data_dir: Path) -> tuple[asyncio.subprocess.Process, StackInfo]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", RUN_STACK, str(data_dir), stdout=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), 60)
    return process, StackInfo(**json.loads(line))


# --- running ---------------------------------------------------------------------------------------------


async def test_pgvector_works_in_the_database_keepwell(stack: EmbeddedStack) -> None:
    connection = await connect(stack)
    try:
        await connection.execute("CREATE EXTENSION vector")
        assert await connection.fetchval("SELECT '[1,2]'::vector <-> '[1,4]'::vector") == 2.0
        assert await connection.fetchval("SELECT current_database()") == "keepwell"
        assert (await connection.fetchval("SHOW server_version")).startswith("18.")
    finally:
        await connection.close()


async def test_postgres_listens_on_loopback_alone_and_trusts_nobody(stack: EmbeddedStack) -> None:
    connection = await connect(stack)
    try:
        settings = {
            name: await connection.fetchval("SELECT current_setting($1)", name)
            for name in ("listen_addresses", "unix_socket_directories", "jit", "server_encoding", "fsync")
        }
        hosts = await connection.fetch("SELECT DISTINCT auth_method FROM pg_hba_file_rules")
        version = await connection.fetchval(
            "SELECT datlocprovider::text || datlocale FROM pg_database LIMIT 1"
        )
    finally:
        await connection.close()
    assert settings == {
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "jit": "off",
        "server_encoding": "UTF8",
        "fsync": "off",
    }
    assert [row["auth_method"] for row in hosts] == ["scram-sha-256"]
    assert version == "bC.UTF-8"
    with pytest.raises(asyncpg.InvalidPasswordError):
        await asyncpg.connect(
            host="127.0.0.1", port=stack.info.postgres_port, user="postgres", password="guess"
        )


async def test_the_web_ui_answers(stack: EmbeddedStack) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", stack.info.ui_port)
    writer.write(b"GET / HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
    assert b" 200 " in await reader.readline()
    writer.close()
    await writer.wait_closed()


async def test_another_command_finds_the_stack(stack: EmbeddedStack) -> None:
    data_dir = stack.data_dir
    assert read_stack(data_dir) == stack.info
    assert stack.info.pid == os.getpid()


async def test_secrets_are_private_and_unspoken(stack: EmbeddedStack) -> None:
    layout = layout_of(stack.data_dir)
    password = layout.password.read_text()
    private = [layout.password, layout.record, layout.lock, layout.temporal_database, *layout.logs.iterdir()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}
    assert password in stack.admin_database_url
    assert password not in repr(stack.info)
    assert not any(password in read_tail(log) for log in layout.logs.iterdir())
    assert not any(password in " ".join(process.cmdline()) for process in processes_of(layout.root))
    assert not layout.initial_password.exists()


async def test_a_second_start_names_the_holder(stack: EmbeddedStack) -> None:
    with pytest.raises(StackInUse) as refused:
        async with EmbeddedStack(stack.data_dir):
            pass
    message = str(refused.value)
    assert f"held by process {os.getpid()} since {stack.info.started_at}" in message
    assert "stop it with Ctrl-C there or choose another --home" in message
    assert read_stack(stack.data_dir) == stack.info


# --- start and stop --------------------------------------------------------------------------------------


async def test_data_survives_a_restart_and_nothing_else_does(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    key = SearchAttributeKey.for_keyword("Kept")
    async with EmbeddedStack(data_dir, search_attributes={"Kept": "Keyword"}) as first:
        first_info = first.info
        password = layout_of(data_dir).password.read_text()
        connection = await connect(first)
        await connection.execute("CREATE TABLE kept AS SELECT 7 AS value")
        # A session that stays open must not delay the stop.
        client = await Client.connect(first.temporal_address)
        await client.start_workflow(
            "Kept",
            id="kept",
            task_queue="nobody",
            search_attributes=TypedSearchAttributes([SearchAttributePair(key, "yes")]),
        )
    with suppress(OSError, asyncpg.PostgresError):
        await connection.close(timeout=1)
    assert processes_of(data_dir) == []
    assert all(port_is_free(port) for port in ports_of(first_info))
    assert read_stack(data_dir) is None
    assert {path.name for path in data_dir.iterdir()} == {
        "lock", "logs", "ports.json", "postgres", "postgres.password", "temporal",
    }  # fmt: skip
    with pytest.raises(StackError, match="async with"):
        _ = first.info

    # The second start knows one attribute more, which the server's command line alone would not add.
    async with EmbeddedStack(data_dir, search_attributes={"Kept": "Keyword", "Later": "Int"}) as second:
        assert ports_of(second.info) == ports_of(first_info)
        assert layout_of(data_dir).password.read_text() == password
        connection = await connect(second)
        assert await connection.fetchval("SELECT value FROM kept") == 7
        assert await connection.fetchval("SHOW fsync") == "on"
        await connection.close()
        client = await Client.connect(second.temporal_address)
        found = [run.id async for run in client.list_workflows("Kept = 'yes' AND Later IS NULL")]
        assert found == ["kept"]

    with pytest.raises(SearchAttributeConflict, match="Kept is Keyword"):
        async with EmbeddedStack(data_dir, search_attributes={"Kept": "Int"}):
            pass
    assert processes_of(data_dir) == []


async def test_a_server_that_dies_is_reported(tmp_path: Path) -> None:
    async with EmbeddedStack(tmp_path, durable=False) as running:
        failure = asyncio.ensure_future(running.wait_failure())
        os.kill(running.info.temporal_pid, signal.SIGKILL)
        error = await asyncio.wait_for(failure, 10)
    assert (error.name, error.exit_code) == ("temporal", -signal.SIGKILL)
    assert processes_of(tmp_path) == []


async def test_a_cancelled_start_leaves_nothing(tmp_path: Path) -> None:
    async def start() -> None:
        async with EmbeddedStack(tmp_path, durable=False):
            pytest.fail("the start was to be cancelled")

    starting = asyncio.ensure_future(start())
    await until(layout_of(tmp_path).postmaster_pid.exists)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert processes_of(tmp_path) == []
    assert read_stack(tmp_path) is None


async def test_data_of_another_postgres_is_refused(tmp_path: Path) -> None:
    layout = layout_of(tmp_path)
    layout.cluster.mkdir()
    (layout.cluster / "PG_VERSION").write_text("16\n")
    with pytest.raises(DataUnusable, match="holds data of Postgres 16, not 18"):
        async with EmbeddedStack(tmp_path, durable=False):
            pass
    assert processes_of(tmp_path) == []


# --- ports -----------------------------------------------------------------------------------------------


def ports_of(info: StackInfo) -> tuple[int, int, int]:
    return info.postgres_port, info.temporal_port, info.ui_port


@pytest.mark.parametrize("service", ["postgres", "temporal", "ui"])
async def test_a_configured_port_that_is_taken_is_named(tmp_path: Path, service: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port} \(setting ports\.{service}\) is taken"):
            async with EmbeddedStack(tmp_path, EmbeddedPorts(**{service: port})):
                pass
    assert read_stack(tmp_path) is None


async def test_a_port_lost_between_choice_and_bind_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured = free_port()
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        lost = [first.getsockname()[1], second.getsockname()[1]]
        drawn = iter(lost)
        monkeypatch.setattr(stack_module, "free_port", lambda: next(drawn, 0) or free_port())
        monkeypatch.setattr(stack_module, "port_is_free", lambda port: port in lost or port_is_free(port))
        async with EmbeddedStack(tmp_path, EmbeddedPorts(ui=configured), durable=False) as running:
            assert not set(ports_of(running.info)) & set(lost)
            assert running.info.ui_port == configured


def test_remembered_ports_are_kept_while_free() -> None:
    wanted = EmbeddedPorts(temporal=20)
    drawn = iter([20, 30, 40])
    chosen = choose_ports(wanted, StackPorts(10, 21, 31), lambda port: port != 31, lambda: next(drawn))
    assert chosen == StackPorts(postgres=10, temporal=20, ui=30)


def test_a_port_configured_twice_is_refused() -> None:
    with pytest.raises(PortTaken, match=r"ports\.ui"):
        choose_ports(EmbeddedPorts(temporal=20, ui=20), None, lambda _: True, free_port)


@pytest.mark.parametrize("text", [None, "", "{", "[]", "{}", '{"postgres": "x", "temporal": 1, "ui": 2}'])
def test_damaged_memory_of_ports_is_ignored(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "ports.json").write_text(text)
    assert remembered_ports(tmp_path / "ports.json") is None


# --- recovery --------------------------------------------------------------------------------------------


def kill_parent(parent: int, _: StackInfo) -> None:
    os.kill(parent, signal.SIGKILL)


def kill_all(parent: int, info: StackInfo) -> None:
    for pid in (info.postgres_pid, info.temporal_pid, parent):
        os.kill(pid, signal.SIGKILL)


def kill_parent_of_frozen_servers(parent: int, info: StackInfo) -> None:
    # A frozen server does not obey the signal of its parent's death: it stands for any orphan that hangs.
    for pid in (info.postgres_pid, info.temporal_pid):
        os.kill(pid, signal.SIGSTOP)
    os.kill(parent, signal.SIGKILL)


@pytest.mark.parametrize("kill", [kill_parent, kill_all, kill_parent_of_frozen_servers])
async def test_the_next_start_recovers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kill: Callable[[int, StackInfo], None]
) -> None:
    monkeypatch.setattr(orphans, "GRACE_SECONDS", 5.0 if kill is not kill_parent_of_frozen_servers else 0.5)
    process, info = await start_elsewhere(tmp_path)
    assert read_stack(tmp_path) == info
    with pytest.raises(StackInUse, match=f"held by process {process.pid} since"):
        async with EmbeddedStack(tmp_path, durable=False):
            pass
    kill(process.pid, info)
    await process.wait()
    assert read_stack(tmp_path) is None

    async with EmbeddedStack(tmp_path, durable=False) as recovered:
        assert recovered.info.pid == os.getpid()
        servers = {info.postgres_pid, info.temporal_pid}
        assert not servers & {orphan.pid for orphan in processes_of(tmp_path)}
        connection = await connect(recovered)
        await connection.close()
    assert processes_of(tmp_path) == []


def test_leftovers_of_a_killed_stack_are_cleared(tmp_path: Path) -> None:
    layout = layout_of(tmp_path)
    (tmp_path / "postgres.new.left").mkdir()
    layout.cluster.mkdir()
    layout.record.write_text("{}")
    # The id of the postmaster that was killed belongs to another program by now, here to this test.
    layout.postmaster_pid.write_text(f"{os.getpid()}\n")
    orphans.clear_leftovers(layout)
    assert [path.name for path in tmp_path.iterdir()] == ["postgres"]
    assert not layout.postmaster_pid.exists()


def test_only_servers_of_this_data_are_orphans() -> None:
    layout = layout_of(Path("/data/one"))
    postgres, temporal = "/venv/bin/postgres", "/venv/bin/temporal"
    database = "/data/one/temporal/temporal.db"
    assert orphans.stop_signal([postgres, "-D", "/data/one/postgres"], layout) == signal.SIGINT
    assert orphans.stop_signal([temporal, "server", "--db-filename", database], layout) == signal.SIGTERM
    for other in (
        [],
        ["/bin/tail", "-D", "/data/one/postgres"],
        [postgres, "-D", "/data/one/postgres.2"],
        [temporal, "server", "--db-filename", f"{database}.2"],
    ):
        assert orphans.stop_signal(other, layout) is None
    assert orphans.is_backend([f"postgres: {layout.cluster_name}: checkpointer"], layout)
    assert not orphans.is_backend(["postgres: keepwell-0123456789ab: checkpointer"], layout)
    assert not orphans.is_backend([], layout)


async def test_servers_end_with_their_parent(tmp_path: Path) -> None:
    process, _ = await start_elsewhere(tmp_path)
    process.kill()
    await process.wait()
    await until(lambda: not processes_of(tmp_path))


async def test_ctrl_c_stops_in_order(tmp_path: Path) -> None:
    process, info = await start_elsewhere(tmp_path)
    process.send_signal(signal.SIGINT)
    await asyncio.wait_for(process.wait(), 20)
    assert processes_of(tmp_path) == []
    assert all(port_is_free(port) for port in ports_of(info))
    assert not layout_of(tmp_path).record.exists()
    assert "database system is shut down" in read_tail(layout_of(tmp_path).logs / "postgres.log")


# --- children --------------------------------------------------------------------------------------------


async def never() -> bool:
    return False


async def broken() -> bool:
    raise ValueError("broken probe")


@pytest.mark.parametrize(
    ("script", "probe", "message"),
    [
        ("echo starting; echo FATAL: no room; echo bye; exit 3", never, "code 3: FATAL: no room; see"),
        ("exec sleep 30", broken, "broken probe"),
        ("exec sleep 30", never, "did not answer within 0.2 s"),
    ],
)
async def test_a_child_that_is_not_ready_tells_why(
    tmp_path: Path, script: str, probe: Callable[[], Awaitable[bool]], message: str
) -> None:
    command = ChildCommand(name="child", argv=["/bin/sh", "-c", script], log_path=tmp_path / "child.log")
    child = await start_child(command)
    try:
        with pytest.raises((StackError, ValueError), match=message):
            await child.wait_ready(probe, 10 if "echo" in script else 0.2)
    finally:
        await child.stop()
    assert not psutil.pid_exists(child.pid)


async def test_a_child_that_ignores_the_signal_is_killed(tmp_path: Path) -> None:
    script = "trap '' TERM; echo deaf; while :; do sleep 0.05; done"
    log_path = tmp_path / "child.log"
    child = await start_child(ChildCommand(name="child", argv=["/bin/sh", "-c", script], log_path=log_path))
    await until(lambda: "deaf" in read_tail(log_path))
    await child.stop(grace_seconds=0.1)
    assert await child.wait() == -signal.SIGKILL


async def test_a_program_that_cannot_start_is_one_line(tmp_path: Path) -> None:
    child = await start_child(ChildCommand(name="child", argv=["/nowhere"], log_path=tmp_path / "child.log"))
    await child.wait()
    assert "cannot start /nowhere: No such file or directory" in str(child.exit_error())


def test_the_telling_line_is_the_last_one_about_an_error() -> None:
    assert telling_line("LOG: a\nFATAL: no room\nLOG: bye\n") == "FATAL: no room"
    assert telling_line("one\ntwo\n\n") == "two"
    assert telling_line("") == ""


def test_a_lost_port_is_recognised_for_both_servers() -> None:
    texts = (
        'LOG:  could not bind IPv4 address "127.0.0.1": Address already in use',
        "Error: can't set frontend port 1: listen tcp 127.0.0.1:1: bind: address already in use",
    )
    assert all(ChildExited("x", 1, Path("log"), text).address_in_use for text in texts)


def test_only_the_own_postmaster_says_ready() -> None:
    text = "42\n/data\n1700000000\n5432\n\n127.0.0.1\n  1 2\nready   \n"
    assert says_ready(text, 42)
    assert not says_ready(text, 43)
    assert not says_ready(text.replace("ready   ", "starting"), 42)
    assert not says_ready("42\n", 42)


# --- root ------------------------------------------------------------------------------------------------

ACCOUNT = ServerAccount("nobody", 65534, 65534)


def test_the_least_capability_is_kept() -> None:
    read_search, override, set_capabilities = (
        1 << number for number in (CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE, CAP_SETPCAP)
    )
    everything = read_search | override | set_capabilities
    assert choose_capability(ACCOUNT, None, everything) is None
    assert choose_capability(ACCOUNT, Path("/root"), everything) == CAP_DAC_READ_SEARCH
    assert choose_capability(ACCOUNT, Path("/root"), override | set_capabilities) == CAP_DAC_OVERRIDE
    for too_few in (0, set_capabilities, override | read_search):
        with pytest.raises(AccountUnusable, match="cannot reach /root"):
            choose_capability(ACCOUNT, Path("/root"), too_few)


def test_root_without_its_means_is_refused_at_once() -> None:
    docker = 0x00000000A80425FB
    check_root(docker)
    with pytest.raises(AccountUnusable, match="root lacks CAP_SETUID, CAP_KILL here"):
        check_root(docker & ~(1 << CAP_SETUID) & ~(1 << CAP_KILL))


@pytest.mark.parametrize(
    ("mode", "uid", "gid", "blocked"),
    [
        (stat.S_IFDIR | 0o700, 0, 0, True),
        (stat.S_IFDIR | 0o701, 0, 0, False),
        (stat.S_IFDIR | 0o710, 0, ACCOUNT.gid, False),
        (stat.S_IFDIR | 0o707, 0, ACCOUNT.gid, True),
        (stat.S_IFDIR | 0o700, ACCOUNT.uid, 0, False),
        (stat.S_IFREG | 0o755, 0, 0, False),
        (stat.S_IFREG | 0o711, 0, 0, True),
        (stat.S_IFREG | 0o644, 0, 0, False),
        (stat.S_IFREG | 0o600, 0, 0, True),
    ],
)
def test_mode_bits_decide_what_is_blocked(mode: int, uid: int, gid: int, blocked: bool) -> None:
    path = Path("/some/path")
    assert first_blocked(ACCOUNT, [PathAccess(path, mode, uid, gid)]) == (path if blocked else None)


def status_of(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts Postgres under another account")
async def test_root_below_a_closed_directory(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    data_dir = closed / "below" / "data"
    parents = [closed, *closed.parents]
    before = [parent.stat().st_mode for parent in parents]
    async with EmbeddedStack(data_dir, durable=False) as running:
        postgres = psutil.Process(running.info.postgres_pid)
        owner = layout_of(data_dir).cluster.stat()
        assert postgres.uids().effective == owner.st_uid != 0
        status = status_of(postgres.pid)
        least = (1 << CAP_DAC_READ_SEARCH, 1 << CAP_DAC_OVERRIDE)
        assert status["CapPrm"] == status["CapEff"]
        assert int(status["CapEff"], 16) in least
        assert status["NoNewPrivs"] == "1"
        connection = await connect(running)
        await connection.execute("CREATE EXTENSION vector")
        await connection.close()
    assert [parent.stat().st_mode for parent in parents] == before
    assert processes_of(data_dir) == []
