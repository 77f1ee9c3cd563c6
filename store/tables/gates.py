"""Facts that wait for a condition, and who has said that it is met."""

from sqlalchemy import Index, Table

from store.tables.base import instant, metadata, names, recorded, tenant, uuid_of, words

gates = Table(
    "gates",
    metadata,
    tenant(),
    uuid_of("fact_id", key=True),
    words("state"),
    words("reason", null=True),
    recorded("opened_at"),
    instant("closed_at", null=True),
)

confirmations = Table(
    "confirmations",
    metadata,
    tenant(),
    uuid_of("id", key=True),
    uuid_of("fact_id"),
    uuid_of("event_id"),
    words("subject"),
    words("subject_kind"),
    names("roles"),
    words("state"),
    words("reason", null=True),
    recorded(),
    instant("decided_at", null=True),
    Index("confirmations_by_person", "tenant_id", "subject"),
    Index("confirmations_of_fact", "tenant_id", "fact_id", "recorded_at"),
)
