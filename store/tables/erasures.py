"""Erasures: what is asked to be forgotten, what that reaches, what is left of it, and the log of receipts."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, Table, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB

from store.tables.base import instant, made_id, metadata, recorded, tenant, uuid_of, words

erasures = Table(
    "erasures",
    metadata,
    tenant(),
    made_id(),
    words("target"),
    words("basis"),
    words("asked_by"),
    words("asked_by_kind"),
    Column("confirmers", Integer, nullable=False),
    Column("goes_on", Boolean, nullable=False),
    Column("expected", LargeBinary),
    words("state"),
    Column("plan", JSONB),
    Column("digest", LargeBinary),
    Column("residue", JSONB),
    Column("sealed", LargeBinary),
    Column("progress", JSONB, nullable=False, server_default="{}"),
    instant("lapses_at", null=True),
    instant("accepted_at", null=True),
    instant("done_at", null=True),
    recorded(),
    Index("erasures_open", "tenant_id", "recorded_at", "id", postgresql_where=text("done_at IS NULL")),
)

erasure_confirmations = Table(
    "erasure_confirmations",
    metadata,
    tenant(),
    uuid_of("erasure_id", key=True),
    words("subject", key=True),
    words("subject_kind", key=True),
    Column("digest", LargeBinary, nullable=False),
    recorded(),
)

erasure_nodes = Table(
    "erasure_nodes",
    metadata,
    tenant(),
    uuid_of("erasure_id", key=True),
    uuid_of("id", key=True),
    words("kind"),
    Column("root", Boolean, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("expanded", Boolean, nullable=False, server_default="false"),
    Column("survives", Boolean, nullable=False, server_default="false"),
    Column("fenced", Boolean, nullable=False, server_default="false"),
    Column("erased", Boolean, nullable=False, server_default="false"),
    Index(
        "erasure_nodes_to_expand",
        "tenant_id",
        "erasure_id",
        "depth",
        "id",
        postgresql_where=text("NOT expanded"),
    ),
    Index("erasure_nodes_to_fence", "tenant_id", "erasure_id", "id", postgresql_where=text("NOT fenced")),
    Index(
        "erasure_nodes_to_erase", "tenant_id", "erasure_id", "kind", "id", postgresql_where=text("NOT erased")
    ),
)

tombstones = Table(
    "tombstones",
    metadata,
    tenant(),
    uuid_of("id", key=True),
    words("kind"),
    words("disposition"),
    uuid_of("erasure_id"),
    recorded(),
    Index("tombstones_of_erasure", "tenant_id", "erasure_id"),
)

erased_keys = Table(
    "erased_keys",
    metadata,
    tenant(),
    Column("digest", LargeBinary, primary_key=True),
    uuid_of("event_id"),
    uuid_of("activity_id"),
    Column("seq", Integer, nullable=False),
)

legal_holds = Table(
    "legal_holds",
    metadata,
    tenant(),
    made_id(),
    Column("target", JSONB, nullable=False),
    words("reason"),
    words("owner"),
    instant("until", null=True),
    instant("released_at", null=True),
    words("released_by", null=True),
    recorded(),
    Index("legal_holds_in_force", "tenant_id", postgresql_where=text("released_at IS NULL")),
)

erasure_log = Table(
    "erasure_log",
    metadata,
    tenant(),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    uuid_of("erasure_id"),
    Column("receipt", JSONB, nullable=False),
    Column("previous", LargeBinary, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    words("key_id", null=True),
    Column("signature", LargeBinary),
    recorded(),
    UniqueConstraint("tenant_id", "erasure_id", name="erasure_log_once"),
)

departures = Table(
    "departures",
    metadata,
    tenant(),
    made_id(),
    words("kind"),
    Column("records", Integer, nullable=False),
    recorded(),
    Index("departures_by_time", "tenant_id", "recorded_at"),
)
