"""What each record of the index gives away, so that how words rank rests on what a reader may see."""

from pathlib import Path

from alembic import op

from store.migrations.script import run_script, wall

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    op.execute("GRANT SELECT, INSERT, DELETE ON disclosures TO keepwell_service")
    wall("disclosures")


def downgrade() -> None:
    op.execute("DROP TRIGGER candidates_disclose ON candidates")
    op.execute("DROP TRIGGER evidence_discloses ON evidence")
    op.execute("DROP FUNCTION disclose_candidates, disclose_facts")
    op.execute("DROP TABLE disclosures")
