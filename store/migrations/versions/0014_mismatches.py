"""Mismatches: how often memory and what was observed have disagreed, so that a person can be asked."""

from pathlib import Path

from alembic import op

from store.migrations.script import run_script, wall

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    op.execute("GRANT SELECT, INSERT, DELETE ON mismatches TO keepwell_service")
    wall("mismatches")


def downgrade() -> None:
    op.execute("DROP TABLE mismatches")
