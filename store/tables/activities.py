"""Units of agent work: who has numbered how many events, and how far consolidation has come."""

from sqlalchemy import Column, Integer, Table, UniqueConstraint, text

from store.tables.base import made_id, metadata, recorded, tenant, uuid_of, words

activities = Table(
    "activities",
    metadata,
    tenant(),
    made_id(),
    uuid_of("scope_key"),
    words("external_id"),
    Column("last_seq", Integer, nullable=False),
    Column("consolidated_seq", Integer, nullable=False, server_default=text("0")),
    recorded(),
    UniqueConstraint("tenant_id", "scope_key", "external_id", name="activities_by_name"),
)
