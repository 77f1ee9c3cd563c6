"""Whose memory it is: nobody else's word takes it away from the person who has said it first."""

from pathlib import Path

from store.migrations.script import run_script

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))


def downgrade() -> None:
    raise RuntimeError("memories would pass to whoever repeats them; restore a backup instead")
