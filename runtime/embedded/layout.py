"""Where the embedded stack keeps what it stores: the names of all files below one data directory.

This module only names paths. It never touches the file system.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path


@dataclass(frozen=True, slots=True)
class DataLayout:
    """The files of one stack. `root` is an absolute path without symbolic links."""

    root: Path

    @property
    def lock(self) -> Path:
        """Held with flock while a stack runs; its text names the holder."""
        return self.root / "lock"

    @property
    def record(self) -> Path:
        """How to reach the running stack, for other commands."""
        return self.root / "stack.json"

    @property
    def ports(self) -> Path:
        """The ports of the last start, kept so that bookmarks of the Web UI hold."""
        return self.root / "ports.json"

    @property
    def cluster(self) -> Path:
        """The data directory of Postgres."""
        return self.root / "postgres"

    @property
    def unfinished_prefix(self) -> str:
        """How the names begin of directories where initdb works; what is left there is thrown away."""
        return "postgres.new."

    @property
    def postmaster_pid(self) -> Path:
        """The file in which a postmaster writes its process id and, when it is, that it is ready."""
        return self.cluster / "postmaster.pid"

    @property
    def password(self) -> Path:
        """The password of the database superuser `postgres`."""
        return self.root / "postgres.password"

    @property
    def initial_password(self) -> Path:
        """A copy of the password that initdb may read; it exists while initdb runs."""
        return self.root / "postgres.password.initdb"

    @property
    def masking_key(self) -> Path:
        """The key of the digests by which masked secrets are told apart."""
        return self.root / "masking.key"

    @property
    def temporal(self) -> Path:
        """The directory of the Temporal server, which is also its home directory."""
        return self.root / "temporal"

    @property
    def temporal_database(self) -> Path:
        """The SQLite file of the Temporal server."""
        return self.temporal / "temporal.db"

    @property
    def logs(self) -> Path:
        """The directory of the servers' logs."""
        return self.root / "logs"

    @property
    def cluster_name(self) -> str:
        """The name that Postgres shows in the titles of its processes, by which an orphan is recognised."""
        return f"keepwell-{sha256(str(self.cluster).encode()).hexdigest()[:12]}"


def layout_of(data_dir: Path) -> DataLayout:
    """The layout below `data_dir`, which need not exist."""
    return DataLayout(root=data_dir.expanduser().resolve())
