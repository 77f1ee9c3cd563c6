"""The embedding relay: gives what was indexed its vector, soon after the commit and never within it.

A tenant with much to embed takes turns with the others. What the embedder refuses is put off and tried again.
"""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

import structlog

from activities.embedding import Progress, embed_waiting
from models.errors import EmbedderFailed, InvalidInput
from providers.protocols import Embedder
from runtime.relaying import relay_for_ever
from store import outbox, tenants, vectors
from store.engine import Database
from store.listen import Listener
from store.outbox import Kind, Parcel
from store.vectors import Space, SpaceState

BATCH = 50
_NO_TENANT = UUID(int=0)
_TENANTS_AT_ONCE = 500
_REFUSED = ", {:,} have a text that it does not take (keepwell reembed tries them again)"
_IS = {SpaceState.SERVING: "serves", SpaceState.BUILDING: "is being filled"}

log = structlog.get_logger("keepwell.embedding")


async def own_space(database: Database, embedder: Embedder) -> Space:
    """The space that serves, of the embedder's model; begun where none does yet. Raises as `require_match` does."""
    async with database.transaction(_NO_TENANT) as work:
        if await vectors.serving(work) is None:
            await vectors.begin_space(work, embedder.model, embedder.dimension, SpaceState.SERVING)
    await require_match(database, embedder)
    async with database.transaction(_NO_TENANT) as work:
        space = await vectors.serving(work)
    if space is None:
        raise InvalidInput(_mismatch(space, embedder), field="KEEPWELL_EMBEDDER")
    return space


async def require_match(database: Database, embedder: Embedder | None) -> None:
    """Raise `InvalidInput` where another model's space serves: its vectors and this embedder's do not compare."""
    if embedder is None:
        return
    async with database.transaction(_NO_TENANT) as work:
        space = await vectors.serving(work)
    if space is not None and (space.model, space.dimension) != (embedder.model, embedder.dimension):
        raise InvalidInput(_mismatch(space, embedder), field="KEEPWELL_EMBEDDER")


def _mismatch(space: Space | None, embedder: Embedder) -> str:
    """What to do where vectors of another model serve."""
    other = (
        "none serves yet" if space is None else f"that of {space.model} ({space.dimension} numbers) serves"
    )
    return (
        f"leads to {embedder.model} ({embedder.dimension} numbers), and of the spaces of vectors {other};"
        " set it as before, or fill a space anew with: keepwell reembed"
    )


async def waiting_told(database: Database, relay: Database) -> str:
    """Which space serves, which is being filled, and in each how many records of all tenants wait or are refused."""
    async with database.transaction(_NO_TENANT) as work:
        spaces = await vectors.spaces(work)
    waiting: Counter[UUID] = Counter()
    refused: Counter[UUID] = Counter()
    async with relay.relay() as listing:
        last: UUID | None = None
        while some := await tenants.after(listing, last, _TENANTS_AT_ONCE):
            for last in some:
                async with database.transaction(last) as work:
                    waiting.update(await vectors.count_waiting(work))
                    refused.update(await vectors.count_refused(work))
    told = [
        f"{space.model} ({space.dimension} numbers) {_IS[space.state]}, {waiting[space.id]:,} wait"
        + (_REFUSED.format(refused[space.id]) if refused[space.id] else "")
        for space in spaces
    ]
    return "; ".join(told) or "none yet, as no worker with an embedder has run"


class EmbeddingRelay:
    """Relays for all tenants. `relay` is a pool under the relay's role, `database` one under the service's."""

    def __init__(
        self, relay: Database, database: Database, listener: Listener, embedder: Embedder, space: Space
    ) -> None:
        self._relay = relay
        self._database = database
        self._listener = listener
        self._embedder = embedder
        self._space = space

    async def run(self) -> None:
        """Relay until cancelled; see `runtime.relaying`."""
        await relay_for_ever(self.relay_once, self._listener, log)

    async def relay_once(self) -> bool:
        """Embed a batch of each tenant that has something waiting; whether there is more to do at once."""
        more = False
        async with self._relay.relay() as work:
            parcels = await outbox.take(work, [Kind.EMBED], BATCH)
            for tenant_id in dict.fromkeys(parcel.tenant_id for parcel in parcels):
                ids = _of(parcels, tenant_id)
                progress = await self._embed(tenant_id)
                if progress is None or (not progress.left and progress.elsewhere):
                    # What waits in a space that is being built is for whoever builds it.
                    await outbox.put_off(work, ids)
                elif progress.left:
                    await outbox.put_last(work, ids)
                    more = True
                else:
                    await outbox.delivered(work, ids)
        return more or len(parcels) == BATCH

    async def _embed(self, tenant_id: UUID) -> Progress | None:
        try:
            return await embed_waiting(self._database, self._embedder, self._space.id, tenant_id)
        except EmbedderFailed as failed:
            log.warning("embedding_put_off", reason=str(failed))
            return None
        except Exception as failed:  # noqa: BLE001 - whatever is the matter with one tenant, the others get their turn
            log.error("embedding_put_off", error=type(failed).__name__)  # noqa: TRY400 - a traceback may quote content
            return None


def _of(parcels: Sequence[Parcel], tenant_id: UUID) -> list[int]:
    return [parcel.id for parcel in parcels if parcel.tenant_id == tenant_id]
