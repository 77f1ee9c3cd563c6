"""Policies of tenants: each version as it was applied, by whom and why. Insert only."""

from sqlalchemy import Column, Integer, LargeBinary, Table
from sqlalchemy.dialects.postgresql import JSONB

from store.tables.base import metadata, recorded, tenant, words

policies = Table(
    "policies",
    metadata,
    tenant(),
    Column("version", Integer, primary_key=True, autoincrement=False),
    words("content"),
    Column("document", JSONB, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    words("applied_by"),
    words("applied_kind"),
    words("reason"),
    recorded(),
)
