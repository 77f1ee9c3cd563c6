"""Whoever cites an event holds its activity, so that whoever has just indexed a passage of it knows whom to await."""

from pathlib import Path

from store.migrations.script import run_script

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))


def downgrade() -> None:
    """A lock that nobody waits for does no harm."""
