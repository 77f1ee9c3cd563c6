"""What has to reach Temporal, written in the transaction that gives the reason for it. Ids only."""

from sqlalchemy import BigInteger, Column, Identity, Index, Integer, Table, Uuid, text

from store.tables.base import metadata, recorded, uuid_of, words

outbox = Table(
    "outbox",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("tenant_id", Uuid, nullable=False),
    words("kind"),
    uuid_of("subject_id"),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    recorded("available_at"),
    recorded(),
    Index("outbox_due", "available_at", "id"),
)
