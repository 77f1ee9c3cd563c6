"""Tenants by name. The id is derived from the name, so that no look-up crosses tenants."""

from sqlalchemy import Column, Table, Text, Uuid

from store.tables.base import metadata, recorded

tenants = Table(
    "tenants",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("name", Text, nullable=False),
    recorded("created_at"),
)
