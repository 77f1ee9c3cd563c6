"""Children of the stack: readiness, failure, accounts and capabilities, one rule at a time."""

import os
import signal
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import pytest

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
    StackError,
    telling_line,
)
from runtime.embedded.layout import layout_of
from runtime.embedded.postgres import says_ready
from runtime.embedded.processes import ChildCommand, open_log, read_tail, start_child
from runtime.embedded.stack import EmbeddedStack
from tests.runtime.stacks import connect, processes_of, until


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


def test_a_log_that_is_there_is_kept_once(tmp_path: Path) -> None:
    path = tmp_path / "http.log"
    for number in range(3):
        log = open_log(path)
        os.write(log, b"%d" % number)
        os.close(log)
    assert (path.read_text(), path.with_name("http.log.previous").read_text()) == ("2", "1")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["http.log", "http.log.previous"]


def test_what_is_no_log_is_not_replaced(tmp_path: Path) -> None:
    """A device, above all, for which a pipe stands here: a log may be told to go to /dev/null, and stays there."""
    pipe, folder, link = tmp_path / "pipe", tmp_path / "folder", tmp_path / "link"
    os.mkfifo(pipe)
    folder.mkdir()
    link.symlink_to("/dev/null")
    for path in (pipe, folder, link):
        before = path.lstat()
        with pytest.raises(DataUnusable, match=f"{path} is no regular file; move it away"):
            open_log(path)
        assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder", "link", "pipe"]


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
