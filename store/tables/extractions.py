"""What models were asked to propose, held until it is applied, and what each tenant spent on it by day."""

from sqlalchemy import BigInteger, Column, Date, Index, Integer, LargeBinary, Table, text
from sqlalchemy.dialects.postgresql import JSONB

from store.tables.base import metadata, recorded, tenant, uuid_of, words

_NOTHING = text("0")

extractions = Table(
    "extractions",
    metadata,
    tenant(),
    uuid_of("id", key=True),
    uuid_of("activity_id"),
    uuid_of("redo_id", null=True),
    words("purpose"),
    Column("first_seq", Integer, nullable=False),
    Column("last_seq", Integer, nullable=False),
    words("extractor"),
    words("model", null=True),
    words("prompt", null=True),
    Column("input_digest", LargeBinary),
    words("state"),
    words("reason", null=True),
    Column("attempts", Integer, nullable=False, server_default=_NOTHING),
    Column("requests", Integer, nullable=False, server_default=_NOTHING),
    Column("input_tokens", BigInteger, nullable=False, server_default=_NOTHING),
    Column("output_tokens", BigInteger, nullable=False, server_default=_NOTHING),
    Column("proposed", JSONB(none_as_null=True)),
    recorded(),
    Index("extractions_by_time", "tenant_id", "recorded_at", "id"),
    Index("extractions_of_activity", "tenant_id", "activity_id", "purpose"),
    Index(
        "extractions_of_redo",
        "tenant_id",
        "redo_id",
        postgresql_where=text("redo_id IS NOT NULL"),
    ),
)

model_spending = Table(
    "model_spending",
    metadata,
    tenant(),
    Column("day", Date, primary_key=True),
    Column("requests", BigInteger, nullable=False),
    Column("tokens", BigInteger, nullable=False),
)
