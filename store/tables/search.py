"""Keyword postings, the statistics that BM25 needs, kept for each cell, and what to leave out of them for a reader.

Row-level security leaves the index of an operator that is not leakproof unused, `@@` among them; plain
B-tree postings keep theirs. A posting holds from `since` on, so that a question about the past counts nothing that
came later.
"""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, SmallInteger, Table

from store.tables.base import instant, metadata, tenant, uuid_of, words

postings = Table(
    "postings",
    metadata,
    tenant(),
    words("term", key=True),
    uuid_of("scope_key", key=True),
    uuid_of("record_id", key=True),
    words("record_kind"),
    Column("frequency", SmallInteger, nullable=False),
    Column("length", Integer, nullable=False),
    instant("since"),
    Index("postings_of_record", "tenant_id", "record_id"),
)

search_cells = Table(
    "search_cells",
    metadata,
    tenant(),
    uuid_of("scope_key", key=True),
    Column("records", BigInteger, nullable=False),
    Column("terms", BigInteger, nullable=False),
)

disclosures = Table(
    "disclosures",
    metadata,
    tenant(),
    uuid_of("scope_key", key=True),
    uuid_of("record_id", key=True),
    uuid_of("about_id", key=True),
    words("attribute"),
    Column("proposed", Boolean, nullable=False),
    Column("refused", Boolean, nullable=False),
    Column("length", Integer, nullable=False),
)
