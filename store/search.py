"""The keyword index: postings of passages and facts, with the statistics of each cell kept in step."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import insert

from models.text import terms
from store.sql import IDS, sql
from store.tables import postings
from store.unit_of_work import UnitOfWork


class RecordKind(StrEnum):
    """What can be found by its words."""

    PASSAGE = "passage"
    FACT = "fact"


class Document(NamedTuple):
    """A record and the text by which it is found."""

    record_id: UUID
    text: str


_DROP = sql(
    """
    WITH gone AS (
        DELETE FROM postings WHERE tenant_id = :tenant AND record_id = ANY(:ids)
        RETURNING scope_key, record_id, length
    ), per_record AS (
        SELECT DISTINCT scope_key, record_id, length FROM gone
    ), per_cell AS (
        SELECT scope_key, count(*) AS records, sum(length) AS terms FROM per_record GROUP BY scope_key
    )
    UPDATE search_cells c SET records = c.records - p.records, terms = c.terms - p.terms
    FROM per_cell p WHERE c.tenant_id = :tenant AND c.scope_key = p.scope_key
    """,
    ids=IDS,
)
_COUNT = sql(
    """
    INSERT INTO search_cells AS c (tenant_id, scope_key, records, terms)
    VALUES (:tenant, :scope_key, :records, :terms)
    ON CONFLICT (tenant_id, scope_key)
        DO UPDATE SET records = c.records + EXCLUDED.records, terms = c.terms + EXCLUDED.terms
    """
)


async def index(work: UnitOfWork, kind: RecordKind, scope_key: UUID, documents: Sequence[Document]) -> None:
    """Add `documents` of one cell. A text without a searchable word is counted nowhere."""
    rows: list[dict[str, object]] = []
    records = length_sum = 0
    for document in documents:
        found = terms(document.text)
        length = found.total()
        records += bool(found)
        length_sum += length
        rows.extend(
            {
                "tenant_id": work.tenant_id,
                "term": term,
                "scope_key": scope_key,
                "record_id": document.record_id,
                "record_kind": kind.value,
                "frequency": min(frequency, 32_767),
                "length": length,
            }
            for term, frequency in found.items()
        )
    if rows:
        await work.run(insert(postings), rows)
        await work.run(_COUNT, {"scope_key": scope_key, "records": records, "terms": length_sum})


async def drop(work: UnitOfWork, record_ids: Sequence[UUID]) -> None:
    """Take records out of the index and out of the statistics."""
    if record_ids:
        await work.run(_DROP, {"ids": list(record_ids)})
