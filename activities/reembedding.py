"""Steps of reembedding: fill a space for tenant after tenant, have it serve, clear what no longer does.

Each goes on where the rows say that there is something left, so that a step that was cut off is simply done again.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple
from uuid import UUID

from temporalio import activity

from activities.embedding import embed_waiting
from activities.heartbeats import beating
from models.errors import InvalidInput
from models.messages import ReembeddingInput, TenantsDone
from providers.protocols import Embedder
from store import tenants, vectors
from store.engine import Database

TENANTS_AT_ONCE = 50
VECTORS_AT_ONCE = 1_000
"""What one step does at most: it begins with no other tenant after so many."""

_CLEARED_AT_ONCE = 2_000
_NO_TENANT = UUID(int=0)
_GONE = "the space is gone, or of another model than this embedder's; run keepwell reembed once more"


class _Work(NamedTuple):
    """How many vectors of one tenant were given or taken away, and whether that was all."""

    vectors: int
    finished: bool


class ReembeddingSteps:
    """The steps, with what they need. `relay` is a pool under the relay's role, which knows all tenants."""

    def __init__(
        self,
        database: Database,
        relay: Database,
        embedder: Embedder | None,
        *,
        tenants_at_once: int = TENANTS_AT_ONCE,
    ) -> None:
        self._database = database
        self._relay = relay
        self._embedder = embedder
        self._tenants_at_once = tenants_at_once

    @activity.defn(name="keepwell.fill_space")
    async def fill_space(self, at: ReembeddingInput) -> TenantsDone:
        """Give records of the next tenants their vectors in the space."""
        space_id, embedder = at.space_id, self._embedder
        if space_id is None or embedder is None:
            raise InvalidInput("no embedder is configured to fill a space with", field="KEEPWELL_EMBEDDER")
        async with beating():
            await self._require_space_of(space_id, embedder)
            return await self._go_on(at, lambda tenant_id: self._fill(space_id, embedder, tenant_id))

    @activity.defn(name="keepwell.serve_space")
    async def serve_space(self, at: ReembeddingInput) -> None:
        """Have recall compare with the space from now on, and with no other."""
        async with self._database.transaction(_NO_TENANT) as work:
            if not await vectors.serve(work, at.space_id):
                raise InvalidInput(_GONE, field="KEEPWELL_EMBEDDER")

    @activity.defn(name="keepwell.clear_spaces")
    async def clear_spaces(self, at: ReembeddingInput) -> TenantsDone:
        """Take away what the next tenants have of vectors in spaces that are gone."""
        async with beating():
            return await self._go_on(at, self._clear)

    async def _go_on(self, at: ReembeddingInput, do: Callable[[UUID], Awaitable[_Work]]) -> TenantsDone:
        async with self._relay.relay() as work:
            following = await tenants.after(work, at.after, self._tenants_at_once)
        done, count = at.after, 0
        for tenant_id in following:
            worked = await do(tenant_id)
            count += worked.vectors
            if worked.finished:
                done = tenant_id
            if not worked.finished or count >= VECTORS_AT_ONCE:
                return TenantsDone(after=done, count=count, last=False)
        return TenantsDone(after=done, count=count, last=len(following) < self._tenants_at_once)

    async def _fill(self, space_id: UUID, embedder: Embedder, tenant_id: UUID) -> _Work:
        filled = 0
        while filled < VECTORS_AT_ONCE:
            progress = await embed_waiting(self._database, embedder, space_id, tenant_id)
            filled += progress.filled
            if progress.left == 0:
                async with self._database.transaction(tenant_id) as work:
                    if not await vectors.expect_all(work, space_id):
                        return _Work(filled, finished=True)
        return _Work(filled, finished=False)

    async def _clear(self, tenant_id: UUID) -> _Work:
        cleared = 0
        while True:
            async with self._database.transaction(tenant_id) as work:
                gone = await vectors.clear_retired(work, _CLEARED_AT_ONCE)
            if not gone:
                return _Work(cleared, finished=True)
            cleared += gone

    async def _require_space_of(self, space_id: UUID, embedder: Embedder) -> None:
        async with self._database.transaction(_NO_TENANT) as work:
            found = {space.id: space for space in await vectors.spaces(work)}
        space = found.get(space_id)
        if space is None or (space.model, space.dimension) != (embedder.model, embedder.dimension):
            raise InvalidInput(_GONE, field="KEEPWELL_EMBEDDER")
