"""Traces: what each recall was asked, what it found, and why that was in the answer or was not."""

from pathlib import Path

from alembic import op

from store.migrations.script import run_script, wall

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    op.execute("GRANT SELECT, INSERT, DELETE ON traces TO keepwell_service")
    wall("traces")


def downgrade() -> None:
    op.execute("DROP TABLE traces")
