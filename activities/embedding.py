"""Steps of embedding: records that wait get their vectors, some at a time.

No transaction is open while the embedder is at work, which may take seconds and may be on another machine.
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from activities.beginnings import searchable
from providers.protocols import Embedder
from store import facts, vectors
from store.engine import Database
from store.unit_of_work import UnitOfWork
from store.vectors import Waiting

AT_ONCE = 16
"""Records of one call to the embedder: few enough that other tenants get their turn soon."""

MOST_CHARACTERS = 8_000
"""Of a longer text the beginning is embedded: endpoints refuse what is too long for their model."""


class Progress(NamedTuple):
    """How many records took a vector, and how many of the tenant still wait in this space, and in others."""

    filled: int
    left: int
    elsewhere: int


async def embed_waiting(database: Database, embedder: Embedder, space_id: UUID, tenant_id: UUID) -> Progress:
    """Give one batch of a tenant's waiting records their vectors; raises `EmbedderFailed`.

    Whoever else does the same at the same time does the work twice, and the first one's vectors stay.
    """
    async with database.transaction(tenant_id) as work:
        waiting = await vectors.waiting(work, space_id, AT_ONCE)
        texts = await _texts(work, waiting)
        # A record can have gone while it was entered among those that wait.
        await vectors.drop(work, [each.record_id for each in waiting if each.record_id not in texts])
        waiting = [each for each in waiting if each.record_id in texts]
    told = [texts[each.record_id][:MOST_CHARACTERS] for each in waiting]
    found = await embedder.embed(told) if told else []
    async with database.transaction(tenant_id) as work:
        given = [(each.record_id, vector) for each, vector in zip(waiting, found, strict=True)]
        filled = await vectors.fill(work, space_id, given)
        left = await vectors.count_waiting(work)
    here = left.pop(space_id, 0)
    return Progress(filled, here, sum(left.values()))


async def _texts(work: UnitOfWork, waiting: Sequence[Waiting]) -> dict[UUID, str]:
    """What to embed of each: a passage as it is, a fact by the words by which it is found."""
    stated = await facts.by_ids(work, [each.record_id for each in waiting if each.text is None])
    passages = {each.record_id: each.text for each in waiting if each.text is not None}
    return {**passages, **{fact.id: searchable(fact) for fact in stated}}
