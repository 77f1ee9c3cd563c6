"""Which facts and passages, of some that are known by their ids, a reader may see as things are now."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from models.controls import Catalogue
from models.readers import Readable
from store import persons
from store.readable import WORDS, hidden_words, is_readable, quotes_nothing_of, values_of
from store.sql import IDS, sql
from store.unit_of_work import UnitOfWork

OFF = f"off AS (SELECT {persons.ANYTHING_OFF} AS anything)"
"""The beginning of a query that has `shown` in it."""


def shown(among: str) -> str:
    """A query for the facts and passages, of the ids that the query `among` has, that a reader may see.

    What a person has switched off is shown to nobody. It takes `OFF` before it, and the values of readers and persons.
    """
    words = hidden_words(
        f"SELECT unnest(q.event_ids) FROM passages q WHERE q.tenant_id = :tenant AND q.id IN ({among})"
    )
    return f"""
        SELECT f.id FROM facts f JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
        WHERE f.tenant_id = :tenant AND f.id IN ({among}) AND {is_readable("k.attribute")}
            AND NOT {persons.switched_off("f", "anything FROM off")}
        UNION ALL
        SELECT p.id FROM passages p
        WHERE p.tenant_id = :tenant AND p.id IN ({among})
            AND {quotes_nothing_of(f"({words}) AS hidden", "p.event_ids")}
            AND NOT {persons.speak_of_what_is_off("p.event_ids", "anything FROM off")}
    """


_AMONG = "SELECT unnest(CAST(:ids AS uuid[]))"
_UNSHOWN = sql(
    f"""
    WITH {OFF}, shown AS ({shown(_AMONG)}), there AS (
        SELECT id FROM facts WHERE tenant_id = :tenant AND id IN ({_AMONG})
        UNION ALL
        SELECT id FROM passages WHERE tenant_id = :tenant AND id IN ({_AMONG})
    )
    SELECT i.id, i.id IN (SELECT id FROM there) AS there FROM ({_AMONG} AS id) i
    WHERE i.id NOT IN (SELECT id FROM shown)
        AND (:hides OR (SELECT anything FROM off) OR i.id IN (SELECT id FROM there))
    """,
    ids=IDS,
    **WORDS,
    **persons.TYPES,
)


class Unshown(NamedTuple):
    """Records that a reader is not shown.

    `hidden` are there, and not for them. `gone` are there no more, such as passages that were cut anew, and nobody can
    say whether they were: where nothing is hidden from the reader at all, none of these is among them.
    """

    hidden: frozenset[UUID]
    gone: frozenset[UUID]


async def unshown_among(
    work: UnitOfWork, record_ids: Sequence[UUID], readable: Readable, known: Catalogue
) -> Unshown:
    """Those of these records, of entries, that a reader is not shown."""
    if not record_ids:
        return Unshown(frozenset(), frozenset())
    values = {"ids": list(record_ids), **values_of(readable), **persons.values_of(known)}
    rows = await work.rows(_UNSHOWN, values)
    return Unshown(
        frozenset(row.id for row in rows if row.there), frozenset(row.id for row in rows if not row.there)
    )
