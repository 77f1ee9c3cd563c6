"""The Postgres server of the stack: one child that listens on 127.0.0.1 and nowhere else.

It asks for a password on every connection and offers no Unix socket. The import rules keep database drivers
out of this package, so the one statement needed here, which creates the database, goes through `psql`.
"""

import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from runtime.embedded.account import ServerAccount
from runtime.embedded.cluster import (
    POSTGRES_ENVIRONMENT,
    SUPERUSER,
    PostgresInstallation,
    ensure_cluster,
    find_installation,
    stored_password,
)
from runtime.embedded.layout import DataLayout
from runtime.embedded.private_file import read_text_or_none
from runtime.embedded.processes import LOOPBACK, ChildCommand, ChildProcess, start_child

DATABASE = "keepwell"
READY_SECONDS = 60.0

SETTINGS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "max_connections": "100",
    "shared_buffers": "128MB",
    # Queries here are short: compiling them costs more than it saves.
    "jit": "off",
    "max_wal_size": "256MB",
    "log_checkpoints": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}

# A power cut may destroy data kept with these. They are for stacks that are thrown away.
THROWAWAY_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

CREATE_DATABASE = Path(__file__).with_name("create_database.sql")


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A Postgres that accepts connections. `password` is that of the superuser."""

    child: ChildProcess
    port: int
    password: str = field(repr=False)

    @property
    def admin_url(self) -> str:
        """The SQLAlchemy URL of the database `keepwell` for the superuser; it holds the password."""
        return f"postgresql+asyncpg://{SUPERUSER}:{self.password}@{LOOPBACK}:{self.port}/{DATABASE}"


@asynccontextmanager
async def running_postgres(
    layout: DataLayout, port: int, account: ServerAccount | None, *, durable: bool
) -> AsyncGenerator[PostgresServer]:
    """Postgres on `port` with the database `keepwell`, until the end of the block.

    `account` is the one to run under when we are root. With `durable` false a power cut may destroy the data.
    Raises ChildExited (see `address_in_use`), ChildNotReady, and what `ensure_cluster` raises.
    """
    installation = find_installation()
    identity = await ensure_cluster(layout, installation, account, durable=durable)
    child = await start_child(
        ChildCommand(
            name="postgres",
            argv=server_arguments(installation, layout, port, durable=durable),
            log_path=layout.logs / "postgres.log",
            environment=POSTGRES_ENVIRONMENT,
            # A fast shutdown: it ends the sessions and does not wait for clients to leave.
            stop_signal=signal.SIGINT,
            identity=identity,
        )
    )

    async def accepts_connections() -> bool:
        return says_ready(read_text_or_none(layout.postmaster_pid) or "", child.pid)

    try:
        await child.wait_ready(accepts_connections, READY_SECONDS)
        server = PostgresServer(child, port, stored_password(layout))
        await create_database(layout, installation, server)
        yield server
    finally:
        await child.stop()


def server_arguments(
    installation: PostgresInstallation, layout: DataLayout, port: int, *, durable: bool
) -> list[str]:
    """The command line of the server. It holds every setting that differs from initdb's, and no secret."""
    settings = {
        **SETTINGS,
        "port": str(port),
        "cluster_name": layout.cluster_name,
        **({} if durable else THROWAWAY_SETTINGS),
    }
    options = [option for name, value in settings.items() for option in ("-c", f"{name}={value}")]
    return [str(installation.program("postgres")), "-D", str(layout.cluster), *options]


def says_ready(postmaster_pid: str, pid: int) -> bool:
    """Whether the text of `postmaster.pid` is that of process `pid` and says that it accepts connections.

    The first line is the process id and the eighth the status, as pg_ctl reads them.
    """
    lines = postmaster_pid.splitlines()
    return len(lines) >= 8 and lines[0].strip() == str(pid) and lines[7].strip() == "ready"


async def create_database(
    layout: DataLayout, installation: PostgresInstallation, server: PostgresServer
) -> None:
    """Create the database `keepwell` unless it exists. Raises ChildExited with what psql says."""
    psql = await start_child(
        ChildCommand(
            name="psql",
            argv=[
                str(installation.program("psql")),
                "--no-psqlrc",
                "--no-password",
                "--quiet",
                "--set=ON_ERROR_STOP=1",
                f"--set=database={DATABASE}",
                f"--host={LOOPBACK}",
                f"--port={server.port}",
                f"--username={SUPERUSER}",
                "--dbname=postgres",
                f"--file={CREATE_DATABASE}",
            ],
            log_path=layout.logs / "psql.log",
            # An environment is readable by its own user alone, a command line by everybody.
            environment={
                **POSTGRES_ENVIRONMENT,
                "PGPASSWORD": server.password,
                "PGCONNECT_TIMEOUT": "30",
            },
        )
    )
    try:
        code = await psql.wait()
    finally:
        await psql.stop()
    if code != 0:
        raise psql.exit_error()
