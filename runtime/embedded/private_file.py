"""Files that only their owner reads: the password, the masking key, the lock text and the record of a running stack.

A reader sees the old text or the new one, never a part. No file here is readable by others at any moment.
"""

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_private_text(path: Path, text: str) -> None:
    """Replace `path` by `text` with mode 0600; it is on disk on return. One writer at a time."""
    unfinished = path.with_name(f".{path.name}.new")
    unfinished.unlink(missing_ok=True)
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    sync_directory(path.parent)


def make_private_text(path: Path, text: str) -> str:
    """The text of `path`, which becomes `text` if there is no such file; its folder must be there.

    Of several processes that make it at once one succeeds, and all answer what that one wrote.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # A link is refused where the name is taken, so that a file which is there is never replaced.
        with suppress(FileExistsError):
            path.hardlink_to(unfinished)
            sync_directory(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)
    return path.read_text(encoding="utf-8")


def read_text_or_none(path: Path) -> str | None:
    """The text of `path`, or None when there is no such file."""
    with suppress(FileNotFoundError):
        return path.read_text(encoding="utf-8")
    return None


def sync_directory(path: Path) -> None:
    """Put the names in the directory `path` on disk, so that a rename survives a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
