"""Senders as tests need them: what is sent, to whom, and who says where a name leads."""

import base64
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from models.attempts import Answer
from models.webhooks import Target
from providers.webhooks.sender import WebhookSender

HOST = "hooks.example.org"
PATH = "/in/zebra-7731-path?token=zebra-7731"
BODY = '{"type":"intention.due","data":{"text":"zebra-7731 café"}}'.encode()
MESSAGE = UUID("0193b3c0-0000-7000-8000-000000000001")
SECRET = f"whsec_{base64.b64encode(b'zebra-7731 is a secret of 32 b.').decode()}"


class Names:
    """Answers for every name with these addresses, and keeps what it was asked."""

    def __init__(self, *addresses: str) -> None:
        self.addresses: Sequence[str] = addresses
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self.addresses


@asynccontextmanager
async def sending(*allowed: str, **more: Any) -> AsyncGenerator[WebhookSender]:
    """A sender until the context ends; all names lead to loopback unless `resolve` says otherwise."""
    sender = WebhookSender(allowed, **{"resolve": Names("127.0.0.1"), **more})
    try:
        yield sender
    finally:
        await sender.aclose()


async def sent(
    sender: WebhookSender,
    port: int,
    host: str = HOST,
    *,
    scheme: str = "http",
    secrets: Sequence[str] = (SECRET,),
) -> Answer:
    """What comes of one message to an endpoint."""
    return await sender.send(Target(scheme, host, port, PATH), MESSAGE, datetime.now(UTC), BODY, secrets)
