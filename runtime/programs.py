"""Our own programs, each as a process: how it is started, what it is told, and how to see that it is ready.

A process gets the settings that it needs and nothing else of our environment.
"""

import os
import sys
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from pydantic import SecretStr
from temporalio.client import Client

from models.errors import Unavailable
from runtime.addresses import Addresses
from runtime.embedded.processes import ChildCommand
from runtime.http_server import is_alive, listens, url_of
from runtime.readiness import pollers
from runtime.settings import Settings

WORKER_PROGRAM = Path(__file__).resolve().parent.parent / "worker.py"
HTTP_MODULE = "surfaces.http"

_OIDC = tuple(name for name in Settings.model_fields if name.startswith("oidc_"))
_MODEL = tuple(name for name in Settings.model_fields if name == "model" or name.startswith("model_"))
_EMBEDDER = tuple(
    name for name in Settings.model_fields if name == "embedder" or name.startswith("embedder_")
)
_RERANKER = tuple(
    name for name in Settings.model_fields if name == "reranker" or name.startswith("reranker_")
)
_DELIVERY = ("webhook_allowed_hosts", "signal_targets")
_AUTHORITIES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
"""Whom the operator trusts beside the authorities of the system: an identity or model provider may need them."""

_RULE_CACHE = ("KF_RULE_CACHE_DIR", "XDG_CACHE_HOME", "HOME")


class Program(NamedTuple):
    """A process to keep running. `is_ready` is asked with the id of the process that runs at the moment."""

    command: ChildCommand
    is_ready: Callable[[int], Awaitable[bool]]


def worker(settings: Settings, where: Addresses, client: Client) -> Program:
    """The worker. It is ready when Temporal knows our process as a poller of the queue."""

    async def polls(pid: int) -> bool:
        try:
            known = await pollers(client, settings.task_queue)
        except Unavailable:
            return False
        return any(identity.startswith(f"{pid}@") for identity in known)

    told = _told(settings, where, ["quiet_seconds", "trace_days", *_MODEL, *_EMBEDDER, *_DELIVERY])
    told |= _trusted()
    return Program(_command("worker", [str(WORKER_PROGRAM)], told, settings), polls)


def http_server(settings: Settings, where: Addresses, port: int) -> Program:
    """The HTTP server on `port`. It is ready when our process listens there and answers."""

    async def answers(pid: int) -> bool:
        # Whoever took the port before our process could may answer there as well.
        return listens(pid, port) and await is_alive(url_of(settings.http_host, port))

    told = _told(
        settings, where, ["http_host", "requests_per_second", *_OIDC, *_EMBEDDER, *_RERANKER, *_DELIVERY]
    )
    told["KEEPWELL_HTTP_PORT"] = str(port)
    told["KEEPWELL_HOME"] = str(settings.home.resolve())
    if settings.masking_key is not None:
        told["KEEPWELL_MASKING_KEY"] = settings.masking_key.get_secret_value()
    told |= _trusted()
    told |= rule_cache()
    return Program(_command("http", ["-m", HTTP_MODULE], told, settings), answers)


def rule_cache() -> dict[str, str]:
    """Variables that lead the secret scanner to its compiled rules. Without, each start compiles them for seconds."""
    return {name: os.environ[name] for name in _RULE_CACHE if name in os.environ}


def _told(settings: Settings, where: Addresses, more: Iterable[str]) -> dict[str, str]:
    """The variables that each of our programs needs, and those of the settings in `more` that are set."""
    own = {name: getattr(settings, name) for name in ("temporal_namespace", "task_queue", *more)}
    return {
        "KEEPWELL_DATABASE_URL": where.database_url,
        "KEEPWELL_TEMPORAL_ADDRESS": where.temporal_address,
        "KEEPWELL_POLICY": str(settings.policy.resolve()),
        **{f"KEEPWELL_{name.upper()}": _written(value) for name, value in own.items() if value is not None},
    }


def _written(value: object) -> str:
    """A setting as its variable has it."""
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, frozenset):
        return ",".join(sorted(str(each) for each in value))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return str(value)


def _trusted() -> dict[str, str]:
    return {name: os.environ[name] for name in _AUTHORITIES if name in os.environ}


def _command(name: str, arguments: list[str], told: dict[str, str], settings: Settings) -> ChildCommand:
    return ChildCommand(
        name=name,
        argv=[sys.executable, *arguments],
        log_path=settings.home.resolve() / "logs" / f"{name}.log",
        environment={"PATH": os.environ.get("PATH", os.defpath), **told},
    )
