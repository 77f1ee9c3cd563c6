"""Reports on answers: what was visible and used, how runs ended, and how often each record was of use."""

from pathlib import Path

from alembic import op

from store.migrations.script import run_script, wall

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    # Whoever reports holds the trace meanwhile, which takes a right to change something of it.
    op.execute("GRANT UPDATE (tokens) ON traces TO keepwell_service")
    op.execute("GRANT SELECT, INSERT, DELETE ON reports TO keepwell_service")
    op.execute("GRANT SELECT, INSERT, DELETE, UPDATE (used) ON exposures TO keepwell_service")
    op.execute("GRANT SELECT, INSERT, DELETE, UPDATE (seen, used) ON record_uses TO keepwell_service")
    for table in ("reports", "exposures", "record_uses"):
        wall(table)


def downgrade() -> None:
    op.execute("REVOKE UPDATE (tokens) ON traces FROM keepwell_service")
    op.execute("DROP TABLE reports, exposures, record_uses")
