"""What each recall was asked and what became of all that it found; see `models.traces`."""

from sqlalchemy import Column, Index, Integer, Table
from sqlalchemy.dialects.postgresql import JSONB

from store.tables.base import made_id, metadata, names, recorded, tenant, uuid_of, words

traces = Table(
    "traces",
    metadata,
    tenant(),
    made_id(),
    recorded(),
    words("subject"),
    words("subject_kind"),
    uuid_of("scope_key"),
    Column("asked", JSONB, nullable=False),
    names("triggers"),
    Column("decisions", JSONB, nullable=False),
    Column("entries", JSONB, nullable=False),
    words("advice"),
    Column("tokens", Integer, nullable=False),
    Index("traces_by_age", "tenant_id", "recorded_at"),
    Index("traces_of_subject", "tenant_id", "subject", "recorded_at"),
)
