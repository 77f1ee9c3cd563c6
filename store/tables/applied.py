"""The ledger of steps that have been applied, with the answer that each gave."""

from sqlalchemy import Column, Table
from sqlalchemy.dialects.postgresql import JSONB

from store.tables.base import metadata, recorded, tenant, words

applied = Table(
    "applied",
    metadata,
    tenant(),
    words("step", key=True),
    Column("answer", JSONB, nullable=False),
    recorded(),
)
