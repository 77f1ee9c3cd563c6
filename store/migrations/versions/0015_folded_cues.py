"""Ids of cues folded, as they are looked up: an instruction about `tool:Terraform` holds for `tool:terraform`."""

from alembic import op
from sqlalchemy import text

from models.entities import CUES, canonical_key

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_WRITTEN = text(
    """
    SELECT e.tenant_id, e.id, e.canonical,
        EXISTS (SELECT FROM fact_keys k WHERE k.tenant_id = e.tenant_id AND k.entity_id = e.id) AS spoken_of
    FROM entities e WHERE e.type = ANY(:cues) ORDER BY e.id
    """
)
_FOLD = text("UPDATE entities SET canonical = :canonical WHERE tenant_id = :tenant AND id = :id")
# A look-up goes on to what an entity is the same as, and no further. A fact is found by the entity of its key alone.
_MERGE = [
    text(
        "UPDATE entities SET canonical = 'same:' || id, type = 'same', same_as = :kept"
        " WHERE tenant_id = :tenant AND id = :id"
    ),
    text("UPDATE entities SET same_as = :kept WHERE tenant_id = :tenant AND same_as = :id"),
    text("UPDATE fact_keys SET entity_id = :kept WHERE tenant_id = :tenant AND entity_id = :id"),
]


def upgrade() -> None:
    # The owner of the tables reads and writes them for all tenants.
    for table in ("entities", "fact_keys"):
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    connection = op.get_bind()
    same: dict[tuple[object, str], list[tuple[bool, bool, object]]] = {}
    for row in connection.execute(_WRITTEN, {"cues": sorted(CUES)}):
        folded = canonical_key(row.canonical)
        each = (not row.spoken_of, row.canonical != folded, row.id)
        same.setdefault((row.tenant_id, folded), []).append(each)
    for (tenant, folded), written in same.items():
        # One of which something is said keeps its facts under their keys, whose ids are made of its own.
        (_, unfolded, kept), *others = sorted(written, key=lambda each: each[:2])
        for _, _, other in others:
            for statement in _MERGE:
                connection.execute(statement, {"tenant": tenant, "id": other, "kept": kept})
        if unfolded:
            connection.execute(_FOLD, {"tenant": tenant, "id": kept, "canonical": folded})
    for table in ("entities", "fact_keys"):
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def downgrade() -> None:
    """Nobody knows any more how an id was written; folded, it is found by whoever writes it so."""
