"""What a person has switched off stays off whatever becomes of its class, and reviews are read page by page."""

from pathlib import Path

from alembic import op

from store.migrations.script import run_script, wall

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    op.execute("GRANT SELECT, INSERT ON switched_attributes TO keepwell_service")
    wall("switched_attributes")


def downgrade() -> None:
    raise RuntimeError(
        "what persons have switched off would come back to everybody; restore a backup instead"
    )
