"""Why a record is believed, what it was made of, and how its status came to change."""

from sqlalchemy import Column, Index, SmallInteger, Table

from store.tables.base import instant, made_id, metadata, recorded, tenant, uuid_of, words, written_by

evidence = Table(
    "evidence",
    metadata,
    tenant(),
    uuid_of("record_id", key=True),
    uuid_of("event_id", key=True),
    words("record_kind"),
    words("supports", key=True),
    Column("authority", SmallInteger, nullable=False),
    words("authority_role", null=True),
    words("subject"),
    instant("occurred_at"),
    recorded(),
    Index("evidence_by_event", "tenant_id", "event_id"),
)

lineage = Table(
    "lineage",
    metadata,
    tenant(),
    uuid_of("child_id", key=True),
    uuid_of("parent_id", key=True),
    words("child_kind"),
    words("parent_kind"),
    recorded(),
    Index("lineage_by_parent", "tenant_id", "parent_id", "child_id"),
)

transitions = Table(
    "transitions",
    metadata,
    tenant(),
    made_id(),
    words("record_kind"),
    uuid_of("record_id"),
    words("from_status", null=True),
    words("to_status"),
    words("rule"),
    words("reason"),
    words("actor"),
    words("actor_role", null=True),
    uuid_of("event_id", null=True),
    instant("effective_at"),
    recorded(),
    written_by(),
    Index("transitions_of_record", "tenant_id", "record_id", "recorded_at"),
    Index("transitions_by_actor", "tenant_id", "actor"),
    Index("transitions_in_order", "tenant_id", "written_by", "id"),
)
