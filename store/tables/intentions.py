"""Intentions, what they wait for, and each time that they fired."""

from sqlalchemy import Column, Index, Integer, Interval, Table, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB

from store.tables.base import (
    instant,
    made_id,
    metadata,
    names,
    person,
    recorded,
    tenant,
    uuid_of,
    uuids,
    words,
)

intentions = Table(
    "intentions",
    metadata,
    tenant(),
    uuid_of("id", key=True),
    uuid_of("scope_key"),
    Column("scope", JSONB, nullable=False),
    person(),
    uuid_of("event_id"),
    words("set_by"),
    words("set_by_kind"),
    names("set_by_roles"),
    words("owner"),
    words("owner_kind"),
    words("action"),
    Column("data", JSONB, nullable=False),
    Column("trigger", JSONB, nullable=False),
    instant("not_before", null=True),
    instant("deadline", null=True),
    Column("grace", Interval, nullable=False),
    words("timezone"),
    uuid_of("endpoint_id", null=True),
    uuids("premises"),
    words("state"),
    words("reason", null=True),
    instant("next_at", null=True),
    Column("fired", Integer, nullable=False, server_default="0"),
    Column("revision", Integer, nullable=False, server_default="1"),
    recorded(),
    Index("intentions_due", "tenant_id", "next_at", postgresql_where=text("next_at IS NOT NULL")),
    Index("intentions_of_owner", "tenant_id", "owner_kind", "owner", "id"),
    Index("intentions_by_setter", "tenant_id", "set_by_kind", "set_by", "recorded_at"),
    Index("intentions_by_scope", "tenant_id", "scope_key", "id"),
    Index("intentions_of_person", "tenant_id", "person", postgresql_where=text("person IS NOT NULL")),
)

occurrences = Table(
    "occurrences",
    metadata,
    tenant(),
    uuid_of("id", key=True),
    uuid_of("intention_id"),
    words("key"),
    words("owner"),
    words("owner_kind"),
    uuid_of("endpoint_id", null=True),
    uuid_of("cause_id", null=True),
    instant("due_at"),
    instant("fired_at"),
    instant("expires_at", null=True),
    words("fate"),
    Column("skipped", Integer, nullable=False, server_default="0"),
    instant("available_at"),
    Column("leases", Integer, nullable=False, server_default="0"),
    uuid_of("lease", null=True),
    instant("settled_at", null=True),
    words("outcome", null=True),
    uuid_of("event_id", null=True),
    recorded(),
    UniqueConstraint("tenant_id", "intention_id", "key", name="occurrences_come_once"),
    Index("occurrences_of_intention", "tenant_id", "intention_id", "due_at", "id"),
    Index(
        "occurrences_in_inbox",
        "tenant_id",
        "owner_kind",
        "owner",
        "available_at",
        "id",
        postgresql_where=text("settled_at IS NULL AND endpoint_id IS NULL"),
    ),
    Index(
        "occurrences_open",
        "tenant_id",
        "owner_kind",
        "owner",
        "due_at",
        postgresql_where=text("settled_at IS NULL"),
    ),
    Index(
        "occurrences_at_endpoint",
        "tenant_id",
        "endpoint_id",
        "available_at",
        "id",
        postgresql_where=text("settled_at IS NULL AND endpoint_id IS NOT NULL"),
    ),
    Index(
        "occurrences_that_expire",
        "tenant_id",
        "expires_at",
        postgresql_where=text("settled_at IS NULL AND expires_at IS NOT NULL"),
    ),
)

cues = Table(
    "cues",
    metadata,
    tenant(),
    uuid_of("key", key=True),
    uuid_of("intention_id", key=True),
    Index("cues_of_intention", "tenant_id", "intention_id"),
)

watches = Table(
    "watches",
    metadata,
    tenant(),
    uuid_of("key_id", key=True),
    uuid_of("intention_id", key=True),
    words("role", key=True),
    Index("watches_of_intention", "tenant_id", "intention_id"),
)

stimuli = Table(
    "stimuli",
    metadata,
    tenant(),
    made_id(),
    words("kind"),
    uuid_of("subject_id"),
    instant("at"),
    uuid_of("after", null=True),
    Index("stimuli_due", "tenant_id", "at", "id"),
)

timers = Table("timers", metadata, tenant(), instant("wakes_at", null=True))
