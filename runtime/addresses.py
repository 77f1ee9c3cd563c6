"""Where the servers are: those that the settings name, or the embedded stack of the home folder."""

import hashlib
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from models.errors import InvalidInput, NotPermitted, Unavailable
from runtime.embedded.stack import StackInfo, read_stack
from runtime.http_server import url_of
from runtime.settings import Settings

APP_LOGIN = "keepwell_app"


class Addresses(NamedTuple):
    """How to reach the servers. The URLs of the owner, the Web UI and the HTTP API are None where not known."""

    database_url: str
    temporal_address: str
    admin_database_url: str | None
    ui_url: str | None
    http_url: str | None = None


def app_url(admin_url: str) -> str:
    """The URL of the service's own login on the embedded server; its password follows from the owner's."""
    parts = urlsplit(admin_url)
    key = (parts.password or "").encode()
    password = hashlib.blake2b(APP_LOGIN.encode(), key=key[:64], digest_size=24).hexdigest()
    return urlunsplit(parts._replace(netloc=f"{APP_LOGIN}:{password}@{parts.hostname}:{parts.port}"))


def of_stack(info: StackInfo) -> Addresses:
    """The addresses of a running embedded stack."""
    admin = info.admin_database_url
    return Addresses(app_url(admin), info.temporal_address, admin, info.ui_url, info.http_url)


def find(settings: Settings) -> Addresses:
    """The servers to talk to.

    Raises `InvalidInput` where only one of the two is configured, `Unavailable` where no stack runs in the
    home folder, and `NotPermitted` where another user's does.
    """
    if settings.database_url is not None and settings.temporal_address is not None:
        port = settings.http_port
        return Addresses(
            settings.database_url,
            settings.temporal_address,
            settings.admin_database_url,
            ui_url=None,
            http_url=None if port is None else url_of(settings.http_host, port),
        )
    if settings.database_url is not None or settings.temporal_address is not None:
        raise InvalidInput(
            "set both or neither: KEEPWELL_DATABASE_URL and KEEPWELL_TEMPORAL_ADDRESS go together"
        )
    try:
        info = read_stack(settings.home)
    except PermissionError as foreign:
        raise NotPermitted(
            f"the stack in {settings.home} belongs to another user; call as that user, or set KEEPWELL_HOME"
        ) from foreign
    if info is None:
        raise Unavailable(
            f"no stack runs in {settings.home.resolve()}; start one with keepwell up, or set KEEPWELL_HOME to "
            "the folder of one that runs"
        )
    return of_stack(info)
