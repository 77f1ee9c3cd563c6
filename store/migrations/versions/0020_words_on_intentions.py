"""Words on intentions are marked as such, so that no field which a publisher names like theirs makes an event one."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE events ADD COLUMN on_intention boolean NOT NULL DEFAULT false")


def downgrade() -> None:
    op.execute("ALTER TABLE events DROP COLUMN on_intention")
