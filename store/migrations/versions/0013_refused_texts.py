"""Texts for which the embedder of a space has no vector: marked, so that what comes after them is embedded."""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE vectors ADD COLUMN refused boolean NOT NULL DEFAULT false")
    op.execute("GRANT UPDATE (refused) ON vectors TO keepwell_service")


def downgrade() -> None:
    op.execute("ALTER TABLE vectors DROP COLUMN refused")
