"""The event log. The service may insert and read; it has no right to change a row."""

from sqlalchemy import (
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from store.tables.base import instant, made_id, metadata, names, person, recorded, tenant, uuid_of, words

events = Table(
    "events",
    metadata,
    tenant(),
    made_id(),
    uuid_of("activity_id"),
    Column("seq", Integer, nullable=False),
    words("type"),
    words("subject"),
    words("subject_kind"),
    names("roles"),
    Column("authority", SmallInteger, nullable=False),
    uuid_of("scope_key"),
    Column("scope", JSONB, nullable=False),
    instant("occurred_at"),
    words("timezone", null=True),
    words("text", null=True),
    Column("entities", JSONB, nullable=False),
    words("evidence_ref", null=True),
    Column("data", JSONB, nullable=False),
    words("idempotency_key", null=True),
    Column("digest", LargeBinary, nullable=False),
    Column("directive", Boolean, nullable=False, server_default=false()),
    recorded(),
    person(),
    instant("erased_at", null=True),
    UniqueConstraint("tenant_id", "activity_id", "seq", name="events_are_numbered"),
    Index(
        "events_once",
        "tenant_id",
        "subject_kind",
        "subject",
        "idempotency_key",
        unique=True,
        postgresql_where=text("idempotency_key IS NOT NULL"),
    ),
    Index("events_of_person", "tenant_id", "person", postgresql_where=text("person IS NOT NULL")),
    Index("events_by_person", "tenant_id", "subject", postgresql_where=text("subject_kind = 'human'")),
)
