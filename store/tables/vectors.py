"""Vectors of what can be found, in the space of the model that made them, and the spaces that there are.

A space belongs to no tenant: it says which model serves, and nothing of anybody's memory.
"""

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import Boolean, Column, Computed, Index, Integer, Table, text
from sqlalchemy.dialects.postgresql import BIT

from store.tables.base import instant, made_id, metadata, recorded, tenant, uuid_of, words

vector_spaces = Table(
    "vector_spaces",
    metadata,
    made_id(),
    words("model"),
    Column("dimension", Integer, nullable=False),
    words("state"),
    recorded(),
    Index("vector_spaces_serve_alone", "state", unique=True, postgresql_where=text("state = 'serving'")),
    Index(
        "vector_spaces_are_of_models",
        "model",
        "dimension",
        unique=True,
        postgresql_where=text("state <> 'retired'"),
    ),
)

vectors = Table(
    "vectors",
    metadata,
    tenant(),
    uuid_of("space_id", key=True),
    uuid_of("scope_key", key=True),
    uuid_of("record_id", key=True),
    words("record_kind"),
    instant("since"),
    Column("embedding", HALFVEC, nullable=True),
    Column("signs", BIT(varying=True), Computed("binary_quantize(embedding)::varbit", persisted=True)),
    Column("refused", Boolean, nullable=False, server_default=text("false")),
    Index("vectors_of_record", "tenant_id", "record_id"),
    Index(
        "vectors_by_signs",
        "tenant_id",
        "space_id",
        "scope_key",
        "record_kind",
        postgresql_include=["record_id", "since", "signs"],
        postgresql_where=text("embedding IS NOT NULL"),
    ),
    Index(
        "vectors_waiting",
        "tenant_id",
        "space_id",
        "record_id",
        postgresql_where=text("embedding IS NULL"),
    ),
)
