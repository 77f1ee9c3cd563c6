"""The command as a whole: what it offers, how it refuses, tenants, and the doctor."""

import asyncio
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

import surfaces.cli
from models.errors import (
    Conflict,
    InvalidInput,
    KeepwellError,
    NotFound,
    NotPermitted,
    PolicyInvalid,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
)
from runtime.addresses import Addresses
from runtime.embedded.errors import StackError, StackInUse
from runtime.http_server import url_of
from runtime.settings import DEFAULT_HTTP_PORT, Settings
from surfaces.cli import stack
from surfaces.cli.session import REFUSED, exit_code
from tests.surfaces.terminal import CANARY, KEEPWELL, Ended, Terminal

COMMANDS = {
    *(
        "export",
        "forget",
        "erasures",
        "holds",
        "switch",
        "switches",
        "up",
        "demo",
        "migrate",
        "reembed",
        "resume",
        "doctor",
        "tenants",
        "keys",
        "policy",
    ),
    *("publish", "recall", "context", "explain", "history", "trace", "traces", "funnel", "confirm", "import"),
    *("remember", "correct", "retract", "promote", "review", "why", "extractions", "redo"),
    *("intentions", "inbox", "endpoints", "procedures"),
}
UNKNOWN_ID = str(uuid4())


@contextmanager
def closed_port() -> Iterator[int]:
    """A port of ours on which nothing listens, for as long as it is held."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


# --- what it offers and how it refuses -------------------------------------------------------------------


async def test_alone_and_when_asked_it_lists_its_commands(nowhere: Terminal) -> None:
    for ended in await asyncio.gather(nowhere.run([KEEPWELL]), nowhere.run([KEEPWELL, "--help"])):
        listed = set(re.findall(r"^│ ([a-z]+) ", ended.out, re.MULTILINE))
        assert listed == COMMANDS
        assert "\x1b" not in ended.out
        assert ended.err == ""


async def test_it_tells_its_version(nowhere: Terminal) -> None:
    assert (await nowhere.keepwell("--version")).said() == f"keepwell {version('keepwell-server')}\n"


@pytest.mark.parametrize("port", [DEFAULT_HTTP_PORT, 43_210])
def test_what_is_up_says_what_clients_need_to_know(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    url, process = url_of("127.0.0.1", port), SimpleNamespace(pid=7)
    what: Any = SimpleNamespace(
        http_url=url, addresses=Addresses("", "t:1", None, None, url), worker=process, http_server=process,
        first_key=None, stack=None,
    )  # fmt: skip
    stack._tell(what, Settings())
    said = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert (f"export KEEPWELL_URL={url}" in said) == (port != DEFAULT_HTTP_PORT)
    assert "next       keepwell keys create NAME --as agent:NAME --role agent" in said
    assert not [line for line in said if line.startswith("key ")]


def test_the_table_of_exit_codes_is_the_one_that_is_used() -> None:
    stated = dict(re.findall(r"(\d+) ([^;.]+)", (surfaces.cli.__doc__ or "").partition("Exit codes: ")[2]))
    assert {code: what.split(" (")[0] for code, what in stated.items()} == {
        "0": "done",
        "1": "the answer is no",
        "2": "bad\ninput",
        "3": "not permitted",
        "4": "not found",
        "5": "conflict",
        "6": "a server does not answer",
        "70": "a fault of Keepwell's own",
    }
    assert REFUSED == 1
    used = {
        kind: exit_code(kind("said"))
        for kind in (
            *(KeepwellError, InvalidInput, TooLarge, PolicyInvalid),
            *(NotPermitted, Unauthenticated, NotFound, Conflict),
            *(Unavailable, TooManyRequests, StackError),
        )
    }
    assert list(used.values()) == [1, 2, 2, 2, 3, 3, 4, 5, 6, 6, 6]
    assert exit_code(StackInUse(Path("home"), 1, None)) == exit_code(Conflict("said"))
    # What only HTTP can get wrong no command meets.
    met = {
        kind for kind in KeepwellError.__subclasses__() if not kind.__module__.startswith("surfaces.http.")
    }
    assert met <= set(used)


async def test_where_nothing_runs_every_command_says_how_to_start(nowhere: Terminal) -> None:
    event = f'{{"text": "{CANARY}"}}'.encode()
    refusals = await asyncio.gather(
        nowhere.keepwell("tenants", "add", "northwind"),
        nowhere.keepwell("publish", "-", stdin=event),
        nowhere.keepwell("recall", CANARY, "--scope", "workspace=staging-cloud", "--json"),
        nowhere.keepwell("confirm", UNKNOWN_ID, "--evidence", UNKNOWN_ID),
        nowhere.keepwell("keys", "list"),
    )
    for refused in refusals:
        refused.refused(6, "no stack runs in ", "start one with keepwell up")
    assert list(nowhere.folder.iterdir()) == []


async def test_servers_that_do_not_answer_are_said_to_be_away(nowhere: Terminal) -> None:
    with closed_port() as port:
        url = f"postgresql+asyncpg://somebody:secret@127.0.0.1:{port}/keepwell"
        away = Terminal(
            nowhere.folder,
            KEEPWELL_DATABASE_URL=url,
            KEEPWELL_ADMIN_DATABASE_URL=url,
            KEEPWELL_TEMPORAL_ADDRESS=f"127.0.0.1:{port}",
        )
        recalled, confirmed, migrated, examined = await asyncio.gather(
            away.keepwell("recall", "--scope", "workspace=staging-cloud"),
            away.keepwell("confirm", UNKNOWN_ID, "--evidence", UNKNOWN_ID),
            away.keepwell("migrate"),
            away.keepwell("doctor", "--json"),
        )
    recalled.refused(6, "Postgres does not answer")
    confirmed.refused(6, f"Temporal does not answer at 127.0.0.1:{port}")
    migrated.refused(6, "Postgres does not answer")
    assert (examined.code, examined.err) == (1, "")
    assert {found["name"]: found["well"] for found in examined.json} == {
        "policy": True,
        "model": True,
        "reranker": True,
        "servers": True,
        "postgres": False,
        "temporal": False,
    }


async def test_settings_that_cannot_be_used_are_named(nowhere: Terminal) -> None:
    (nowhere.folder / "policy.yaml").write_text("version: 2\ndimensions: staging\n")
    half, driver, policy = await asyncio.gather(
        nowhere.keepwell("doctor", "--json", KEEPWELL_TEMPORAL_ADDRESS="127.0.0.1:7233"),
        nowhere.keepwell("migrate", KEEPWELL_DATABASE_URL="postgresql://me:secret@127.0.0.1/keepwell"),
        nowhere.keepwell("recall", "--scope", "workspace=staging-cloud", KEEPWELL_POLICY="policy.yaml"),
    )
    assert findings(half)["servers"] == (
        False,
        "set both or neither: KEEPWELL_DATABASE_URL and KEEPWELL_TEMPORAL_ADDRESS go together",
    )
    driver.refused(2, "KEEPWELL_DATABASE_URL: write it as postgresql+asyncpg://")
    assert "secret" not in driver.err
    policy.refused(2, "policy.yaml:2: dimensions: ")


# --- tenants ---------------------------------------------------------------------------------------------


async def test_a_tenant_is_made_once(terminal: Terminal) -> None:
    name = f"tenant-{uuid4().hex[:8]}"
    next_step = f"A key for an agent in it:\n  keepwell keys create NAME --as agent:NAME --role agent --tenant {name}\n"
    assert (await terminal.keepwell("tenants", "add", name)).said() == f"Tenant {name} is made. {next_step}"
    again, misnamed = await asyncio.gather(
        terminal.keepwell("tenants", "add", name), terminal.keepwell("tenants", "add", "North Wind")
    )
    assert again.said() == f"Tenant {name} was there already. {next_step}"
    misnamed.refused(2, "tenant: ")


# --- doctor ----------------------------------------------------------------------------------------------


def findings(ended: Ended) -> dict[str, tuple[bool, str]]:
    assert ended.err == ""
    return {found["name"]: (found["well"], found["detail"]) for found in ended.json}


async def test_the_doctor_finds_all_well(terminal: Terminal) -> None:
    human, program, quiet = await asyncio.gather(
        terminal.keepwell("doctor"),
        terminal.keepwell("doctor", "--json"),
        terminal.keepwell("doctor", "--quiet"),
    )
    found = findings(program)
    examined = [
        "policy",
        "model",
        "reranker",
        "servers",
        "postgres",
        "migrations",
        "vectors",
        "temporal",
        "worker",
    ]
    assert list(found) == examined
    assert found["vectors"][1].endswith("; embedder in this shell: bundled")
    assert all(well for well, _ in found.values())
    assert found["servers"] == (True, "configured")
    lines = human.said().splitlines()
    assert lines == [f"well  {name}: {detail}" for name, (_, detail) in found.items()]
    assert quiet.said() == ""


async def test_the_doctor_says_what_is_missing_and_what_to_do(terminal: Terminal, nowhere: Terminal) -> None:
    (nowhere.folder / "broken.yaml").write_text("version: 1\n")
    human, quiet, program, elsewhere = await asyncio.gather(
        nowhere.keepwell("doctor"),
        nowhere.keepwell("doctor", "--quiet"),
        nowhere.keepwell("doctor", "--json", KEEPWELL_POLICY="broken.yaml"),
        terminal.keepwell("doctor", "--json", KEEPWELL_TEMPORAL_NAMESPACE="nowhere"),
    )
    assert [ended.code for ended in (human, quiet, program, elsewhere)] == [1, 1, 1, 1]
    [servers] = human.out.splitlines()[3:]
    assert servers.startswith("ill   servers: no stack runs in ")
    assert "keepwell up" in servers
    assert (quiet.out, quiet.err) == ("", "")
    well, detail = findings(program)["policy"]
    assert not well
    assert detail.startswith("broken.yaml:1: version: ")
    found = findings(elsewhere)
    assert list(found)[-1] == "temporal"
    assert [name for name, (well, _) in found.items() if not well] == ["temporal"]
    assert "has no namespace nowhere" in found["temporal"][1]


async def test_the_doctor_misses_a_worker_and_a_configured_http_server(terminal: Terminal) -> None:
    with closed_port() as port:
        examined = await terminal.keepwell(
            "doctor", "--json", KEEPWELL_TASK_QUEUE="nobody", KEEPWELL_HTTP_PORT=str(port)
        )
    assert examined.code == 1
    ill = {name: detail for name, (well, detail) in findings(examined).items() if not well}
    assert set(ill) == {"worker", "http"}
    assert ill["worker"] == "none polls nobody; start one with: python worker.py"
    assert ill["http"].startswith(f"none answers at http://127.0.0.1:{port}; ")
