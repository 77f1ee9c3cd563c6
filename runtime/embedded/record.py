"""The record of a running stack, `stack.json`: how other commands of the same user reach it.

It holds the superuser's password inside a URL, so that it is a private file and its URL is never shown. It
counts only while the lock is held by the process that wrote it.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from runtime.embedded.layout import layout_of
from runtime.embedded.lock import lock_holder
from runtime.embedded.private_file import read_text_or_none, write_private_text


@dataclass(frozen=True, slots=True)
class StackInfo:
    """A running stack. `pid` is the process that runs it, `started_at` an instant in ISO 8601, UTC.

    `http_url` is where an HTTP server of ours serves what the stack holds; None where there is none.
    """

    pid: int
    started_at: str
    postgres_pid: int
    postgres_port: int
    temporal_pid: int
    temporal_port: int
    temporal_address: str
    ui_port: int
    ui_url: str
    admin_database_url: str = field(repr=False)
    http_url: str | None = None


def write_record(path: Path, info: StackInfo) -> None:
    """Publish `info` at `path`."""
    write_private_text(path, json.dumps(asdict(info), indent=2) + "\n")


def read_stack(data_dir: Path) -> StackInfo | None:
    """The stack that runs on `data_dir` and is ready; None when there is none or it is still starting.

    Raises PermissionError when the stack belongs to another user.
    """
    layout = layout_of(data_dir)
    text = read_text_or_none(layout.record)
    holder = lock_holder(layout.lock)
    if text is None or holder is None:
        return None
    info = StackInfo(**json.loads(text))
    # A record that a killed stack left behind is not that of the stack which starts now.
    return info if (info.pid, info.started_at) == (holder.pid, holder.since) else None
