"""One call to the service: a request goes out, an answer or an error comes back, and lost ones are tried again.

What is tried again never takes effect twice: such a call either changes nothing, or the service knows it by a
key that stays the same, or it is certain that the service did not take it. Bodies are neither logged nor quoted.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TypeVar
from uuid import uuid4

import httpx2
from pydantic import ValidationError

from keepwell.errors import ClientClosed, ConfigurationInvalid, ConnectionLost, KeepwellError
from keepwell.reply import answer_in, error_in, foreign
from keepwell.retry import Retry, may_have_happened
from keepwell.ticket import happens
from keepwell.version import __version__

T = TypeVar("T")

_NOT_TAKEN = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.LocalProtocolError,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)
"""Failures before the request had left."""
_ADDED = frozenset({"v1", "mcp"})
"""What begins the paths of the service, and so is no part of its address."""


class Transport:
    """The connection pool of one client, with its credential. `repr` shows neither."""

    def __init__(
        self,
        api_key: str,
        url: str,
        *,
        timeout: float,
        retry: Retry,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        base = _checked_url(url)
        self.origin = f"{base.scheme}://{base.netloc.decode('ascii')}"
        self.retry = retry
        self._timeout = timeout
        self._closing = asyncio.Event()
        self._http = httpx2.AsyncClient(
            base_url=base,
            headers={
                "Authorization": f"Bearer {_checked_key(api_key)}",
                "User-Agent": f"keepwell-python/{__version__}",
            },
            timeout=timeout,
            transport=transport,
        )

    @property
    def is_closed(self) -> bool:
        """Whether `aclose` was called."""
        return self._http.is_closed

    async def aclose(self) -> None:
        """Close all connections, and end every `pause`."""
        self._closing.set()
        await self._http.aclose()

    async def pause(self, seconds: float) -> None:
        """Wait, or until the client closes."""
        await happens(self._closing, seconds)

    async def call(
        self,
        method: str,
        path: str,
        shape: Callable[[bytes], T],
        *,
        body: bytes | None = None,
        params: Mapping[str, str] | None = None,
        repeatable: bool = True,
        also: frozenset[int] = frozenset(),
        deciding: float = 0.0,
        retry: Retry | None = None,
    ) -> T:
        """Make a call and read the answer as `shape`.

        `repeatable` says that the call may reach the service twice and take effect once; `also` holds error
        statuses with which an answer in this shape may come. `deciding` is how many seconds the service takes
        on purpose before it answers; they come on top of the timeout.
        """
        retry = retry or self.retry
        request_id = uuid4().hex
        ends = time.monotonic() + retry.deadline
        uncertain = False
        attempt = 0
        while True:
            attempt += 1
            try:
                timeout = max(0.001, min(self._timeout + deciding, ends - time.monotonic()))
                response = await self._send(method, path, body, params, request_id, timeout)
                if response.is_success:
                    return answer_in(response, shape)
                if response.status_code in also:
                    with suppress(ValidationError):
                        return shape(response.content)
                raise foreign(response) if response.is_redirect else error_in(response)
            except KeepwellError as error:
                left = ends - time.monotonic()
                pause = retry.pause_after(error, attempt, left, repeatable=repeatable)
                if pause is None:
                    if isinstance(error, ConnectionLost) and uncertain and not error.may_have_happened:
                        # An attempt before this one may have reached the service.
                        raise ConnectionLost(error.message, True, request_id) from error
                    raise
                uncertain = uncertain or may_have_happened(error)
            await asyncio.sleep(pause)

    @asynccontextmanager
    async def stream(
        self, path: str, headers: Mapping[str, str], silence: float
    ) -> AsyncGenerator[httpx2.EventSource]:
        """Open a stream of server-sent events. It counts as lost after `silence` seconds without a byte."""
        self._require_open()
        request_id = uuid4().hex
        timeout = httpx2.Timeout(self._timeout, read=silence)
        try:
            async with self._http.sse(
                path, headers={**headers, "X-Request-Id": request_id}, timeout=timeout
            ) as source:
                response = source.response
                if not response.is_success:
                    await response.aread()
                    raise error_in(response)
                if not response.headers.get("content-type", "").startswith("text/event-stream"):
                    raise foreign(response)
                yield source
        except httpx2.RequestError as error:
            raise self._lost(error, request_id) from error

    async def _send(
        self,
        method: str,
        path: str,
        body: bytes | None,
        params: Mapping[str, str] | None,
        request_id: str,
        timeout: float,
    ) -> httpx2.Response:
        self._require_open()
        headers = {"Accept": "application/json", "X-Request-Id": request_id}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            return await self._http.request(
                method, path, content=body, params=params, headers=headers, timeout=timeout
            )
        except httpx2.RequestError as error:
            raise self._lost(error, request_id) from error

    def _lost(self, error: httpx2.RequestError, request_id: str) -> ConnectionLost:
        message = f"no answer from {self.origin} ({type(error).__name__})"
        return ConnectionLost(message, not isinstance(error, _NOT_TAKEN), request_id)

    def _require_open(self) -> None:
        if self._http.is_closed:
            raise ClientClosed("the client was closed; make another")


def _checked_key(api_key: str) -> str:
    """The key without the blanks that come along from files; raises for what no header can carry."""
    key = api_key.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigurationInvalid("the API key is not one; set KEEPWELL_API_KEY to the key as it was given")
    return key


def _checked_url(url: str) -> httpx2.URL:
    try:
        parsed = httpx2.URL(url.strip())
    except httpx2.InvalidURL:
        parsed = httpx2.URL()
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise ConfigurationInvalid(
            "the address is not one; set KEEPWELL_URL to one such as http://127.0.0.1:7420"
        )
    if parsed.userinfo or parsed.query or parsed.fragment:
        raise ConfigurationInvalid(
            "KEEPWELL_URL is scheme, host, port and path alone; what proves who calls belongs into "
            "KEEPWELL_API_KEY"
        )
    last = parsed.path.rstrip("/").rpartition("/")[2]
    if last in _ADDED:
        raise ConfigurationInvalid(
            f"KEEPWELL_URL ends in /{last}, which is added to it; set it to one such as http://127.0.0.1:7420"
        )
    return parsed
