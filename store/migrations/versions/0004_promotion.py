"""Promotion: a candidate can say which fact of a narrower scope it carries over."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "ALTER TABLE candidates ADD COLUMN promotes_id uuid, ADD FOREIGN KEY (tenant_id, promotes_id) REFERENCES facts"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE candidates DROP COLUMN promotes_id")
