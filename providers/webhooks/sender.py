"""Sends webhooks: signed as Standard Webhooks has it, once, to where `CheckedNetwork` connects.

It follows no redirect, uses no proxy of the environment, and keeps nothing of an answer but its status and the time to
come back. What goes wrong is told by its kind; nothing quotes a body, a secret, or the path of an address. It stands on
httpcore2, as httpx2 takes no network of ours, and logs whole addresses.
"""

import asyncio
import ssl
from collections.abc import Collection, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from uuid import UUID

import httpcore2
from standardwebhooks import Webhook

from models.attempts import Answer, Ending, seconds_until
from models.webhooks import Target
from providers.webhooks.network import CheckedNetwork, NotPublic, Resolve, resolved

CONNECT_SECONDS = 5.0
"""For resolving a name, for each of its addresses, and for TLS."""

TOTAL_SECONDS = 20.0
"""For all of an attempt until the head of the answer is there."""

DRAIN_SECONDS = 1.0
MOST_DRAINED = 64 * 1024
"""So much of an answer's body is read, to keep its connection; for more the connection is closed."""

MOST_IDLE = 20
IDLE_SECONDS = 30.0


class WebhookSender:
    """Connections to endpoints, kept for a while. Close it with `aclose` before its event loop ends.

    `allowed` are the hosts that the operator has allowed by name, `trust` says whose certificates are good, those that
    the system trusts unless it is told.
    """

    def __init__(
        self,
        allowed: Collection[str],
        *,
        resolve: Resolve = resolved,
        trust: ssl.SSLContext | None = None,
        total_seconds: float = TOTAL_SECONDS,
    ) -> None:
        self._network = CheckedNetwork(allowed, resolve)
        self._trust = trust
        self._total_seconds = total_seconds
        self._pool: httpcore2.AsyncConnectionPool | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        if self._pool is not None:
            await self._pool.aclose()

    async def send(
        self, target: Target, message_id: UUID, sent_at: datetime, body: bytes, secrets: Sequence[str]
    ) -> Answer:
        """One attempt. Whatever the other side does is an answer, and never an error.

        `message_id` stays the same in each attempt, so that a receiver can tell a message that it has; `sent_at` is the
        instant of this one. `body` is JSON, signed with each of `secrets` (`whsec_…`): two while one replaces another.
        """
        request = httpcore2.Request(
            "POST",
            httpcore2.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path),
            headers={
                "Host": target.authority,
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
                "User-Agent": "Keepwell",
                **signed(message_id, sent_at, body, secrets),
            },
            content=body,
            extensions={"timeout": {"connect": CONNECT_SECONDS}},
        )
        try:
            async with asyncio.timeout(self._total_seconds):
                response = await self._opened().handle_async_request(request)
        except NotPublic:
            return Answer(Ending.NOT_PUBLIC)
        except (TimeoutError, httpcore2.TimeoutException):
            return Answer(Ending.TIMED_OUT)
        except httpcore2.ConnectError as failed:
            return Answer(Ending.UNTRUSTED if _is_of_tls(failed) else Ending.UNREACHABLE)
        except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError):
            return Answer(Ending.BROKEN_OFF)
        await _drained(response)
        return Answer(Ending.ANSWERED, response.status, _retry_after(response, sent_at))

    def _opened(self) -> httpcore2.AsyncConnectionPool:
        if self._pool is None:
            # Whoever sends bounds how much is under way. A bound here would let an endpoint that hangs delay others.
            self._pool = httpcore2.AsyncConnectionPool(
                ssl_context=self._trust or httpcore2.default_ssl_context(),
                max_connections=None,
                max_keepalive_connections=MOST_IDLE,
                keepalive_expiry=IDLE_SECONDS,
                network_backend=self._network,
            )
        return self._pool


def signed(message_id: UUID, sent_at: datetime, body: bytes, secrets: Sequence[str]) -> dict[str, str]:
    """The heads by which a receiver knows a message, its time and its sender."""
    at = sent_at.astimezone(UTC)  # the library takes the figures of any time for those of UTC
    text = body.decode()
    return {
        "webhook-id": str(message_id),
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(Webhook(secret).sign(str(message_id), at, text) for secret in secrets),
    }


def _is_of_tls(failed: httpcore2.ConnectError) -> bool:
    return any(isinstance(reason, ssl.SSLError) for reason in failed.args)


def _retry_after(response: httpcore2.Response, now: datetime) -> float | None:
    for name, value in response.headers:
        if name.lower() == b"retry-after":
            return seconds_until(value.decode("latin-1"), now)
    return None


async def _drained(response: httpcore2.Response) -> None:
    """Read what little there should be, so that the connection serves again; what the body does decides nothing."""
    taken = 0
    try:
        async with asyncio.timeout(DRAIN_SECONDS), aclosing(response.aiter_stream()) as parts:
            async for part in parts:
                taken += len(part)
                if taken > MOST_DRAINED:
                    break
    except (TimeoutError, httpcore2.NetworkError, httpcore2.ProtocolError, OSError):
        pass
    finally:
        await response.aclose()
