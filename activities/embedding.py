"""Steps of embedding: records that wait get their vectors, some at a time.

No transaction is open while the embedder is at work, which may take seconds and may be on another machine.
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from activities.beginnings import searchable
from models.errors import EmbedderFailed, EmbedderRefuses
from providers.protocols import Embedder
from store import facts, vectors
from store.engine import Database
from store.unit_of_work import UnitOfWork
from store.vectors import Waiting

AT_ONCE = 16
"""Records of one call to the embedder: few enough that other tenants get their turn soon."""

MOST_CHARACTERS = 8_000
"""Of a longer text the beginning is embedded: endpoints refuse what is too long for their model."""

LEAST_CHARACTERS = 250
"""A text that is refused is shortened by halves, down to this: no model of use is too small for it."""

_HARMLESS = "a word"
"""What no embedder refuses for its content."""


class Progress(NamedTuple):
    """How many records took a vector, and how many of the tenant still wait in this space, and in others.

    What the embedder refuses waits no longer.
    """

    filled: int
    left: int
    elsewhere: int


class _Told(NamedTuple):
    """What to embed of a record."""

    record_id: UUID
    text: str


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
    told = [_Told(each.record_id, texts[each.record_id][:MOST_CHARACTERS]) for each in waiting]
    filled = await _embed(database, embedder, space_id, tenant_id, told) if told else 0
    async with database.transaction(tenant_id) as work:
        left = await vectors.count_waiting(work)
    here = left.pop(space_id, 0)
    return Progress(filled, here, sum(left.values()))


async def _embed(
    database: Database, embedder: Embedder, space_id: UUID, tenant_id: UUID, told: Sequence[_Told]
) -> int:
    """Give all of these their vectors, in smaller parts where the embedder refuses them; how many took one.

    Each part is kept at once, so that an embedder which fails in the middle is not asked for all of it again.
    """
    filled = 0
    parts: list[Sequence[_Told]] = [told]
    while parts:
        part = parts.pop()
        try:
            found = await embedder.embed([each.text for each in part])
        except EmbedderRefuses:
            if smaller := _smaller(part):
                parts.extend(smaller)
                continue
            await _require_some_taken(embedder)
            async with database.transaction(tenant_id) as work:
                await vectors.refuse(work, space_id, part[0].record_id)
            continue
        given = [(each.record_id, vector) for each, vector in zip(part, found, strict=True)]
        async with database.transaction(tenant_id) as work:
            filled += await vectors.fill(work, space_id, given)
    return filled


async def _require_some_taken(embedder: Embedder) -> None:
    """Raise `EmbedderFailed` where the embedder takes not even a mere word."""
    try:
        await embedder.embed([_HARMLESS])
    except EmbedderRefuses as refused:
        # It is the embedder then that is to be mended, or has yet to start: the same texts may be taken later.
        raise EmbedderFailed(refused.message) from None


def _smaller(part: Sequence[_Told]) -> list[Sequence[_Told]]:
    """What to try in place of a part that was refused: its halves, or the beginning of its only text.

    Empty where that is as short as it gets.
    """
    if len(part) > 1:
        half = len(part) // 2
        return [part[:half], part[half:]]
    [only] = part
    shorter = max(LEAST_CHARACTERS, len(only.text) // 2)
    return [[only._replace(text=only.text[:shorter])]] if shorter < len(only.text) else []


async def _texts(work: UnitOfWork, waiting: Sequence[Waiting]) -> dict[UUID, str]:
    """What to embed of each: a passage as it is, a fact by the words by which it is found."""
    stated = await facts.by_ids(work, [each.record_id for each in waiting if each.text is None])
    passages = {each.record_id: each.text for each in waiting if each.text is not None}
    return {**passages, **{fact.id: searchable(fact) for fact in stated}}
