"""An intention that is proposed waits as well: for its owner's yes, until it lapses."""

from alembic import op

revision = "0019"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE intentions DROP CONSTRAINT intentions_wait_while_pending")
    op.execute(
        "ALTER TABLE intentions ADD CONSTRAINT intentions_wait_while_open"
        " CHECK (next_at IS NULL OR state IN ('proposed', 'pending'))"
    )


def downgrade() -> None:
    op.execute("UPDATE intentions SET next_at = NULL WHERE state = 'proposed'")
    op.execute("ALTER TABLE intentions DROP CONSTRAINT intentions_wait_while_open")
    op.execute(
        "ALTER TABLE intentions ADD CONSTRAINT intentions_wait_while_pending"
        " CHECK (next_at IS NULL OR state = 'pending')"
    )
