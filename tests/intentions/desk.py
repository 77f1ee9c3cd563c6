"""A tenant whose agent sets intentions and looks into its inbox."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from capture.inbox import Due
from models.intention_changes import AcknowledgementGiven, Take
from models.intentions import IntentionQuery, NewIntention, Occurrence, State
from models.principals import Principal
from recall.agenda import Planned
from store import occurrences
from store.listen import Listener
from tests.world import STAGING, World

ALL = tuple(State)
PATIENCE_SECONDS = 30


def now() -> datetime:
    return datetime.now(UTC)


def soon(seconds: float = 0.3) -> str:
    """An instant that comes while a test waits for it."""
    return (now() + timedelta(seconds=seconds)).isoformat()


def far() -> str:
    """An instant that no test waits for."""
    return (now() + timedelta(days=30)).isoformat()


class Desk:
    """Sets intentions as anybody, and waits for what comes of them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.service = world.service
        self.agent = world.agent
        self.lead = world.lead

    async def intend(self, who: Principal | None = None, **said: Any) -> UUID:
        """The id of an intention that the agent sets, unless another does."""
        whole = {"action": "check the canary", "scope": STAGING, **said}
        new = NewIntention.model_validate(whole)
        return (await self.service.intentions.intend(who or self.agent, new)).intention_id

    @staticmethod
    def everything() -> Take:
        """All that is there at this moment."""
        return Take(limit=100)

    async def due(self, who: Principal | None = None, **asked: Any) -> list[Due]:
        """What comes into an inbox, as soon as something does."""
        taking = Take.model_validate({"limit": 100, **asked})
        async with (
            Listener(self.world.database.url, occurrences.CHANNEL) as heard,
            asyncio.timeout(PATIENCE_SECONDS),
        ):
            while True:
                found = await self.service.inbox.take(who or self.agent, taking)
                if found:
                    return found
                await heard.wait(0.5)

    async def acknowledge(self, due: Due, **said: Any) -> None:
        """Say that something is done."""
        whole = AcknowledgementGiven.model_validate({"lease": due.lease, **said})
        await self.service.inbox.acknowledge(self.agent, due.occurrence.id, whole)

    async def one(self, identity: UUID, who: Principal | None = None) -> tuple[Planned, list[Occurrence]]:
        """An intention and what came of it."""
        return await self.service.agenda.one(who or self.agent, identity)

    async def life(self, identity: UUID) -> str:
        """The status of an intention."""
        planned, _ = await self.one(identity)
        return planned.life.value

    async def listed(self, who: Principal | None = None, **asked: Any) -> list[UUID]:
        """The ids of the intentions that somebody lists."""
        page = await self.service.agenda.page(who or self.agent, IntentionQuery.model_validate(asked))
        return [each.intention.id for each in page.planned]

    async def until(self, identity: UUID, life: str, who: Principal | None = None) -> None:
        """Wait until an intention has come to a status by itself."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (await self.one(identity, who))[0].life != life:
                await asyncio.sleep(0.05)
