"""What finds passages and facts: postings, with the statistics of each cell kept in step, and vectors to come."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import DateTime, Integer, SmallInteger, Text, Uuid

from models.text import terms
from store import disclosures, vectors
from store.sql import IDS, TEXTS, sql
from store.unit_of_work import UnitOfWork

AT_ONCE = 100
"""Documents of one statement: few enough that other work gets its turn in between."""
_MOST_OFTEN = 32_767
"""What a frequency is cut to: the most that the column holds."""
_COLUMNS = ("terms", "records", "frequencies", "lengths", "since")


class RecordKind(StrEnum):
    """What can be found by its words."""

    PASSAGE = "passage"
    FACT = "fact"


class Document(NamedTuple):
    """A record, the text by which it is found, and the instant from which it can be."""

    record_id: UUID
    text: str
    since: datetime


_ADD = sql(
    """
    INSERT INTO postings (
        tenant_id, scope_key, record_kind, term, record_id, frequency, length, since
    )
    SELECT :tenant, :scope_key, :kind, x.* FROM unnest(:terms, :records, :frequencies, :lengths, :since) AS x
    """,
    scope_key=Uuid,
    kind=Text,
    terms=TEXTS,
    records=IDS,
    frequencies=ARRAY(SmallInteger),
    lengths=ARRAY(Integer),
    since=ARRAY(DateTime(timezone=True)),
)
_DROP = sql(
    """
    WITH gone AS (
        DELETE FROM postings WHERE tenant_id = :tenant AND record_id = ANY(:ids)
        RETURNING scope_key, record_id, length
    ), per_record AS (
        SELECT DISTINCT scope_key, record_id, length FROM gone
    ), per_cell AS (
        SELECT scope_key, count(*) AS records, sum(length) AS terms FROM per_record GROUP BY scope_key
    ), disclosed AS (
        DELETE FROM disclosures d USING per_record p
        WHERE d.tenant_id = :tenant AND d.scope_key = p.scope_key AND d.record_id = p.record_id
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
    """Add `documents` of one cell, some at a time. A text without a searchable word is counted nowhere.

    Their vectors come later, from whoever has an embedder.
    """
    counted = 0
    length = 0
    for start in range(0, len(documents), AT_ONCE):
        analysed = [(document, terms(document.text)) for document in documents[start : start + AT_ONCE]]
        rows = [
            (term, document.record_id, min(frequency, _MOST_OFTEN), found.total(), document.since)
            for document, found in analysed
            for term, frequency in found.items()
        ]
        found_by = [(document.record_id, found.total()) for document, found in analysed if found]
        if rows:
            columns = dict(zip(_COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
            await work.run(_ADD, {"scope_key": scope_key, "kind": kind.value, **columns})
            records, lengths = zip(*found_by, strict=True)
            await disclosures.add(work, kind.value, scope_key, records, lengths)
        counted += len(found_by)
        length += sum(each for _, each in found_by)
    await vectors.expect(work, kind.value, scope_key, [(each.record_id, each.since) for each in documents])
    if counted:
        # The row of the cell is everybody's: it is taken last, and held for a moment.
        await work.run(_COUNT, {"scope_key": scope_key, "records": counted, "terms": length})


async def drop(work: UnitOfWork, record_ids: Sequence[UUID]) -> None:
    """Take records out of the index and out of the statistics, and their vectors with them."""
    if record_ids:
        await work.run(_DROP, {"ids": list(record_ids)})
        await vectors.drop(work, record_ids)
