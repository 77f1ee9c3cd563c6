"""Listen for notifications, so that a wait ends when there is something to see."""

import asyncio
from types import TracebackType
from typing import Any, Self

import asyncpg

from models.errors import Unavailable
from store.engine import plain_dsn

# asyncpg has no types.
_connect: Any = asyncpg.connect  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


ANYTHING = ""
"""The payload of a notification that says nothing, and of all that may have been missed."""


class Listener:
    """A connection of its own that listens on one channel; connects again by itself when it is lost."""

    def __init__(self, url: str, channel: str) -> None:
        self._dsn = plain_dsn(url)
        self._channel = channel
        self._connection: Any = None
        self._heard = asyncio.Event()
        self._payloads: set[str] = set()

    async def __aenter__(self) -> Self:
        await self._ensure_connected()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            await self._connection.close()

    async def wait(self, seconds: float) -> set[str]:
        """Return when something was heard since the last wait, or after `seconds`; the payloads that were heard.

        `ANYTHING` is among them where notifications may have been missed. Raises `Unavailable` when the
        connection is lost and cannot be made again.
        """
        await self._ensure_connected()
        try:
            await asyncio.wait_for(self._heard.wait(), seconds)
        except TimeoutError:
            return set()
        finally:
            self._heard.clear()
        heard, self._payloads = self._payloads, set()
        return heard

    async def _ensure_connected(self) -> None:
        if self._connection is not None and not self._connection.is_closed():
            return
        try:
            self._connection = await _connect(self._dsn)
            await self._connection.add_listener(self._channel, self._on_notification)
        except (OSError, asyncpg.PostgresError) as lost:
            raise Unavailable("Postgres does not answer; check that it runs and try again") from lost
        # What was sent while nobody listened is unknown, so there may be something to see.
        self._on_notification(None, 0, self._channel, ANYTHING)

    def _on_notification(self, _: object, __: int, ___: str, payload: str) -> None:
        self._payloads.add(payload)
        self._heard.set()
