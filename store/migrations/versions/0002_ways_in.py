"""API keys, indexes for lists, and the order of news."""

from pathlib import Path

from alembic import op

from store.migrations.script import run_script, wall

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    op.execute("GRANT SELECT, INSERT, UPDATE (revoked_at, last_used_at) ON api_keys TO keepwell_service")
    wall("api_keys")


def downgrade() -> None:
    op.execute("DROP TABLE api_keys")
    op.execute("DROP INDEX facts_by_scope, episodes_by_scope, decisions_in_order, transitions_in_order")
    op.execute("ALTER TABLE candidates DROP COLUMN about_id")
    op.execute("ALTER TABLE decisions DROP COLUMN written_by")
