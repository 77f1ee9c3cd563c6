"""Where something due is delivered other than into an inbox."""

from sqlalchemy import Column, Integer, Table, UniqueConstraint

from store.tables.base import instant, made_id, metadata, names, recorded, tenant, words

endpoints = Table(
    "endpoints",
    metadata,
    tenant(),
    made_id(),
    words("name"),
    words("kind"),
    words("address"),
    names("secrets"),
    words("made_by"),
    Column("failures", Integer, nullable=False, server_default="0"),
    instant("open_until", null=True),
    instant("disabled_at", null=True),
    words("reason", null=True),
    recorded(),
    UniqueConstraint("tenant_id", "name", name="endpoints_by_name"),
)
