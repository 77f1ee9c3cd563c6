"""Which classes of memory a person has switched off for themselves, and on again. Insert only."""

from sqlalchemy import BigInteger, Boolean, Column, Identity, Index, Table, text

from store.tables.base import metadata, recorded, tenant, words

switches = Table(
    "switches",
    metadata,
    tenant(),
    Column("number", BigInteger, Identity(always=True), primary_key=True),
    words("subject"),
    words("class_name"),
    words("state"),
    recorded(),
    Index("switches_of_person", "tenant_id", "subject", "class_name", "number"),
    Index("switches_turned_off", "tenant_id", postgresql_where=text("state = 'off'")),
)

switched_attributes = Table(
    "switched_attributes",
    metadata,
    tenant(),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    words("subject", key=True),
    words("attribute", key=True),
    words("state"),
    Column("personal", Boolean, nullable=False),
    recorded(),
    Index(
        "switched_off_as_personal",
        "tenant_id",
        "attribute",
        postgresql_where=text("state = 'off' AND personal"),
    ),
)
