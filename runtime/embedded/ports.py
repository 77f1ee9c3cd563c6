"""The three ports of a stack: the configured ones, else those of the last start, else free ones.

The choice is a pure function of what it is given. A configured port is never replaced by another. The port of
our HTTP server is remembered beside them, and chosen elsewhere.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from runtime.embedded.errors import PortTaken
from runtime.embedded.private_file import read_text_or_none, write_private_text


@dataclass(frozen=True, slots=True)
class EmbeddedPorts:
    """The ports that are asked for; None leaves the choice to the stack."""

    postgres: int | None = None
    temporal: int | None = None
    ui: int | None = None


@dataclass(frozen=True, slots=True)
class StackPorts:
    """The ports that a stack uses, on 127.0.0.1.

    `http` is the one that was last chosen for our HTTP server, None where none was.
    """

    postgres: int
    temporal: int
    ui: int
    http: int | None = None


SERVICES = ("postgres", "temporal", "ui")


def choose_ports(
    wanted: EmbeddedPorts,
    remembered: StackPorts | None,
    is_free: Callable[[int], bool],
    draw: Callable[[], int],
) -> StackPorts:
    """Three different ports. `draw` gives a free one each time.

    Raises PortTaken when a configured port is not free or is configured twice.
    """
    chosen: dict[str, int] = {}
    for service in SERVICES:
        port: int | None = getattr(wanted, service)
        if port is None:
            continue
        if port in chosen.values() or not is_free(port):
            raise PortTaken(port, f"ports.{service}")
        chosen[service] = port
    for service in SERVICES:
        if service in chosen:
            continue
        port = getattr(remembered, service, None)
        while port is None or port in chosen.values() or not is_free(port):
            port = draw()
        chosen[service] = port
    return StackPorts(**chosen)


def remember_ports(path: Path, ports: StackPorts) -> None:
    """Keep `ports` at `path` for the next start."""
    write_private_text(path, json.dumps(asdict(ports)))


def remembered_ports(path: Path) -> StackPorts | None:
    """The ports of the last start, or None when they are unknown or unreadable."""
    text = read_text_or_none(path)
    try:
        stored: dict[str, Any] = json.loads(text or "")
        ports = StackPorts(**{service: int(stored[service]) for service in SERVICES})
        http = stored.get("http")
        return ports if http is None else replace(ports, http=int(http))
    except (ValueError, KeyError, TypeError):
        # Losing the ports costs a bookmark, so that a damaged file is no reason to refuse a start.
        return None
