"""On which occasions a live observation has contradicted a fact; see `models.mismatches`."""

from sqlalchemy import Boolean, Column, Index, Table, text

from store.tables.base import instant, metadata, recorded, tenant, uuid_of

mismatches = Table(
    "mismatches",
    metadata,
    tenant(),
    uuid_of("fact_id", key=True),
    uuid_of("trace_id", key=True),
    recorded(),
    uuid_of("occasion"),
    instant("observed_at"),
    Column("asks", Boolean, nullable=False),
    Index("mismatches_to_review", "tenant_id", "recorded_at", "fact_id", postgresql_where=text("asks")),
    Index("mismatches_of_trace", "tenant_id", "trace_id"),
)
