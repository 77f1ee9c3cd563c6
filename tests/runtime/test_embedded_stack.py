"""The embedded stack with real servers: start, stop, restart, refusal, and recovery after SIGKILL."""

import asyncio
import os
import signal
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest
from temporalio.client import Client
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes

from runtime.embedded import orphans
from runtime.embedded import stack as stack_module
from runtime.embedded.errors import (
    DataUnusable,
    PortTaken,
    SearchAttributeConflict,
    StackError,
    StackInUse,
)
from runtime.embedded.layout import layout_of
from runtime.embedded.ports import (
    EmbeddedPorts,
    StackPorts,
    choose_ports,
    remember_ports,
    remembered_ports,
)
from runtime.embedded.processes import free_port, port_is_free, read_tail
from runtime.embedded.stack import EmbeddedStack, StackInfo, read_stack
from tests.runtime.stacks import connect, processes_of, start_elsewhere, until


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


def test_the_port_of_our_http_server_is_remembered_beside_them(tmp_path: Path) -> None:
    path = tmp_path / "ports.json"
    for ports in (StackPorts(10, 20, 30), StackPorts(10, 20, 30, http=40)):
        remember_ports(path, ports)
        assert remembered_ports(path) == ports
    # An older version remembered three.
    path.write_text('{"postgres": 10, "temporal": 20, "ui": 30}')
    assert remembered_ports(path) == StackPorts(10, 20, 30)


DAMAGED = (
    '{"postgres": "x", "temporal": 1, "ui": 2}',
    '{"postgres": 1, "temporal": 2, "ui": 3, "http": "x"}',
    '{"postgres": 1, "temporal": 2, "ui": 3, "http": []}',
)


@pytest.mark.parametrize("text", [None, "", "{", "[]", "{}", *DAMAGED])
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
