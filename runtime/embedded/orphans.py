"""Servers of this data whose stack is gone, for example after `kill -9`: found, stopped and waited for.

Call these functions only while the lock of the data is held: then no living stack owns what they find. A
process is recognised by its command line alone, which every user may read, and only by the exact path of
this data or the name derived from it. Nothing else is ever signalled.
"""

import asyncio
import shutil
import signal
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from time import monotonic

import psutil

from runtime.embedded.errors import DataUnusable
from runtime.embedded.layout import DataLayout
from runtime.embedded.private_file import read_text_or_none
from runtime.embedded.temporal import DATABASE_OPTION

GRACE_SECONDS = 20.0
KILL_SECONDS = 5.0
LOOK_INTERVAL_SECONDS = 0.05


def stop_signal(argv: Sequence[str], layout: DataLayout) -> signal.Signals | None:
    """The signal that ends the server with this command line in order; None when it is not of this data."""
    program = Path(argv[0]).name if argv else ""
    adjacent = set(pairwise(argv))
    if program == "postgres" and ("-D", str(layout.cluster)) in adjacent:
        return signal.SIGINT
    if program == "temporal" and (DATABASE_OPTION, str(layout.temporal_database)) in adjacent:
        return signal.SIGTERM
    return None


def is_backend(argv: Sequence[str], layout: DataLayout) -> bool:
    """Whether this is the title of a process that a postmaster of this data has forked."""
    return bool(argv) and argv[0].startswith(f"postgres: {layout.cluster_name}:")


async def end_orphans(layout: DataLayout) -> None:
    """Stop every server of this data and wait until it and its children are gone.

    Raises DataUnusable when one survives even SIGKILL.
    """
    asked: set[int] = set()
    started = monotonic()
    while orphans := find_orphans(layout):
        waited = monotonic() - started
        if waited > GRACE_SECONDS + KILL_SECONDS:
            raise DataUnusable(
                f"process {orphans[0][0].pid} uses {layout.root} and does not end; end it and start again"
            )
        for process, wanted in orphans:
            with suppress(psutil.NoSuchProcess):
                if waited > GRACE_SECONDS:
                    process.kill()
                elif wanted is not None and process.pid not in asked:
                    asked.add(process.pid)
                    process.send_signal(wanted)
        await asyncio.sleep(LOOK_INTERVAL_SECONDS)


def find_orphans(layout: DataLayout) -> list[tuple[psutil.Process, signal.Signals | None]]:
    """The living processes of this data, each with the signal to send.

    The children of a postmaster have none: they end with it, and some of them take a signal as an order of
    another kind. A zombie has no command line, so that one which nobody reaps is not waited for.
    """
    found: list[tuple[psutil.Process, signal.Signals | None]] = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            argv = process.cmdline()
            wanted = stop_signal(argv, layout)
            if wanted is not None or is_backend(argv, layout):
                found.append((process, wanted))
    return found


def clear_leftovers(layout: DataLayout) -> None:
    """Remove what a killed stack leaves: its record, half a cluster, and the id of a postmaster that is gone.

    Postgres itself would refuse to start when an unrelated process has that id by now, as happens in a
    container, where the same small ids come back.
    """
    layout.record.unlink(missing_ok=True)
    layout.initial_password.unlink(missing_ok=True)
    for unfinished in layout.root.glob(f"{layout.unfinished_prefix}*"):
        # What a dying initdb still writes into is left to the next start.
        shutil.rmtree(unfinished, ignore_errors=True)
    lines = (read_text_or_none(layout.postmaster_pid) or "").splitlines()
    if lines and not is_postgres(lines[0]):
        layout.postmaster_pid.unlink(missing_ok=True)


def is_postgres(pid_text: str) -> bool:
    """Whether a living process with this id may be a Postgres; then its own lock decides."""
    try:
        process = psutil.Process(abs(int(pid_text)))
        # Postgres takes a zombie for a living postmaster, and where nobody reaps orphans it stays for good.
        return process.name() == "postgres" and process.status() != psutil.STATUS_ZOMBIE
    except (ValueError, psutil.NoSuchProcess):
        return False
