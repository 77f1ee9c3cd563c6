"""The signs of each vector beside it, by which the nearest of very many are found."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Kept in the row as well, as a search reads it from the index and a changed vector changes it.
    op.execute(
        "ALTER TABLE vectors ADD COLUMN signs varbit GENERATED ALWAYS AS (binary_quantize(embedding)::varbit) STORED"
    )
    op.execute(
        "CREATE INDEX vectors_by_signs ON vectors (tenant_id, space_id, scope_key, record_kind)"
        " INCLUDE (record_id, since, signs) WHERE embedding IS NOT NULL"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE vectors DROP COLUMN signs")
