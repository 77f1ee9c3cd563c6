"""The query as a vector, for what compares it with memory. Made before any transaction opens, as it may take a while.

Nothing is kept of a query: how long a second one takes would tell whether somebody has asked the same.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from uuid import UUID

import structlog

from models.errors import EmbedderFailed, RerankerFailed
from models.recall import RecallRequest, Without
from models.triggers import called_for
from providers.protocols import Embedder
from store import vectors
from store.engine import Database
from store.likeness import Likeness
from store.vectors import Space

PATIENCE_SECONDS = 3.0
"""An embedder that takes longer is done without."""

FRESH_SECONDS = 5.0
"""For so long the space that serves is not looked up again."""

_NO_TENANT = UUID(int=0)

Mask = Callable[[UUID, Mapping[str, Any]], Mapping[str, Any]]
"""Takes secrets out of fields of a tenant's caller, before they are kept or leave this process."""

log = structlog.get_logger("keepwell.recall")


class Alike(NamedTuple):
    """What to compare memory with, and what the answer has to do without."""

    likeness: Likeness | None = None
    without: tuple[Without, ...] = ()


NOTHING = Alike()
"""Nothing is to be compared, and nothing is missing."""


class QueryEmbedder:
    """Embeds queries in the space that serves. `mask` takes a tenant's secrets out of what leaves this process."""

    def __init__(self, database: Database, embedder: Embedder | None, mask: Mask) -> None:
        self._database = database
        self._embedder = embedder
        self._mask = mask
        self._space: Space | None = None
        self._looked_at = -FRESH_SECONDS

    async def of(self, tenant_id: UUID, request: RecallRequest, seconds: float | None = None) -> Alike:
        """The query as a vector, where something called for a search; see `models.triggers`.

        Where the embedder fails, or takes longer than its patience or `seconds`, or another model's space serves, words
        alone count.
        """
        query = request.query
        patience = PATIENCE_SECONDS if seconds is None else min(seconds, PATIENCE_SECONDS)
        if self._embedder is None or not query.strip() or not called_for(request.triggers):
            return NOTHING
        space = await self._serving()
        if space is None:
            # Nothing was ever embedded, so that nothing is missing.
            return NOTHING
        if (space.model, space.dimension) != (self._embedder.model, self._embedder.dimension):
            return Alike(without=(Without.LIKENESS,))
        try:
            text = str(self._mask(tenant_id, {"text": query})["text"]) if self._embedder.remote else query
            [vector] = await asyncio.wait_for(self._embedder.embed([text]), patience)
        except Exception as failed:  # noqa: BLE001 - whatever an embedder does, what binds is looked up without it
            log.warning("recall_without_likeness", reason=reason_of(failed, patience))
            return Alike(without=(Without.LIKENESS,))
        return Alike(Likeness.to(space.id, vector, self._embedder.floor))

    async def _serving(self) -> Space | None:
        if time.monotonic() - self._looked_at >= FRESH_SECONDS:
            async with self._database.transaction(_NO_TENANT) as work:
                self._space = await vectors.serving(work)
            self._looked_at = time.monotonic()
        return self._space


def reason_of(failed: Exception, patience: float) -> str:
    """Why a recall goes on without a provider, for the log.

    What a provider says of itself quotes nothing; of any other error nobody knows what it quotes.
    """
    if isinstance(failed, TimeoutError):
        return f"took longer than the {patience:.1f} s that it had"
    return str(failed) if isinstance(failed, EmbedderFailed | RerankerFailed) else type(failed).__name__
