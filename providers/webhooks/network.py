"""Connections to checked addresses alone: names are resolved here, and what was checked is what is connected to.

A name is resolved once for a connection, so that nobody can answer for it with a public address first and with a
private one afterwards. Nothing here reads or writes what goes over a connection.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import cast

import httpcore2

from models.webhooks import as_ip, is_allowed, may_reach

MOST_ADDRESSES = 3
"""So many addresses of a name are tried, in the resolver's order."""

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host for a port, the preferred ones first; raises `OSError` where there are none."""


class NotPublic(Exception):
    """A host leads to an address that webhooks do not go to; no connection was made."""


async def resolved(host: str, port: int) -> list[str]:
    """The addresses that the system knows for a host."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class CheckedNetwork(httpcore2.AsyncNetworkBackend):
    """Connects where `may_reach` lets it; `allowed` are the hosts that the operator has allowed by name."""

    def __init__(self, allowed: Collection[str], resolve: Resolve = resolved) -> None:
        self._allowed = allowed
        self._resolve = resolve
        # The library has two classes of this name: the other one stands in where anyio is missing.
        self._network = cast("httpcore2.AsyncNetworkBackend", httpcore2.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """A connection to the first address that takes one; raises `NotPublic` if any of them may not be reached."""
        failed: Exception = httpcore2.ConnectError("the name has no address")
        for address in (await self._checked(host, port, timeout))[:MOST_ADDRESSES]:
            try:
                return await self._network.connect_tcp(
                    address, port, timeout, local_address=local_address, socket_options=socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
        raise failed

    async def _checked(self, host: str, port: int, seconds: float | None) -> list[str]:
        """The addresses of a host, all of which may be reached."""
        allowed = is_allowed(host, port, self._allowed)
        try:
            async with asyncio.timeout(seconds):
                found = [host] if as_ip(host) else await self._resolve(host, port)
        except TimeoutError:
            raise httpcore2.ConnectTimeout("the name is not resolved in time") from None
        except OSError:
            raise httpcore2.ConnectError("the name is not known") from None
        for address in found:
            known = as_ip(address)
            if known is None or not may_reach(known, allowed=allowed):
                raise NotPublic
        return list(found)
