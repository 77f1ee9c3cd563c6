"""Experiences and what is searched of them."""

from sqlalchemy import Column, Index, Integer, SmallInteger, Table, UniqueConstraint, text

from store.tables.base import instant, metadata, recorded, tenant, uuid_of, uuids, words

episodes = Table(
    "episodes",
    metadata,
    tenant(),
    uuid_of("id", key=True),
    uuid_of("activity_id"),
    uuid_of("scope_key"),
    Column("revision", Integer, nullable=False),
    words("execution_status"),
    words("goal_outcome"),
    words("narrative"),
    words("narrator"),
    Column("authority", SmallInteger, nullable=False),
    instant("started_at"),
    instant("ended_at"),
    recorded(),
    recorded("revised_at"),
    instant("retracted_at", null=True),
    instant("recomputed_at", null=True),
    UniqueConstraint("tenant_id", "activity_id", name="episodes_one_an_activity"),
    Index("episodes_by_scope", "tenant_id", "scope_key", "recorded_at", "id"),
)

passages = Table(
    "passages",
    metadata,
    tenant(),
    uuid_of("id", key=True),
    uuid_of("episode_id"),
    uuid_of("scope_key"),
    words("text"),
    uuids("event_ids"),
    instant("occurred_at"),
    Index("passages_in_order", "tenant_id", "episode_id", "occurred_at", text("(event_ids[1])"), "id"),
)

episode_entities = Table(
    "episode_entities",
    metadata,
    tenant(),
    uuid_of("episode_id", key=True),
    uuid_of("entity_id", key=True),
    Index("episodes_by_entity", "tenant_id", "entity_id", "episode_id"),
)
