"""The lock that lets one process at a time run a stack on a data directory.

The kernel drops it with its holder, however that ends, so that no lock is ever stale. The text of the file
only informs. The file is never removed: two processes could then hold locks on two files of one name.
"""

import asyncio
import fcntl
import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from runtime.embedded.errors import DataUnusable, StackInUse

ATTEMPTS = 5
ATTEMPT_INTERVAL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that holds the lock. `since` is an instant in ISO 8601, UTC."""

    pid: int
    since: str


@asynccontextmanager
async def held_lock(path: Path, holder: Holder) -> AsyncGenerator[None]:
    """Hold the lock `path` for the length of the block. Raises StackInUse, DataUnusable."""
    handle = open_lock(path)
    try:
        for attempt in range(1, ATTEMPTS + 1):
            if try_lock(handle, fcntl.LOCK_EX):
                break
            if attempt == ATTEMPTS:
                present = parse_holder(os.pread(handle, 4096, 0))
                raise StackInUse(
                    path.parent, present.pid if present else None, present.since if present else None
                )
            # A command that asks whether a stack runs holds a shared lock for a moment.
            await asyncio.sleep(ATTEMPT_INTERVAL_SECONDS)
        write_text(handle, json.dumps({"pid": holder.pid, "since": holder.since}))
        try:
            yield
        finally:
            write_text(handle, "")
    finally:
        os.close(handle)


def lock_holder(path: Path) -> Holder | None:
    """Who holds the lock `path` now; None when nobody does or the holder has not named itself yet."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return None if try_lock(handle, fcntl.LOCK_SH) else parse_holder(os.pread(handle, 4096, 0))
    finally:
        os.close(handle)


def open_lock(path: Path) -> int:
    """A handle on the lock file, made when missing. Raises DataUnusable."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise DataUnusable(
            f"cannot open {path} ({error.strerror}); start as the owner of the data or choose another --home"
        ) from error


def try_lock(handle: int, kind: int) -> bool:
    """Take a lock of `kind` without waiting; whether it was free."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def write_text(handle: int, text: str) -> None:
    """Replace the text of the lock file in place, since its inode carries the lock."""
    os.ftruncate(handle, 0)
    os.pwrite(handle, text.encode(), 0)


def parse_holder(text: bytes) -> Holder | None:
    """The holder named by the text of a lock file, or None when it is empty or half written."""
    try:
        stored = json.loads(text)
        return Holder(int(stored["pid"]), str(stored["since"]))
    except (ValueError, KeyError, TypeError):
        return None
