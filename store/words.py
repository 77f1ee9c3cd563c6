"""The words of events, as far as somebody may see them: none of what speaks of a memory that is hidden or is off."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from models.controls import Catalogue
from models.readers import Readable
from models.scope import Scope
from store import persons
from store.readable import WORDS, hidden_words, quotes_nothing_of, values_of
from store.sql import IDS, sql
from store.unit_of_work import UnitOfWork

_HIDDEN = f"({hidden_words('SELECT unnest(CAST(:ids AS uuid[]))')}) AS hidden"
_SAID = sql(
    f"""
    SELECT e.id, e.scope, CASE
        WHEN {quotes_nothing_of(_HIDDEN, "ARRAY[e.id]")}
            AND NOT {persons.speak_of_what_is_off("ARRAY[e.id]", persons.ANYTHING_OFF)}
        THEN e.text END AS text
    FROM events e WHERE e.tenant_id = :tenant AND e.id = ANY(:ids)
    """,
    ids=IDS,
    **WORDS,
    **persons.TYPES,
)


class Words(NamedTuple):
    """Where an event applies, and what was said there; `text` is None without words, or without such for the reader."""

    scope: Scope
    text: str | None


async def of_events(
    work: UnitOfWork, event_ids: Sequence[UUID], readable: Readable, known: Catalogue, shown_to: str | None
) -> dict[UUID, Words]:
    """The words of these events; one that does not exist in the tenant is left out."""
    if not event_ids:
        return {}
    values = {"ids": list(event_ids), **values_of(readable), **persons.values_of(known, shown_to)}
    return {row.id: Words(Scope(row.scope), row.text) for row in await work.rows(_SAID, values)}
