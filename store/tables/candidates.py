"""What was proposed, stored before it is applied, and what was decided about it."""

from sqlalchemy import Boolean, Column, Index, Table, text

from store.tables.base import instant, metadata, recorded, tenant, uuid_of, words, written_by

candidates = Table(
    "candidates",
    metadata,
    tenant(),
    uuid_of("id", key=True),
    uuid_of("event_id"),
    uuid_of("key_id", null=True),
    words("kind"),
    words("attribute"),
    words("mention", null=True),
    words("value", null=True),
    words("ends_when", null=True),
    instant("expires_at", null=True),
    instant("stated_from", null=True),
    Column("hedged", Boolean, nullable=False),
    words("quote"),
    words("extractor"),
    recorded(),
    uuid_of("about_id", null=True),
    words("doubt", null=True),
    uuid_of("reviews_id", null=True),
    uuid_of("extraction_id", null=True),
    uuid_of("promotes_id", null=True),
    Index("candidates_by_key", "tenant_id", "key_id", "id"),
    Index("candidates_by_event", "tenant_id", "event_id"),
    Index(
        "candidates_unnamed",
        "tenant_id",
        "recorded_at",
        "id",
        postgresql_where=text(
            "key_id IS NULL AND reviews_id IS NULL AND mention IS NOT NULL AND value IS NOT NULL"
        ),
    ),
)

decisions = Table(
    "decisions",
    metadata,
    tenant(),
    uuid_of("candidate_id", key=True),
    words("verdict"),
    words("reason"),
    uuid_of("fact_id", null=True),
    uuid_of("target_id", null=True),
    recorded(),
    written_by(),
    Index("decisions_in_order", "tenant_id", "written_by", "candidate_id"),
)

settlements = Table(
    "settlements",
    metadata,
    tenant(),
    uuid_of("candidate_id", key=True),
    uuid_of("review_id"),
    recorded(),
)
