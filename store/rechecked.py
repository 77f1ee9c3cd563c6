"""Which of the records that a search has found a while ago may still be told: what has changed since then counts.

Nothing is searched for, so that it is quick: records are looked up by their ids.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy.types import DateTime

from models.controls import Catalogue
from models.readers import Readable
from store import persons
from store.readable import WORDS, hidden_words, quotes_nothing_of, values_of
from store.recalled import NOT_ENDED
from store.shown import OFF, shown
from store.sql import IDS, sql
from store.unit_of_work import UnitOfWork

_AMONG = "SELECT unnest(CAST(:ids AS uuid[]))"
_STILL = sql(
    f"""
    WITH {OFF}, shown AS ({shown(_AMONG)})
    SELECT s.id FROM shown s
    WHERE NOT EXISTS (SELECT FROM facts f WHERE f.tenant_id = :tenant AND f.id = s.id AND NOT {NOT_ENDED})
    UNION ALL
    SELECT e.id FROM events e
    WHERE e.tenant_id = :tenant AND e.id IN ({_AMONG}) AND e.text IS NOT NULL
        AND {quotes_nothing_of(f"({hidden_words(_AMONG)}) AS hidden", "ARRAY[e.id]")}
        AND NOT {persons.speak_of_what_is_off("ARRAY[e.id]", "anything FROM off")}
    """,
    ids=IDS,
    as_of=DateTime(timezone=True),
    known_at=DateTime(timezone=True),
    **WORDS,
    **persons.TYPES,
)


async def still_told(
    work: UnitOfWork,
    ids: Sequence[UUID],
    readable: Readable,
    known: Catalogue,
    as_of: datetime,
    known_at: datetime | None = None,
) -> frozenset[UUID]:
    """Those of these facts, claims, passages and events that are there, shown to a reader, and not ended `as_of`.

    With `known_at` only ends count that had been recorded by then.
    """
    values = {"ids": list(ids), "as_of": as_of, "known_at": known_at}
    shown_to = {**values_of(readable), **persons.values_of(known)}
    return frozenset(row.id for row in await work.rows(_STILL, {**values, **shown_to}))
