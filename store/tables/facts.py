"""Facts, and the keys under which at most one of them governs at any instant."""

from sqlalchemy import Column, Index, SmallInteger, Table, text
from sqlalchemy.dialects.postgresql import JSONB

from store.tables.base import instant, metadata, person, recorded, tenant, uuid_of, words

# As Postgres writes it, so that it compares as the same.
_LAPSES = """
CASE
    WHEN lapses_at IS NULL THEN 'infinity'::timestamp with time zone
    ELSE lapses_at
END"""

fact_keys = Table(
    "fact_keys",
    metadata,
    tenant(),
    uuid_of("id", key=True),
    uuid_of("scope_key"),
    Column("scope", JSONB, nullable=False),
    uuid_of("entity_id", null=True),
    words("attribute"),
    words("value_key", null=True),
    recorded(),
    person(),
    Index("fact_keys_of_person", "tenant_id", "person", postgresql_where=text("person IS NOT NULL")),
    Index("fact_keys_by_entity", "tenant_id", "entity_id", "scope_key"),
    Index("fact_keys_by_attribute", "tenant_id", "scope_key", "attribute"),
    Index("fact_keys_attributes", "tenant_id", "attribute"),
)

facts = Table(
    "facts",
    metadata,
    tenant(),
    uuid_of("id", key=True),
    uuid_of("key_id"),
    uuid_of("scope_key"),
    words("admission"),
    words("value"),
    words("ends_when", null=True),
    instant("expires_at", null=True),
    instant("stated_from", null=True),
    instant("valid_from"),
    instant("ended_at", null=True),
    words("ending", null=True),
    instant("stated_at"),
    instant("restated_at"),
    Column("authority", SmallInteger, nullable=False),
    words("authority_role", null=True),
    words("standing"),
    uuid_of("challenges", null=True),
    words("statement"),
    recorded(),
    words("canonical_value", null=True),
    instant("lapses_at", null=True),
    instant("recomputed_at", null=True),
    Index("facts_by_key", "tenant_id", "key_id", "valid_from"),
    Index("facts_by_scope", "tenant_id", "scope_key", "recorded_at", "id"),
    Index(
        "facts_to_review",
        "tenant_id",
        "recorded_at",
        "id",
        text(_LAPSES),
        postgresql_where=text("admission <> 'admitted' AND ended_at IS NULL"),
    ),
)
