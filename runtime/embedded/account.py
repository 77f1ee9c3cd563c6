"""The account that Postgres runs under when we are root, because Postgres refuses to run as root.

Users are never created and existing directories never change their mode. Where a directory on the way is
closed to the account (`mktemp -d`, /root), the server keeps one capability to pass it, the least that works.
"""

import os
import pwd
import re
import stat
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from runtime.embedded.errors import AccountUnusable
from runtime.embedded.private_file import read_text_or_none
from runtime.embedded.processes import Identity

CAP_CHOWN = 0
CAP_DAC_OVERRIDE = 1
CAP_DAC_READ_SEARCH = 2
CAP_KILL = 5
CAP_SETGID = 6
CAP_SETUID = 7
CAP_SETPCAP = 8

# To give the data away, to become the account, to stop its server, and to read what that server writes.
NEEDED_OF_ROOT = {
    "CAP_CHOWN": 1 << CAP_CHOWN,
    "CAP_SETUID": 1 << CAP_SETUID,
    "CAP_SETGID": 1 << CAP_SETGID,
    "CAP_KILL": 1 << CAP_KILL,
    "CAP_DAC_OVERRIDE": 1 << CAP_DAC_OVERRIDE | 1 << CAP_DAC_READ_SEARCH,
}

# The account made for Postgres is better than `nobody`, which other services share. initdb needs an account
# with an entry in the password database, so that a number that nobody uses is not enough.
PREFERRED_ACCOUNTS = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class ServerAccount:
    """An unprivileged account of this machine."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class PathAccess:
    """What `stat` says about a path that the server has to read (a file) or pass (a directory)."""

    path: Path
    mode: int
    uid: int
    gid: int


def server_account(cluster: Path) -> ServerAccount | None:
    """The account for the Postgres data in `cluster`, which need not exist; None unless we are root.

    Existing data keeps its owner. Raises AccountUnusable when the machine has no account to run under, or
    when this root may not change to one, as in some containers.
    """
    if os.geteuid() != 0:
        return None
    if sys.platform == "linux":
        check_root(permitted_capabilities())
    owner = account_of_uid(cluster.stat().st_uid) if cluster.exists() else None
    if owner is not None and owner.uid != 0:
        return owner
    for name in PREFERRED_ACCOUNTS:
        account = account_of_name(name)
        if account is not None and account.uid != 0:
            return account
    raise AccountUnusable(
        "Postgres cannot run as root and this machine has neither the account postgres nor nobody; "
        "start as an ordinary user"
    )


def check_root(permitted: int) -> None:
    """Raise AccountUnusable when the capabilities of the bit set `permitted` are too few for root's part."""
    missing = [name for name, bits in NEEDED_OF_ROOT.items() if not permitted & bits]
    if missing:
        raise AccountUnusable(
            f"root lacks {', '.join(missing)} here and so cannot run Postgres under another account; "
            "start as an ordinary user"
        )


def server_identity(account: ServerAccount, paths: Iterable[Path]) -> Identity:
    """How a child becomes `account` and still reaches `paths`, which exist.

    Raises AccountUnusable when a path is closed to the account and no capability is left to pass it.
    """
    blocked = first_blocked(account, access_to(paths))
    return Identity(account.uid, account.gid, choose_capability(account, blocked, permitted_capabilities()))


def choose_capability(account: ServerAccount, blocked: Path | None, permitted: int) -> int | None:
    """The capability to keep, given the first path that is closed without one and our own bit set."""
    if blocked is None:
        return None
    # Setting the bit that lets access(2) respect a capability needs CAP_SETPCAP.
    if permitted & (1 << CAP_SETPCAP):
        for capability in (CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE):
            if permitted & (1 << capability):
                return capability
    raise AccountUnusable(
        f"Postgres runs as {account.name}, which cannot reach {blocked}; "
        f"open it to {account.name} (chmod o+rx), choose another --home, or start as an ordinary user"
    )


def first_blocked(account: ServerAccount, accesses: Iterable[PathAccess]) -> Path | None:
    """The first path that the mode bits close to `account`, or None."""
    for access in accesses:
        if access.uid == account.uid:
            granted = access.mode >> 6
        elif access.gid == account.gid:
            granted = access.mode >> 3
        else:
            granted = access.mode
        needed = needed_bits(access.mode)
        if granted & needed != needed:
            return access.path
    return None


def needed_bits(mode: int) -> int:
    """What the server needs of a path: to pass a directory, to read and run a program, to read a file."""
    if stat.S_ISDIR(mode):
        return 0o1
    return 0o5 if mode & 0o111 else 0o4


def access_to(paths: Iterable[Path]) -> list[PathAccess]:
    """The facts about `paths` and all directories above them, outermost first, each once."""
    steps = {step: None for path in paths for step in (*reversed(path.resolve().parents), path.resolve())}
    facts = [(step, step.stat()) for step in steps]
    return [PathAccess(step, fact.st_mode, fact.st_uid, fact.st_gid) for step, fact in facts]


def permitted_capabilities() -> int:
    """The bit set of capabilities that this process may use; 0 where Linux is not the system."""
    text = read_text_or_none(Path("/proc/self/status")) if sys.platform == "linux" else None
    found = re.search(r"^CapPrm:\s*([0-9a-f]+)$", text or "", re.MULTILINE)
    return int(found.group(1), 16) if found else 0


def account_of_uid(uid: int) -> ServerAccount | None:
    """The account with the number `uid`, or None."""
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return None
    return ServerAccount(entry.pw_name, entry.pw_uid, entry.pw_gid)


def account_of_name(name: str) -> ServerAccount | None:
    """The account called `name`, or None."""
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return ServerAccount(entry.pw_name, entry.pw_uid, entry.pw_gid)


def give_to(account: ServerAccount, path: Path) -> None:
    """Make `account` the owner of `path` and, when it had another owner, of everything below it.

    Symbolic links are never followed. Raises AccountUnusable when this process may not give files away.
    """
    if path.lstat().st_uid == account.uid:
        return
    try:
        for directory, directories, files in os.walk(path):
            for name in (*directories, *files):
                os.lchown(Path(directory, name), account.uid, account.gid)
        # The top comes last, so that a walk that was cut short is repeated by the next start.
        os.lchown(path, account.uid, account.gid)
    except OSError as error:
        raise AccountUnusable(
            f"cannot give {path} to the account {account.name} ({error.strerror}); start as an ordinary user"
        ) from error
