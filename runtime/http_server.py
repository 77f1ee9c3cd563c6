"""Keepwell's HTTP server as other processes see it: its port, its URL, and what it says of its own state."""

from collections.abc import Callable
from typing import Any

import httpx2
import psutil

from models.errors import KeepwellError, Unavailable
from runtime.embedded.errors import PortTaken
from runtime.settings import DEFAULT_HTTP_PORT

DEFAULT_URL = f"http://127.0.0.1:{DEFAULT_HTTP_PORT}"
"""Where clients look for the server unless `KEEPWELL_URL` says otherwise."""

_PATIENCE_SECONDS = 3.0
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - looked up here, not listened on
_STRANGER = "something else than Keepwell answers at {url}; set KEEPWELL_HTTP_PORT to another port"


def choose_port(
    configured: int | None,
    remembered: int | None,
    is_free: Callable[[int], bool],
    draw: Callable[[], int],
) -> int:
    """The port to serve on. `remembered` is the one that was last chosen; `draw` gives a free one each time.

    | configured | what is free | port |
    | --- | --- | --- |
    | yes | the configured one | the configured one |
    | yes | not the configured one | PortTaken is raised |
    | no | the remembered one | the remembered one |
    | no | the default, and not the remembered one | the default |
    | no | neither | a drawn one |
    """
    if configured is not None:
        if not is_free(configured):
            raise PortTaken(configured, "KEEPWELL_HTTP_PORT")
        return configured
    for port in (remembered, DEFAULT_HTTP_PORT):
        if port is not None and is_free(port):
            return port
    return draw()


def url_of(host: str, port: int) -> str:
    """The URL of a server that listens on `host`; one that listens everywhere is asked on loopback."""
    asked = _EVERYWHERE.get(host, host)
    return f"http://[{asked}]:{port}" if ":" in asked else f"http://{asked}:{port}"


def listens(pid: int, port: int) -> bool:
    """Whether the process `pid` of ours, and not another one, listens on `port`."""
    try:
        connections = psutil.Process(pid).net_connections("tcp")
    except psutil.NoSuchProcess:
        return False
    return any(each.status == psutil.CONN_LISTEN and each.laddr.port == port for each in connections)


async def is_alive(url: str) -> bool:
    """Whether the server at `url` answers."""
    try:
        return (await _get(f"{url}/healthz")).status_code == 200
    except httpx2.HTTPError:
        return False


async def require_ready(url: str) -> None:
    """Return if the server at `url` can take calls; else raise a `KeepwellError` that says what it lacks."""
    try:
        answer = await _get(f"{url}/readyz")
    except httpx2.HTTPError as lost:
        raise Unavailable(
            f"none answers at {url}; its log says why, and this starts one: python -m surfaces.http"
        ) from lost
    if answer.status_code == 200:
        return
    try:
        told: dict[str, Any] = answer.json()
        lacks = [f"{each['name']}: {each['detail']}" for each in told["missing"] if each["required"]]
    except (ValueError, KeyError, TypeError) as unknown:
        raise KeepwellError(_STRANGER.format(url=url)) from unknown
    raise Unavailable(f"answers at {url} and takes no calls; {'; '.join(lacks)}")


async def _get(url: str) -> httpx2.Response:
    # A proxy of the environment is for what is far away.
    async with httpx2.AsyncClient(trust_env=False, timeout=_PATIENCE_SECONDS) as client:
        return await client.get(url)
