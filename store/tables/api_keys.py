"""API keys: for whom they speak, how far they reach, and a digest of their secret. Never the secret."""

from sqlalchemy import Column, Index, LargeBinary, Table, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.types import Text

from store.tables.base import instant, metadata, names, recorded, tenant, uuid_of, words

api_keys = Table(
    "api_keys",
    metadata,
    tenant(),
    uuid_of("id", key=True),
    words("name"),
    Column("digest", LargeBinary, nullable=False),
    words("subject"),
    words("subject_kind"),
    names("roles"),
    Column("within", JSONB, nullable=False),
    Column("verbs", ARRAY(Text)),
    words("made_by"),
    instant("expires_at", null=True),
    instant("revoked_at", null=True),
    instant("last_used_at", null=True),
    recorded(),
    Index("api_keys_by_name", "tenant_id", "name", unique=True, postgresql_where=text("revoked_at IS NULL")),
)
