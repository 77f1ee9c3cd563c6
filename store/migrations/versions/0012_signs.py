"""The signs of each vector beside it, by which the nearest of very many are found. A record has few postings."""

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
    # A sample of so many postings makes the planner take a record to have nearly all of a word's.
    op.execute("ALTER TABLE postings ALTER COLUMN record_id SET (n_distinct = -0.03)")


def downgrade() -> None:
    op.execute("ALTER TABLE postings ALTER COLUMN record_id RESET (n_distinct)")
    op.execute("ALTER TABLE vectors DROP COLUMN signs")
