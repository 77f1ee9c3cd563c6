"""A candidate without a thing is settled once, whoever reviews it at the same time."""

from pathlib import Path

from alembic import op

from store.migrations.script import run_script, wall

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    op.execute("GRANT SELECT, INSERT ON settlements TO keepwell_service")
    wall("settlements")


def downgrade() -> None:
    op.execute(
        "CREATE INDEX candidates_by_review ON candidates (tenant_id, reviews_id) WHERE reviews_id IS NOT NULL"
    )
    op.execute("DROP TABLE settlements")
