"""What memories are about, and the names that it goes by in each scope.

An entity that turned out to be another one points at it by `same_as`.
"""

from sqlalchemy import Boolean, Column, Index, Table, UniqueConstraint

from store.tables.base import made_id, metadata, recorded, tenant, uuid_of, words

entities = Table(
    "entities",
    metadata,
    tenant(),
    made_id(),
    words("canonical"),
    words("type"),
    uuid_of("same_as", null=True),
    recorded(),
    UniqueConstraint("tenant_id", "canonical", name="entities_are_canonical"),
)

aliases = Table(
    "aliases",
    metadata,
    tenant(),
    uuid_of("scope_key", key=True),
    words("name_key", key=True),
    uuid_of("entity_id", key=True),
    words("name"),
    Column("trusted", Boolean, nullable=False),
    recorded(),
    Index("aliases_by_entity", "tenant_id", "entity_id"),
)
