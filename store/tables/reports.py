"""What became of answers, as reported, and how often each record was seen and used; see `models.reports`."""

from sqlalchemy import Boolean, Column, Index, Integer, LargeBinary, Table, text

from store.tables.base import made_id, metadata, recorded, tenant, uuid_of, words

reports = Table(
    "reports",
    metadata,
    tenant(),
    made_id(),
    uuid_of("trace_id"),
    recorded(),
    words("idempotency_key", null=True),
    Column("digest", LargeBinary, nullable=False),
    words("outcome", null=True),
    words("pair", null=True),
    words("arm", null=True),
    Index("reports_by_trace", "tenant_id", "trace_id"),
    Index(
        "reports_once",
        "tenant_id",
        "trace_id",
        "idempotency_key",
        unique=True,
        postgresql_where=text("idempotency_key IS NOT NULL"),
    ),
)

exposures = Table(
    "exposures",
    metadata,
    tenant(),
    uuid_of("trace_id", key=True),
    uuid_of("record_id", key=True),
    Column("used", Boolean, nullable=False),
    Index("exposures_of_record", "tenant_id", "record_id"),
)

record_uses = Table(
    "record_uses",
    metadata,
    tenant(),
    uuid_of("record_id", key=True),
    Column("seen", Integer, nullable=False),
    Column("used", Integer, nullable=False),
)
