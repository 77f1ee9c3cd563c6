"""A tenant with a webhook that a test serves, and intentions that are delivered there."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text
from standardwebhooks import Webhook

from models.endpoints import Endpoint, NewEndpoint
from models.ids import tenant_id
from models.principals import PrincipalKind
from store import outbox
from tests.intentions.desk import PATIENCE_SECONDS, Desk, now
from tests.webhooks.server import Received, Receiver, receiving
from tests.world import World

HOOKS = "hooks"


class Post:
    """Sets intentions that are delivered to the receiver, and waits for what comes of them."""

    def __init__(self, world: World, receiver: Receiver, secret: str, endpoint_id: UUID) -> None:
        self.world = world
        self.desk = Desk(world)
        self.receiver = receiver
        self.secret = secret
        self.endpoint_id = endpoint_id
        self.admin = world.principal("root", PrincipalKind.HUMAN, "admin")

    async def due(self, count: int = 1, **said: Any) -> list[UUID]:
        """Intentions that are due at one instant, which comes once they are all set."""
        at = (now() + timedelta(seconds=0.3 + count / 50)).isoformat()
        whole = {"at": at, "grace": "PT1H", "deliver_to": HOOKS, **said}
        return list(await asyncio.gather(*(self.desk.intend(**whole) for _ in range(count))))

    async def got(self, count: int) -> list[Received]:
        """What has come, once it is that many."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(self.receiver.received) < count:
                await asyncio.sleep(0.02)
        return self.receiver.received

    def verified(self, received: Received) -> Any:
        """What a message says, if its signature is good."""
        return Webhook(self.secret).verify(received.body, received.heads)

    async def endpoint(self) -> Endpoint:
        """How the endpoint stands."""
        [found] = await self.world.service.endpoints.list(self.admin)
        return found

    async def stands(self, holds: Callable[[Endpoint], bool]) -> Endpoint:
        """How the endpoint stands, once something holds of it."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not holds(found := await self.endpoint()):
                await asyncio.sleep(0.05)
        return found

    async def hurry(self) -> None:
        """Let the next attempts be due now, and what the endpoint is left alone for be over."""
        async with self.world.database.transaction(tenant_id(self.world.tenant)) as work:
            for statement in (
                "UPDATE occurrences SET available_at = now() WHERE tenant_id = :tenant AND fate = 'due'",
                "UPDATE endpoints SET open_until = now() WHERE tenant_id = :tenant AND open_until > now()",
            ):
                await work.run(text(statement))
            await outbox.put(work, outbox.Kind.DELIVER, [self.endpoint_id])


@asynccontextmanager
async def posting(world: World) -> AsyncGenerator[Post]:
    """A tenant whose webhook leads to a receiver on loopback."""
    admin = world.principal("root", PrincipalKind.HUMAN, "admin")
    async with receiving() as receiver:
        new = NewEndpoint(name=HOOKS, address=f"http://127.0.0.1:{receiver.port}/in")
        made = await world.service.endpoints.register(admin, new)
        assert made.secret is not None
        yield Post(world, receiver, made.secret, made.endpoint.id)
